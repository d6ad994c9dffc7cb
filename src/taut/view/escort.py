"""A camera that goes with a body on a page, while people turn it as they like."""

from __future__ import annotations

import numpy as np

from taut.results.drawing import Drawing
from taut.spatial import Array
from taut.view.frame import Frame

NOBODY = "-"
"""Choice of who follows none."""

MOST = 24
"""Bodies to choose from."""


class Escort:
    """By how much to shift what is shown so that a body stays where it was in the window.

    Browsers own their cameras and tell of them late: the world moves under them instead.

    Attributes:
        shift: (3,) way of the body since it has been followed, and of those before it, m.
    """

    def __init__(self) -> None:
        """Of nobody."""
        self.shift: Array = np.zeros(3)
        self._start: Array = np.zeros(3)
        self._name = NOBODY

    def restart(self) -> None:
        """The camera has been placed anew, for a world that is where it is."""
        self.shift, self._name = np.zeros(3), NOBODY

    def go(self, drawing: Drawing, frame: Frame, name: str) -> bool:
        """Follow the body of this name to where a frame has it; True if the shift is another. Without one it stays."""
        number = drawing.body_names.index(name) if name in drawing.body_names else None
        if number is None or not frame.present[number]:
            self._name = NOBODY
            return False
        place = frame.positions[number]
        if name != self._name:
            self._name, self._start = name, place - self.shift
        before, self.shift = self.shift, place - self._start
        return bool((self.shift != before).any())


def worth_following(drawing: Drawing) -> tuple[str, ...]:
    """Names of the heaviest bodies that move, the heaviest first: hulls and loads rather than segments of ropes."""
    heaviest = np.argsort(-drawing.masses, kind="stable")
    return tuple(drawing.body_names[number] for number in heaviest if drawing.moves[number])[:MOST]
