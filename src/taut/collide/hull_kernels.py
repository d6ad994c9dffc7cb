"""Polytope against polytope (hulls, boxes, caps of cylinders): the direction between them, then faces and edges."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.face_kernels import best_face, clip_loop, face_axes, facing_face, into_face, put_over_face
from taut.collide.gjk_kernels import APART, OVERLAP, nearest_direction, support
from taut.collide.kinds import POLYTOPES
from taut.collide.point_kernels import put
from taut.collide.segment_kernels import nearest_on_segments
from taut.kernel import kernel
from taut.spatial_kernels import times

FEW = 16
"""Faces of two polytopes up to which all are tried; above, those that look in the direction between the two."""

NEARBY = 0.5
"""Cosine between that direction and the normals of faces and edges that are tried."""

PARALLEL = 1e-3
"""Sine of the angle between two edges below which their cross product says nothing."""

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
    "int64(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64, float64, float64,"
    "float64, float64[:, ::1])"
)
def nearby_edges(
    edges, sides, planes, corners, frame,  # (e, 4), (e, 6), (f, 4), (v, 3), (9,) of a polytope
    x, y, z,  # direction outward
    least,  # edges are taken if the normal of a face at it has at least this cosine to the direction
    vectors_out,  # (>= e, 13) unit vector along, the two sides, the middle; world; half length
):  # fmt: skip
    """Edges between faces that look in a direction.

    Writes:  vectors_out
    Returns: their number
    """
    lx, ly = frame[0] * x + frame[3] * y + frame[6] * z, frame[1] * x + frame[4] * y + frame[7] * z
    lz = frame[2] * x + frame[5] * y + frame[8] * z
    count = 0
    for e in range(edges.shape[0]):
        left, right = planes[edges[e, 2]], planes[edges[e, 3]]
        cosine = max(lx * left[0] + ly * left[1] + lz * left[2], lx * right[0] + ly * right[1] + lz * right[2])
        if cosine < least:
            continue
        p, q, row = corners[edges[e, 0]], corners[edges[e, 1]], vectors_out[count]
        length = np.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2 + (q[2] - p[2]) ** 2)
        for k in range(3):
            row[k] = (q[k] - p[k]) / length
            row[9 + k] = 0.5 * (p[k] + q[k])
        row[12] = 0.5 * length
        row[3], row[4], row[5] = times(frame, sides[e, :3])
        row[6], row[7], row[8] = times(frame, sides[e, 3:])
        count += 1
    return count


@kernel("float64(float64[:, ::1], int64, float64[:, ::1], int64, float64[::1])")
def best_edges(
    vectors_a, count_a, vectors_b, count_b,  # as of `nearby_edges`
    best_out,  # (5,) unit normal from A to B, place of the edge in A's list and in B's
):  # fmt: skip
    """The two edges that separate two polytopes best.

    An edge pair counts only where its common normal is between the normals of the faces at both edges: where the arcs
    of the two edges cross on the sphere of directions.

    Writes:  best_out
    Returns: the gap, m; -1e300 where there is no pair
    """
    record = -1e300
    for i in range(count_a):
        row = vectors_a[i]
        ux, uy, uz, px, py, pz = row[0], row[1], row[2], row[9], row[10], row[11]
        lx, ly, lz, rx, ry, rz = row[3], row[4], row[5], row[6], row[7], row[8]
        for j in range(count_b):
            v = vectors_b[j]
            x, y, z = uy * v[2] - uz * v[1], uz * v[0] - ux * v[2], ux * v[1] - uy * v[0]
            left = x * lx + y * ly + z * lz
            if left * (x * rx + y * ry + z * rz) <= 0.0 or left * (x * v[3] + y * v[4] + z * v[5]) >= 0.0:
                continue
            length = np.sqrt(x * x + y * y + z * z)
            if left * (x * v[6] + y * v[7] + z * v[8]) >= 0.0 or length < PARALLEL:
                continue
            scale = 1.0 / length if left > 0.0 else -1.0 / length
            x, y, z = scale * x, scale * y, scale * z
            gap = x * (v[9] - px) + y * (v[10] - py) + z * (v[11] - pz)
            if gap > record:
                record = gap
                best_out[0], best_out[1], best_out[2], best_out[3], best_out[4] = x, y, z, i, j
    return record


@kernel("int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[::1], float64[::1], float64[::1])")
def put_crossing(
    points_out, marks_out, count, pair,
    edge_a, edge_b,  # (13,) as of `nearby_edges`
    normal,  # (>= 3,)
):  # fmt: skip
    """Contact of two crossing edges.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    u, v = edge_a, edge_b
    x, y, z = v[9] - u[9], v[10] - u[10], v[11] - u[11]
    cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    s, t = nearest_on_segments(
        x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2], cosine, 1.0 - cosine * cosine, u[12], v[12]
    )
    return put(
        points_out, marks_out, count, pair, WORLD_NORMAL, normal[0], normal[1], normal[2],
        u[9] + s * u[0], u[10] + s * u[1], u[11] + s * u[2], v[9] + t * v[0], v[10] + t * v[1], v[11] + t * v[2],
        0.0, 0.0,
    )  # fmt: skip


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1],"
    "int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64, float64, float64, float64[:, :, ::1])"
)
def collide_edges(
    points_out, marks_out, count, pair, a, b,
    planes, edges, sides, span, corners, frame,  # as in `collide_hulls`
    toward, least,  # (3,) direction from A to B; as in `nearby_edges`
    bar,  # m: gap that edges must exceed to be taken
    limit,  # m
    vectors,  # scratch (2, most edges, 13)
):  # fmt: skip
    """Contact of the two edges that separate A and B best, if they do so better than a face.

    Writes:  points_out, marks_out, vectors
    Returns: the number of points, or -1 where a face is better
    """
    x, y, z = toward[0], toward[1], toward[2]
    best = np.empty(5)
    count_a = nearby_edges(
        edges[span[a, 4] : span[a, 5]], sides[span[a, 4] : span[a, 5]], planes[span[a, 2] : span[a, 3]],
        corners[span[a, 0] : span[a, 1]], frame[a], x, y, z, least, vectors[0],
    )  # fmt: skip
    count_b = nearby_edges(
        edges[span[b, 4] : span[b, 5]], sides[span[b, 4] : span[b, 5]], planes[span[b, 2] : span[b, 3]],
        corners[span[b, 0] : span[b, 1]], frame[b], -x, -y, -z, least, vectors[1],
    )  # fmt: skip
    gap = best_edges(vectors[0], count_a, vectors[1], count_b, best)
    if gap < bar:
        return -1
    if gap >= limit:
        return count
    return put_crossing(points_out, marks_out, count, pair, vectors[0, int(best[3])], vectors[1, int(best[4])], best)


@kernel(
    "int64(int64, int64, int64, int64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])"
)
def look_over_face(
    r, o, face,  # polytope with the reference face, the other one, the face
    span, corners, planes, loop_start, loops, frame,  # as in `collide_hulls`
    axes_out,  # (4, 3) of the reference face
    outline, polygon_out, spare,  # (>= corners of a face, 3), twice (>= corners of two faces, 3)
):  # fmt: skip
    """What lies over a face: the facing face of the other polytope clipped to it, or else the other's lowest corner.

    Writes:  axes_out, outline, polygon_out, spare
    Returns: the number of places; 0 where only the lowest corner is left, which is then the first place
    """
    f = span[r, 2] + face
    own, other = corners[span[r, 0] : span[r, 1]], corners[span[o, 0] : span[o, 1]]
    loop, starts = loops[loop_start[f] : loop_start[f + 1]], loop_start[span[o, 2] : span[o, 3] + 1]
    normal = outline[0]
    normal[0], normal[1], normal[2] = times(frame[r], planes[f, :3])
    face_axes(normal, own[loop[0]], own[loop[1]], axes_out)
    x, y, z = -axes_out[2, 0], -axes_out[2, 1], -axes_out[2, 2]
    facing = facing_face(planes[span[o, 2] : span[o, 3]], starts, loops, frame[o], other, x, y, z)
    count = clip_loop(
        own, loop, other, loops[starts[facing] : starts[facing + 1]], axes_out, outline, polygon_out, spare
    )
    if count == 0:
        into_face(axes_out, other[support(other, x, y, z)], polygon_out[0])
    return count


@kernel(
    "int64(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], int64[::1], int64[::1], int64[:, ::1],"
    "float64[:, ::1], int64, float64[:, ::1], int64[:, ::1], int64, int64)"
)
def collide_hulls(
    pairs, size, centre, frame, band,  # as in `collide_round`
    span, corners, inner, inset, planes, loop_start, loops, edges, sides,  # as in `PolytopeTable`; corners in the world
    found, points_out, marks_out,
    most_corners, most_edges,  # of a polytope
):  # fmt: skip
    """Contacts of all pairs of two polytopes.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    count = found
    simplex, index, witness, axes = np.empty((6, 3)), np.empty((5, 2), np.int64), np.empty((2, 3)), np.empty((4, 3))
    toward, local, chosen, vectors = np.empty(3), np.empty(3), np.empty(4, np.int64), np.empty((2, most_edges, 13))
    outline, polygon = np.empty((most_corners, 3)), np.empty((2 * most_corners, 3))
    spare = np.empty((2 * most_corners, 3))
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if pairs[p, 2] != POLYTOPES or span[a, 0] == span[a, 1] or span[b, 0] == span[b, 1]:
            continue
        limit, thin = band[a] + band[b], 20.0 * min(inset[a], inset[b])
        planes_a, planes_b = planes[span[a, 2] : span[a, 3]], planes[span[b, 2] : span[b, 3]]
        outcome = OVERLAP
        for k in range(3):
            toward[k] = centre[b, k] - centre[a, k]
        if planes_a.shape[0] + planes_b.shape[0] > FEW:
            outcome = nearest_direction(
                inner[span[a, 0] : span[a, 1]], inner[span[b, 0] : span[b, 1]], limit + inset[a] + inset[b], simplex,
                index, toward, witness,
            )  # fmt: skip
        if outcome == APART:
            continue
        corners_a, corners_b = corners[span[a, 0] : span[a, 1]], corners[span[b, 0] : span[b, 1]]
        least, x, y, z = -1e300 if outcome == OVERLAP else NEARBY, toward[0], toward[1], toward[2]
        face_a, gap_a = best_face(planes_a, centre[a], frame[a], corners_b, x, y, z, least, local)
        face_b, gap_b = best_face(planes_b, centre[b], frame[b], corners_a, -x, -y, -z, least, local)
        if face_a < 0 and face_b < 0:
            # two needles: no face looks that way
            face_a, gap_a = best_face(planes_a, centre[a], frame[a], corners_b, x, y, z, -1e300, local)
        first = gap_b <= gap_a + PREFERENCE * thin
        r, o, face, gap = (a, b, face_a, gap_a) if first else (b, a, face_b, gap_b)
        if gap >= limit:
            continue
        places = look_over_face(
            r, o, face, span, corners, planes, loop_start, loops, frame, axes, outline, polygon, spare
        )  # fmt: skip
        lowest = limit
        for i in range(places):
            lowest = min(lowest, polygon[i, 2])
        if lowest > gap + 1e-6 * thin or gap < -PREFERENCE * thin:
            # the lowest corner is not over the face, or it is deep below it: an edge may separate better
            after = collide_edges(
                points_out, marks_out, count, p, a, b, planes, edges, sides, span, corners, frame, toward, least,
                gap + PREFERENCE * thin, limit, vectors,
            )  # fmt: skip
            if after >= 0:
                count = after
                continue
        if lowest >= limit and gap < 0.0:
            places = max(places, 1)
        count = put_over_face(points_out, marks_out, count, p, axes, polygon, places, first, limit, thin, chosen)
    return count
