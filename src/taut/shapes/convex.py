"""A convex solid: the hull of points."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.errors import InputError
from taut.shapes.base import Shape, read_only
from taut.shapes.point_files import read_points
from taut.shapes.surface import Surface, faceted
from taut.spatial import Array

THINNEST = 1e-6
"""Thickness over length below which points count as lying in one plane: rounding then decides the hull's faces."""


@dataclass(frozen=True, eq=False)
class Convex(Shape):
    """The hull of at least 4 `points` (n, 3) in the body's own frame, in m, that are not all in one plane.

    Points inside the hull are dropped: `points` (h, 3) are then its corners, in the order given. The centre of mass
    is the centroid of the solid, wherever the origin is.
    """

    points: Any
    triangles: NDArray[np.int64] = field(init=False, repr=False)
    """Surface as triangles (t, 3) of `points`, counter-clockwise seen from outside."""

    def __post_init__(self) -> None:
        """Keep the corners of the hull, and its triangles."""
        points = checked_points(self.points)
        corners, triangles = hull(points)
        object.__setattr__(self, "points", read_only(points[corners]))
        object.__setattr__(self, "triangles", read_only(triangles))

    @classmethod
    def from_file(cls, path: str | Path, scale: float = 1.0) -> Convex:
        """The hull of the points in a file, times `scale` (0.001 for a file in mm).

        Wavefront .obj, .stl (text or binary), NumPy .npy (n, 3), or text .xyz with three numbers a line.
        """
        scale = checks.number("Convex.from_file", "scale", scale, above=0.0)
        points = read_points(path)
        try:
            return cls(scale * points)
        except InputError as error:
            raise InputError(f"file {str(path)!r}: {error}") from None

    @cached_property
    def moments(self) -> tuple[float, Array, Array]:
        """Volume (m^3), centroid (3,) (m), and integral of x x^T over the volume about the centroid (3, 3) (m^5).

        A sum over the tetrahedra (0, a, b, c) that the triangles make with a point inside, d = det(a, b, c):

            V = sum d / 6     V c = sum d s / 24     C = sum d (a a^T + b b^T + c c^T + s s^T) / 120     s = a + b + c
        """
        inside = self.points.mean(axis=0)
        corners = self.points[self.triangles] - inside  # (t, 3, 3): corner by corner
        weight = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
        total = corners.sum(axis=1)
        volume = float(weight.sum()) / 6.0
        centroid = weight @ total / (24.0 * volume)
        squares = np.einsum("t,tki,tkj->ij", weight, corners, corners) + np.einsum("t,ti,tj->ij", weight, total, total)
        return volume, inside + centroid, squares / 120.0 - volume * np.outer(centroid, centroid)

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return self.moments[0]

    @property
    def com(self) -> Array:
        """Centroid (3,) of the solid, m."""
        return self.moments[1].copy()

    @property
    def bounding_radius(self) -> float:
        """Distance of the farthest corner from the origin, m."""
        return float(np.linalg.norm(self.points, axis=1).max())

    @property
    def surface(self) -> Surface:
        """The hull's triangles."""
        return faceted(self.points[self.triangles])

    def inertia(self, mass: float) -> Array:
        """mass / V (trace(C) 1 - C) about the centroid, (3, 3) kg m^2."""
        volume, _, squares = self.moments
        return mass / volume * (np.trace(squares) * np.eye(3) - squares)


def checked_points(points: Any) -> Array:
    """Finite points (n >= 4, 3) that are not in one plane."""
    wanted = f"Convex: points is {checks.shown(points)}; it must be at least 4 points of 3 numbers"
    try:
        result = np.array(checks.real_array(points), order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(wanted) from None
    if result.ndim != 2 or result.shape[1:] != (3,) or len(result) < 4:
        raise InputError(wanted)
    wrong = np.flatnonzero(~(np.abs(result) <= checks.LARGEST).all(axis=1))  # NaN compares false
    if wrong.size:
        point = ", ".join(f"{x:g}" for x in result[wrong[0]])
        largest = f"{checks.LARGEST:g}"
        raise InputError(f"Convex: points[{wrong[0]}] is ({point}); it must be finite numbers of at most {largest}")
    spread = result - result.mean(axis=0)
    size = float(np.abs(spread).max())
    if size < 1.0 / checks.LARGEST:
        raise InputError(f"Convex: points are all the same, within {size:g} m; they must enclose a volume")
    extents = np.linalg.svd(spread / size, compute_uv=False)
    if extents[2] < THINNEST * extents[0]:
        thin = extents[2] / extents[0]
        raise InputError(f"Convex: points lie in one plane or line (thickness over length {thin:.1g}); "
                         "they must enclose a volume")  # fmt: skip
    return result


def hull(points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices (h,) of the corners in rising order, and triangles (t, 3) of corners that turn outwards."""
    from scipy.spatial import ConvexHull, QhullError

    centred = points - points.mean(axis=0)
    try:
        found = ConvexHull(centred / np.abs(centred).max())  # Qhull's tolerances are made for sizes near 1
    except QhullError:
        raise InputError("Convex: points enclose no volume beyond rounding; they must not lie in one plane") from None
    corners = np.sort(found.vertices).astype(np.int64)
    triangles = np.searchsorted(corners, found.simplices).astype(np.int64)
    a, b, c = (centred[found.simplices[:, k]] for k in range(3))
    inward = np.einsum("ti,ti->t", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
    triangles[inward, 1:] = triangles[inward, :0:-1]
    return corners, triangles
