"""Edges of polytopes: those that look at another body, and the two that separate two bodies best."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.point_kernels import put
from taut.collide.segment_kernels import nearest_on_segments
from taut.kernel import kernel
from taut.spatial_kernels import times

PARALLEL = 1e-3
"""Sine of the angle between two edges below which their cross product says nothing."""


@kernel(
    "int64(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64,"
    "float64, float64[:, ::1])",
    inner=True,
)
def nearby_edges(
    edges, sides, planes, corners, frame,  # (e, 4), (e, 6), (f, 4), (v, 3), (9,) of a polytope
    way,  # (3,) direction outward
    least, level,  # edges are taken that reach as far along as `level` and have a face at least that cosine to the way
    vectors_out,  # (>= e, 13) unit vector along, the two sides, the middle; world; half length
):  # fmt: skip
    """Edges that look in a direction, and reach far enough in it to touch.

    Writes:  vectors_out
    Returns: their number
    """
    x, y, z, count = way[0], way[1], way[2], 0
    lx, ly = frame[0] * x + frame[3] * y + frame[6] * z, frame[1] * x + frame[4] * y + frame[7] * z
    lz = frame[2] * x + frame[5] * y + frame[8] * z
    for e in range(edges.shape[0]):
        p, q, row = corners[edges[e, 0]], corners[edges[e, 1]], vectors_out[count]
        if max(x * p[0] + y * p[1] + z * p[2], x * q[0] + y * q[1] + z * q[2]) < level:
            continue
        left, right = planes[edges[e, 2]], planes[edges[e, 3]]
        if max(lx * left[0] + ly * left[1] + lz * left[2], lx * right[0] + ly * right[1] + lz * right[2]) < least:
            continue
        square = 0.0
        for k in range(3):
            row[k], row[9 + k] = q[k] - p[k], 0.5 * (p[k] + q[k])
            square += row[k] * row[k]
        length = np.sqrt(square)
        for k in range(3):
            row[k] /= length
        row[12] = 0.5 * length
        row[3], row[4], row[5] = times(frame, sides[e, :3])
        row[6], row[7], row[8] = times(frame, sides[e, 3:])
        count += 1
    return count


@kernel("float64(float64[:, ::1], int64, float64[:, ::1], int64, float64[::1])", inner=True)
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


@kernel("int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[:, :, ::1], float64[::1])", inner=True)
def put_crossing(
    points_out, marks_out, count, pair,
    vectors,  # (2, .., 13) edges of A and B, as of `nearby_edges`
    best,  # (5,) as of `best_edges`
):  # fmt: skip
    """Contact of two crossing edges.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    u, v = vectors[0, int(best[3])], vectors[1, int(best[4])]
    x, y, z = v[9] - u[9], v[10] - u[10], v[11] - u[11]
    cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    s, t = nearest_on_segments(
        x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2], cosine, 1.0 - cosine * cosine, u[12], v[12]
    )
    return put(
        points_out, marks_out, count, pair, WORLD_NORMAL, best[0], best[1], best[2],
        u[9] + s * u[0], u[10] + s * u[1], u[11] + s * u[2], v[9] + t * v[0], v[10] + t * v[1], v[11] + t * v[2],
        0.0, 0.0,
    )  # fmt: skip
