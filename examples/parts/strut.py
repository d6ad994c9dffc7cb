"""A strut: the hub slides along it, on a spring that is preloaded with what it carries."""

import taut
from taut.machines import Strut, Wheel


def build() -> taut.Scene:
    """The front of a car that falls by 5 cm; the rear stands on a ball."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    scene.add_body("hull", taut.shapes.Box(3.6, 0.4, 0.12), mass=1000, position=(0, 0, 0.85), collides=False)
    scene.add_body("ball", taut.shapes.Sphere(0.35), mass=20, position=(-1.6, 0, 0.4))
    scene.connect("hull", "ball", taut.joints.Spherical(), at=(-1.6, 0, 0.4))
    for name, side in (("left", 1), ("right", -1)):
        scene.add(Strut(chassis=("hull", (1.3, 0.75 * side, -0.45)), mass=20), name=name)
    for name in ("left", "right"):
        scene.add(Wheel(carrier=f"{name}/hub", radius=0.35, width=0.2, mass=20), name=f"wheel-{name}")
    return scene
