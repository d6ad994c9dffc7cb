"""A brake stops a drum on which a load hangs, and holds it without creep."""

import taut
from taut.joints import attach, drum
from taut.machines import Brake, Rope


def build() -> taut.Scene:
    """The load runs for half a second before somebody presses the pedal."""
    scene = taut.Scene()
    along = taut.spatial.from_two_vectors((0, 0, 1), (0, 1, 0))
    look = taut.machines.visuals.drum(0.3, 0.5)
    scene.add_body("drum", taut.shapes.Cylinder(0.3, 0.5), mass=80, orientation=along, collides=False, visual=look)
    scene.connect("world", "drum", taut.joints.Revolute(axis=(0, 1, 0)), name="axle")
    scene.add_body("load", taut.shapes.Box(0.4, 0.4, 0.4), mass=100, position=(0.3, 0, -1.2))
    stops = (drum("drum", radius=0.3, axis=(0, 1, 0)), attach("load", (0, 0, 0.2)))
    scene.add(Rope(stops=stops), name="rope")
    scene.add(Brake(on="axle", max_torque=600, schedule=taut.Ramps((0.5, 0), (1, 1))), name="brake")
    return scene
