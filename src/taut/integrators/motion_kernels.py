"""Kernels that move bodies: predict, place, and the energy and momentum of where they are."""

from __future__ import annotations

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, rotation_matrices, times, turn, turn_tensor
from taut.table_types import matrix, vector
from taut.tables import Flags, RealRows, Reals

GYROSCOPIC_PASSES = 2
"""Fixed-point passes of the predicted spin; the error after two is below that of the second-order scheme."""


@kernel()
def place(
    # model
    moves: Flags,  # (bodies,)
    # state in
    position: RealRows, orientation: RealRows,  # (bodies, 3), (bodies, 4)
    displacement: RealRows,  # (bodies, 6) of the last step, m and rad
    velocity: RealRows,  # (bodies, 6)
    drifts: Reals, betas: Reals,  # (bodies,)
    # out
    position_out: RealRows, orientation_out: RealRows, rotation_out: RealRows,  # (bodies, 3), (bodies, 4), (bodies, 9)
) -> None:  # fmt: skip
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


@kernel()
def predict(
    # model
    moves: Flags, slim: Flags,  # (bodies,)
    inertia: RealRows,  # (bodies, 9) body axes
    # state in
    orientation: RealRows,  # (bodies, 4)
    displacement: RealRows,  # (bodies, 6)
    velocity: RealRows, previous_velocity: RealRows,  # (bodies, 6)
    spin: RealRows, previous_spin: RealRows,  # (bodies, 3)
    guess_now: Reals, guess_before: Reals, drifts: Reals, betas: Reals,  # (bodies,) weights of guess and path
    # out
    velocity_out: RealRows,  # (bodies, 6)
) -> None:  # fmt: skip
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


@kernel()
def spins(
    # model
    slim: Flags, inertia: RealRows, slim_axis: RealRows,  # (bodies,), (bodies, 9), (bodies, 3) body axes
    # state in
    balanced_inertia: RealRows,  # (bodies, 9) world axes, as the step balanced momentum with
    rotation: RealRows, velocity: RealRows,  # (bodies, 9), (bodies, 6) at the end of the step
    # out
    spin_out: RealRows, slim_spin_out: Reals,  # (bodies, 3), (bodies,)
) -> None:  # fmt: skip
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
