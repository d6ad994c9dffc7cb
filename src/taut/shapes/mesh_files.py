"""Triangles from mesh files, for meshes and for what is cut into convex pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.shapes.point_files import read_content, read_obj, read_stl
from taut.spatial import Array


def read_triangles(path: str | Path) -> tuple[Array, NDArray[np.int64]]:
    """Points (n, 3) of a Wavefront .obj or an .stl file in its units, and triangles (t, 3) of their numbers.

    Faces with more corners than three become fans of triangles.
    """
    path, content = read_content(path, (".obj", ".stl"))
    if path.suffix.lower() == ".stl":
        corners = read_stl(path, content)
        points, place = np.unique(corners[: len(corners) // 3 * 3], axis=0, return_inverse=True)
        triangles = place.reshape(-1, 3).astype(np.int64)
    else:
        points = read_obj(path, content)
        triangles = read_faces(path, content, len(points))
    if not len(triangles):
        raise InputError(f"file {str(path)!r}: it holds no triangles; Convex.from_file takes points alone")
    return points, triangles


def read_faces(path: Path, content: bytes, count: int) -> NDArray[np.int64]:
    """Triangles (t, 3) of the lines `f a b c ...` of a Wavefront file with so many points; -1 is the last point."""
    triangles = []
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0] != "f":
            continue
        try:
            corners = [int(word.partition("/")[0]) for word in words[1:]]
        except ValueError:
            corners = []
        places = [corner - 1 if corner > 0 else count + corner for corner in corners]
        if len(places) < 3 or min(places) < 0 or max(places) >= count or 0 in corners:
            raise InputError(f"file {str(path)!r}: line {number} is {line.strip()[:60]!r}; "
                             f"it needs at least three numbers of points, 1 to {count}")  # fmt: skip
        triangles += [(places[0], places[i], places[i + 1]) for i in range(1, len(places) - 1)]
    return np.array(triangles, np.int64).reshape(-1, 3)
