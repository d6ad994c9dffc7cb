"""A differential over three bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, spin_of
from taut.rows.coupling import CouplingPart
from taut.rows.law import follow


@dataclass(frozen=True)
class Differential(Joint):
    """Couples three spins: omega_A . axis = ratio * (omega_B . axis_b + omega_C . axis_c) / 2: 1 row over three bodies.

    A is the input shaft, B and `other` are the outputs; spins are relative to `carrier` ("world" by default).
    """

    other: str = ""
    ratio: float = 1.0
    axis_a: Triple = (0.0, 0.0, 1.0)
    axis_b: Triple = (0.0, 0.0, 1.0)
    axis_other: Triple = (0.0, 0.0, 1.0)
    carrier: str = "world"

    def check(self) -> None:
        """A ratio that is not zero and a third body."""
        if checks.number("Differential", "ratio", self.ratio) == 0.0:
            raise InputError("Differential: ratio is 0; it must be a number that is not zero")
        if not str(self.other):
            raise InputError("Differential: other is empty; it must be the name of the second output body")

    def rows(self, frame: JointFrame) -> Rows:
        """One coupling of three spins."""
        other = frame.body(self.other)[0]
        spins = [
            spin_of(frame, self.carrier, body, np.array(axis))
            for body, axis in ((frame.a, self.axis_a), (frame.b, self.axis_b), (other, self.axis_other))
        ]
        factors = (1.0, -0.5 * self.ratio, -0.5 * self.ratio)
        return [(CouplingPart(tuple(zip(spins, factors, strict=True))), follow())]
