"""One row over the spins of any shafts: what drivetrains are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, spin_of, triple
from taut.rows.coupling import CouplingPart
from taut.rows.law import follow

Term = tuple[str, str, Triple, float]
"""Carrier, body, axis in world axes at the start, factor."""


@dataclass(frozen=True)
class Shafts(Joint):
    """Couples the spins of any bodies: sum of factor_i axis_i . (omega_i - omega_carrier_i) = speed: 1 row.

    Its force T turns every body with factor_i T and its carrier with as much the other way, so that the row puts
    T times its rate into the shafts: nothing where the rate is 0. The coupling is one of velocities, and keeps no
    memory of angles.

    Attributes:
        shafts: (carrier, body, axis, factor) of every shaft; axes are world axes at the start, which move with the
            carrier. Factors are numbers without a unit.
        speed: that the sum follows, rad/s.
        torque: (least, greatest) torque of the row, N m; None = as much as it takes.
        drives: whether it may put energy in, as engines do.
        notes: two numbers of the machine part that owns it. They are part of the state (`limits` of the row), and
            steps do not read them.
    """

    shafts: tuple[Any, ...] = ()
    speed: float = 0.0
    torque: tuple[float, float] | None = None
    drives: bool = False
    notes: tuple[float, float] = (0.0, 0.0)

    def check(self) -> None:
        """Every term, and the numbers."""
        if not isinstance(self.shafts, tuple | list) or not self.shafts:
            raise InputError(f"Shafts: shafts is {checks.shown(self.shafts)}; it must be a list of shafts, one or more")
        object.__setattr__(self, "shafts", tuple(checked_term(each) for each in self.shafts))
        object.__setattr__(self, "speed", checks.number("Shafts", "speed", self.speed))
        if self.torque is not None:
            object.__setattr__(self, "torque", checked_pair("torque", self.torque))
        object.__setattr__(self, "drives", checks.flag("Shafts", "drives", self.drives))
        object.__setattr__(self, "notes", checked_pair("notes", self.notes))

    def refers_to(self) -> tuple[str, ...]:
        """All bodies."""
        return tuple(dict.fromkeys(name for carrier, body, _, _ in self.shafts for name in (carrier, body)))

    def rows(self, frame: JointFrame) -> Rows:
        """One coupling of all spins."""
        terms = [
            (spin_of(frame, carrier, frame.body(body)[0], np.array(axis)), factor)
            for carrier, body, axis, factor in self.shafts
        ]
        law = replace(follow(self.speed, drives=self.drives), lower_limit=self.notes[0], upper_limit=self.notes[1])
        if self.torque is not None:
            law = replace(law, lower_force=self.torque[0], upper_force=self.torque[1])
        return [(CouplingPart(tuple(terms)), law)]


def checked_term(value: Any) -> Term:
    """A shaft with its factor."""
    if not isinstance(value, tuple | list) or len(value) != 4:
        raise InputError(f"Shafts: one of shafts is {checks.shown(value)}; it must be (carrier, body, axis, factor)")
    carrier, body, axis, factor = value
    factor = checks.number("Shafts", "factor of shafts", factor)
    if factor == 0.0:
        raise InputError("Shafts: factor of shafts is 0; it must be a number that is not zero")
    return str(carrier), str(body), triple(checks.direction("Shafts", "axis of shafts", axis)), factor


def checked_pair(field: str, value: Any) -> tuple[float, float]:
    """Two numbers, the first not above the second."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InputError(f"Shafts: {field} is {checks.shown(value)}; it must be two numbers")
    low, high = (checks.number("Shafts", field, each) for each in value)
    if field == "torque" and low > high:
        raise InputError(f"Shafts: torque is {checks.shown(value)}; the first must not be above the second")
    return low, high
