"""A mesh of triangles: static ground of any form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.errors import InputError
from taut.shapes.base import Shape, read_only
from taut.shapes.mesh_files import read_triangles
from taut.shapes.surface import Surface, faceted
from taut.spatial import Array

FLAT = 1e-12
"""Area of a triangle over the square of its longest edge up to which it has none."""


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """Ground for fixed bodies: `triangles` (t, 3) of the numbers of `vertices` (v, 3), in m in the body's own frame.

    Triangles are counter-clockwise seen from outside, and hold bodies on that side only. The mesh may be closed, or
    open as a sheet is. Triangles without area are dropped.
    """

    solid: ClassVar[bool] = False
    vertices: Any
    triangles: Any = None

    def __post_init__(self) -> None:
        """Refuse what is no mesh, and drop triangles without area."""
        if self.triangles is None:
            raise InputError("Mesh: triangles are missing; Mesh.from_file(path) reads both from a file")
        vertices, triangles = checked_mesh("Mesh", self.vertices, self.triangles)
        corners = vertices[triangles]
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        kept = area > FLAT * sides**2
        if not kept.any():
            raise InputError("Mesh: triangles have no area; their corners must not lie in one line")
        object.__setattr__(self, "vertices", read_only(vertices))
        object.__setattr__(self, "triangles", read_only(np.ascontiguousarray(triangles[kept])))

    @classmethod
    def from_file(cls, path: str | Path, scale: float = 1.0) -> Mesh:
        """The triangles of a Wavefront .obj or an .stl file (text or binary), times `scale` (0.001 for one in mm)."""
        scale = checks.number("Mesh.from_file", "scale", scale, above=0.0)
        vertices, triangles = read_triangles(path)
        try:
            return cls(scale * vertices, triangles)
        except InputError as error:
            raise InputError(f"file {str(path)!r}: {error}") from None

    @property
    def bounding_radius(self) -> float:
        """Distance of the farthest vertex from the origin, m."""
        return float(np.linalg.norm(self.vertices[np.unique(self.triangles)], axis=1).max())

    @property
    def surface(self) -> Surface:
        """The triangles, flat."""
        return faceted(self.vertices[self.triangles])

    def check_carrier(self, owner: str, fixed: bool) -> None:
        """Meshes do not move."""
        if not fixed:
            raise InputError(f"{owner}: shape is a Mesh, which only fixed bodies can have; give fixed=True, or convex "
                             "pieces: taut.shapes.decompose(vertices, triangles)")  # fmt: skip


def checked_mesh(owner: str, vertices: Any, triangles: Any) -> tuple[Array, NDArray[np.int64]]:
    """Finite vertices (v, 3) and triangles (t, 3) of their numbers."""
    wanted = f"{owner}: vertices is {checks.shown(vertices)}; it must be at least 3 points of 3 numbers"
    try:
        points = np.array(checks.real_array(vertices), order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(wanted) from None
    if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 3:
        raise InputError(wanted)
    wrong = np.flatnonzero(~(np.abs(points) <= checks.LARGEST).all(axis=1))  # NaN compares false
    if wrong.size:
        point = ", ".join(f"{x:g}" for x in points[wrong[0]])
        raise InputError(f"{owner}: vertices[{wrong[0]}] is ({point}); it must be finite numbers of at most "
                         f"{checks.LARGEST:g}")  # fmt: skip
    wanted = f"{owner}: triangles is {checks.shown(triangles)}; it must be rows of 3 whole numbers of vertices"
    try:
        numbers = np.asarray(triangles)
    except (TypeError, ValueError):
        raise InputError(wanted) from None
    if numbers.ndim != 2 or numbers.shape[1:] != (3,) or not len(numbers) or numbers.dtype.kind not in "iu":
        raise InputError(wanted)
    wrong = np.flatnonzero((numbers < 0).any(axis=1) | (numbers >= len(points)).any(axis=1))
    if wrong.size:
        row = ", ".join(map(str, numbers[wrong[0]].tolist()))
        raise InputError(f"{owner}: vertices are {len(points)}, but triangles[{wrong[0]}] is ({row}); its numbers must "
                         f"be 0 to {len(points) - 1}")  # fmt: skip
    return points, np.array(numbers, np.int64, order="C")
