"""What acts along the line between two points, such as a hydraulic cylinder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from taut.errors import InputError
from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, check_points
from taut.rows.distance import DistancePart


@dataclass(frozen=True)
class DistanceDrive(Joint, Drive):
    """Two points at any distance: no hard row; limits, motor, spring, damper and friction act along the line between.

    Points in each body's own frame (world frame for "world"). The measure of its rows is the distance in m: limits and
    positions of motors are lengths. A position motor is a rod whose length is driven, in one row.
    """

    freedom: ClassVar[int] = 6
    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)

    def check(self) -> None:
        """Points are vectors, lengths are positive."""
        Drive.__post_init__(self)
        check_points(self)
        if self.limits is not None and self.limits[0] < 0.0:
            raise InputError(f"DistanceDrive: limits are {self.limits}; a distance is not negative")

    def rows(self, frame: JointFrame) -> Rows:
        """What acts along the distance."""
        part = DistancePart(frame.a, frame.b, frame.own_point_a(self.point_a), frame.own_point_b(self.point_b))
        return self.drive_rows(part)
