"""A hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, axis_rows, point_row
from taut.joints.motion import Motion, hinged
from taut.rows.coordinate import Coordinate


@dataclass(frozen=True)
class Revolute(Joint, Drive):
    """A hinge: B turns about `axis` (world, initial configuration) through the point `at`: 5 rows.

    The coordinate is B's angle about the axis relative to A in rad, counted over turns, zero at the start. Limits,
    motor, spring, damper and friction (N m) as in `Drive`.
    """

    freedom: ClassVar[int] = 1
    axis: Triple = (0.0, 0.0, 1.0)

    def check(self) -> None:
        """Check the drive."""
        Drive.__post_init__(self)

    def rows(self, frame: JointFrame) -> Rows:
        """A point, two directions across the axis, and what acts along the angle."""
        return [point_row(frame), *axis_rows(frame, self.axis), *self.drive_rows(frame.angle(np.array(self.axis)))]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """The angle."""
        return [frame.angle(np.array(self.axis))]

    def motion(self, frame: JointFrame) -> Motion:
        """A turn about the axis."""
        return hinged(frame, self.axis)
