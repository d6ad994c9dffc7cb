"""Everything against heightfields and meshes: faces, ridges and summits of the ground, and what of a body is over each.

A body touches ground with its corners on triangles, with its edges across ridges, and with its faces on summits; rods
with their ends and axes in the same places. Each is a contact of its own with a normal of its own, so none has to be
chosen, and none jumps. Edges between triangles in one plane, and valleys, are no ridges: nothing catches on them.
"""

from __future__ import annotations

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.crossing_kernels import edges_of, note_edge
from taut.collide.facet_kernels import choose, note_cores, round_cores, settle, write_place
from taut.collide.ground_kernels import (
    BEND,
    NORMAL,
    across_of,
    box_of,
    corner_of,
    near_cells,
    near_triangles,
    owner_of,
    place_facet,
    rise_of,
)  # fmt: skip
from taut.collide.kinds import CONVEX, CYLINDER, HEIGHTFIELD, MESH, TERRAIN
from taut.collide.point_kernels import put
from taut.collide.site import Site
from taut.collide.summit_kernels import note_summit
from taut.kernel import kernel
from taut.table_types import matrix, vector
from taut.tables import RealRows, WholeRows

ON_GROUND = 1e-9
"""Height in m up to which a point is on the ground."""


@kernel(inner=True)
def find_middle(s: Site, g: int) -> None:
    """A point inside geom g: its centre, or the mean of the corners of a hull, whose bounding box may be lopsided.

    Writes:  middle
    """
    first, last = s.span[g, 0], s.span[g, 1]
    for k in range(3):
        s.middle[k] = s.centre[g, k]
        if s.kind[g] == CONVEX:
            s.middle[k] = 0.0
            for i in range(first, last):
                s.middle[k] += s.corners[i, k] / (last - first)


@kernel(inner=True)
def note_buried(s: Site, h: int, g: int, near: int, limit: float) -> int:
    """Note where geom g, whose middle is under a heightfield, has to go: each core out of the triangles around it.

    The plane of a triangle counts where it is on the ground or runs under it: there it holds nothing back that the
    ground does not. Where none does, the triangle straight above a core counts.

    Writes:  rows
    Returns: the number of places
    """
    count, facet, cores, foot = 0, matrix(8, 3), matrix(4, 4), vector(3)
    solid = s.kind[g] >= CYLINDER
    total = s.span[g, 1] - s.span[g, 0] if solid else round_cores(s, g, s.centre[g], cores)
    radius = 0.0 if solid else s.size[g, 0]
    for attempt in range(2):
        for place in range(near):
            if count > 0 and attempt == 1:
                break
            if place_facet(s, h, s.near[place], facet) == 0:
                continue
            n, p = facet[NORMAL], facet[0]
            for i in range(total):
                core = s.corners[s.span[g, 0] + i] if solid else cores[i, :3]
                height = n[0] * (core[0] - p[0]) + n[1] * (core[1] - p[1]) + n[2] * (core[2] - p[2])
                if height - radius >= limit:
                    continue
                for k in range(3):
                    foot[k] = core[k] - (height * n[k] if attempt == 0 else 0.0)
                if rise_of(s, h, foot) < ON_GROUND:
                    write_place(s.rows[count], n, core, height, radius, -1, WORLD_NORMAL)
                    count = settle(s, count, limit, s.thin[g])
    return count


@kernel(inner=True)
def note_places(s: Site, h: int, g: int, limit: float) -> int:
    """Note where geom g is near ground h.

    Writes:  rows, near, vectors
    Returns: the number of places
    """
    count, facet, box = 0, matrix(8, 3), vector(6)
    box_of(s, h, g, limit, box)
    near = near_triangles(s, h, box, s.near) if s.kind[h] == MESH else near_cells(s, h, box, s.near)
    find_middle(s, g)
    s.found[0] = near
    if near > 0 and s.kind[h] == HEIGHTFIELD and rise_of(s, h, s.middle) < 0.0:
        return note_buried(s, h, g, near, limit)
    edges = edges_of(s, g) if near > 0 and s.kind[g] >= CYLINDER else 0
    for place in range(near):
        triangle = s.near[place]
        if place_facet(s, h, triangle, facet) == 0:
            continue
        count = note_cores(s, h, g, facet, limit, count)
        for corner in range(3):
            # each ridge and summit once: from the first of its triangles
            beyond = across_of(s.ground, h, triangle, corner)
            if facet[BEND, corner] > 0.0 and (beyond < 0 or triangle < beyond):
                count = note_edge(s, h, g, facet, corner, edges, limit, count)
            vertex = corner_of(s.ground, h, triangle, corner)
            if owner_of(s.ground, h, vertex) == triangle:
                count = note_summit(s, h, g, vertex, facet[corner], limit, count)
    return count


@kernel()
def collide_terrain(s: Site, pairs: WholeRows, found: int, points_out: RealRows, marks_out: WholeRows) -> int:
    """Contacts of all pairs of a heightfield or mesh and another geom, after those that were found already.

    Writes:  points_out, marks_out, scratch of s
    Returns: the number of points
    """
    count = found
    for p in range(pairs.shape[0]):
        if pairs[p, 2] != TERRAIN:
            continue
        first = s.kind[pairs[p, 0]] >= HEIGHTFIELD
        h, g = (pairs[p, 0], pairs[p, 1]) if first else (pairs[p, 1], pairs[p, 0])
        limit = s.band[h] + s.band[g]
        noted = note_places(s, h, g, limit)
        for i in range(choose(s, noted, limit, s.thin[g])):
            row = s.rows[s.chosen[i]]
            x, y, z, u, v, w, turning = row[3], row[4], row[5], row[6], row[7], row[8], int(row[12])
            if first:
                count = put(
                    points_out, marks_out, count, p, turning, row[0], row[1], row[2], x, y, z, u, v, w, 0.0, row[9]
                )
            else:
                count = put(
                    points_out, marks_out, count, p, turning, -row[0], -row[1], -row[2], u, v, w, x, y, z, row[9], 0.0
                )  # fmt: skip
    return count
