"""A cylindrical joint: slide along an axis and turn about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, axis_rows, line_rows
from taut.joints.motion import Motion, hinged
from taut.rows.coordinate import Coordinate


@dataclass(frozen=True)
class Cylindrical(Joint):
    """B slides along `axis` (m) and turns about it (rad): 4 rows. `slide` and `turn` act along the two coordinates."""

    freedom: ClassVar[int] = 2
    axis: Triple = (0.0, 0.0, 1.0)
    slide: Drive = Drive()
    turn: Drive = Drive()

    def rows(self, frame: JointFrame) -> Rows:
        """Two slides and two directions across the axis, and the drives."""
        slide, turn = self.coordinates(frame)
        return [
            *line_rows(frame, self.axis), *axis_rows(frame, self.axis),
            *self.slide.drive_rows(slide), *self.turn.drive_rows(turn),
        ]  # fmt: skip

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Displacement in m and angle in rad."""
        return [frame.slide(np.array(self.axis)), frame.angle(np.array(self.axis))]

    def motion(self, frame: JointFrame) -> Motion:
        """A slide along the axis and a turn about it."""
        return hinged(frame, self.axis, (np.array(self.axis),))
