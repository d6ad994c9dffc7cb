"""A mesh of triangles as ground: neighbours of triangles and vertices, and a tree of boxes to find near triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.spatial import Array, Integers

LEAF = 4
"""Triangles in a leaf of the tree."""

BITS = 16
"""Bits a coordinate of the curve that orders triangles: places are told apart to a part in 65536 of the mesh."""


@dataclass(frozen=True, eq=False)
class MeshTopology:
    """A mesh in own axes.

    Attributes:
        vertices: (v, 3) m.
        triangles: (t, 3) vertices, counter-clockwise seen from outside.
        across: (t, 3) the triangle beyond the edge from each corner to the next; -1 at a border, and where more than
            two meet.
        owner: (v,) the first triangle of each vertex; -1 for one without.
        ring_start, ring: vertex i has edges to the vertices ring[ring_start[i] : ring_start[i + 1]].
        boxes: (nodes, 6) m, lower and upper corner of each node of a complete binary tree: those below node k are
            2 k + 1 and 2 k + 2. The last half are the leaves; one beyond the last triangle holds nothing.
        order: (t,) triangles as they lie in the leaves, `LEAF` in each.
    """

    vertices: Array
    triangles: Integers
    across: Integers
    owner: Integers
    ring_start: Integers
    ring: Integers
    boxes: Array
    order: Integers


def build_topology(vertices: Array, triangles: Integers) -> MeshTopology:
    """The topology of vertices (v, 3) and triangles (t, 3). Vertices at the same place count as one."""
    _, place, which = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    triangles = np.ascontiguousarray(place[which.ravel()][triangles], np.int64)
    owner = np.full(len(vertices), -1, np.int64)
    owner[triangles[::-1].ravel()] = np.repeat(np.arange(len(triangles))[::-1], 3)  # the first is written last
    ring_start, ring = rings(len(vertices), triangles)
    boxes, order = build_tree(vertices[triangles])
    return MeshTopology(
        vertices, triangles, neighbours(len(vertices), triangles), owner, ring_start, ring, boxes, order
    )


def neighbours(count: int, triangles: Integers) -> Integers:
    """(t, 3) the triangle that has the same edge the other way round, if there is exactly one; else -1."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    forth, back = start * count + end, end * count + start
    order = np.argsort(forth, kind="stable")
    low, high = (np.searchsorted(forth, back, side=side, sorter=order) for side in ("left", "right"))
    first, last = (np.searchsorted(forth, forth, side=side, sorter=order) for side in ("left", "right"))
    alone = (high - low == 1) & (last - first == 1)
    found = order[np.minimum(low, len(order) - 1)] // 3
    return np.ascontiguousarray(np.where(alone, found, -1).reshape(-1, 3), np.int64)


def rings(count: int, triangles: Integers) -> tuple[Integers, Integers]:
    """Vertices (.., ) that share an edge with each vertex, and where each vertex's start (count + 1,)."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    keys = np.unique(np.concatenate([start * count + end, end * count + start]))
    return np.searchsorted(keys, count * np.arange(count + 1)).astype(np.int64), (keys % count).astype(np.int64)


def build_tree(corners: Array) -> tuple[Array, Integers]:
    """Boxes (nodes, 6) of a complete binary tree over triangles (t, 3, 3), and their order along a Morton curve."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    extent = np.maximum(np.ptp(middle, axis=0), 1e-300)
    cells = ((middle - middle.min(axis=0)) / extent.max() * (2**BITS - 1)).astype(np.int64)
    code = np.zeros(len(cells), np.int64)
    for bit in range(BITS):
        for axis in range(3):
            code |= (cells[:, axis] >> bit & 1) << (3 * bit + axis)
    order = np.argsort(code, kind="stable").astype(np.int64)
    leaves = 1 << max(-(-len(order) // LEAF) - 1, 0).bit_length()
    filled = np.full((leaves * LEAF, 6), np.inf) * (1.0, 1.0, 1.0, -1.0, -1.0, -1.0)
    filled[: len(order)] = np.hstack([low, high])[order]
    levels = [merged(filled.reshape(leaves, LEAF, 6))]
    while len(levels[-1]) > 1:
        levels.append(merged(levels[-1].reshape(-1, 2, 6)))
    return np.vstack(levels[::-1]), order


def merged(boxes: Array) -> Array:
    """Boxes (n, 6) around each of (n, k, 6)."""
    return np.hstack([boxes[:, :, :3].min(axis=1), boxes[:, :, 3:].max(axis=1)])
