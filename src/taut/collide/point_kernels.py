"""What every collision routine writes: one row of numbers a contact point; and their order and frame at the end."""

from __future__ import annotations

import numpy as np

from taut.collide.sort_kernels import sort_by
from taut.kernel import kernel


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, float64, float64, float64, float64, float64, float64,"
    "float64, float64, float64, float64, float64)",
    inner=True,
)
def put(
    points_out, marks_out,  # (capacity, 11), (capacity, 2)
    count, pair, turning,
    nx, ny, nz,  # normal from A to B
    ax, ay, az,  # core of A, world, m
    bx, by, bz,  # core of B, world, m
    radius_a, radius_b,  # m
):  # fmt: skip
    """Write one contact point.

    Writes:  points_out, marks_out
    Returns: the number of points with this one
    """
    row, mark = points_out[count], marks_out[count]
    mark[0], mark[1] = pair, turning
    row[0], row[1], row[2] = nx, ny, nz
    row[3], row[4], row[5] = ax, ay, az
    row[6], row[7], row[8] = bx, by, bz
    row[9], row[10] = radius_a, radius_b
    return count + 1


@kernel("void(float64[::1], float64[::1], float64[::1], float64[::1])", inner=True)
def into_body(
    point,  # (3,) world, m
    position, rotation,  # (3,), (9,) of the body
    local_out,  # (3,)
):  # fmt: skip
    """A world point in body axes from the centre of mass: R^T (p - x).

    Writes:  local_out
    """
    x, y, z = point[0] - position[0], point[1] - position[1], point[2] - position[2]
    for i in range(3):
        local_out[i] = rotation[i] * x + rotation[3 + i] * y + rotation[6 + i] * z


@kernel(
    "void(float64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1],"
    "int64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])",
    allocates=True,
)
def finish_points(
    points, marks,  # as `put` wrote them
    pairs,  # (pairs, 3)
    body, body_position, body_rotation,  # (g,), (n, 3), (n, 9)
    # out
    whole_out,  # (5, k) geom A, geom B, body A, body B, turning
    normal_out, core_a_out, core_b_out,  # (k, 3)
    real_out,  # (3, k) radius A, radius B, gap, m
):  # fmt: skip
    """Contact points in order of their pairs, cores in body axes: the arrays of `Contacts`.

    gap = n . (core_B - core_A) - radius_A - radius_B

    Writes:  whole_out, normal_out, core_a_out, core_b_out, real_out
    """
    count = whole_out.shape[1]
    pair_of, order, spare = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(count):
        pair_of[k], order[k] = float(marks[k, 0]), k
    sort_by(pair_of, order, spare, count)
    for k in range(count):
        row, mark = points[order[k]], marks[order[k]]
        pair = pairs[mark[0]]
        a, b = body[pair[0]], body[pair[1]]
        whole_out[0, k], whole_out[1, k], whole_out[2, k], whole_out[3, k] = pair[0], pair[1], a, b
        whole_out[4, k] = mark[1]
        gap = -row[9] - row[10]
        for i in range(3):
            normal_out[k, i] = row[i]
            gap += row[i] * (row[6 + i] - row[3 + i])
        into_body(row[3:6], body_position[a], body_rotation[a], core_a_out[k])
        into_body(row[6:9], body_position[b], body_rotation[b], core_b_out[k])
        real_out[0, k], real_out[1, k], real_out[2, k] = row[9], row[10], gap
