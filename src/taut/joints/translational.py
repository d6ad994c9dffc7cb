"""A translational joint: three slides and no turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, orientation_row
from taut.joints.motion import Motion, sliding
from taut.rows.coordinate import Coordinate


@dataclass(frozen=True)
class Translational(Joint):
    """B slides any way and does not turn relative to A: 3 rows. `x`, `y` and `z` (m) act along the three slides.

    The slides are along the world's axes in the initial configuration; the axes move with A.
    """

    freedom: ClassVar[int] = 3
    x: Drive = Drive()
    y: Drive = Drive()
    z: Drive = Drive()

    def rows(self, frame: JointFrame) -> Rows:
        """An orientation, and the drives."""
        x, y, z = self.coordinates(frame)
        return [orientation_row(frame), *self.x.drive_rows(x), *self.y.drive_rows(y), *self.z.drive_rows(z)]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Displacements along the three axes, m."""
        return [frame.slide(axis) for axis in np.eye(3)]

    def motion(self, frame: JointFrame) -> Motion:
        """Slides along the three axes."""
        return sliding(frame, list(np.eye(3)))
