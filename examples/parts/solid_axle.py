"""A solid axle rises and rolls on two springs; one wheel stands on a board."""

import taut
from taut.machines import SolidAxle, Wheel


def build() -> taut.Scene:
    """The rear of a car; its front stands on a ball."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    scene.add_body("board", taut.shapes.Box(0.6, 0.4, 0.08), position=(-1.3, 0.75, 0.04), fixed=True)
    scene.add_body("hull", taut.shapes.Box(3.6, 0.4, 0.12), mass=1000, position=(0, 0, 0.9), collides=False)
    scene.add_body("ball", taut.shapes.Sphere(0.35), mass=20, position=(1.6, 0, 0.36))
    scene.connect("hull", "ball", taut.joints.Spherical(), at=(1.6, 0, 0.36))
    axle = SolidAxle(chassis=("hull", (-1.3, 0, -0.45)), track=1.5, mass=80, anti_roll=5e3)
    scene.add(axle, name="axle")
    for name, side in (("left", 1), ("right", -1)):
        carrier = ("axle/hub", (0, 0.75 * side, 0))
        scene.add(Wheel(carrier=carrier, radius=0.35, width=0.2, mass=20), name=f"wheel-{name}")
    return scene
