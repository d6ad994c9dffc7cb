"""What grapples and grippers have in common: one actuator that closes them, and what they hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.machines.actuated import DrivenView
from taut.machines.base import reading
from taut.machines.inputs import recall

if TYPE_CHECKING:
    pass


class GrippingView(DrivenView):
    """Something that grips, in a running simulation. Its first actuator closes it: there its place grows."""

    @property
    def fingers(self) -> tuple[str, str]:
        """Its two claws or jaws."""
        raise NotImplementedError

    @reading("")
    def holding(self) -> bool:
        """Whether something is between its claws or jaws: a body that both of them press on."""
        return bool(self.held)

    @property
    def held(self) -> tuple[str, ...]:
        """Bodies that both of its claws or jaws press on."""
        first, second = (self.pressed_by(finger) for finger in self.fingers)
        return tuple(name for name in first if name in second)

    def pressed_by(self, finger: str) -> list[str]:
        """Bodies that one of its claws or jaws presses on."""
        names = self.simulation.model.bodies.names
        memory, number = self.simulation.state.contacts, names.index(finger)
        contacts, pressing = memory.contacts, memory.force[:, 0] > 0.0
        found: list[str] = []
        for one, other in ((contacts.body_a, contacts.body_b), (contacts.body_b, contacts.body_a)):
            found += [names[body] for body in np.unique(other[pressing & (one == number)])]
        return found

    @reading("")
    def state(self) -> str:
        """What it does: "drive", "grip" where it presses with all its force, "limit" at an end, or "hold"."""
        state = self.driven.state
        return "grip" if state == "stall" and self.gripping else state

    @property
    def gripping(self) -> bool:
        """Whether it closes with all its force on something that does not give way."""
        driven = self.driven
        return driven.stalls and driven.force > 0.0

    def close(self, share: float = 1.0) -> None:
        """Close at a share of its speed, with all its force; open with a negative one.

        With 0 it stops. What it grips then it goes on to grip with the same force, as with a pressure accumulator.
        """
        owner = f"{type(self.part).__name__.lower()} {self.name!r}"
        share = checks.number(owner, "close", share)
        self.check_there("claw or jaw")
        driven = self.driven
        if share != 0.0 or not self.gripping:
            driven.drive(share * (driven.actuator.out if share > 0.0 else driven.actuator.back))
        recall(self, {"close": share})

    def open(self, share: float = 1.0) -> None:
        """Open at a share of its speed."""
        self.close(-checks.number(f"{type(self.part).__name__.lower()} {self.name!r}", "open", share))


def checked_opening(owner: str, opening: Any) -> tuple[float, float]:
    """Two openings, 0 <= least < greatest."""
    low, high = checks.interval(owner, "opening", opening)
    if not 0.0 <= low < high < math.inf:
        raise InputError(f"{owner}: opening is {checks.shown(opening)}; it must be two ways, 0 <= least < greatest")
    return low, high


def checked_start(owner: str, start: float | None, opening: tuple[float, float]) -> float:
    """The opening as built; the greatest where it is not said."""
    value = opening[1] if start is None else checks.number(owner, "start", start)
    if not opening[0] <= value <= opening[1]:
        raise InputError(f"{owner}: start is {value:g}; it must be within opening, {opening}")
    return value


def masses_of(owner: str, mass: Any, share: float) -> tuple[float, float]:
    """Mass of the middle and of each of two fingers, kg; of one number for all, the middle has a share."""
    if isinstance(mass, tuple | list):
        if len(mass) != 2:
            raise InputError(f"{owner}: mass is {checks.shown(mass)}; it must be one number, or (middle, each side)")
        middle, side = (checks.number(owner, "mass", each, above=0.0) for each in mass)
        return middle, side
    whole = checks.number(owner, "mass", mass, above=0.0)
    return share * whole, 0.5 * (1.0 - share) * whole
