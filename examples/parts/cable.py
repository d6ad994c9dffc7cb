"""A steel rope of 10 m carries 2 t; it stretches by T L / EA."""

import taut
from taut.machines import Cable


def build() -> taut.Scene:
    """The load hangs from the world."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(1, 1, 1), mass=2000, position=(0, 0, -10.5), velocity=(2, 0, 0))
    rope = Cable.of("6x36 IWRC", diameter=0.05, from_="world", to=("load", (0, 0, 0.5)), length=10, segments=20)
    scene.add(rope, name="cable")
    return scene
