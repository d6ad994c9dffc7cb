"""Projections of the free motion: what bodies would do without rows, clamped, stopped or kept on a plane.

They act before the solve, so joints, limits and contacts hold all the same: a body whose speed is clamped in a linkage
is driven by its neighbours as they move, and no joint opens. What it weighs it weighs on: `Fixed` takes away the free
motion of a body, not its mass. Any function of a `FreeMotion` is one; a step may call it several times, so what it does
should depend on that motion alone.

    scene.projections.append(taut.projections.SpeedClamp("hook", 5.0))
    taut.Simulation(scene, projections=[...])                                         # or for one simulation
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError, SimulationError
from taut.spatial import Array

AXES = ("x", "y", "z", "rx", "ry", "rz")
"""Degrees of freedom of a body: along and about the world's axes."""


class FreeBody:
    """A body in free motion: what is written into its velocities is what the solve starts from.

    Attributes:
        name: of the body.
        mass: kg.
        start: (3,) m, where its centre of mass would be at the end of the step with no velocity.
        weight: s; it gets to start + weight * velocity.
    """

    def __init__(self, name: str, mass: float, twist: Array, start: Array, weight: float) -> None:
        """With its velocity (6,), which is written into."""
        self.name, self.mass, self.start, self.weight = name, mass, start, weight
        self._twist = twist

    @property
    def velocity(self) -> Array:
        """Of its centre of mass without rows, (3,) m/s."""
        return self._twist[:3]

    @velocity.setter
    def velocity(self, value: Any) -> None:
        """Change it."""
        self._twist[:3] = value

    @property
    def angular_velocity(self) -> Array:
        """World axes, (3,) rad/s."""
        return self._twist[3:]

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        """Change it."""
        self._twist[3:] = value

    @property
    def position(self) -> Array:
        """Where the free motion leads its centre of mass, (3,) m."""
        return self.start + self.weight * self.velocity

    @position.setter
    def position(self, value: Any) -> None:
        """Change it."""
        self.velocity = (np.asarray(value, float) - self.start) / self.weight


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """The free motion of the bodies that step together: all that move, or some groups of them on their own.

    Attributes:
        bodies: by name; others are at rest, or step at another time.
        time: s, where the step begins.
        step: h, s.
    """

    bodies: dict[str, FreeBody]
    time: float
    step: float

    def get(self, name: str) -> FreeBody | None:
        """A body by name, None where it is not among these."""
        return self.bodies.get(name)

    def chosen(self, names: tuple[str, ...]) -> list[FreeBody]:
        """Those of these bodies that are here."""
        return [self.bodies[name] for name in names if name in self.bodies]

    def check(self, projection: Callable[[FreeMotion], Any]) -> None:
        """Raise where a projection left numbers that are none."""
        for body in self.bodies.values():
            if not (np.isfinite(body.velocity).all() and np.isfinite(body.angular_velocity).all()):
                raise SimulationError(f"projection {name_of(projection)}: body {body.name!r} got a velocity not finite")


def name_of(projection: Callable[[FreeMotion], Any]) -> str:
    """How messages call a projection."""
    return getattr(projection, "__name__", None) or type(projection).__name__


def names_of(owner: str, body: Any) -> tuple[str, ...]:
    """One name of a body, or several."""
    names = (body,) if isinstance(body, str) else tuple(body) if isinstance(body, Sequence) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{owner}: body is {checks.shown(body)}; it must be the name of a body, or a list of names")
    return tuple(str(name) for name in names)


class BodyProjection:
    """A projection of bodies that it names, so that a simulation can say which it does not know."""

    body: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The bodies."""
        return names_of(type(self).__name__, self.body)


@dataclass(frozen=True)
class SpeedClamp(BodyProjection):
    """No more than `speed` m/s of free motion, and where given no more than `spin` rad/s."""

    body: Any
    speed: float
    spin: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        names_of("SpeedClamp", self.body)
        checks.number("SpeedClamp", "speed", self.speed, at_least=0.0)
        if self.spin is not None:
            checks.number("SpeedClamp", "spin", self.spin, at_least=0.0)

    def __call__(self, motion: FreeMotion) -> None:
        """Shorten what is too long."""
        for body in motion.chosen(self.names):
            shorten(body.velocity, self.speed)
            if self.spin is not None:
                shorten(body.angular_velocity, self.spin)


def shorten(vector: Array, most: float) -> None:
    """Make a vector no longer than this.

    Writes:  vector
    """
    length = float(np.linalg.norm(vector))
    if length > most:
        vector *= most / length


@dataclass(frozen=True)
class Fixed(BodyProjection):
    """No free motion along and about some of the world's axes: "x", "y", "z", "rx", "ry", "rz", by default all."""

    body: Any
    axes: Sequence[str] = AXES

    def __post_init__(self) -> None:
        """Check the axes."""
        names_of("Fixed", self.body)
        if isinstance(self.axes, str) or not self.axes:
            raise InputError(f"Fixed: axes is {checks.shown(self.axes)}; it must be a list of {', '.join(AXES)}")
        for axis in self.axes:
            checks.known("Fixed", "axis", axis, AXES)

    def __call__(self, motion: FreeMotion) -> None:
        """Stop these."""
        for body in motion.chosen(self.names):
            for axis in self.axes:
                number = AXES.index(axis)
                (body.velocity if number < 3 else body.angular_velocity)[number % 3] = 0.0


@dataclass(frozen=True)
class OnPlane(BodyProjection):
    """The free motion leads the centre of mass to the plane with this `normal` through a `point` (world, m)."""

    body: Any
    normal: Any = (0.0, 0.0, 1.0)
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the vectors."""
        names_of("OnPlane", self.body)
        object.__setattr__(self, "normal", tuple(checks.direction("OnPlane", "normal", self.normal)))
        object.__setattr__(self, "point", tuple(checks.vector("OnPlane", "point", self.point)))

    def __call__(self, motion: FreeMotion) -> None:
        """Project the place, and with it the velocity."""
        normal, point = np.array(self.normal), np.array(self.point)
        for body in motion.chosen(self.names):
            body.position -= normal * float(normal @ (body.position - point))
