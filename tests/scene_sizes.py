"""Which scenes tests run in which sizes, beside those that they have by themselves."""

from __future__ import annotations

from taut import scenes

LOOSE = {
    "bullet_wall", "cable_spinner", "card_house", "cut_net", "dominoes", "heavy_on_light", "incline",
    "inextensible_pendulum", "log_tower", "plank_bridge", "rock_pile", "rolling_sphere", "scree", "sliding_block",
    "stack_of_boxes",
}  # fmt: skip
"""Scenes without joints that trees are made of."""

IN_TREES = sorted(set(scenes.names()) - LOOSE)
"""Scenes with joints that trees are made of."""

LONG = {"cable_spinner", "chain_drop", "crane", "log_tower", "net_truck", "offshore", "rock_pile", "tandem_cranes"}
"""Scenes whose full run takes a while; smaller ones of their kind are run by default."""

OTHER_SIZES = [
    ("chain_drop", 1.0, {"links": 80}),
    ("log_tower", 1.5, {"layers": 6, "arrival": 0.5}),
    ("rock_pile", 2.0, {"rocks": 12}),
    ("bullet_wall", 1.0, {"rows": 3, "columns": 3, "bullets": 5, "speed": 60.0}),
    ("chain_wrap", 4.0, {"ratio": 1e5}),
    ("heavy_on_light", 2.0, {"ratio": 100.0}),
    ("capstan", 1.0, {"ratio": 2.3}),
    ("newtons_cradle", 2.0, {"balls": 3}),
    ("newtons_cradle", 2.0, {"restitution": 0.0}),
    ("card_house", 1.0, {"storeys": 3}),
    ("planar_tree", 2.0, {"auxiliary": 12}),
    ("spatial_tree", 2.0, {"joints": 32, "contacts": True}),
    ("star", 1.0, {"spokes": 7, "speed": -3.0}),
    ("long_chain", 1.0, {"links": 50, "load": 1000.0}),
    ("ragdoll", 4.0, {"lean": 45.0}),
    ("knife_edge", 2.0, {"spin": -2.0, "slope": 20.0}),
    ("wheel_coupling", 2.0, {"torque": -1.0}),
    ("rock_pile", 1.2, {"rocks": 80}),
    ("scree", 2.0, {"rocks": 8, "slope": 25.0}),
    ("closed_chain", 5.0, {"ratio": 1.0}),
    ("closed_chain", 5.0, {"ratio": 1e3}),
    ("closed_chain", 5.0, {"links": 10, "ratio": 1e4}),
    ("stayed_bridge", 5.0, {"car": 0.0}),
    ("stayed_bridge", 5.0, {"dofs": 64, "towers": "flexible", "car": 500.0}),
    ("stayed_bridge", 3.0, {"car": 500.0, "ratio": 1e3}),
    ("stayed_bridge", 3.0, {"towers": "flexible", "car": 500.0, "ratio": 1e5}),
    ("umbrella", 5.0, {"dofs": 65}),
    ("umbrella", 1.0, {"dofs": 513}),
    ("spring_tree", 5.0, {"levels": 2}),
    ("spring_tree", 5.0, {"levels": 4, "alternate": True}),
    ("spring_arm", 5.0, {"servo": "soft"}),
    ("spring_arm", 5.0, {"arms": 3, "tool": 10.0}),
    ("spring_arm", 5.0, {"tool": 1e3}),
    ("robot_arm", 5.0, {"links": 2}),
    ("robot_arm", 5.0, {"links": 4}),
    ("pushing_arm", 8.5, {"friction": 0.3}),
    ("quadruped", 6.0, {"friction": 0.6}),
    ("rod", 0.5, {"pieces": 100}),
    ("spool", 24.0, {"stiffness": 0.0}),
    ("spool", 24.0, {"load": 500.0, "way": 4.0, "speed": 0.5}),
    ("cut_cable", 4.0, {"load": 20.0, "time": 1.0}),
    ("inextensible_pendulum", 5.0, {"ratio": 1e5}),
    ("inextensible_pendulum", 5.0, {"beads": 40, "angle": 100.0}),
    ("plucked_cable", 1.0, {"links": 16, "ratio": 1e6}),
    ("plucked_cable", 1.0, {"decay": 20.0}),
    ("tearing_chain", 1.5, {"links": 1, "weakest": 2}),
    ("tearing_chain", 2.0, {"links": 100, "weakest": 101}),
    ("cut_net", 4.0, {"load": 100.0}),
    ("cut_net", 4.0, {"knots": 12}),
    ("breaking_bridge", 5.0, {"load": 1500.0}),
    ("breaking_bridge", 5.0, {"planks": 9}),
    ("breaking_bridge", 5.0, {"load": 5000.0}),
    ("winch", 12.0, {"friction": 0.5}),
    ("plank_bridge", 10.0, {"planks": 16}),
    ("plank_bridge", 10.0, {"planks": 33, "walker": 200.0}),
    ("cable_spinner", 1.8, {}),
    ("net_truck", 1.2, {"fall": 0.2}),
    ("offshore", 4.0, {"load": 8000.0, "wave": 1.0}),
    ("parkour", 4.0, {"shafts": "bodies", "friction": 0.6}),
    ("tandem_cranes", 2.0, {"speed": -0.9, "friction": 0.05}),
]
"""Scenes of other sizes, how long they run, s, and their parameters."""
