"""Kernels of constant loads: their wrenches, and the work they do."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm
from taut.spatial_kernels import times


@kernel(
    "void(int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], uint8[::1], float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1])"
)
def add_loads(
    # model
    body, force, point, torque, follows,  # (loads,), (loads, 3) ..., (loads,)
    # state in
    rotation,  # (bodies, 9)
    # out
    wrench_out,  # (bodies, 6) added to
    stiffness_out,  # (bodies, 9) added to
):  # fmt: skip
    """Constant loads at this configuration; a force in world axes adds its arm block.

    Writes:  wrench_out, stiffness_out
    """
    for load in range(body.shape[0]):
        b = body[load]
        r, p, f, t = rotation[b], point[load], force[load], torque[load]
        x, y, z = times(r, p)
        fx, fy, fz, tx, ty, tz = f[0], f[1], f[2], t[0], t[1], t[2]
        if follows[load] != 0:
            fx, fy, fz = (
                r[0] * f[0] + r[1] * f[1] + r[2] * f[2],
                r[3] * f[0] + r[4] * f[1] + r[5] * f[2],
                r[6] * f[0] + r[7] * f[1] + r[8] * f[2],
            )
            tx, ty, tz = (
                r[0] * t[0] + r[1] * t[1] + r[2] * t[2],
                r[3] * t[0] + r[4] * t[1] + r[5] * t[2],
                r[6] * t[0] + r[7] * t[1] + r[8] * t[2],
            )
        else:
            add_arm(stiffness_out[b], x, y, z, fx, fy, fz)
        w = wrench_out[b]
        w[0] += fx
        w[1] += fy
        w[2] += fz
        w[3] += tx + y * fz - z * fy
        w[4] += ty + z * fx - x * fz
        w[5] += tz + x * fy - y * fx


@kernel(
    "float64(int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], uint8[::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])"
)
def load_work(
    # model
    body, force, point, torque, follows,  # (loads,), (loads, 3) ..., (loads,)
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9) at the start
    new_position, new_rotation,  # at the end
    displacement,  # (bodies, 6) of the step, m and rad
):  # fmt: skip
    """Work of constant loads from one configuration to another, J.

    A force does F . (p+ - p) along its point's path, a torque tau . theta along the rotation between; those that turn
    with the body count with the mean of their directions.

    Returns: the work
    """
    work = 0.0
    for load in range(body.shape[0]):
        b = body[load]
        r, s, p, f, t = rotation[b], new_rotation[b], point[load], force[load], torque[load]
        for i in range(3):
            path = new_position[b, i] - position[b, i]
            push, turn = f[i], t[i]
            if follows[load] != 0:
                push, turn = 0.0, 0.0
            for j in range(3):
                path += (s[3 * i + j] - r[3 * i + j]) * p[j]
                if follows[load] != 0:
                    push += 0.5 * (s[3 * i + j] + r[3 * i + j]) * f[j]
                    turn += 0.5 * (s[3 * i + j] + r[3 * i + j]) * t[j]
            work += push * path + turn * displacement[b, 3 + i]
    return work
