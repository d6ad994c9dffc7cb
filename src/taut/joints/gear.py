"""Two bodies whose rates of turn are coupled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, spin_of
from taut.rows.coupling import CouplingPart
from taut.rows.law import follow


@dataclass(frozen=True)
class Gear(Joint):
    """Couples the spins of A and B about axes fixed in a carrier: omega_A . axis_a = ratio * omega_B . axis_b: 1 row.

    Spins are relative to `carrier` (a body, "world" by default). Two outer gears of radii r_A, r_B turn against each
    other: ratio = -r_B / r_A. The coupling is one of velocities (nonholonomic) and keeps no memory of angles.
    """

    ratio: float = 1.0
    axis_a: Triple = (0.0, 0.0, 1.0)
    axis_b: Triple = (0.0, 0.0, 1.0)
    carrier: str = "world"

    def check(self) -> None:
        """A ratio that is not zero."""
        if checks.number("Gear", "ratio", self.ratio) == 0.0:
            raise InputError("Gear: ratio is 0; it must be a number that is not zero")

    def rows(self, frame: JointFrame) -> Rows:
        """One coupling of two spins."""
        first = spin_of(frame, self.carrier, frame.a, np.array(self.axis_a))
        second = spin_of(frame, self.carrier, frame.b, np.array(self.axis_b))
        return [(CouplingPart(((first, 1.0), (second, -self.ratio))), follow())]
