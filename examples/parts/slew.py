"""A slewing ring turns a jib and stops it softly."""

import taut
from taut.machines import Slew


def build() -> taut.Scene:
    """A jib with a load at its end on a post."""
    scene = taut.Scene()
    scene.add_body("post", taut.shapes.Cylinder(0.3, 2), position=(0, 0, 1), fixed=True)
    jib = taut.shapes.Box(5, 0.3, 0.3)
    scene.add_body("jib", jib, mass=900, position=(1.5, 0, 2.15), collides=False)
    scene.add_body("load", taut.shapes.Box(0.8, 0.8, 0.8), mass=400, position=(3.6, 0, 0.6))
    scene.connect("jib", "load", taut.joints.Rope(point_a=(2.1, 0, -0.15), point_b=(0, 0, 0.4)))
    slew = Slew(base=("world", (0, 0, 2)), upper="jib", max_torque=2e4, max_speed=0.6,
                schedule={"angle": taut.Ramps((0, 0), (4, 1.5))})  # fmt: skip
    scene.add(slew, name="slew")
    return scene
