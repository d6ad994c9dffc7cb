"""Surfaces of shapes as triangles, to be looked at; nothing is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.spatial import Array

SIDES = 28
"""Corners of what stands for a circle."""

ARC_STEPS = 5
"""Edges of what stands for a quarter of a circle."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in a shape's own frame.

    Attributes:
        points: (p, 3) m. Triangles share points only where the surface is smooth, so that the mean of the triangles'
            normals at a point is the normal to shade it with.
        triangles: (t, 3) points of each, counter-clockwise seen from outside.
    """

    points: Array
    triangles: NDArray[np.int64]


def faceted(corners: Array) -> Surface:
    """Flat triangles (t, 3, 3), none of which share a point."""
    return Surface(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def cuboid(edges: tuple[float, float, float]) -> Surface:
    """A box about the origin with these edge lengths, m."""
    square = np.array([(-1.0, -1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)])
    upper = [np.roll(square, turn, axis=1) for turn in range(3)]
    lower = [-face[::-1] for face in upper]
    halves = np.array([(0, 1, 2), (0, 2, 3)])
    return Surface(0.5 * np.vstack(upper + lower) * edges, np.vstack([4 * face + halves for face in range(6)]))


def revolved(pieces: Sequence[Array]) -> Surface:
    """The surface that profiles sweep around the z axis.

    Each piece (n, 2) is a smooth run of (radius, z) in m; seen in the half plane of positive radii it has the inside on
    its left, so a whole profile goes from the lower end of the axis to the upper one.
    """
    turn = 2.0 * np.pi / SIDES * np.arange(SIDES)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    points: list[Array] = []
    triangles: list[NDArray[np.int64]] = []
    count = 0
    for piece in pieces:
        rings = []
        for radius, height in piece:
            corners = circle * radius if radius > 0.0 else np.zeros((1, 2))  # a point on the axis is one point
            points.append(np.column_stack([corners, np.full(len(corners), height)]))
            rings.append(count + np.arange(SIDES) % len(corners))
            count += len(corners)
        for lower, upper in zip(rings[:-1], rings[1:], strict=True):
            near = np.column_stack([lower, np.roll(lower, -1), np.roll(upper, -1)])
            far = np.column_stack([lower, np.roll(upper, -1), upper])
            triangles += [half for half in (near, far) if (half[0] != np.roll(half[0], 1)).all()]
    return Surface(np.vstack(points), np.vstack(triangles))


def arc(radius: float, middle: float, start: float, end: float) -> Array:
    """Profile (n, 2) of a circle about (0, middle), from one angle above the horizontal to another, rad."""
    steps = max(1, round(ARC_STEPS * abs(end - start) / (0.5 * np.pi)))
    angle = np.linspace(start, end, steps + 1)
    profile = np.column_stack([radius * np.cos(angle), middle + radius * np.sin(angle)])
    profile[np.abs(profile[:, 0]) < 1e-9 * radius, 0] = 0.0
    return profile
