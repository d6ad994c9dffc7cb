"""A gripper takes a box between two jaws and lifts it."""

import taut
from taut.machines import Gripper


def build() -> taut.Scene:
    """The jaws close, then the carriage rises."""
    scene = taut.Scene(friction=0.7)
    scene.add_plane()
    scene.add_body("box", taut.shapes.Box(0.12, 0.12, 0.16), mass=2, position=(0, 0, 0.08))
    scene.add_body("carriage", taut.shapes.Box(0.1, 0.1, 0.2), mass=10, position=(0, 0, 0.52), collides=False)
    rise = taut.joints.Prismatic(axis=(0, 0, 1), motor=taut.joints.Motor(speed=0))
    scene.connect("world", "carriage", rise, name="lift")
    scene.add_control("lift", joint="lift", low=-0.2, high=0.2,
                      schedule=taut.Ramps((1, 0), (1.2, 0.15), (3, 0.15), (3.2, 0)))  # fmt: skip
    gripper = Gripper(on=("carriage", (0, 0, -0.1)), reach=0.3, opening=(0.05, 0.3), force=60, mass=(3, 1), width=0.1,
                      schedule={"close": taut.Ramps((0, 0), (0.3, 1))})  # fmt: skip
    scene.add(gripper, name="gripper")
    return scene
