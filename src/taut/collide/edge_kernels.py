"""Edges of polytopes: those that look at another body, and the two that separate two bodies best."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.face_kernels import LANES
from taut.collide.point_kernels import put
from taut.collide.segment_kernels import nearest_on_segments
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector

PARALLEL = 1e-3
"""Sine of the angle between two edges below which their cross product says nothing."""


@kernel(
    "int64(int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64, float64, float64[::1],"
    "float64[:, ::1], int64[::1])",
    inner=True,
)
def nearby_edges(
    edges, planes, corners, frame,  # (e, 4), (f, 4), (v, 3), (9,) of a polytope
    way,  # (3,) direction outward
    least, level,  # edges are taken that reach as far along as `level` and have a face at least that cosine to the way
    heights,  # (>= v,) how far along the corners are, m
    columns_out,  # (13, >= e) unit vector along; room for the two sides; middle; half length; world
    number_out,  # (>= e,) which they are
):  # fmt: skip
    """Edges that look in a direction, and reach far enough in it to touch.

    Writes:  columns_out, number_out
    Returns: their number
    """
    x, y, z, high, count = way[0], way[1], way[2], 0, 0
    lx, ly = frame[0] * x + frame[3] * y + frame[6] * z, frame[1] * x + frame[4] * y + frame[7] * z
    lz = frame[2] * x + frame[5] * y + frame[8] * z
    for e in range(edges.shape[0]):
        number_out[high] = e
        high += max(heights[edges[e, 0]], heights[edges[e, 1]]) >= level  # no branch: it could not be foreseen
    for i in range(high):
        e = number_out[i]
        left, right = planes[edges[e, 2]], planes[edges[e, 3]]
        if max(lx * left[0] + ly * left[1] + lz * left[2], lx * right[0] + ly * right[1] + lz * right[2]) < least:
            continue
        number_out[count] = e
        p, q, square = corners[edges[e, 0]], corners[edges[e, 1]], 0.0
        for k in range(3):
            along = q[k] - p[k]
            columns_out[k, count], columns_out[9 + k, count] = along, 0.5 * (p[k] + q[k])
            square += along * along
        columns_out[12, count] = square
        count += 1
    length = columns_out[12, :count]
    for i in range(count):
        length[i] = np.sqrt(length[i])
    for k in range(3):
        along = columns_out[k, :count]
        for i in range(count):
            along[i] /= length[i]
    for i in range(count):
        length[i] *= 0.5
    return count


@kernel("void(float64[:, ::1], float64[::1], int64[::1], int64, float64[:, ::1])", inner=True)
def turn_sides(
    sides, frame,  # (e, 6), (9,) of a polytope
    number, count,  # (>= count,) which edges, how many
    columns_out,  # (13, >= count)
):  # fmt: skip
    """Sides of nearby edges in the world.

    Writes:  columns_out
    """
    for i in range(count):
        side = sides[number[i]]
        columns_out[3, i], columns_out[4, i], columns_out[5, i] = times(frame, side[:3])
        columns_out[6, i], columns_out[7, i], columns_out[8, i] = times(frame, side[3:])


@kernel("float64(float64[:, ::1], int64, float64[:, ::1], int64, float64[::1])")
def best_edges(
    columns_a, count_a, columns_b, count_b,  # as of `nearby_edges` and `turn_sides`
    best_out,  # (5,) unit normal from A to B, place of the edge in A's list and in B's
):  # fmt: skip
    """The two edges that separate two polytopes best.

    An edge pair counts only where its common normal is between the normals of the faces at both edges: where the arcs
    of the two edges cross on the sphere of directions.

    Writes:  best_out
    Returns: the gap, m; -1e300 where there is no pair
    """
    record, crosses, u = -1e300, vector(LANES), vector(13)
    for start in range(0, count_b, LANES):
        stop = min(count_b, start + LANES)
        vx, vy, vz = columns_b[0, start:stop], columns_b[1, start:stop], columns_b[2, start:stop]
        ax, ay, az = columns_b[3, start:stop], columns_b[4, start:stop], columns_b[5, start:stop]
        bx, by, bz = columns_b[6, start:stop], columns_b[7, start:stop], columns_b[8, start:stop]
        qx, qy, qz = columns_b[9, start:stop], columns_b[10, start:stop], columns_b[11, start:stop]
        for i in range(count_a):
            for k in range(13):
                u[k] = columns_a[k, i]
            ux, uy, uz, lx, ly, lz, rx, ry, rz = u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8]
            for j in range(vx.shape[0]):
                x, y, z = uy * vz[j] - uz * vy[j], uz * vx[j] - ux * vz[j], ux * vy[j] - uy * vx[j]
                left = x * lx + y * ly + z * lz
                own = left * (x * rx + y * ry + z * rz)
                one, other = left * (x * ax[j] + y * ay[j] + z * az[j]), left * (x * bx[j] + y * by[j] + z * bz[j])
                crosses[j] = min(own, -max(one, other))
            for j in range(vx.shape[0]):
                if crosses[j] <= 0.0:
                    continue
                x, y, z = uy * vz[j] - uz * vy[j], uz * vx[j] - ux * vz[j], ux * vy[j] - uy * vx[j]
                length = np.sqrt(x * x + y * y + z * z)
                if length < PARALLEL:
                    continue
                scale = 1.0 / length if x * lx + y * ly + z * lz > 0.0 else -1.0 / length
                x, y, z = scale * x, scale * y, scale * z
                gap = x * (qx[j] - u[9]) + y * (qy[j] - u[10]) + z * (qz[j] - u[11])
                if gap > record or (gap == record and i < best_out[3]):  # the first of equals
                    record = gap
                    best_out[0], best_out[1], best_out[2], best_out[3], best_out[4] = x, y, z, i, start + j
    return record


@kernel("int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[:, :, ::1], float64[::1])", inner=True)
def put_crossing(
    points_out, marks_out, count, pair,
    columns,  # (2, 13, ..) edges of A and B, as of `nearby_edges`
    best,  # (5,) as of `best_edges`
):  # fmt: skip
    """Contact of two crossing edges.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    u, v = vector(13), vector(13)
    for k in range(13):
        u[k], v[k] = columns[0, k, int(best[3])], columns[1, k, int(best[4])]
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
