"""A rope without mass over any number of bodies: ends, holes, sheaves and drums."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, triple
from taut.rows.law import Law, follow, limits
from taut.rows.part import Pose
from taut.rows.route import MOST_STOPS, RoutePart, Stop
from taut.rows.softness import soft
from taut.spatial import Array, cross, perpendicular

USUAL = 0.5 * math.pi
"""Middle of the wraps in rad that are taken for what they are, -90 to 270 degrees; beyond, only `turns` can tell."""


@dataclass(frozen=True)
class RouteStop:
    """A stop of a `Route` as users give it; made by `attach`, `pinhole`, `sheave` and `drum`.

    Point and axis in the body's own frame (world frame for "world"), m.
    """

    kind: str
    body: str
    point: Triple
    radius: float = 0.0
    axis: Triple = (0.0, 1.0, 0.0)
    sense: int = 1
    friction: float = 0.0
    turns: float = 0.0


def attach(body: Any, point: Any = (0.0, 0.0, 0.0)) -> RouteStop:
    """An end of a rope: it is tied to a point of a body."""
    return RouteStop("attach", str(body), checked_point("attach", point))


def pinhole(body: Any, point: Any = (0.0, 0.0, 0.0), friction: float = 0.0) -> RouteStop:
    """A hole or eye in a body that the rope runs through; `friction` is its coefficient."""
    return RouteStop(
        "pinhole", str(body), checked_point("pinhole", point), friction=checked_friction("pinhole", friction)
    )


def sheave(
    body: Any, point: Any = (0.0, 0.0, 0.0), *, radius: float, axis: Any = (0.0, 1.0, 0.0), sense: int = 1,
    friction: float = 0.0, turns: int = 0,
) -> RouteStop:  # fmt: skip
    """A wheel or bollard that the rope runs over, fixed to a body: the wheel itself, where it has inertia.

    With `sense` 1 the rope runs the way the rim moves in a positive turn about `axis`, with -1 the other way. A rope
    that does not touch at first may do so later. `friction` is the coefficient between rope and rim: without it the
    wheel turns freely, or slips without effort. `turns` are whole turns beside the wrap from -90 to 270 degrees that
    the stops before and after say.
    """
    return RouteStop(
        "sheave", str(body), checked_point("sheave", point), checks.number("sheave", "radius", radius, above=0.0),
        checked_axis("sheave", axis), checked_sense("sheave", sense), checked_friction("sheave", friction),
        checked_turns("sheave", turns),
    )  # fmt: skip


def drum(
    body: Any, point: Any = (0.0, 0.0, 0.0), *, radius: float, axis: Any = (0.0, 1.0, 0.0), sense: int = 1,
    stored: float = 0.0,
) -> RouteStop:  # fmt: skip
    """An end of a rope that is wound on a drum: the body turns, and rope comes off or is taken up, m for m.

    With `sense` 1 the rope runs the way the rim moves in a positive turn about `axis`. `stored` is what is wound on it
    at the start, m. When that is used up, the drum holds the end at a point of its rim.
    """
    size = checks.number("drum", "radius", radius, above=0.0)
    return RouteStop(
        "drum", str(body), checked_point("drum", point), size, checked_axis("drum", axis), checked_sense("drum", sense),
        0.0, checks.number("drum", "stored", stored, at_least=0.0) / size,
    )  # fmt: skip


def checked_point(owner: str, point: Any) -> Triple:
    """A point."""
    return triple(checks.vector(owner, "point", point))


def checked_axis(owner: str, axis: Any) -> Triple:
    """A unit vector."""
    return triple(checks.direction(owner, "axis", axis))


def checked_friction(owner: str, friction: float) -> float:
    """A coefficient."""
    return checks.number(owner, "friction", friction, at_least=0.0)


def checked_sense(owner: str, sense: int) -> int:
    """1 or -1."""
    if sense not in (1, -1):
        raise InputError(f"{owner}: sense is {checks.shown(sense)}; it must be 1 or -1")
    return int(sense)


def checked_turns(owner: str, turns: int) -> float:
    """Whole turns, as an angle."""
    count = checks.place(turns, range(1000))
    if count is None:
        raise InputError(f"{owner}: turns is {checks.shown(turns)}; it must be a whole number from 0 to 999")
    return 2.0 * math.pi * count


@dataclass(frozen=True)
class Route(Joint):
    """A rope of at most `length` m over its `stops`; it pulls and never pushes: 1 row, and 1 a stop that rubs.

    The first and the last are an `attach` or a `drum`, those between holes and sheaves; A and B are any two of their
    bodies.
    `length` is all of it, with what is wound on drums; without it the rope is just taut at the start. With
    `axial_stiffness` EA (N) the rope stretches by T / EA a metre of `stretching` (m), by default of what is not wound
    up at the start, with `damping` in N s/m. With `slack_ok=False` it also pushes, as a rod would or a chain in a tube.
    """

    stops: tuple[RouteStop, ...] = ()
    length: float | None = None
    axial_stiffness: float = math.inf
    damping: float = 0.0
    slack_ok: bool = True
    stretching: float | None = None

    def check(self) -> None:
        """Stops are stops, and ends are at the ends."""
        stops = tuple(self.stops) if isinstance(self.stops, list | tuple) else ()
        object.__setattr__(self, "stops", stops)
        if any(not isinstance(stop, RouteStop) for stop in stops) or not 2 <= len(stops) <= MOST_STOPS:
            raise InputError(
                f"Route: stops are {checks.shown(self.stops)}; 2 to {MOST_STOPS} of attach, pinhole, sheave, drum"
            )
        for index, stop in enumerate(stops):
            if (stop.kind in ("attach", "drum")) != (index in (0, len(stops) - 1)):
                raise InputError(
                    f"Route: stops[{index}] of {len(stops)} is {stop.kind!r}; the two ends must be attach or drum, all "
                    "between them pinhole or sheave"
                )
        if self.length is not None:
            checks.number("Route", "length", self.length, above=0.0)
        if self.axial_stiffness != math.inf:
            checks.number("Route", "axial_stiffness", self.axial_stiffness, above=0.0)
        if checks.number("Route", "damping", self.damping, at_least=0.0) > 0.0 and self.axial_stiffness == math.inf:
            raise InputError("Route: damping needs an axial_stiffness; a rope that does not stretch damps nothing")
        checks.flag("Route", "slack_ok", self.slack_ok)
        if self.stretching is not None:
            checks.number("Route", "stretching", self.stretching, above=0.0)

    def refers_to(self) -> tuple[str, ...]:
        """The bodies of its stops."""
        return tuple(dict.fromkeys(stop.body for stop in self.stops))

    def rows(self, frame: JointFrame) -> Rows:
        """One length, and the slips of stops that rub."""
        part, poses = self.part(frame)
        rub, length, stretching = follow(0.0, 0.0), self.length, self.stretching
        if length is None or stretching is None:
            whole = float(part.evaluate(poses)[0][0])
            on_drums = sum(stop.radius * stop.near for stop in part.stops if stop.start is not None)
            length = whole if length is None else length
            stretching = max(length - on_drums, 1e-6) if stretching is None else stretching
        return [(part, (self.law(length, stretching), *[rub] * (part.rows - 1)))]

    def length_in(self, frame: JointFrame) -> float:
        """Its length, m; where it was given none, that with which it is just taut."""
        if self.length is not None:
            return self.length
        part, poses = self.part(frame)
        return float(part.evaluate(poses)[0][0])

    def law(self, length: float, stretches: float) -> Law:
        """What the row of the length asks for; `stretches` m of rope do so."""
        if self.axial_stiffness < math.inf:
            law = soft(self.axial_stiffness / stretches, self.damping, length)
            return replace(law, upper_force=0.0) if self.slack_ok else law
        if self.slack_ok:
            return limits(-math.inf, length)
        return Law(target=length)

    def part(self, frame: JointFrame) -> tuple[RoutePart, list[Pose]]:
        """The rope in the initial configuration, wraps counted, and the poses of its bodies."""
        found = {name: frame.body(name) for name in self.refers_to()}
        if not {frame.a, frame.b} <= {index for index, *_ in found.values()}:
            raise InputError(f"Route: its stops are on {', '.join(map(repr, found))}; it must connect two of these")
        stops = [placed(stop, found[stop.body], frame.origin(stop.body)) for stop in self.stops]
        part = RoutePart(tuple(stops))
        poses = {index: Pose(com, rotation) for index, com, _, rotation in found.values()}
        here = [poses[body] for body in part.bodies]
        about = [2.0 * math.pi if stop.kind == "drum" else stop.turns + USUAL for stop in self.stops]
        wraps = part.trace(here, about).wraps
        counted = [wound(stop, one, float(wrap)) for stop, one, wrap in zip(self.stops, stops, wraps, strict=True)]
        if counted[-1].start is not None:  # the rope runs towards where this one holds it
            counted[-1] = wound(replace(self.stops[-1], sense=-self.stops[-1].sense), stops[-1], float(wraps[-1]))
        return RoutePart(tuple(counted)), here


def wound(given: RouteStop, stop: Stop, wrap: float) -> Stop:
    """A stop that remembers its wrap; a drum's rim is turned so that the wrap is that which it was given."""
    if given.kind != "drum" or stop.start is None:
        return replace(stop, near=wrap)
    turn = -given.sense * (given.turns - wrap)
    start, axis = np.array(stop.start), np.array(stop.axis)
    start = math.cos(turn) * start + math.sin(turn) * cross(axis, start)
    return replace(stop, start=triple(start), near=given.turns)


def placed(stop: RouteStop, body: tuple[int, Array, Array, Array], origin: Array) -> Stop:
    """A stop on its body, from its centre of mass; a drum holds the rope somewhere on its rim.

    `body` is as `JointFrame.body` has it, and `origin` where its own frame sits.
    """
    index, com, _, rotation = body
    point = rotation.T @ (origin - com) + np.array(stop.point)
    start = triple(perpendicular(np.array(stop.axis))) if stop.kind == "drum" else None
    return Stop(index, triple(point), stop.radius, stop.axis, float(stop.sense), stop.friction, start)
