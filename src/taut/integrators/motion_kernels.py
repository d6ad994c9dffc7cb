"""Kernels that move bodies: predict, place, and the energy and momentum of where they are."""

from __future__ import annotations

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, rotation_matrices, times, turn, turn_tensor
from taut.table_types import matrix, vector

GYROSCOPIC_PASSES = 2
"""Fixed-point passes of the predicted spin; the error after two is below that of the second-order scheme."""


@kernel(
    "void(uint8[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1])"
)
def place(
    # model
    moves,  # (bodies,)
    # state in
    position, orientation,  # (bodies, 3), (bodies, 4)
    displacement,  # (bodies, 6) of the last step, m and rad
    velocity,  # (bodies, 6)
    drifts, betas,  # (bodies,)
    # out
    position_out, orientation_out, rotation_out,  # (bodies, 3), (bodies, 4), (bodies, 9)
):  # fmt: skip
    """Configuration reached with a velocity: x + drift dX + beta v, rotations by the quaternion exponential.

    Writes:  position_out, orientation_out, rotation_out
    """
    for body in range(moves.shape[0]):
        x, q, y, p = position[body], orientation[body], position_out[body], orientation_out[body]
        if moves[body] == 0:
            for i in range(3):
                y[i] = x[i]
            for i in range(4):
                p[i] = q[i]
            continue
        d, v, drift, beta = displacement[body], velocity[body], drifts[body], betas[body]
        for i in range(3):
            y[i] = x[i] + drift * d[i] + beta * v[i]
        turn(q, drift * d[3] + beta * v[3], drift * d[4] + beta * v[4], drift * d[5] + beta * v[5], p)
    rotation_matrices(orientation_out, rotation_out)


@kernel(
    "void(uint8[::1], uint8[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1])",
)
def predict(
    # model
    moves, slim,  # (bodies,)
    inertia,  # (bodies, 9) body axes
    # state in
    orientation,  # (bodies, 4)
    displacement,  # (bodies, 6)
    velocity, previous_velocity,  # (bodies, 6)
    spin, previous_spin,  # (bodies, 3)
    guess_now, guess_before, drifts, betas,  # (bodies,) weights of the guess and of the path
    # out
    velocity_out,  # (bodies, 6)
):  # fmt: skip
    """Velocity to linearise at: v_k = now v + before v_prev; free rotations through the angular momentum.

    omega_k = I(R_k)^-1 (now L + before L_prev) with R_k the orientation it leads to: for a free body this is the step's
    own solution, so a tumbling body is second order after one solve, and fast spin stays bounded by |L| at any step.
    Slim bodies that rows hold do not keep L, and the error of extrapolating it would be all along the slim axis.

    Writes:  velocity_out
    """
    tensor, inverse, rotation = vector(9), vector(9), matrix(1, 9)
    quaternion = matrix(1, 4)
    for body in range(moves.shape[0]):
        out, v, u = velocity_out[body], velocity[body], previous_velocity[body]
        now, before, drift, beta = guess_now[body], guess_before[body], drifts[body], betas[body]
        for i in range(6):
            out[i] = now * v[i] + before * u[i]
        if moves[body] == 0 or slim[body] != 0 or out[3] * out[3] + out[4] * out[4] + out[5] * out[5] == 0.0:
            continue
        d, s, t = displacement[body], spin[body], previous_spin[body]
        x, y, z = now * s[0] + before * t[0], now * s[1] + before * t[1], now * s[2] + before * t[2]
        for _ in range(GYROSCOPIC_PASSES):
            turn(
                orientation[body], drift * d[3] + beta * out[3], drift * d[4] + beta * out[4],
                drift * d[5] + beta * out[5], quaternion[0],
            )  # fmt: skip
            rotation_matrices(quaternion, rotation)
            turn_tensor(rotation[0], inertia[body], tensor)
            invert_spd(tensor, inverse)
            out[3] = inverse[0] * x + inverse[1] * y + inverse[2] * z
            out[4] = inverse[3] * x + inverse[4] * y + inverse[5] * z
            out[5] = inverse[6] * x + inverse[7] * y + inverse[8] * z


@kernel(
    "void(uint8[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[::1])"
)
def spins(
    # model
    slim, inertia, slim_axis,  # (bodies,), (bodies, 9), (bodies, 3) body axes
    # state in
    balanced_inertia,  # (bodies, 9) world axes, as the step balanced momentum with
    rotation, velocity,  # (bodies, 9), (bodies, 6) at the end of the step
    # out
    spin_out, slim_spin_out,  # (bodies, 3), (bodies,)
):  # fmt: skip
    """Angular momenta about the centres of mass and their part along the slim axes, kg m^2/s.

    The momentum that was balanced, so that nothing is lost from step to step; for slim bodies that rows hold that of
    the new orientation, because there a small turn between the two is a large spin about the slim axis.

    Writes:  spin_out, slim_spin_out
    """
    for body in range(velocity.shape[0]):
        if slim[body] == 0:
            o, u = balanced_inertia[body], velocity[body]
            for i in range(3):
                spin_out[body, i] = o[3 * i] * u[3] + o[3 * i + 1] * u[4] + o[3 * i + 2] * u[5]
            x, y, z = times(rotation[body], slim_axis[body])
            slim_spin_out[body] = x * spin_out[body, 0] + y * spin_out[body, 1] + z * spin_out[body, 2]
            continue
        r, m, v, a = rotation[body], inertia[body], velocity[body], slim_axis[body]
        x = r[0] * v[3] + r[3] * v[4] + r[6] * v[5]
        y = r[1] * v[3] + r[4] * v[4] + r[7] * v[5]
        z = r[2] * v[3] + r[5] * v[4] + r[8] * v[5]
        p = m[0] * x + m[1] * y + m[2] * z
        q = m[3] * x + m[4] * y + m[5] * z
        s = m[6] * x + m[7] * y + m[8] * z
        slim_spin_out[body] = a[0] * p + a[1] * q + a[2] * s
        spin_out[body, 0] = r[0] * p + r[1] * q + r[2] * s
        spin_out[body, 1] = r[3] * p + r[4] * q + r[5] * s
        spin_out[body, 2] = r[6] * p + r[7] * q + r[8] * s


@kernel("void(uint8[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1])")
def mechanical_state(
    # model
    moves, mass, gravity,  # (bodies,), (bodies,), (3,)
    # state in
    position, velocity, spin,  # (bodies, 3), (bodies, 6), (bodies, 3)
    # out
    out,  # (8,) kinetic and potential energy (J), linear (kg m/s) and angular momentum about the origin (kg m^2/s)
):  # fmt: skip
    """Energy and momentum of all bodies.

    Writes:  out
    """
    for i in range(8):
        out[i] = 0.0
    for body in range(mass.shape[0]):
        if moves[body] == 0:
            continue
        m, x, v, s = mass[body], position[body], velocity[body], spin[body]
        out[0] += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        out[0] += 0.5 * (s[0] * v[3] + s[1] * v[4] + s[2] * v[5])
        out[1] -= m * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2])
        out[2] += m * v[0]
        out[3] += m * v[1]
        out[4] += m * v[2]
        out[5] += s[0] + m * (x[1] * v[2] - x[2] * v[1])
        out[6] += s[1] + m * (x[2] * v[0] - x[0] * v[2])
        out[7] += s[2] + m * (x[0] * v[1] - x[1] * v[0])


@kernel(
    "float64(uint8[::1], int64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1])"
)
def group_energy(
    # model
    moves, group, mass, gravity,  # (bodies,), (bodies,), (bodies,), (3,)
    # state in
    position, velocity, spin,  # at the start: (bodies, 3), (bodies, 6), (bodies, 3)
    new_position, new_velocity, new_spin,  # at the end
    applied, path,  # (bodies, 6) wrench at the centres of mass (N, N m) and displacement of the step (m, rad)
    # out
    kinetic_out, gain_out,  # (groups,) J
):  # fmt: skip
    """Kinetic energy of each group, and what its mechanical energy gained beyond the work of applied wrenches.

    Writes:  kinetic_out, gain_out
    Returns: size of the applied wrenches, the sum of their absolute values
    """
    size = 0.0
    for g in range(kinetic_out.shape[0]):
        kinetic_out[g] = 0.0
        gain_out[g] = 0.0
    for body in range(mass.shape[0]):
        if moves[body] == 0:
            continue
        g, m = group[body], mass[body]
        v, u, s, t = velocity[body], new_velocity[body], spin[body], new_spin[body]
        before = 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 0.5 * (s[0] * v[3] + s[1] * v[4] + s[2] * v[5])
        after = 0.5 * m * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + 0.5 * (t[0] * u[3] + t[1] * u[4] + t[2] * u[5])
        kinetic_out[g] += after
        gain_out[g] += after - before
        for i in range(3):
            gain_out[g] -= m * gravity[i] * (new_position[body, i] - position[body, i])
        for i in range(6):
            gain_out[g] -= applied[body, i] * path[body, i]
            size += abs(applied[body, i])
    return size


@kernel(
    "UniTuple(float64, 2)(float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1])"
)
def measure_path(
    # state in
    displacement, velocity,  # (bodies, 6) of the last step, m and rad; at the end, m/s and rad/s
    drifts, betas,  # (bodies,)
    applied, applied_point,  # (bodies, 6) N and N m, (bodies, 3) m from the centre of mass
    # out
    path_out,  # (bodies, 6) m and rad
):  # fmt: skip
    """Displacement of a step, drift dX + beta v.

    Writes:  path_out
    Returns: work of the applied wrenches along it, J, and how far from the centres of mass they act at most, m
    """
    work, arm = 0.0, 0.0
    for body in range(velocity.shape[0]):
        out, d, v, f, p = path_out[body], displacement[body], velocity[body], applied[body], applied_point[body]
        drift, beta = drifts[body], betas[body]
        for i in range(6):
            out[i] = drift * d[i] + beta * v[i]
            work += f[i] * out[i]
        arm = max(arm, abs(p[0]), abs(p[1]), abs(p[2]))
    return work, arm


@kernel("UniTuple(float64, 2)(float64[::1], float64[::1], float64[::1], boolean[::1], float64, float64, float64)")
def worst_rises(
    kinetic, gain, at_rest,  # (groups,) J
    touched,  # (groups,)
    work, work_error, tiny,  # J, share, J
):  # fmt: skip
    """Largest gain beyond what a step resolves, over the energy that moved: of groups that touch nothing, of others.

    The work of drives and loads, which belongs to group 0, is known to the order of the scheme only.

    Returns: the two, at least -1
    """
    rise, touching_rise = -1.0, -1.0
    for g in range(kinetic.shape[0]):
        put_in = work if g == 0 else 0.0
        moved = kinetic[g] + abs(gain[g]) + at_rest[g] + put_in
        value = (gain[g] - at_rest[g] - work_error * put_in) / max(moved, tiny)
        if touched[g]:
            touching_rise = max(touching_rise, value)
        else:
            rise = max(rise, value)
    return rise, touching_rise
