"""Neighbours, rings and the tree of boxes of meshes, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from taut.collide.mesh_topology import LEAF, build_topology
from taut.shapes import Box, Heightfield, Sphere

GRID = Heightfield(np.random.default_rng(1).normal(size=(5, 7)), (6.0, 4.0)).surface
CUBE, BALL = Box(1.0, 2.0, 3.0).surface, Sphere(0.5).surface


def undirected(triangles: np.ndarray) -> dict[frozenset, list[int]]:
    """Triangles at each edge."""
    found: dict[frozenset, list[int]] = {}
    for index, (a, b, c) in enumerate(triangles.tolist()):
        for edge in ((a, b), (b, c), (c, a)):
            found.setdefault(frozenset(edge), []).append(index)
    return found


@pytest.mark.parametrize("surface", [GRID, CUBE, BALL], ids=["grid", "cube", "ball"])
def test_neighbours_and_rings_are_those_of_shared_edges(surface) -> None:
    mesh = build_topology(surface.points, surface.triangles)
    edges = undirected(mesh.triangles)
    for index, corners in enumerate(mesh.triangles.tolist()):
        for k in range(3):
            others = [each for each in edges[frozenset((corners[k], corners[(k + 1) % 3]))] if each != index]
            assert mesh.across[index, k] == (others[0] if others else -1)
    for vertex in np.unique(mesh.triangles):
        ring = mesh.ring[mesh.ring_start[vertex] : mesh.ring_start[vertex + 1]]
        assert sorted(ring) == sorted({other for edge in edges if vertex in edge for other in edge} - {vertex})
        assert mesh.owner[vertex] == np.flatnonzero((mesh.triangles == vertex).any(axis=1))[0]


def test_corners_at_the_same_place_are_one() -> None:
    """A cube is drawn with three points a corner; its edges must not be borders."""
    mesh = build_topology(CUBE.points, CUBE.triangles)
    assert np.unique(mesh.triangles).size == 8
    assert (mesh.across >= 0).all()


def test_edges_of_more_than_two_triangles_are_borders() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)], float)
    mesh = build_topology(points, np.array([(0, 1, 2), (1, 0, 3), (1, 0, 4)]))
    assert (mesh.across == -1).all()


@pytest.mark.parametrize("count", [1, 3, 4, 5, 17, 200])
def test_boxes_of_the_tree_hold_what_is_below(count: int) -> None:
    rng = np.random.default_rng(count)
    points, triangles = rng.normal(size=(3 * count, 3)), np.arange(3 * count).reshape(-1, 3)
    mesh = build_topology(points, triangles)
    assert sorted(mesh.order) == list(range(count))
    leaves = (len(mesh.boxes) + 1) // 2
    assert LEAF * leaves >= count
    for node, box in enumerate(mesh.boxes):
        first, last = node, node
        while first < leaves - 1:
            first, last = 2 * first + 1, 2 * last + 2
        below = mesh.order[LEAF * (first - leaves + 1) : LEAF * (last - leaves + 2)]
        corners = points[triangles[below]].reshape(-1, 3)
        if len(corners):
            np.testing.assert_array_equal(box, np.concatenate([corners.min(axis=0), corners.max(axis=0)]))
        else:
            assert box[0] == np.inf and box[3] == -np.inf
