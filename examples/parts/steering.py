"""Ackermann steering: all wheels roll about one point."""

import taut
from taut.machines import SolidAxle, Steering, Strut, Wheel


def build() -> taut.Scene:
    """A car whose driver turns to the left."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    scene.add_body("hull", taut.shapes.Box(4, 1.2, 0.4), mass=1000, position=(0, 0, 0.8), collides=False)
    for name, side in (("left", 1), ("right", -1)):
        scene.add(Strut(chassis=("hull", (1.3, 0.75 * side, -0.45)), mass=20), name=name)
    scene.add(SolidAxle(chassis=("hull", (-1.3, 0, -0.45)), track=1.5, mass=80), name="rear")
    steering = Steering(chassis=("hull", (-1.3, 0, 0)), hubs=["left/hub", "right/hub"], max_torque=500,
                        schedule=taut.Ramps((0, 0), (1, 0.5)))  # fmt: skip
    scene.add(steering, name="steering")
    knuckles = ["steering/knuckle-1", "steering/knuckle-2"]
    for number, carrier in enumerate([*knuckles, ("rear/hub", (0, 0.75, 0)), ("rear/hub", (0, -0.75, 0))]):
        scene.add(Wheel(carrier=carrier, radius=0.35, width=0.2, mass=20, motor=200), name=f"wheel-{number}")
    return scene
