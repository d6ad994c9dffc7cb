"""A universal (Cardan) joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, point_row
from taut.joints.motion import ABOUT_TWO_AXES, Motion
from taut.rows.coordinate import Angle, Coordinate
from taut.rows.direction import DirectionPart
from taut.rows.law import hold
from taut.spatial import cross


@dataclass(frozen=True)
class Universal(Joint):
    """Two crossed hinges: `axis_a` fixed in A stays at right angles to `axis_b` fixed in B: 4 rows.

    Both axes are given in world coordinates in the initial configuration, at right angles. `first` and `second` act
    along the turns about `axis_a` and `axis_b`, rad.
    """

    freedom: ClassVar[int] = 2
    axis_a: Triple = (1.0, 0.0, 0.0)
    axis_b: Triple = (0.0, 1.0, 0.0)
    first: Drive = Drive()
    second: Drive = Drive()

    def check(self) -> None:
        """Axes must cross at right angles."""
        cosine = float(np.dot(self.axis_a, self.axis_b))
        if abs(cosine) > 1e-6:
            raise InputError(
                f"Universal: axis_a {self.axis_a} and axis_b {self.axis_b} have the cosine {cosine:g}; "
                "they must be at right angles"
            )

    def rows(self, frame: JointFrame) -> Rows:
        """A point, the right angle, and the drives."""
        first, second = self.coordinates(frame)
        cross = DirectionPart(
            frame.a, frame.b, frame.vector_a(np.array(self.axis_a)), frame.vector_b(np.array(self.axis_b)), spread=True
        )
        return [point_row(frame), (cross, hold()), *self.first.drive_rows(first), *self.second.drive_rows(second)]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Angle of B's axis about A's, and of B about its own axis, rad; both zero at the start."""
        a, b = np.array(self.axis_a), np.array(self.axis_b)
        c = cross(a, b)
        first = Angle(frame.a, frame.b, frame.vector_a(b), frame.vector_a(c), frame.vector_b(b))
        # seen from B: A's axis turns backwards about axis_b, so its mirror measures B's turn
        second = Angle(frame.b, frame.a, frame.vector_b(a), frame.vector_b(c), frame.vector_a(a))
        return [first, second]

    def motion(self, frame: JointFrame) -> Motion:
        """A turn about each axis."""
        axis_a, axis_b = frame.vector_a(np.array(self.axis_a)), frame.vector_b(np.array(self.axis_b))
        return Motion((), ABOUT_TWO_AXES, axis_a, axis_b)
