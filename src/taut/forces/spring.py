"""A spring and damper between two points."""

from __future__ import annotations

from dataclasses import dataclass, replace

from taut import checks
from taut.errors import InputError
from taut.joints.frame import JointFrame, Rows, Triple, triple
from taut.rows.distance import DistancePart
from taut.rows.law import Law
from taut.rows.point import PointPart
from taut.rows.softness import oscillator, soft


@dataclass(frozen=True)
class Spring:
    """Force -k (length - rest) - c d(length)/dt along the line between two points, implicit, so stable at any step.

    Points in each body's own frame (world frame for "world"), m. Give `stiffness` (N/m) and `damping` (N s/m), or
    `frequency` (Hz) and `damping_ratio`. Without `rest_length` the length at the start is at rest; with 0 the spring
    pulls the points together in all directions alike.
    """

    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float | None = None
    frequency: float = 0.0
    damping_ratio: float = 0.0

    def check(self, owner: str) -> Spring:
        """The spring with clean numbers; `owner` names it in messages."""
        names = ("stiffness", "damping", "frequency", "damping_ratio")
        numbers = {name: checks.number(owner, name, getattr(self, name), at_least=0.0) for name in names}
        rest = self.rest_length
        if rest is not None:
            rest = checks.number(owner, "rest_length", rest, at_least=0.0)
        given = numbers["stiffness"] > 0.0 or numbers["damping"] > 0.0
        if given == (numbers["frequency"] > 0.0):
            raise InputError(f"{owner}: give either stiffness and damping, or frequency and damping_ratio")
        point_a, point_b = (triple(checks.vector(owner, name, getattr(self, name))) for name in ("point_a", "point_b"))
        return replace(self, point_a=point_a, point_b=point_b, rest_length=rest, **numbers)

    def rows(self, frame: JointFrame) -> Rows:
        """One soft distance, or a soft point where the rest length is zero."""
        ends = frame.own_point_a(self.point_a), frame.own_point_b(self.point_b)
        part = DistancePart(frame.a, frame.b, *ends)
        rest = frame.separation(part) if self.rest_length is None else self.rest_length
        return [(PointPart(frame.a, frame.b, *ends) if rest < 1e-12 else part, self.law(rest))]

    def law(self, rest: float) -> Law:
        """The soft row."""
        if self.frequency > 0.0:
            return oscillator(self.frequency, self.damping_ratio, rest)
        return soft(self.stiffness, self.damping, rest)
