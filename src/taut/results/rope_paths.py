"""Where ropes run that are led over sheaves and drums: lines with arcs, traced for every picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from taut.rows.part import Pose
from taut.rows.route import RoutePart, Stop
from taut.spatial import Array, Integers, matrix

if TYPE_CHECKING:
    from taut.model.model import Link, Model

ARC = 12
"""Points of the line on the rim of each stop that is round."""

LINK, BODY, POINT, AXIS, RADIUS, START = 0, 1, slice(2, 5), slice(5, 8), 8, slice(9, 12)
"""Columns of the stops of ropes in a drawing: joint, body, point and axis in its own frame, s r, and where a drum holds
the rope, NaN for all else."""

COLUMNS = 12
"""Columns in all."""


def stops_of(model: Model, number: int, link: Link) -> Array:
    """Stops (k, COLUMNS) of a rope over many bodies, none for other joints."""
    route = next((part for part in link.parts if isinstance(part, RoutePart)), None)
    stops = np.zeros((0 if route is None else len(route.stops), COLUMNS))
    for row, stop in zip(stops, () if route is None else route.stops, strict=True):
        row[LINK], row[BODY], row[RADIUS] = number, stop.body, stop.sense * stop.radius
        row[POINT], row[AXIS] = np.array(stop.point) + model.bodies.com[stop.body], stop.axis
        row[START] = math.nan if stop.start is None else stop.start
    return stops


def numbered_stops(stops: Sequence[Array]) -> Array:
    """Stops of all joints in order, with the numbers of these."""
    table = np.concatenate([np.zeros((0, COLUMNS)), *stops])
    table[:, LINK] = np.repeat(np.arange(len(stops)), [len(each) for each in stops])
    return table


def size_of(stop: Array) -> int:
    """Points of the line that a stop has."""
    return ARC if stop[RADIUS] != 0.0 else 1


def trace_ropes(stops: Array, first: Integers, positions: Array, orientations: Array, points: Array) -> None:
    """Put the points of ropes where they run, with bodies at these poses (n, ...).

    Args:
        stops: (k, COLUMNS) of all ropes.
        first: (joints + 1,) first point of every joint.
        positions, orientations: of the bodies' own frames, m.
        points: (q, 3) written where joints are ropes.
    """
    for link in np.unique(stops[:, LINK]).astype(int):
        own = stops[stops[:, LINK] == link]
        part = RoutePart(tuple(as_stop(stop) for stop in own))
        if not np.isfinite(positions[list(part.bodies)]).all():
            continue  # something it runs over is not there
        poses = [Pose(positions[body], matrix(orientations[body])) for body in part.bodies]
        points[first[link] : first[link + 1]] = line_of(part, poses)


def as_stop(row: Array) -> Stop:
    """A stop of a drawing; points are from the origin of its body, and a drum has about a turn on it."""
    x, y, z = row[POINT].tolist()
    a, b, c = row[AXIS].tolist()
    start = None if np.isnan(row[START]).any() else tuple(row[START].tolist())
    near = 0.5 * math.pi if start is None else 1.5 * math.pi
    radius = float(row[RADIUS])
    return Stop(int(row[BODY]), (x, y, z), abs(radius), (a, b, c), math.copysign(1.0, radius), 0.0, start, near)


def line_of(part: RoutePart, poses: list[Pose]) -> Array:
    """Points (q, 3) along a rope: one a point, ARC on every rim; those of a stop that is left out are on the way."""
    course, place = part.trace(poses), dict(zip(part.bodies, poses, strict=True))
    centre = [place[stop.body].position + place[stop.body].rotation @ stop.point for stop in part.stops]
    comes = {span.second: centre[span.second] + span.ends[1] for span in course.spans}
    goes = {span.first: centre[span.first] + span.ends[0] for span in course.spans}
    found, last = [], centre[0]
    for index, stop in enumerate(part.stops):
        count = ARC if stop.radius > 0.0 else 1
        if index not in comes and index not in goes:
            found.append(np.tile(last, (count, 1)))
            continue
        turn = stop.sense * max(float(course.wraps[index]), 0.0)
        axis = place[stop.body].rotation @ stop.axis
        begin = comes[index] if index in comes else turned(goes[index], centre[index], axis, -turn)
        found.append(np.array([turned(begin, centre[index], axis, turn * k / max(count - 1, 1)) for k in range(count)]))
        last = found[-1][-1]
    return np.concatenate(found)


def turned(point: Array, centre: Array, axis: Array, angle: float) -> Array:
    """A point of a rim, turned about its axis."""
    arm = point - centre
    along = (arm @ axis) * axis
    flat = arm - along
    place: Array = centre + along + math.cos(angle) * flat + math.sin(angle) * np.cross(axis, flat)
    return place
