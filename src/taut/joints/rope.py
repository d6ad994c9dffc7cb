"""A rope without mass: two points at most a length apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple, check_points
from taut.rows.distance import DistancePart
from taut.rows.law import limits


@dataclass(frozen=True)
class Rope(Joint):
    """Keeps two points at most `length` m apart; it pulls and never pushes: 1 unilateral row.

    Points in each body's own frame (world frame for "world"). Without `length` the distance at the start is the length.
    """

    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)
    length: float | None = None

    def check(self) -> None:
        """Points are vectors, the length is positive."""
        check_points(self)
        if self.length is not None:
            checks.number("Rope", "length", self.length, above=0.0)

    def rows(self, frame: JointFrame) -> Rows:
        """One distance with an upper end."""
        part = DistancePart(frame.a, frame.b, frame.own_point_a(self.point_a), frame.own_point_b(self.point_b))
        length = frame.separation(part) if self.length is None else self.length
        return [(part, limits(-math.inf, checks.number("Rope", "length at the start", length, above=0.0)))]
