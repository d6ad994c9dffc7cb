"""A slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, line_rows, orientation_row
from taut.joints.motion import Motion, sliding
from taut.rows.coordinate import Coordinate


@dataclass(frozen=True)
class Prismatic(Joint, Drive):
    """A slider: B moves along `axis` (world, initial configuration) and does not turn relative to A: 5 rows.

    The coordinate is B's displacement along the axis in m, zero at the start. Limits, motor, spring, damper and
    friction (N) as in `Drive`.
    """

    freedom: ClassVar[int] = 1
    axis: Triple = (0.0, 0.0, 1.0)

    def check(self) -> None:
        """Check the drive."""
        Drive.__post_init__(self)

    def rows(self, frame: JointFrame) -> Rows:
        """Two slides across the axis, an orientation, and what acts along the axis."""
        drive = self.drive_rows(frame.slide(np.array(self.axis)))
        return [*line_rows(frame, self.axis), orientation_row(frame), *drive]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """The displacement."""
        return [frame.slide(np.array(self.axis))]

    def motion(self, frame: JointFrame) -> Motion:
        """A slide along the axis."""
        return sliding(frame, [np.array(self.axis)])
