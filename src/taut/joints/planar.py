"""A planar joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, axis_rows
from taut.joints.motion import Motion, hinged
from taut.rows.coordinate import Coordinate
from taut.rows.law import hold
from taut.spatial import cross, perpendicular


@dataclass(frozen=True)
class Planar(Joint):
    """B slides on a plane of A and turns about its `normal`: 3 rows. `x`, `y` (m) and `turn` (rad) act along it."""

    freedom: ClassVar[int] = 3
    normal: Triple = (0.0, 0.0, 1.0)
    x: Drive = Drive()
    y: Drive = Drive()
    turn: Drive = Drive()

    def rows(self, frame: JointFrame) -> Rows:
        """A slide along the normal, two directions across it, and the drives."""
        x, y, turn = self.coordinates(frame)
        return [
            (frame.slide(np.array(self.normal)), hold()), *axis_rows(frame, self.normal),
            *self.x.drive_rows(x), *self.y.drive_rows(y), *self.turn.drive_rows(turn),
        ]  # fmt: skip

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Displacements along two axes across the normal in m, and the angle about it in rad."""
        normal = np.array(self.normal)
        x = perpendicular(normal)
        return [frame.slide(x), frame.slide(cross(normal, x)), frame.angle(normal)]

    def motion(self, frame: JointFrame) -> Motion:
        """Slides along two axes across the normal, and a turn about it."""
        x = perpendicular(self.normal)
        return hinged(frame, self.normal, (x, cross(self.normal, x)))
