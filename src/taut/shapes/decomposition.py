"""Convex pieces of a body that is not convex, by the library coacd."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.shapes.compound import Compound
from taut.shapes.convex import Convex
from taut.shapes.mesh import Mesh, checked_mesh
from taut.shapes.mesh_files import read_triangles


def decompose(vertices: Any, triangles: Any = None, *, concavity: float = 0.05, pieces: int | None = None) -> Compound:
    """A compound of convex pieces that fill a closed mesh: the shape of a moving body that is not convex.

    Needs the package coacd (the extra `mesh`). The same mesh gives the same pieces.

    Args:
        vertices: (v, 3) m, or the path of an .obj or .stl file, or a `Mesh`.
        triangles: (t, 3) numbers of vertices, counter-clockwise seen from outside; not with a file or `Mesh`.
        concavity: how far pieces may be from the mesh, as a share of its size: 0.02 follows details, 0.2 is coarse.
        pieces: most pieces; None for as many as it takes.
    """
    if isinstance(vertices, str | Path) and triangles is None:
        vertices, triangles = read_triangles(vertices)
    if isinstance(vertices, Mesh) and triangles is None:
        vertices, triangles = vertices.vertices, vertices.triangles
    points, numbers = checked_mesh("decompose", vertices, triangles)
    if open_edges := count_open_edges(points, numbers):
        raise InputError(f"decompose: {open_edges} edges are not between two triangles; the mesh must be closed")
    concavity = checks.number("decompose", "concavity", concavity, above=0.0)
    most = -1 if pieces is None else checks.number("decompose", "pieces", pieces, at_least=1)
    if not 0.01 <= concavity <= 1.0:
        raise InputError(f"decompose: concavity is {concavity:g}; it must be 0.01 to 1")
    try:
        import coacd
    except ImportError as error:
        raise InputError("decompose needs coacd: pip install -e '.[mesh]' in the folder of Taut") from error
    coacd.set_log_level("error")
    size = float(np.ptp(points, axis=0).max())  # it works on meshes of size 1
    found = coacd.run_coacd(coacd.Mesh(points / size, numbers), threshold=concavity, max_convex_hull=int(most), seed=0)
    parts = []
    for corners, _ in found:
        with contextlib.suppress(InputError):  # a sliver that encloses nothing
            parts.append((Convex(size * np.asarray(corners)), (0.0, 0.0, 0.0)))
    if not parts:
        raise InputError("decompose: the mesh encloses no volume; it must be closed")
    return Compound(parts)


def count_open_edges(points: np.ndarray, triangles: np.ndarray) -> int:
    """Edges that two triangles do not share; vertices at the same place are one."""
    _, same = np.unique(points, axis=0, return_inverse=True)
    corners = same.reshape(-1)[triangles]
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    edges = edges[edges[:, 0] < edges[:, 1]]
    _, count = np.unique(edges, axis=0, return_counts=True)
    return int((count != 2).sum())
