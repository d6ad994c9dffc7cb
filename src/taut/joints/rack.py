"""A rack and pinion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, spin_of, triple
from taut.rows.coordinate import Slide
from taut.rows.coupling import CouplingPart
from taut.rows.law import follow


@dataclass(frozen=True)
class Rack(Joint):
    """Couples the spin of a pinion A with the travel of a rack B: v_B . direction = radius * omega_A . axis: 1 row.

    The pinion's `axis` and the rack's `axis_rack` (direction of travel) are fixed in `carrier` ("world" by default);
    the travel is that of B's centre of mass. A coupling of velocities (nonholonomic).
    """

    radius: float = 1.0
    axis: Triple = (0.0, 0.0, 1.0)
    axis_rack: Triple = (1.0, 0.0, 0.0)
    carrier: str = "world"

    def check(self) -> None:
        """A radius that is not zero; its sign says which way the rack runs."""
        if checks.number("Rack", "radius", self.radius) == 0.0:
            raise InputError("Rack: radius is 0; it must be a number that is not zero")

    def rows(self, frame: JointFrame) -> Rows:
        """One coupling of a slide and a spin."""
        carrier, com, _, rotation = frame.body(self.carrier)
        axis = triple(rotation.T @ np.array(self.axis_rack))
        travel = Slide(carrier, frame.b, triple(rotation.T @ (frame.com_b - com)), (0.0, 0.0, 0.0), axis)
        spin = spin_of(frame, self.carrier, frame.a, np.array(self.axis))
        return [(CouplingPart(((travel, 1.0), (spin, -self.radius))), follow())]
