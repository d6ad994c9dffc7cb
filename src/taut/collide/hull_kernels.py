"""Polytope against polytope (hulls, boxes, caps of cylinders): the direction between them, then faces and edges."""

from __future__ import annotations

import numpy as np

from taut.collide.closing_kernels import CANDIDATES, add_closing
from taut.collide.contacts import WORLD_NORMAL
from taut.collide.edge_kernels import best_edges, nearby_edges, put_crossing
from taut.collide.face_kernels import best_face, clip_loop, face_axes, facing_face, into_face, put_over_face
from taut.collide.gjk_kernels import APART, NEAR, OVERLAP, farthest, nearest_direction, support
from taut.collide.kinds import POLYTOPES
from taut.collide.point_kernels import put
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import matrix, vector

FEW = 16
"""Faces of two polytopes up to which all are tried; above, those that look in the direction between the two."""

NEARBY = 0.5
"""Cosine between that direction and the normals of faces and edges that are tried."""

PREFERENCE = 0.005
"""Share of the least half extent by which B's face must separate better than A's, and an edge better than a face."""


@kernel("void(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])")
def place_corners(
    span, vertices,  # (g, 6), (v, 3) own axes
    centre, frame,  # (g, 3), (g, 9)
    corners_out,  # (v, 3) world
):  # fmt: skip
    """World positions of the corners of all polytopes.

    Writes:  corners_out
    """
    for g in range(span.shape[0]):
        for i in range(span[g, 0], span[g, 1]):
            x, y, z = times(frame[g], vertices[i])
            corners_out[i, 0] = centre[g, 0] + x
            corners_out[i, 1] = centre[g, 1] + y
            corners_out[i, 2] = centre[g, 2] + z


@kernel(
    "Tuple((int64, float64))(int64, int64, int64, int64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1],"
    "int64[::1], float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64)",
    inner=True,
)
def look_over_face(
    r, o, face,  # polytope with the reference face, the other one, the face
    span, corners, planes, loop_start, loops, frame,  # as in `collide_hulls`
    axes_out,  # (4, 3) of the reference face
    work_out,  # (3, >= corners of two faces, 3) places over the face; scratch
    limit,  # m
):  # fmt: skip
    """What lies over a face: the facing face of the other polytope clipped to it, or else the other's lowest corner.

    Writes:  axes_out, work_out
    Returns: the number of places; 0 where only the lowest corner is left, which is then the first place; and the least
             height of the places, but not above the limit, m
    """
    f = span[r, 2] + face
    own, other = corners[span[r, 0] : span[r, 1]], corners[span[o, 0] : span[o, 1]]
    loop, starts = loops[loop_start[f] : loop_start[f + 1]], loop_start[span[o, 2] : span[o, 3] + 1]
    polygon, outline = work_out[0], work_out[1]
    normal = outline[0]
    normal[0], normal[1], normal[2] = times(frame[r], planes[f, :3])
    face_axes(normal, own[loop[0]], own[loop[1]], axes_out)
    x, y, z = -axes_out[2, 0], -axes_out[2, 1], -axes_out[2, 2]
    facing = facing_face(planes[span[o, 2] : span[o, 3]], starts, loops, frame[o], other, x, y, z)
    count = clip_loop(
        own, loop, other, loops[starts[facing] : starts[facing + 1]], axes_out, outline, polygon, work_out[2]
    )
    if count == 0:
        into_face(axes_out, other[support(other, x, y, z)], polygon[0])
    lowest = limit
    for i in range(count):
        lowest = min(lowest, polygon[i, 2])
    return count, lowest


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


@kernel(
    "UniTuple(int64, 2)(int64, int64, int64[:, ::1], int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], float64, float64, float64[:, :, ::1])",
    inner=True,
)
def edges_between(
    a, b, span, edges, sides, planes, corners, frame,  # as in `collide_hulls`
    way, least, limit,  # (>= 2, 3) from A to B and back; as in `nearby_edges`; m
    vectors_out,  # (2, .., 13)
):  # fmt: skip
    """Edges of two polytopes that look at each other and may touch.

    Points of A that touch B within the limit are as far along the way as B's nearest point less the limit.

    Writes:  vectors_out
    Returns: their numbers
    """
    corners_a, corners_b = corners[span[a, 0] : span[a, 1]], corners[span[b, 0] : span[b, 1]]
    count_a = nearby_edges(
        edges[span[a, 4] : span[a, 5]], sides[span[a, 4] : span[a, 5]], planes[span[a, 2] : span[a, 3]], corners_a,
        frame[a], way[0], least, -farthest(corners_b, way[1]) - limit, vectors_out[0],
    )  # fmt: skip
    count_b = nearby_edges(
        edges[span[b, 4] : span[b, 5]], sides[span[b, 4] : span[b, 5]], planes[span[b, 2] : span[b, 3]], corners_b,
        frame[b], way[1], least, -farthest(corners_a, way[0]) - limit, vectors_out[1],
    )  # fmt: skip
    return count_a, count_b


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


@kernel(
    "int64(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[::1], float64[:, ::1], int64[::1], int64[::1], int64[:, ::1], float64[:, ::1], int64,"
    "float64[:, ::1], int64[:, ::1], int64, int64)",
    allocates=True,
)
def collide_hulls(
    pairs, centre, frame, band,  # as in `collide_round`
    span, corners, inner, inset, planes, loop_start, loops, edges, sides,  # as in `PolytopeTable`; corners in the world
    found, points_out, marks_out,
    most_corners, most_edges,  # of a polytope
):  # fmt: skip
    """Contacts of all pairs of two polytopes.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    count, way, best = found, matrix(4, 3), vector(5)
    simplex, index, witness, axes = matrix(6, 3), np.empty((5, 2), np.int64), matrix(2, 3), matrix(4, 3)
    chosen, vectors, rows = np.empty(4, np.int64), np.empty((2, most_edges, 13)), np.empty((CANDIDATES, 11))
    work = np.empty((3, 2 * most_corners, 3))
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if pairs[p, 2] != POLYTOPES or span[a, 0] == span[a, 1] or span[b, 0] == span[b, 1]:
            continue
        limit, thin, start = band[a] + band[b], 20.0 * min(inset[a], inset[b]), count
        planes_a, planes_b = planes[span[a, 2] : span[a, 3]], planes[span[b, 2] : span[b, 3]]
        corners_a, corners_b = corners[span[a, 0] : span[a, 1]], corners[span[b, 0] : span[b, 1]]
        outcome = find_way(
            centre[a], centre[b], inner[span[a, 0] : span[a, 1]], inner[span[b, 0] : span[b, 1]],
            limit + inset[a] + inset[b], planes_a.shape[0] + planes_b.shape[0], simplex, index, witness, way,
        )  # fmt: skip
        if outcome == APART:
            continue
        least, between = -1e300 if outcome == OVERLAP else NEARBY, -1e300
        for _ in range(2):
            face, gap, first = reference_face(
                planes_a, planes_b, centre[a], centre[b], frame[a], frame[b], corners_a, corners_b, way, least,
                PREFERENCE * thin,
            )  # fmt: skip
            if gap >= limit:
                break
            r, o = (a, b) if first else (b, a)
            places, lowest = look_over_face(
                r, o, face, span, corners, planes, loop_start, loops, frame, axes, work, limit
            )
            count_a, count_b = edges_between(
                a, b, span, edges, sides, planes, corners, frame, way, least, limit, vectors
            )
            if lowest > gap + 1e-6 * thin or gap < -PREFERENCE * thin:
                # the lowest corner is not over the face, or it is deep below it: an edge may separate better
                between = best_edges(vectors[0], count_a, vectors[1], count_b, best)
            # inner corners that are apart cannot be that deep: the direction misled, and everything is tried
            if least < -1.0 or max(gap, between) > -2.0 * (inset[a] + inset[b]):
                break
            least = -1e300
        if gap >= limit or between >= limit:
            continue
        after = -1
        if between > gap + PREFERENCE * thin:
            after = put_crossing(points_out, marks_out, count, p, vectors, best)
        elif lowest >= limit:
            after = put_nearest(points_out, marks_out, count, p, corners_a, corners_b, limit, simplex, index, witness)
            places = 1
        if after < 0:
            after = put_over_face(points_out, marks_out, count, p, axes, work[0], places, first, limit, thin, chosen)
        count = after
        if count > start:
            count = add_closing(
                points_out, marks_out, start, count, p, corners_a, corners_b, planes_a, planes_b, centre[a], centre[b],
                frame[a], frame[b], vectors, count_a, count_b, limit, thin, rows, way,
            )  # fmt: skip
    return count
