"""Polytope against polytope (hulls, boxes, caps of cylinders): the direction between them, then faces and edges."""

from __future__ import annotations

import numpy as np

from taut.collide.closing_kernels import add_closing
from taut.collide.contacts import WORLD_NORMAL
from taut.collide.edge_kernels import best_edges, nearby_edges, put_crossing, turn_sides
from taut.collide.face_kernels import best_face, clip_loop, face_axes, facing_face, into_face, put_over_face
from taut.collide.gjk_kernels import APART, NEAR, OVERLAP, nearest_direction, support
from taut.collide.kinds import POLYTOPES
from taut.collide.point_kernels import put
from taut.collide.polytopes import HullScratch, PolytopeTable
from taut.collide.table import NearTable
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import RealRows, WholeRows

FEW = 16
"""Faces of two polytopes up to which all are tried; above, those that look in the direction between the two."""

NEARBY = 0.5
"""Cosine between that direction and the normals of faces and edges that are tried."""

PREFERENCE = 0.005
"""Share of the least half extent by which B's face must separate better than A's, and an edge better than a face."""


@kernel()
def place_corners(n: NearTable, t: PolytopeTable) -> None:
    """World positions of the corners of all polytopes, and of the same moved inward.

    Writes:  corners, cores
    """
    span = t.span
    for g in range(span.shape[0]):
        centre, frame = n.centre[g], n.frame[g]
        for i in range(span[g, 0], span[g, 1]):
            corner, core = t.corners[i], t.cores[i]
            x, y, z = times(frame, t.vertices[i])
            corner[0], corner[1], corner[2] = centre[0] + x, centre[1] + y, centre[2] + z
            x, y, z = times(frame, t.inner[i])
            core[0], core[1], core[2] = centre[0] + x, centre[1] + y, centre[2] + z


@kernel(inner=True)
def look_over_face(t: PolytopeTable, s: HullScratch, n: NearTable, r: int, o: int, face: int) -> int:
    """What lies over a face of polytope r: the facing face of polytope o clipped to it, or else o's lowest corner.

    Writes:  axes, places
    Returns: the number of places; 0 where only the lowest corner is left, which is then the first place
    """
    span, planes, starts, loops, axes = t.span, t.planes, t.loop_start, t.loops, s.axes
    f = span[r, 2] + face
    own, other = t.corners[span[r, 0] : span[r, 1]], t.corners[span[o, 0] : span[o, 1]]
    loop, beyond = loops[starts[f] : starts[f + 1]], starts[span[o, 2] : span[o, 3] + 1]
    normal = s.places[1, 0]
    normal[0], normal[1], normal[2] = times(n.frame[r], planes[f, :3])
    face_axes(normal, own[loop[0]], own[loop[1]], axes)
    x, y, z = -axes[2, 0], -axes[2, 1], -axes[2, 2]
    facing = facing_face(planes[span[o, 2] : span[o, 3]], beyond, loops, n.frame[o], other, x, y, z)
    facing_loop = loops[beyond[facing] : beyond[facing + 1]]
    count = clip_loop(own, loop, other, facing_loop, axes, s.places[1], s.places[0], s.places[2])
    if count == 0:
        into_face(axes, other[support(other, x, y, z)], s.places[0, 0])
    return count


@kernel(
    "int64(float64[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64, int64, float64[:, ::1],"
    "int64[:, ::1], float64[:, ::1], float64[:, ::1])",
    inner=True,
)
def find_way(
    centre_a, centre_b,  # (3,) m
    inner_a, inner_b,  # (v, 3) corners moved inward, world, m
    limit,  # m, between them
    faces,  # number of both
    simplex, index, witness,  # scratch, see `nearest_direction`
    way_out,  # (2, 3) unit vector from A to B, and back
):  # fmt: skip
    """Direction between two polytopes: of their nearest inner points, or of their middles where these overlap.

    Writes:  simplex, index, witness, way_out
    Returns: as `nearest_direction`
    """
    way, outcome = way_out[0], OVERLAP
    for k in range(3):
        way[k] = centre_b[k] - centre_a[k]
    if faces > FEW:
        outcome = nearest_direction(inner_a, inner_b, limit, simplex, index, way, witness)
    length = np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
    for k in range(3):
        way[k] = way[k] / length if length > 1e-12 else k // 2
        way_out[1, k] = -way[k]
    return outcome


@kernel(
    "Tuple((int64, float64, boolean))(float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1],"
    "float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64, float64)",
    inner=True,
)
def reference_face(
    planes_a, planes_b, centre_a, centre_b, frame_a, frame_b, corners_a, corners_b,  # of two polytopes
    way, least,  # (>= 2, 3) from A to B and back; as in `best_face`
    preference,  # m by which B's face must be better
):  # fmt: skip
    """The face that separates two polytopes best.

    Returns: the face, the gap in m, and whether it is A's
    """
    local = vector(3)
    face_a, gap_a = best_face(planes_a, centre_a, frame_a, corners_b, way[0], least, local)
    face_b, gap_b = best_face(planes_b, centre_b, frame_b, corners_a, way[1], least, local)
    if face_a < 0 and face_b < 0:
        # two needles: no face looks that way
        face_a, gap_a = best_face(planes_a, centre_a, frame_a, corners_b, way[0], -1e300, local)
    first = gap_b <= gap_a + preference
    return face_a if first else face_b, gap_a if first else gap_b, first


@kernel("float64(float64[:, ::1], float64[::1], float64[::1])", inner=True)
def rise_along(
    corners, way,  # (v, 3) m, (3,) unit
    heights_out,  # (>= v,) m
):  # fmt: skip
    """How far corners are along a way.

    Writes:  heights_out
    Returns: how far the last one is, m
    """
    x, y, z, highest, heights = way[0], way[1], way[2], -1e300, heights_out[: corners.shape[0]]
    for i in range(corners.shape[0]):
        heights[i] = corners[i, 0] * x + corners[i, 1] * y + corners[i, 2] * z
    for i in range(corners.shape[0]):
        highest = max(highest, heights[i])
    return highest


@kernel(inner=True)
def edges_between(t: PolytopeTable, s: HullScratch, n: NearTable, a: int, b: int, least: float, limit: float) -> None:
    """Edges of two polytopes that look at each other and may touch.

    Points of A that touch B within the limit, m, are as far along the way as B's nearest point less the limit. `least`
    is as in `nearby_edges`.

    Writes:  heights, edges, numbers, looking
    """
    span, way, heights = t.span, s.way, s.heights
    corners_a, corners_b = t.corners[span[a, 0] : span[a, 1]], t.corners[span[b, 0] : span[b, 1]]
    level_b = -rise_along(corners_a, way[0], heights[0]) - limit
    level_a = -rise_along(corners_b, way[1], heights[1]) - limit
    s.looking[0] = nearby_edges(
        t.edges[span[a, 4] : span[a, 5]], t.planes[span[a, 2] : span[a, 3]], corners_a, n.frame[a], way[0], least,
        level_a, heights[0], s.edges[0], s.numbers[0],
    )  # fmt: skip
    s.looking[1] = nearby_edges(
        t.edges[span[b, 4] : span[b, 5]], t.planes[span[b, 2] : span[b, 3]], corners_b, n.frame[b], way[1], least,
        level_b, heights[1], s.edges[1], s.numbers[1],
    )  # fmt: skip


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[:, ::1], float64[:, ::1], float64, float64[:, ::1],"
    "int64[:, ::1], float64[:, ::1])",
    inner=True,
)
def put_nearest(
    points_out, marks_out, count, pair,
    corners_a, corners_b, limit,  # (v, 3) m, m
    simplex, index, witness,  # scratch, see `nearest_direction`
):  # fmt: skip
    """Contact of two corners, or of a corner and an edge, where nothing lies over a face; none where they are apart.

    Writes:  points_out, marks_out, simplex, index, witness
    Returns: the number of points, or -1 where they overlap
    """
    n, p, q = vector(3), witness[0], witness[1]
    for k in range(3):
        n[k] = corners_b[0, k] - corners_a[0, k]
    outcome = nearest_direction(corners_a, corners_b, limit, simplex, index, n, witness)
    if outcome != NEAR:
        return count if outcome == APART else -1
    return put(
        points_out, marks_out, count, pair, WORLD_NORMAL, n[0], n[1], n[2], p[0], p[1], p[2], q[0], q[1], q[2], 0.0, 0.0
    )


@kernel(apart=True)
def collide_two(
    t: PolytopeTable, s: HullScratch, n: NearTable, pair: int, a: int, b: int, start: int, points_out: RealRows,
    marks_out: WholeRows,
) -> int:  # fmt: skip
    """Contacts of two polytopes, after `start` points.

    Writes:  points_out, marks_out; scratch
    Returns: the number of points
    """
    span, inset, way, count = t.span, t.inset, s.way, start
    limit, thin = n.band[a] + n.band[b], 20.0 * min(inset[a], inset[b])
    planes_a, planes_b = t.planes[span[a, 2] : span[a, 3]], t.planes[span[b, 2] : span[b, 3]]
    corners_a, corners_b = t.corners[span[a, 0] : span[a, 1]], t.corners[span[b, 0] : span[b, 1]]
    outcome = find_way(
        n.centre[a], n.centre[b], t.cores[span[a, 0] : span[a, 1]], t.cores[span[b, 0] : span[b, 1]],
        limit + inset[a] + inset[b], planes_a.shape[0] + planes_b.shape[0], s.simplex, s.source, s.witness, way,
    )  # fmt: skip
    if outcome == APART:
        return count
    least, between = -1e300 if outcome == OVERLAP else NEARBY, -1e300
    for _ in range(2):
        face, gap, first = reference_face(
            planes_a, planes_b, n.centre[a], n.centre[b], n.frame[a], n.frame[b], corners_a, corners_b, way, least,
            PREFERENCE * thin,
        )  # fmt: skip
        if gap >= limit:
            return count
        places, lowest = look_over_face(t, s, n, a if first else b, b if first else a, face), limit
        for i in range(places):
            lowest = min(lowest, s.places[0, i, 2])
        edges_between(t, s, n, a, b, least, limit)
        if lowest > gap + 1e-6 * thin or gap < -PREFERENCE * thin:
            # the lowest corner is not over the face, or it is deep below it: an edge may separate better
            turn_sides(t.sides[span[a, 4] : span[a, 5]], n.frame[a], s.numbers[0], s.looking[0], s.edges[0])
            turn_sides(t.sides[span[b, 4] : span[b, 5]], n.frame[b], s.numbers[1], s.looking[1], s.edges[1])
            between = best_edges(s.edges[0], s.looking[0], s.edges[1], s.looking[1], s.best)
        # inner corners that are apart cannot be that deep: the direction misled, and everything is tried
        if least < -1.0 or max(gap, between) > -2.0 * (inset[a] + inset[b]):
            break
        least = -1e300
    if between >= limit:
        return count
    after = -1
    if between > gap + PREFERENCE * thin:
        after = put_crossing(points_out, marks_out, count, pair, s.edges, s.best)
    elif lowest >= limit:
        after = put_nearest(
            points_out, marks_out, count, pair, corners_a, corners_b, limit, s.simplex, s.source, s.witness
        )
        places = 1
    if after < 0:
        after = put_over_face(
            points_out, marks_out, count, pair, s.axes, s.places[0], places, first, limit, thin, s.chosen
        )
    if after == count:
        return count
    return add_closing(t, s, n, a, b, limit, thin, points_out, marks_out, count, after, pair)


@kernel()
def collide_hulls(
    pairs: WholeRows, n: NearTable, t: PolytopeTable, s: HullScratch, found: int, points_out: RealRows,
    marks_out: WholeRows,
) -> int:  # fmt: skip
    """Contacts of all pairs (.., 3) of two polytopes, after `found` points.

    Writes:  points_out, marks_out; s
    Returns: the number of points
    """
    span, count = t.span, found
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if pairs[p, 2] == POLYTOPES and span[a, 0] < span[a, 1] and span[b, 0] < span[b, 1]:
            count = collide_two(t, s, n, p, a, b, count, points_out, marks_out)
    return count
