"""A lever that exerts nothing: a number in the state that parts of machines read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple
from taut.rows.law import follow


@dataclass(frozen=True)
class Lever(Joint):
    """A motor without force about `axis` (world, initial configuration): 1 row that never pulls.

    `sim.joint(name).drive(value)` sets it and `.target()` reads it. It is part of the state, so that what a part does
    by it, such as a winch that speeds up slowly to what is asked of it, repeats to the bit.
    """

    freedom: ClassVar[int | None] = None
    axis: Triple = (0.0, 0.0, 1.0)
    value: float = 0.0

    def check(self) -> None:
        """It is a number."""
        object.__setattr__(self, "value", checks.number("Lever", "value", self.value))

    def rows(self, frame: JointFrame) -> Rows:
        """One spin, driven without force."""
        return [(frame.spin(np.array(self.axis)), follow(self.value, 0.0, drives=True))]
