"""What acts along a joint coordinate: limits, motors, springs, dampers, dry friction."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from taut import checks
from taut.errors import InputError
from taut.joints.frame import Rows
from taut.rows.curve import Curve
from taut.rows.law import Law, follow, hold, limits
from taut.rows.part import Part
from taut.rows.softness import checked_constant, given, oscillator, soft, soft_end

SOFT_ENDS = ("limit_stiffness", "limit_damping")
"""What makes ends give way."""


@dataclass(frozen=True)
class Motor:
    """Drives a joint coordinate to a `speed` (m/s, rad/s) or a `position` (m, rad), within `max_force` (N, N m).

    With `stiffness` and `damping` a position motor is an implicit spring and damper instead of a hard servo. A hard
    motor on a coordinate with limits needs a `max_force`: without one it would have to pass them.
    """

    speed: float | None = None
    position: float | None = None
    max_force: float = math.inf
    stiffness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        """Exactly one of speed and position."""
        if (self.speed is None) == (self.position is None):
            raise InputError(
                f"Motor: speed is {self.speed!r} and position is {self.position!r}; exactly one of them must be given"
            )
        for name in ("speed", "position"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.number("Motor", name, getattr(self, name)))
        object.__setattr__(self, "max_force", checks.bound("Motor", "max_force", self.max_force))
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, checks.number("Motor", name, getattr(self, name), at_least=0.0))
        if (self.stiffness > 0.0 or self.damping > 0.0) and (self.position is None or self.stiffness == 0.0):
            raise InputError(
                f"Motor: stiffness is {self.stiffness:g} and damping {self.damping:g}; "
                "they are for a position motor, and damping needs stiffness"
            )

    @property
    def unyielding(self) -> bool:
        """Whether nothing can keep it from its target: a hard row without a bound on its force."""
        return self.max_force == math.inf and self.stiffness == 0.0

    def law(self) -> Law:
        """The row's law."""
        if self.speed is not None:
            return follow(self.speed, self.max_force, drives=True)
        assert self.position is not None
        if self.stiffness > 0.0:
            return replace(soft(self.stiffness, self.damping, self.position, self.max_force), drives=True)
        return hold(self.position, self.max_force, drives=True)


@dataclass(frozen=True, kw_only=True)
class Drive:
    """What acts along one joint coordinate besides the joint itself; SI units (m and N, or rad and N m).

    Attributes:
        limits: (lower, upper) ends of the coordinate, either may be infinite.
        limit_stiffness, limit_damping: of ends that give way, such as bump stops, which push and never pull; 0 = hard.
        motor: a `Motor`.
        stiffness, damping: spring and damper about `rest`, numbers or curves (`taut.forces.Curve`).
        frequency, damping_ratio: the same given in Hz and as a share of critical damping.
        rest: value of the coordinate where the spring is at rest.
        friction: largest force of dry (Coulomb) friction.
    """

    limits: tuple[float, float] | None = None
    limit_stiffness: float = 0.0
    limit_damping: float = 0.0
    motor: Motor | None = None
    stiffness: float | Curve = 0.0
    damping: float | Curve = 0.0
    frequency: float = 0.0
    damping_ratio: float = 0.0
    rest: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        """Check every number."""
        owner = type(self).__name__
        if self.limits is not None:
            object.__setattr__(self, "limits", checks.interval(owner, "limits", self.limits))
        for name in (*SOFT_ENDS, "frequency", "damping_ratio", "friction"):
            object.__setattr__(self, name, checks.number(owner, name, getattr(self, name), at_least=0.0))
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, checked_constant(owner, name, getattr(self, name)))
        for name, needed in zip(SOFT_ENDS, (self.limited, self.limit_stiffness > 0.0), strict=True):
            if getattr(self, name) > 0.0 and not needed:
                other = "limits" if name == SOFT_ENDS[0] else SOFT_ENDS[0]
                raise InputError(f"{owner}: {name} is {getattr(self, name):g} without {other}; it needs them")
        object.__setattr__(self, "rest", checks.number(owner, "rest", self.rest))
        if self.motor is not None and not isinstance(self.motor, Motor):
            raise InputError(f"{owner}: motor is {self.motor!r}; it must be a taut.joints.Motor")
        sprung = given(self.stiffness) or given(self.damping)
        if self.frequency > 0.0 and sprung:
            raise InputError(f"{owner}: give stiffness and damping or frequency and damping_ratio, not both")
        if self.damping_ratio > 0.0 and self.frequency == 0.0:
            raise InputError(f"{owner}: damping_ratio is {self.damping_ratio:g} without frequency; it needs one")
        if self.limited and not self.limit_stiffness and self.motor is not None and self.motor.unyielding:
            raise InputError(
                f"{owner}: limits are {self.limits} and the motor's max_force is infinite, so neither gives way; "
                "give the motor a max_force"
            )

    @property
    def limited(self) -> bool:
        """Whether the coordinate has an end."""
        return self.limits is not None and self.limits != (-math.inf, math.inf)

    def drive_rows(self, coordinate: Part) -> Rows:
        """The rows along this coordinate, along a distance, or along several that are coupled."""
        rows: Rows = []
        if self.limits is not None and self.limited:
            ends = [limits(*self.limits)]
            if self.limit_stiffness > 0.0:
                ends = soft_end(*self.limits, self.limit_stiffness, self.limit_damping)
            rows += [(coordinate, end) for end in ends]
        if self.motor is not None:
            rows.append((coordinate, self.motor.law()))
        if self.frequency > 0.0:
            rows.append((coordinate, oscillator(self.frequency, self.damping_ratio, self.rest)))
        elif given(self.stiffness) or given(self.damping):
            rows.append((coordinate, soft(self.stiffness, self.damping, self.rest)))
        if self.friction > 0.0:
            rows.append((coordinate, follow(0.0, self.friction)))
        return rows
