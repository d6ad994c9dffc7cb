"""A winch lowers 2 t: segments of rope come off its drum while it runs."""

import taut
from taut.machines import Cable, Winch


def build() -> taut.Scene:
    """Positive speeds pay out."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.8, 0.8, 0.8), mass=2000, position=(0, 0, -2.4))
    rope = Cable(to=("load", (0, 0, 0.4)), diameter=0.04, segment_length=0.4, mass_per_length=2, axial_stiffness=5e6)
    winch = Winch(rope=rope, exit="world", drum=("world", (-1.5, 0, -0.35)), radius=0.35, width=0.8, max_pull=5e4,
                  schedule=taut.Ramps((0, 0), (1, 1)))  # fmt: skip
    scene.add(winch, name="winch")
    return scene
