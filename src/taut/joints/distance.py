"""A rod without mass: two points at a fixed distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple, check_points
from taut.rows.distance import DistancePart
from taut.rows.law import hold


@dataclass(frozen=True)
class Distance(Joint):
    """Keeps two points `length` m apart: 1 row. Points in each body's own frame (world frame for "world").

    Without `length` the distance at the start is kept.
    """

    freedom: ClassVar[int] = 5
    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)
    length: float | None = None

    def check(self) -> None:
        """Points are vectors, the length is positive."""
        check_points(self)
        if self.length is not None:
            checks.number(type(self).__name__, "length", self.length, above=0.0)

    def rows(self, frame: JointFrame) -> Rows:
        """One distance."""
        part = DistancePart(frame.a, frame.b, frame.own_point_a(self.point_a), frame.own_point_b(self.point_b))
        length = frame.separation(part) if self.length is None else self.length
        return [(part, hold(checks.number("Distance", "length at the start", length, above=0.0)))]
