"""What a joint lets its bodies do: slides and turns that joint coordinates measure, for trees in reduced coordinates.

        B = A  o  (slide along axes of A)  o  (turn)                                          [Baxter2019, eq. 2.25]

Any number of slides up to three goes with any kind of turn, so all joints of the thesis and their compositions are one
`Motion`: a cylindrical joint slides along one axis and turns about it, a free body slides along three and turns as it
likes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.joints.frame import JointFrame, Triple, triple
from taut.spatial import Array

NO_TURN, ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN = range(4)
"""How B turns: not at all, about an axis of A, about an axis of A and one of B that cross, or as it likes."""

TURNS = (0, 1, 2, 3)
"""Degrees of freedom of each kind of turn."""

NO_AXIS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Motion:
    """How B may move relative to A; all vectors are unit vectors in body axes.

    Attributes:
        slides: axes of A along which the joint's point of B slides.
        turn: NO_TURN, ABOUT_AXIS, ABOUT_TWO_AXES or ANY_TURN.
        axis_a: axis of A that B turns about, if there is one.
        axis_b: the second axis, fixed in B, if there are two.
    """

    slides: tuple[Triple, ...] = ()
    turn: int = NO_TURN
    axis_a: Triple = NO_AXIS
    axis_b: Triple = NO_AXIS

    @property
    def freedom(self) -> int:
        """Degrees of freedom."""
        return len(self.slides) + TURNS[self.turn]


def sliding(frame: JointFrame, axes: list[Array], turn: int = NO_TURN) -> Motion:
    """Slides along world axes that move with A, and a turn without an axis."""
    return Motion(slides=tuple(frame.vector_a(axis) for axis in axes), turn=turn)


def hinged(frame: JointFrame, axis: Triple, slides: tuple[Array, ...] = ()) -> Motion:
    """A turn about a world axis that moves with A, after slides along others."""
    axis_a = frame.vector_a(np.array(axis))
    return Motion(tuple(frame.vector_a(each) for each in slides), ABOUT_AXIS, axis_a, triple(np.zeros(3)))
