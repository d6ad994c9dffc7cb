"""A point of B kept on a line of A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, line_rows
from taut.joints.motion import ANY_TURN, Motion, sliding
from taut.rows.coordinate import Coordinate


@dataclass(frozen=True)
class PointOnLine(Joint, Drive):
    """A bead on a wire: the point `at` of B stays on the line of A along `axis` (m) and may turn: 2 rows."""

    freedom: ClassVar[int] = 4
    axis: Triple = (1.0, 0.0, 0.0)

    def check(self) -> None:
        """Check the drive."""
        Drive.__post_init__(self)

    def rows(self, frame: JointFrame) -> Rows:
        """Two slides across the line, and what acts along it."""
        return [*line_rows(frame, self.axis), *self.drive_rows(frame.slide(np.array(self.axis)))]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Displacement along the line, m."""
        return [frame.slide(np.array(self.axis))]

    def motion(self, frame: JointFrame) -> Motion:
        """A slide along the line and any turn."""
        return sliding(frame, [np.array(self.axis)], ANY_TURN)
