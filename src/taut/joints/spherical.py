"""A ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, orientation_row, point_row
from taut.joints.motion import ANY_TURN, Motion
from taut.rows.law import follow
from taut.rows.softness import soft


@dataclass(frozen=True)
class Spherical(Joint):
    """A ball joint: one point of B stays on one point of A: 3 rows.

    `stiffness` (N m/rad) and `damping` (N m s/rad) resist the relative rotation from the start, `friction` (N m) bounds
    a dry resistance about each axis.
    """

    freedom: ClassVar[int] = 3
    stiffness: float = 0.0
    damping: float = 0.0
    friction: float = 0.0

    def check(self) -> None:
        """Nothing negative."""
        for name in ("stiffness", "damping", "friction"):
            object.__setattr__(self, name, checks.number("Spherical", name, getattr(self, name), at_least=0.0))

    def rows(self, frame: JointFrame) -> Rows:
        """A point, and the rotation where something resists it."""
        rows: Rows = [point_row(frame)]
        if self.stiffness > 0.0 or self.damping > 0.0:
            rows.append((orientation_row(frame)[0], soft(self.stiffness, self.damping)))
        if self.friction > 0.0:
            rows += [(frame.spin(axis), follow(0.0, self.friction)) for axis in np.eye(3)]
        return rows

    def motion(self, frame: JointFrame) -> Motion:
        """Any turn."""
        return Motion(turn=ANY_TURN)
