"""Paths of bodies: functions of time and of the poses of bodies that were placed before."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Poses = tuple[Array, Array]
"""Centres (bodies, 3), m, and rotations (bodies, 3, 3)."""
Path = Callable[[float, Poses], tuple[Array, Array]]
"""Time, s, and the poses of bodies added before -> centre (3,) and rotation (3, 3) of a body."""
Course = Callable[[float], float]
"""Time, s -> an angle, rad, or a way, m."""

X, Y, Z = np.eye(3)


def across(axis: Array) -> Array:
    """Two unit directions (2, 3) across a unit axis, and across each other."""
    side = np.cross(axis, X if abs(axis[0]) < 0.8 else Y)
    side /= np.linalg.norm(side)
    return np.array([np.cross(side, axis), side])


def turned(axis: Array, angle: float) -> Array:
    """Rotation (3, 3) about a unit axis (3,)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)


def at(place: ArrayLike, rotation: Array | None = None) -> Path:
    """A path that stays at a place."""
    fixed = np.asarray(place, float), np.eye(3) if rotation is None else rotation
    return lambda t, poses: fixed


def on(parent: int, place: ArrayLike, axis: Array = Z, angle: Course | float = 0.0, way: Course | float = 0.0,
       arm: ArrayLike = (0.0, 0.0, 0.0)) -> Path:  # fmt: skip
    """A path with another body: at a place in its axes, turned about an axis and moved along it.

    `arm` is the way from there to the body's own centre, in its own axes.
    """
    start, reach = np.asarray(place, float), np.asarray(arm, float)

    def path(t: float, poses: Poses) -> tuple[Array, Array]:
        centre, rotation = poses[0][parent], poses[1][parent]
        local = turned(axis, angle(t) if callable(angle) else angle)
        moved = start + (way(t) if callable(way) else way) * axis
        own = rotation @ local
        return centre + rotation @ moved + own @ reach, own

    return path


def between(a: int, place_a: ArrayLike, b: int, place_b: ArrayLike, share: float, ahead: float) -> Path:
    """A path of a rod whose x axis points from a place of one body to a place of another.

    Its centre is at a share of the way, and `ahead` m further.
    """
    start, end = np.asarray(place_a, float), np.asarray(place_b, float)

    def path(t: float, poses: Poses) -> tuple[Array, Array]:
        centre, rotation = poses
        from_, to = centre[a] + rotation[a] @ start, centre[b] + rotation[b] @ end
        x = (to - from_) / np.linalg.norm(to - from_)
        side = np.cross(x, Y if abs(x[1]) < 0.8 else Z)
        side /= np.linalg.norm(side)
        return from_ + share * (to - from_) + ahead * x, np.stack([x, np.cross(side, x), side], axis=1)

    return path


def wave(rng: np.random.Generator, size: float) -> Callable[[float], float]:
    """A gap that opens and closes once or so in a story, by up to this size, m."""
    phase, turns = rng.uniform(0.0, 2 * math.pi), rng.uniform(0.5, 1.5)
    return lambda share: size * math.sin(phase + 2 * math.pi * turns * share)
