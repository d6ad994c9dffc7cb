"""A bar that keeps two wheels of a vehicle at one height."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple
from taut.joints.frame import triple
from taut.rows.coordinate import Slide
from taut.rows.coupling import CouplingPart
from taut.rows.law import Law
from taut.rows.softness import soft


@dataclass(frozen=True)
class AntiRoll(Joint):
    """A spring on the difference of two heights over a third body, f = -k (z_A - z_B): 1 row over three bodies.

    Heights are those of the own frames of A and B along `axis` (world, initial configuration), which moves with
    `carrier`; their difference is zero at the start. `stiffness` is in N/m, `damping` in N s/m.
    """

    carrier: str = "world"
    axis: Triple = (0.0, 0.0, 1.0)
    stiffness: float = 0.0
    damping: float = 0.0

    def check(self) -> None:
        """Numbers that are not negative."""
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, checks.number("AntiRoll", name, getattr(self, name), at_least=0.0))

    def rows(self, frame: JointFrame) -> Rows:
        """The difference of two slides."""
        index, com, _, rotation = frame.body(self.carrier)
        up = triple(rotation.T @ np.array(self.axis))
        first, second = (
            Slide(index, body, triple(rotation.T @ (origin - com)), own((0.0, 0.0, 0.0)), up)
            for body, origin, own in (
                (frame.a, frame.origin_a, frame.own_point_a),
                (frame.b, frame.origin_b, frame.own_point_b),
            )
        )
        law: Law = soft(self.stiffness, self.damping, 0.0)
        return [(CouplingPart(((first, 1.0), (second, -1.0))), law)]
