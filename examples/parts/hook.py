"""A hook takes the eye of a crate with its latch, and would let go when told to."""

import taut
from taut.machines import Cable, Hook


def build() -> taut.Scene:
    """The latch closes by itself; the control `hook.latch` opens it."""
    scene = taut.Scene()
    scene.add_plane(offset=-2.67)
    scene.add_body("crate", taut.shapes.Box(0.5, 0.5, 0.4), mass=80, position=(0, 0, -2.46))
    scene.add_body("block", taut.shapes.Cylinder(0.06, 0.15), mass=5, position=(0, 0, -1.9), collides=False)
    scene.add(Cable(from_="world", to=("block", (0, 0, 0.075)), diameter=0.03, length=1.83, segments=12), name="cable")
    hook = Hook(on=("block", (0, 0, -0.075)), eyes=[("crate", (0, 0, 0.35))], mass=3, opening=0.1,
                schedule=taut.Ramps((0.1, 0), (0.2, 1)))  # fmt: skip
    scene.add(hook, name="hook")
    return scene
