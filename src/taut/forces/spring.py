"""A spring and damper between two points."""

from __future__ import annotations

from dataclasses import dataclass, replace

from taut import checks
from taut.errors import InputError
from taut.joints.frame import JointFrame, Rows, Triple, triple
from taut.rows.curve import Curve
from taut.rows.distance import DistancePart
from taut.rows.law import Law
from taut.rows.point import PointPart
from taut.rows.softness import checked_constant, given, oscillator, soft


@dataclass(frozen=True)
class Spring:
    """Force -k (length - rest) - c d(length)/dt along the line between two points, implicit, so stable at any step.

    Points in each body's own frame (world frame for "world"), m. Give `stiffness` (N/m) and `damping` (N s/m), or
    `frequency` (Hz) and `damping_ratio`. Without `rest_length` the length at the start is at rest; with 0 the spring
    pulls the points together in all directions alike. Stiffness and damping may be curves: force over how much longer
    than at rest it is, and over the rate of that.
    """

    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)
    stiffness: float | Curve = 0.0
    damping: float | Curve = 0.0
    rest_length: float | None = None
    frequency: float = 0.0
    damping_ratio: float = 0.0

    def check(self, owner: str) -> Spring:
        """The spring with clean numbers; `owner` names it in messages."""
        names = ("frequency", "damping_ratio")
        numbers = {name: checks.number(owner, name, getattr(self, name), at_least=0.0) for name in names}
        stiffness = checked_constant(owner, "stiffness", self.stiffness)
        damping = checked_constant(owner, "damping", self.damping)
        rest = self.rest_length
        if rest is not None:
            rest = checks.number(owner, "rest_length", rest, at_least=0.0)
        if (given(stiffness) or given(damping)) == (numbers["frequency"] > 0.0):
            raise InputError(f"{owner}: give either stiffness and damping, or frequency and damping_ratio")
        point_a, point_b = (triple(checks.vector(owner, name, getattr(self, name))) for name in ("point_a", "point_b"))
        return replace(
            self, point_a=point_a, point_b=point_b, rest_length=rest, stiffness=stiffness, damping=damping, **numbers
        )

    def rows(self, frame: JointFrame) -> Rows:
        """One soft distance, or a soft point where the rest length is zero."""
        ends = frame.own_point_a(self.point_a), frame.own_point_b(self.point_b)
        part = DistancePart(frame.a, frame.b, *ends)
        rest = frame.separation(part) if self.rest_length is None else self.rest_length
        if rest < 1e-12 and any(isinstance(each, Curve) for each in (self.stiffness, self.damping)):
            raise InputError("spring: its rest length is 0 and a constant is a curve; give it a rest length")
        return [(PointPart(frame.a, frame.b, *ends) if rest < 1e-12 else part, self.law(rest))]

    def law(self, rest: float) -> Law:
        """The soft row."""
        if self.frequency > 0.0:
            return oscillator(self.frequency, self.damping_ratio, rest)
        return soft(self.stiffness, self.damping, rest)
