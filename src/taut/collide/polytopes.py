"""Polytopes: corners, faces and edges of boxes and hulls, as flat arrays for the kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.kinds import BOX, CONVEX, CYLINDER
from taut.spatial import Array, Integers
from taut.tables import Handle, RealBlocks, RealRows, Reals, WholeRows, Wholes

COPLANAR = 1e-6
"""Triangles of a hull are one face if their normals, and their planes over its size, agree within this."""

INWARD = 0.05
"""Share of the least half extent by which the inner corners lie further in along each axis."""

CANDIDATES = 64
"""Places that are looked at beside the first contact of a pair."""

SIDES = 32
"""Sides of the prism that stands for a cylinder where a cap or rim touches: 0.5 % of the radius too small between."""


@dataclass(frozen=True, eq=False)
class Polytope:
    """One polytope in own axes, all lengths in m.

    Attributes:
        vertices: (v, 3).
        planes: (f, 4) outward unit normal and offset of each face.
        loops: corners of each face, counter-clockwise seen from outside.
        edges: (e, 4) two corners and two faces.
        sides: (e, 6) e x l and r x e with l, r the normals of the two faces at the edge and e along l x r: a direction
            n is between l and r where both products with n are positive.
    """

    vertices: Array
    planes: Array
    loops: list[list[int]]
    edges: Integers
    sides: Array

    @functools.cached_property
    def half(self) -> Array:
        """How far it reaches along its axes (3,), m."""
        return np.asarray(np.abs(self.vertices).max(axis=0, initial=0.0))

    @functools.cached_property
    def inset(self) -> float:
        """How far its inner corners are moved inward, m."""
        return float(INWARD * self.half.min())

    @functools.cached_property
    def thickness(self) -> float:
        """Half its least width square to a face, m."""
        widths = self.planes[:, 3] - (self.planes[:, :3] @ self.vertices.T).min(axis=1)
        return 0.5 * float(widths.min())


NO_POLYTOPE = Polytope(np.zeros((0, 3)), np.zeros((0, 4)), [], np.zeros((0, 4), np.int64), np.zeros((0, 6)))
"""One without corners."""


class PolytopeTable(NamedTuple):
    """The polytopes of all geoms, as in `Polytope`.

    Geom i has vertices[span[i, 0] : span[i, 1]], planes[span[i, 2] : span[i, 3]] and edges[span[i, 4] : span[i, 5]];
    face j has corners loops[loop_start[j] : loop_start[j + 1]], counted from the geom's first. `faces` (4, f) are the
    planes by columns. `inner` are the vertices moved inward, `inset` (g,) how far at most, m. `corners` and `cores` are
    vertices and inner vertices in the world, once a kernel has placed them.
    """

    span: WholeRows
    vertices: RealRows
    inner: RealRows
    inset: Reals
    planes: RealRows
    faces: RealRows
    loop_start: Wholes
    loops: Wholes
    edges: WholeRows
    sides: RealRows
    corners: RealRows
    cores: RealRows


class HullScratch(NamedTuple):
    """Scratch of colliding two polytopes, of which none has more corners, faces and edges than there is room for.

    Attributes:
        simplex, source, witness: (6, 3), (5, 2), (2, 3) of the nearest points, see `gjk_kernels.nearest_direction`.
        way: (2, 3) direction from A to B, and back.
        axes: (4, 3) of the reference face.
        places: (3, .., 3) over it.
        chosen: (4,) of them.
        heights: (2, ..) of the corners of A and B along the way, m.
        edges, numbers, looking: (2, 13, ..) of A and B that look at each other, see `edge_kernels.nearby_edges`,
            (2, ..) which they are, (2,) how many.
        best: (5,) the two that separate best.
        rows: (.., 12) where else the two may close, see `closing_kernels`.
        along: (5, ..) how faces look at a way.
    """

    simplex: RealRows
    source: WholeRows
    witness: RealRows
    way: RealRows
    axes: RealRows
    places: RealBlocks
    chosen: Wholes
    heights: RealRows
    edges: RealBlocks
    numbers: WholeRows
    looking: Wholes
    best: Reals
    rows: RealRows
    along: RealRows

    @classmethod
    def of(cls, table: PolytopeTable) -> HullScratch:
        """Room for the largest of these polytopes."""
        corners, faces, edges = np.diff(table.span[:, [[0, 1], [2, 3], [4, 5]]], axis=2).max(axis=(0, 2)).tolist()
        return cls(
            simplex=np.zeros((6, 3)), source=np.zeros((5, 2), np.int64), witness=np.zeros((2, 3)), way=np.zeros((2, 3)),
            axes=np.zeros((4, 3)), places=np.zeros((3, 2 * corners, 3)), chosen=np.zeros(4, np.int64),
            heights=np.zeros((2, corners)), edges=np.zeros((2, 13, edges)),
            numbers=np.zeros((2, edges), np.int64), looking=np.zeros(2, np.int64), best=np.zeros(5),
            rows=np.zeros((CANDIDATES, 12)), along=np.zeros((5, faces)),
        )  # fmt: skip


def build_polytope(points: Array) -> Polytope:
    """Polytope of points that are all corners of their hull, or of the hull of any points."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    kept = np.unique(hull.simplices)
    vertices = points[kept]
    triangles = np.searchsorted(kept, hull.simplices)
    size = np.ptp(points, axis=0).max()
    faces = merge_faces(hull.equations, triangles, size)
    planes, loops = [], []
    for normal, corners in faces:
        loop = around(vertices[corners], normal)
        loops.append([int(corners[i]) for i in loop])
        planes.append([*normal, (vertices[corners] @ normal).max()])
    return with_edges(vertices, np.array(planes), loops)


def merge_faces(equations: Array, triangles: Integers, size: float) -> list[tuple[Array, Integers]]:
    """Outward normal and corners of each face, coplanar triangles joined."""
    left = np.ones(len(equations), bool)
    faces = []
    for index in range(len(equations)):
        if left[index]:
            same = left & (np.abs(equations[:, :3] - equations[index, :3]).max(axis=1) < COPLANAR)
            same &= np.abs(equations[:, 3] - equations[index, 3]) < COPLANAR * size
            left &= ~same
            faces.append((equations[index, :3], np.unique(triangles[same])))
    return faces


def around(points: Array, normal: Array) -> Integers:
    """Order of the corners of a convex face, counter-clockwise about its normal."""
    arms = points - points.mean(axis=0)
    first = arms[0] / np.linalg.norm(arms[0])
    return np.argsort(np.arctan2(arms @ np.cross(normal, first), arms @ first), kind="stable")


def with_edges(vertices: Array, planes: Array, loops: list[list[int]]) -> Polytope:
    """A polytope with the edges that its faces share."""
    owner = {(loop[i - 1], loop[i]): face for face, loop in enumerate(loops) for i in range(len(loop))}
    edges, sides = [], []
    for (first, second), face in owner.items():
        other = owner.get((second, first))
        if other is None or face > other:
            continue
        left, right = planes[face, :3], planes[other, :3]
        along = vertices[second] - vertices[first]
        along = along / np.linalg.norm(along)
        along *= np.sign(along @ np.cross(left, right))
        edges.append((first, second, face, other))
        sides.append(np.concatenate([np.cross(along, left), np.cross(right, along)]))
    return Polytope(vertices, planes, loops, np.array(edges, np.int64), np.array(sides))


def tabulate(geoms: Geoms) -> PolytopeTable:
    """Polytopes of all boxes, hulls and cylinders; those that are alike are built once."""
    solid = solids_of(geoms)
    each = [NO_POLYTOPE, *(geom_polytope(geoms, geom) for geom in solid.tolist())]
    sizes = np.array([(len(one.vertices), len(one.planes), len(one.edges)) for one in each])
    counts, inset = np.zeros((geoms.count, 3), np.int64), np.zeros(geoms.count)
    counts[solid], inset[solid] = sizes[1:], [one.inset for one in each[1:]]
    loops = [loop for one in each for loop in one.loops]
    vertices, planes = (np.vstack([getattr(one, name) for one in each]) for name in ("vertices", "planes"))
    half = np.repeat([one.half for one in each], sizes[:, 0], axis=0)
    return PolytopeTable(
        span=spans(counts),
        vertices=vertices,
        inner=np.ascontiguousarray(vertices * (1.0 - np.repeat(inset, counts[:, 0])[:, None] / half)),
        inset=np.sqrt(3.0) * inset,
        planes=planes,
        faces=np.ascontiguousarray(planes.T),
        loop_start=np.cumsum([0, *map(len, loops)]).astype(np.int64),
        loops=np.array([corner for loop in loops for corner in loop], np.int64),
        edges=np.vstack([one.edges for one in each]),
        sides=np.vstack([one.sides for one in each]),
        corners=np.zeros_like(vertices),
        cores=np.zeros_like(vertices),
    )


def solids_of(geoms: Geoms) -> Integers:
    """Which geoms are boxes, hulls and cylinders."""
    return np.flatnonzero((geoms.kind == BOX) | (geoms.kind == CYLINDER) | (geoms.kind == CONVEX))


def spans(counts: Integers) -> Integers:
    """Where the corners, faces and edges of geoms, so many (g, 3), are in a table (g, 6)."""
    stop = np.cumsum(counts, axis=0)
    return np.stack([stop - counts, stop], axis=2).reshape(-1, 6)


def solids_kept(before: Geoms, geoms: Geoms) -> tuple[Integers, Integers] | None:
    """Numbers before and now of boxes, hulls and cylinders, where all are there still in their order and no others."""
    old, new = solids_of(before), solids_of(geoms)
    corners = np.diff(before.vertex_start)[old], np.diff(geoms.vertex_start)[new]
    columns = (before.kind[old], geoms.kind[new]), (before.size[old], geoms.size[new]), corners
    same = all(np.array_equal(*each) for each in (*columns, (before.vertices, geoms.vertices)))
    return (old, new) if same else None


def renumbered(table: Handle, old: Integers, new: Integers, count: int) -> PolytopeTable:
    """The table of so many geoms, of which those with new numbers are the polytopes that had the old ones.

    It has the arrays of that one, scratch as well, but for what goes by geom.
    """
    counts, inset = np.zeros((count, 3), np.int64), np.zeros(count)
    counts[new] = table.span[old, 1::2] - table.span[old, ::2]
    inset[new] = table.inset[old]
    moved: PolytopeTable = table._replace(span=spans(counts), inset=inset)
    return moved


def thickness_of(geoms: Geoms) -> Array:
    """Least half thickness (g,) of geoms, m; of polytopes square to a face, not along their own axes only."""
    thickness = geoms.thickness.copy()
    for geom in solids_of(geoms).tolist():
        thickness[geom] = min(thickness[geom], geom_polytope(geoms, geom).thickness)
    return thickness


def geom_polytope(geoms: Geoms, geom: int) -> Polytope:
    """The polytope of one box, cylinder or hull."""
    kind = geoms.kind[geom]
    if kind == CONVEX:
        return hull_polytope(geoms.vertices[geoms.vertex_start[geom] : geoms.vertex_start[geom + 1]].tobytes())
    x, y, z = geoms.size[geom].tolist()
    return scaled(cube, x, y, z) if kind == BOX else scaled(prism, x, x, y)


@functools.cache
def cube() -> Polytope:
    """The cube of half edge 1."""
    return build_polytope(np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]))


@functools.cache
def prism() -> Polytope:
    """The regular prism of radius 1 and half height 1."""
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.ones(SIDES)])
    return build_polytope(np.vstack([rim, rim * (1.0, 1.0, -1.0)]))


@functools.lru_cache(maxsize=4096)
def hull_polytope(points: bytes) -> Polytope:
    """The polytope of the bytes of (n, 3) points."""
    return build_polytope(np.frombuffer(points).reshape(-1, 3))


@functools.lru_cache(maxsize=4096)
def scaled(unit: Callable[[], Polytope], x: float, y: float, z: float) -> Polytope:
    """A cube stretched along its axes, or a prism along its axis and evenly across: normals and directions stay."""
    shape, half = unit(), np.array([x, y, z])
    planes = shape.planes.copy()
    first = [loop[0] for loop in shape.loops]
    planes[:, 3] = np.einsum("fi,fi->f", planes[:, :3], shape.vertices[first] * half)
    return Polytope(shape.vertices * half, planes, shape.loops, shape.edges, shape.sides)
