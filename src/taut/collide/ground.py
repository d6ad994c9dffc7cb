"""Heightfields and meshes as flat arrays for the kernels: one surface of triangles, and who is whose neighbour."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.kinds import HEIGHTFIELD, MESH
from taut.collide.mesh_topology import MeshTopology, build_topology
from taut.spatial import Array
from taut.tables import RealRows, Reals, WholeRows, Wholes


class GroundTable(NamedTuple):
    """Heightfields and meshes of all geoms (g,), in own axes, m. Numbers of vertices and triangles are a ground's.

    Attributes:
        grid: (g, 8) of a heightfield the first height, rows and columns; of a mesh the number of triangles, no rows and
            columns, and then the first vertex, triangle, node of the tree, place in the order, and number of leaves.
        heights: of all heightfields, from their middles.
        vertices, triangles, across, owner: of all meshes, see `MeshTopology`.
        ring_start, ring: likewise; the first is counted over all meshes.
        boxes, order: likewise.
    """

    grid: WholeRows
    heights: Reals
    vertices: RealRows
    triangles: WholeRows
    across: WholeRows
    owner: Wholes
    ring_start: Wholes
    ring: Wholes
    boxes: RealRows
    order: Wholes


def tabulate_ground(geoms: Geoms) -> GroundTable:
    """The table of all heightfields and meshes; the topology of one mesh is built once."""
    grid, heights, meshes = np.zeros((geoms.count, 8), np.int64), [np.zeros(0)], [empty_mesh()]
    for geom in np.flatnonzero((geoms.kind == HEIGHTFIELD) | (geoms.kind == MESH)):
        shape: Any = geoms.shapes[geom]
        if geoms.kind[geom] == HEIGHTFIELD:
            field = np.asarray(shape.heights, float)
            grid[geom, :3] = (sum(map(len, heights)), *field.shape)
            heights.append(field.ravel() - (field.min() + field.max()) / 2.0)
            continue
        mesh = topology_of(shape)
        first = [sum(len(getattr(one, name)) for one in meshes) for name in ("vertices", "triangles", "boxes", "order")]
        grid[geom] = (len(mesh.triangles), 0, 0, *first, (len(mesh.boxes) + 1) // 2)
        meshes.append(mesh)
    rings = np.cumsum([0, *(len(one.ring) for one in meshes)])
    starts = [one.ring_start[:-1] + start for one, start in zip(meshes, rings, strict=False)]
    return GroundTable(
        grid=grid,
        heights=np.concatenate(heights),
        vertices=np.vstack([one.vertices for one in meshes]),
        triangles=np.vstack([one.triangles for one in meshes]),
        across=np.vstack([one.across for one in meshes]),
        owner=np.concatenate([one.owner for one in meshes]),
        ring_start=np.concatenate([*starts, rings[-1:]]),
        ring=np.concatenate([one.ring for one in meshes]),
        boxes=np.vstack([one.boxes for one in meshes]),
        order=np.concatenate([one.order for one in meshes]),
    )


@functools.lru_cache(maxsize=64)
def topology_of(shape: Any) -> MeshTopology:
    """The topology of a mesh, about the middle of its bounding box."""
    used, place = np.unique(shape.triangles, return_inverse=True)
    vertices: Array = np.asarray(shape.vertices, float)[used]
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
    return build_topology(vertices - middle, place.reshape(-1, 3))


@functools.cache
def empty_mesh() -> MeshTopology:
    """No triangles."""
    none, rows = np.zeros(0, np.int64), np.zeros((0, 3), np.int64)
    return MeshTopology(np.zeros((0, 3)), rows, rows, none, np.zeros(1, np.int64), none, np.zeros((0, 6)), none)
