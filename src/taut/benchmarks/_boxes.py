"""Boxes that fall on each other, as in [Lefebvre2020, ch. 3].

The scene `stack_of_boxes` stands still, and then no row is tight. In the thesis boxes fall, and most of its frames have
tight rows. It gives neither sizes nor heights, only the mean number of rows, which these boxes have about.
"""

from __future__ import annotations

import numpy as np

from taut.scene.scene import Scene
from taut.shapes import Box

BOX = Box(0.5, 0.5, 0.25)
GAP, ASIDE = 0.1, 0.15
"""Between boxes, and how far each is off the axis of the stack, m."""
BETWEEN, TURN = 2.4, 0.5
"""Angle from the place of a box to that of the next, seen from the axis, and how much it is turned, rad."""


def falling_boxes(count: int = 34) -> Scene:
    """A stack of boxes of 1 kg with gaps between them, each aside and turned."""
    scene = Scene()
    scene.add_plane()
    for number in range(count):
        place, half = BETWEEN * number, 0.5 * TURN * number
        height = GAP + 0.5 * BOX.z + number * (BOX.z + GAP)
        scene.add_body(
            f"box-{number + 1}", BOX, mass=1.0, position=(ASIDE * np.cos(place), ASIDE * np.sin(place), height),
            orientation=(np.cos(half), 0.0, 0.0, np.sin(half)),
        )  # fmt: skip
    return scene
