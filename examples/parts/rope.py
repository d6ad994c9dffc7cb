"""A rope without mass runs over two sheaves: one row, with exact arcs and tangents."""

import taut
from taut.joints import attach, sheave
from taut.machines import Rope


def build() -> taut.Scene:
    """The heavier load goes down."""
    scene = taut.Scene()
    for name, x, mass in (("light", -1, 50), ("heavy", 1, 60)):
        scene.add_body(name, taut.shapes.Box(0.4, 0.4, 0.4), mass=mass, position=(x, 0, -2))
    over = [sheave("world", (x, 0, 0), radius=0.2, axis=(0, 1, 0)) for x in (-0.8, 0.8)]
    stops = (attach("light", (0, 0, 0.2)), *over, attach("heavy", (0, 0, 0.2)))
    scene.add(Rope(stops=stops, axial_stiffness=1e6, damping=200), name="rope")
    return scene
