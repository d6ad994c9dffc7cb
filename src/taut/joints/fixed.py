"""A fixed joint: two bodies move as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from taut.joints.base import Joint, JointFrame, Rows, orientation_row, point_row
from taut.joints.motion import Motion


@dataclass(frozen=True)
class Fixed(Joint):
    """Keeps two bodies together in position and orientation: 6 rows."""

    freedom: ClassVar[int] = 0

    def rows(self, frame: JointFrame) -> Rows:
        """A point and an orientation."""
        return [point_row(frame), orientation_row(frame)]

    def motion(self, frame: JointFrame) -> Motion:
        """None at all."""
        return Motion()
