"""One random example of every row part, for tests that run over all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from dense_twins import random_point, random_pose, random_quaternion, random_unit

from taut import spatial
from taut.rows.coordinate import Angle, Coordinate, Slide, Spin
from taut.rows.coupling import CouplingPart
from taut.rows.direction import DirectionPart
from taut.rows.distance import DistancePart
from taut.rows.orientation import OrientationPart
from taut.rows.part import PairPart, Part, Pose
from taut.rows.point import PointPart
from taut.rows.route import RoutePart, Stop
from taut.rows.slip import SlipPart

Generator = np.random.Generator


def random_frame(rng: Generator) -> tuple[float, float, float, float]:
    """A frame's unit quaternion as plain floats."""
    return tuple(float(x) for x in random_quaternion(rng))


def slide(rng: Generator, a: int = 1, b: int = 2) -> Slide:
    """A slide between two bodies."""
    return Slide(a, b, random_point(rng), random_point(rng), random_unit(rng))


def angle(rng: Generator, a: int = 1, b: int = 2) -> Angle:
    """An angle about a random axis."""
    x = random_unit(rng)
    y = spatial.perpendicular(x)
    return Angle(a, b, x, tuple(float(c) for c in y), random_unit(rng))


def spin(rng: Generator, a: int = 1, b: int = 2) -> Spin:
    """A rate of turn."""
    return Spin(a, b, random_unit(rng))


def coupling(rng: Generator) -> CouplingPart:
    """Slides and angles over four bodies, some of them shared."""
    terms = ((slide(rng, 1, 2), 0.7), (angle(rng, 2, 3), -1.3), (slide(rng, 3, 1), 0.2), (angle(rng, 0, 2), 2.0))
    return CouplingPart(terms)


def route(rng: Generator) -> RoutePart:
    """A rope through holes in three bodies, one of which it goes through twice, and over a rim, or past it."""
    stops = [Stop(body, random_point(rng)) for body in (1, 2, 2, 3, 1)]
    stops.insert(3, Stop(3, random_point(rng), 0.05, random_unit(rng)))
    return RoutePart(tuple(stops))


def tilted(rng: Generator, most: float) -> np.ndarray:
    """A unit vector near the y axis."""
    return np.array([0.0, 1.0, 0.0]) + most * rng.normal(size=3)


def zigzag(rng: Generator, friction: float = 0.0) -> tuple[RoutePart, list[Pose]]:
    """A rope from a drum over sheaves with tilted axes and a hole to a drum, on bodies a metre or two apart."""
    stops, poses = [], []
    for body in range(5):
        pose = random_pose(rng)
        place = np.array([1.5 * body, 0.0, (-1.0) ** body]) + 0.2 * rng.normal(size=3)
        point = 0.1 * rng.normal(size=3)
        axis = tilted(rng, 0.2)
        axis = pose.rotation.T @ (axis / np.linalg.norm(axis))
        start = np.cross(axis, random_unit(rng))
        poses.append(Pose(place - pose.rotation @ point, pose.rotation))
        held = body in (0, 4)
        stops.append(
            Stop(
                body, tuple(point), 0.0 if body == 2 else rng.uniform(0.1, 0.4), tuple(axis), (-1.0) ** body,
                0.0 if held else friction, tuple(start / np.linalg.norm(start)) if held else None,
                near=4.0 if held else 1.5,
            )
        )  # fmt: skip
    return RoutePart(tuple(stops)), poses


EXAMPLES: dict[type[Part], Callable[[Generator], Part]] = {
    PointPart: lambda rng: PointPart(1, 2, random_point(rng), random_point(rng)),
    DistancePart: lambda rng: DistancePart(1, 2, random_point(rng), random_point(rng)),
    DirectionPart: lambda rng: DirectionPart(1, 2, random_unit(rng), random_unit(rng), spread=True),
    OrientationPart: lambda rng: OrientationPart(1, 2, random_frame(rng), random_frame(rng)),
    Slide: slide,
    Angle: angle,
    Spin: spin,
    CouplingPart: coupling,
    RoutePart: route,
    SlipPart: lambda rng: SlipPart(1, 2, random_point(rng), random_unit(rng)),
}


def all_parts() -> list[type[Part]]:
    """Every part that can be measured, found through the class tree."""
    found, todo = [], [Part]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if kind not in (Part, PairPart, Coordinate) and kind.__module__.startswith("taut."):
            found.append(kind)
    return sorted(found, key=lambda kind: kind.__name__)
