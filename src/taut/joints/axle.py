"""What holds a rigid axle below a chassis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, axis_rows, line_rows
from taut.rows.coordinate import Coordinate
from taut.rows.coupling import CouplingPart


@dataclass(frozen=True)
class Axle(Joint):
    """B moves up and down along `axis_up` of A and rolls about `axis`, which the two have in common: 4 rows.

    The coordinates are its rise in m and its roll in rad, zero at the start. `roll` acts along the roll; `left` and
    `right` act along the rise of two points of B, `arm` (m) to both sides: rise + arm roll and rise - arm roll.
    """

    freedom: ClassVar[int] = 2
    axis: Triple = (1.0, 0.0, 0.0)
    axis_up: Triple = (0.0, 0.0, 1.0)
    arm: float = 0.5
    left: Drive = Drive()
    right: Drive = Drive()
    roll: Drive = Drive()

    def check(self) -> None:
        """Axes at right angles, an arm."""
        object.__setattr__(self, "arm", checks.number("Axle", "arm", self.arm, above=0.0))
        if abs(np.dot(self.axis, self.axis_up)) > 1e-9:
            raise InputError(f"Axle: axis is {self.axis} and axis_up {self.axis_up}; they must be at right angles")

    def rows(self, frame: JointFrame) -> Rows:
        """Two slides across the way up, two directions across the roll axis, and what acts on sides and roll."""
        rise, roll = self.coordinates(frame)
        sides = (
            drive.drive_rows(CouplingPart(((rise, 1.0), (roll, arm))))
            for drive, arm in ((self.left, self.arm), (self.right, -self.arm))
        )
        return [
            *line_rows(frame, self.axis_up), *axis_rows(frame, self.axis), *next(sides), *next(sides),
            *self.roll.drive_rows(roll),
        ]  # fmt: skip

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """Rise and roll."""
        return [frame.slide(np.array(self.axis_up)), frame.angle(np.array(self.axis))]
