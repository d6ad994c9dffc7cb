"""A rope without mass that runs over many bodies: ends, holes, sheaves and drums, as one row.

    q = sum of straight spans + sum of r_i theta_i over the sheaves it lies on

A sheave is the circle of radius r about its centre, at right angles to its axis a. A span with the unit direction n
leaves it at c + s r rho, rho = n x a / |n x a|, where it is tangential as seen along the axis; s = 1 where the rope
runs the way the rim moves in a positive turn about a, else -1. The wrap theta is the turn of n about a from one span to
the next, counted over turns. A drum is a sheave at an end of the rope, whose wrap begins or ends at a point of its rim.

A wrap that opens, theta < 0, leaves its sheave out of the route until it closes again: both routes are equally long
there, and have the same gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from taut.rows.part import Part, Pose, point_rows
from taut.spatial import Array, Integers, cross

Triple = tuple[float, float, float]

LEAST_COSINE = 1e-3
"""Cosine of the angle between a span and the plane of a sheave that is counted with at least: across it, no turn is."""

MOST_STOPS = 64
"""Stops of a rope at most: the kernel keeps them on its stack."""

NEWTON_PASSES = 20
"""Passes for the tangent of two circles whose axes are not parallel; it takes four, and doubles its digits in each."""

LEAST_DISTANCE = 1.0 + 1e-6
"""Radii over distance from which on circles that overlap, and so have no tangent, are shrunk."""

SHORTEST = 1e-12
"""Length of a span, m, below which it has no direction of its own."""


@dataclass(frozen=True)
class Stop:
    """Where a rope is led, in body axes from the centre of mass: a point, or a circle about it.

    Attributes:
        body, point: the body, and the point or centre on it, m.
        radius: of a sheave or drum, m; 0 for a point.
        axis: unit vector, at right angles to the circle.
        sense: 1.0 where the rope runs the way the rim moves in a positive turn about the axis, else -1.0.
        friction: coefficient between rope and rim.
        start: direction from the centre of a drum to where the rope is fixed on its rim; None for all else.
        near: wrap next to which turns are counted where nothing is known of them, rad.
    """

    body: int
    point: Triple
    radius: float = 0.0
    axis: Triple = (0.0, 1.0, 0.0)
    sense: float = 1.0
    friction: float = 0.0
    start: Triple | None = None
    near: float = 0.0

    @property
    def wraps(self) -> bool:
        """Whether its wrap has to be known: it is round, or rubs."""
        return self.radius > 0.0 or self.friction > 0.0


class Span(NamedTuple):
    """A straight piece of a route: its stops, unit vector n, length in m, and of both ends

    the axes a, s r rho (m), s r (m), and where the end is from the stop's point (m).
    """

    first: int
    second: int
    direction: Array
    length: float
    axes: tuple[Array, Array]
    rims: tuple[Array, Array]
    radii: tuple[float, float]
    ends: tuple[Array, Array]


class Course(NamedTuple):
    """A route somewhere: its spans, and the wrap (stops,) of every stop, negative where it does not touch, rad."""

    spans: list[Span]
    wraps: Array


@dataclass(frozen=True)
class RoutePart(Part):
    """q as above in m, then one row for every stop that rubs: how fast the rope slips over its rim, m/s, without q.

    The Jacobian is the exact gradient: a span pulls at its two tangent points along n. Where it runs at an angle delta
    to the plane of a sheave, r (1 - cos delta) dphi is added with the turn dphi of n about the axis, so that it
    always turns the sheave with r times its tension, as a groove does [Clairaut].
    The slip at a stop is the rate of all that is downstream: the rows of spans from there on. So the force of the first
    row is minus the tension of the first span, and what the row of a stop pulls is added to all spans after it.

    Geometric stiffness: the tension T of a span turns with it, T/L across it between the *centres* of its stops. Two
    companions a span carry it, as in `DistancePart`, with the arm blocks of the centres. Spans within one body have
    neither.
    """

    stops: tuple[Stop, ...]
    whole_stiffness = True

    @property
    def rows(self) -> int:  # type: ignore[override]
        """The length, and one for each stop that rubs."""
        return 1 + sum(stop.friction > 0.0 for stop in self.stops)

    @property
    def companions(self) -> int:  # type: ignore[override]
        """Two for each span between two bodies."""
        return 2 * sum(one.body != two.body for one, two in zip(self.stops, self.stops[1:], strict=False))

    @property
    def bodies(self) -> tuple[int, ...]:
        """Every body of a stop, once."""
        return tuple(dict.fromkeys(stop.body for stop in self.stops))

    @property
    def coordinates(self) -> tuple[Wrap, ...]:
        """Wraps."""
        return tuple(Wrap(self, index) for index, stop in enumerate(self.stops) if stop.wraps)

    def renumbered(self, body: Integers) -> RoutePart:
        """See `Part`."""
        return RoutePart(tuple(replace(stop, body=int(body[stop.body])) for stop in self.stops))

    def slip_of(self, index: int) -> int:
        """Which of its rows is that of the slip at a stop which rubs."""
        return 1 + sum(stop.friction > 0.0 for stop in self.stops[:index])

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Length (rows,) in m, 0 for slips, and Jacobian (rows, len(bodies), 6)."""
        place = {body: index for index, body in enumerate(self.bodies)}
        course = self.trace(poses)
        touched = np.maximum(course.wraps, 0.0) @ [stop.radius for stop in self.stops]
        value, jacobian = np.zeros(self.rows), np.zeros((self.rows, len(place), 6))
        value[0] = touched + sum(span.length for span in course.spans)
        slips = [0, *(index for index, stop in enumerate(self.stops) if stop.friction > 0.0)]
        for span in course.spans:
            blocks = self.blocks(span, poses, place)
            for row, start in enumerate(slips):
                if start <= span.first:
                    for body, block in blocks:
                        jacobian[row, body] += block
        return value, jacobian

    def blocks(self, span: Span, poses: Sequence[Pose], place: dict[int, int]) -> list[tuple[int, Array]]:
        """Jacobian blocks (6,) of the length of a span with the wraps at its ends, each with the number of its body.

        With f M = (e_i, e_j) the forces that turn n, see `RoutePart`; e = +-s r (1 - cos delta), g = a x n / cos^2
        delta, dphi = g . (dn - omega x n), t = a x rho.
        """
        n, length = span.direction, max(span.length, SHORTEST)
        stops = self.stops[span.first], self.stops[span.second]
        if stops[0].body == stops[1].body:
            return []
        cosines = [max(math.sqrt(max(1.0 - float(axis @ n) ** 2, 0.0)), LEAST_COSINE) for axis in span.axes]
        excess = np.array([span.radii[0] * (1.0 - cosines[0]), -span.radii[1] * (1.0 - cosines[1])])
        turns = [cross(axis, n) / cosine**2 for axis, cosine in zip(span.axes, cosines, strict=True)]
        slides = [cross(axis, rim) for axis, rim in zip(span.axes, span.rims, strict=True)]  # s r t
        matrix = np.eye(2)
        matrix[0, 1] = -turns[0] @ slides[1] / length
        matrix[1, 0] = turns[1] @ slides[0] / length
        weight = np.linalg.solve(matrix.T, excess)
        pull = n + (weight[0] * turns[0] + weight[1] * turns[1]) / length
        blocks = []
        for k, sign in ((0, -1.0), (1, 1.0)):
            pose = poses[place[stops[k].body]]
            block = pull @ point_rows(sign, pose.rotation @ stops[k].point + span.ends[k])
            block[3:] -= weight[k] * cross(n, turns[k])
            blocks.append((place[stops[k].body], block))
        return blocks

    def trace(self, poses: Sequence[Pose], near: Sequence[float] | None = None) -> Course:
        """The route where bodies have these poses; wraps are counted next to `near` (stops,), else to those of stops.

        The sheave whose wrap is the most negative is left out first, until none is.
        """
        place = dict(zip(self.bodies, poses, strict=True))
        circles = [circle(stop, place[stop.body]) for stop in self.stops]
        known = [stop.near for stop in self.stops] if near is None else near
        led, inside, wraps = list(circles), list(range(len(circles))), np.zeros(len(circles))
        while True:
            spans = [tangent(led, one, two) for one, two in zip(inside, inside[1:], strict=False)]
            into = {span.second: span.direction for span in spans}
            onto = {span.first: span.direction for span in spans}
            for index in inside:  # those that were left out keep what they had then
                if led[index] is circles[index]:
                    wraps[index] = wrap(led[index], into.get(index), onto.get(index), known[index])
            round_ = [index for index in inside if led[index].radius != 0.0]
            worst = min(round_, key=lambda index: float(wraps[index]), default=-1)
            if worst < 0 or not wraps[worst] < 0.0:
                break
            if led[worst].start is None:
                inside.remove(worst)
            else:
                led[worst] = paid_out(led[worst])
        return Course(spans, wraps)


@dataclass(frozen=True)
class Wrap:
    """How far a rope lies around one stop, rad: what a state remembers so that turns can be counted.

    Not a coordinate that rows could use: it depends on where the stops before and after are.
    """

    route: RoutePart
    index: int

    @property
    def bodies(self) -> tuple[int, ...]:
        """The bodies of the rope."""
        return self.route.bodies

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, None]:
        """The wrap (1,) next to that which the stop was given; it has no Jacobian of its own."""
        return self.route.trace(poses).wraps[self.index : self.index + 1], None


class Circle(NamedTuple):
    """A stop in world axes: centre, unit axis, s r in m, where on its rim a drum holds the rope, else None.

    `offset` is where the centre is from the stop's point, m.
    """

    centre: Array
    axis: Array
    radius: float
    start: Array | None
    offset: Array


def circle(stop: Stop, pose: Pose) -> Circle:
    """Where a stop is."""
    start = None if stop.start is None else pose.rotation @ stop.start
    centre, axis = pose.position + pose.rotation @ stop.point, pose.rotation @ stop.axis
    return Circle(centre, axis, stop.sense * stop.radius, start, np.zeros(3))


def paid_out(drum: Circle) -> Circle:
    """A drum that no rope is left on: it holds the end at a point of its rim."""
    assert drum.start is not None
    rim = abs(drum.radius) * drum.start
    return Circle(drum.centre + rim, drum.axis, 0.0, None, rim)


def direction_of(way: Array) -> tuple[Array, float]:
    """Unit vector and length of a way (3,), m; where its ends are the same point any direction will do."""
    length = float(np.linalg.norm(way))
    return (way / length if length > SHORTEST else np.array([0.0, 0.0, 1.0])), length


def tangent(circles: Sequence[Circle], first: int, second: int) -> Span:
    """The straight span from one stop to another.

    In a plane w = d + (s_j r_j - s_i r_i) rho, see `RoutePart`; where axes are not parallel, that is where Newton's
    method for w . rho_i = w . rho_j = 0 starts.
    """
    one, two = circles[first], circles[second]
    line = two.centre - one.centre
    axes = one.axis, two.axis
    if one.radius == 0.0 and two.radius == 0.0:
        normal, length = direction_of(line)
        still = np.zeros(3), np.zeros(3)
        return Span(first, second, normal, length, axes, still, (0.0, 0.0), (one.offset, two.offset))
    axis = one.axis if abs(one.radius) >= abs(two.radius) else two.axis
    radii = [each.radius * (1.0 if each.axis @ axis >= 0.0 else -1.0) for each in (one, two)]
    height = float(axis @ line)
    flat = line - height * axis
    distance, offset = max(float(np.linalg.norm(flat)), 1e-12), radii[1] - radii[0]
    shrink = min(1.0, distance / max(LEAST_DISTANCE * abs(offset), 1e-300))
    offset *= shrink
    along = math.sqrt(distance**2 - offset**2)
    normal = (along / distance**2) * (along * flat - offset * cross(axis, flat)) + height * axis
    rims = [across(normal, each.axis) for each in (one, two)]
    sizes = [shrink * each.radius for each in (one, two)]
    for _ in range(NEWTON_PASSES):
        way = line + sizes[1] * rims[1] - sizes[0] * rims[0]
        miss = np.array([way @ rims[0] if sizes[0] else 0.0, way @ rims[1] if sizes[1] else 0.0])
        if np.abs(miss).max() <= 1e-15 * np.linalg.norm(way):
            break
        turned = [cross(axis, rim) for axis, rim in zip(axes, rims, strict=True)]
        slope = np.array(
            [
                [way @ turned[0], sizes[1] * (rims[0] @ turned[1])],
                [-sizes[0] * (rims[1] @ turned[0]), way @ turned[1]],
            ]
        )
        step = np.linalg.solve(slope, -miss)
        rims = [(rim + x * turn) / math.hypot(1.0, x) for rim, x, turn in zip(rims, step, turned, strict=True)]
    way = line + sizes[1] * rims[1] - sizes[0] * rims[0]
    normal, length = direction_of(way)
    arms = sizes[0] * rims[0], sizes[1] * rims[1]
    ends = one.offset + arms[0], two.offset + arms[1]
    return Span(first, second, normal, length, axes, arms, (sizes[0], sizes[1]), ends)


def across(direction: Array, axis: Array) -> Array:
    """n x a / |n x a|."""
    side = cross(direction, axis)
    return side / max(float(np.linalg.norm(side)), 1e-300)


def wrap(where: Circle, into: Array | None, onto: Array | None, near: float) -> float:
    """How far a rope that comes along `into` and goes on along `onto` lies around a stop, rad.

    About an axis it is counted next to `near`; at a point it is the angle by which the rope turns.
    """
    sense = math.copysign(1.0, where.radius)
    if where.start is not None:
        rim = sense * cross(where.axis, where.start)
        into, onto = (rim, onto) if into is None else (into, rim)
    if into is None or onto is None:
        return 0.0
    if where.radius == 0.0:
        return math.atan2(float(np.linalg.norm(cross(into, onto))), float(into @ onto))
    one, two = across(into, where.axis), across(onto, where.axis)
    turn = sense * math.atan2(float(where.axis @ cross(one, two)), float(one @ two))
    return turn + 2.0 * math.pi * round((near - turn) / (2.0 * math.pi))
