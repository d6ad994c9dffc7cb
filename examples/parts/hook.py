"""A hook takes the eye of a crate with its latch, and lets go when told to."""

import taut
from taut.machines import Cable, Hook


def build() -> taut.Scene:
    """The latch closes after half a second: the crate then hangs on it."""
    scene = taut.Scene()
    scene.add_plane(offset=-2.67)
    scene.add_body("crate", taut.shapes.Box(0.5, 0.5, 0.4), mass=80, position=(0, 0, -2.46))
    scene.add_body("block", taut.shapes.Cylinder(0.06, 0.15), mass=5, position=(0, 0, -1.9), collides=False)
    scene.add(Cable(from_="world", to=("block", (0, 0, 0.075)), diameter=0.03, length=1.83, segments=12), name="cable")
    scene.add(Hook(on=("block", (0, 0, -0.075)), eyes=[("crate", (0, 0, 0.35))], mass=3, opening=0.1), name="hook")
    return scene
