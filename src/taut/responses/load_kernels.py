"""Kernels of constant loads: their wrenches, and the work they do."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm
from taut.spatial_kernels import times
from taut.tables import Flags, RealRows, Wholes


@kernel()
def add_loads(
    # model
    body: Wholes, force: RealRows, point: RealRows, torque: RealRows, follows: Flags,  # (loads,), or (loads, 3)
    # state in
    rotation: RealRows,  # (bodies, 9)
    # out
    wrench_out: RealRows,  # (bodies, 6) added to
    stiffness_out: RealRows,  # (bodies, 9) added to
) -> None:  # fmt: skip
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
    "float64(float64[::1], float64[::1], float64[::1], uint8, float64[::1], float64[::1], float64[::1], float64[::1],"
    "float64[::1])",
    inner=True,
)
def work_of_load(
    # model
    force, point, torque, follows,  # (3,), (3,), (3,), whether it turns with the body
    # state in
    position, rotation,  # (3,), (9,) of its body at the start
    new_position, new_rotation,  # at the end
    displacement,  # (6,) of the step, m and rad
):  # fmt: skip
    """Work of a constant load from one configuration to another, J.

    A force does F . (p+ - p) along its point's path, a torque tau . theta along the rotation between; those that turn
    with the body count with the mean of their directions.

    Returns: the work
    """
    work = 0.0
    for i in range(3):
        path = new_position[i] - position[i]
        push, turn = force[i], torque[i]
        if follows != 0:
            push, turn = 0.0, 0.0
        for j in range(3):
            path += (new_rotation[3 * i + j] - rotation[3 * i + j]) * point[j]
            if follows != 0:
                mean = 0.5 * (new_rotation[3 * i + j] + rotation[3 * i + j])
                push += mean * force[j]
                turn += mean * torque[j]
        work += push * path + turn * displacement[3 + i]
    return work


@kernel("boolean(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])", inner=True)
def add_applied(
    # state in
    applied, point,  # (bodies, 6) N and N m, (bodies, 3) m, where the force acts, body axes from the centre of mass
    rotation,  # (bodies, 9)
    # out
    wrench_out,  # (bodies, 6)
    stiffness_out,  # (bodies, 9) added to
):  # fmt: skip
    """What users apply away from centres of mass: its wrench about them, and its arm block.

    Writes:  wrench_out, stiffness_out, where anything is applied away from a centre of mass
    Returns: whether anything is
    """
    away = False
    for body in range(point.shape[0]):
        p = point[body]
        away = away or p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0
    if not away:
        return False
    for body in range(point.shape[0]):
        f, w = applied[body], wrench_out[body]
        x, y, z = times(rotation[body], point[body])
        add_arm(stiffness_out[body], x, y, z, f[0], f[1], f[2])
        w[0], w[1], w[2] = f[0], f[1], f[2]
        w[3] = f[3] + y * f[2] - z * f[1]
        w[4] = f[4] + z * f[0] - x * f[2]
        w[5] = f[5] + x * f[1] - y * f[0]
    return True
