"""Whether light bodies under tension are in balance where a step led, and what keeps their twist.

A solve balances forces and inertia where it was linearised, at x_k. Rows that hold at x+ say nothing of how the forces
changed on the way: a link that turns by delta under a tension T feels a torque T |d| delta, and its own inertia is next
to nothing. So the balance at x+ is looked at too, see `imbalance`.
"""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, keep_stiff_part, times
from taut.stepping.settings import CORRECTION
from taut.table_types import matrix, vector
from taut.tables import Flags, RealRows, Reals, Wholes


@kernel(inner=True)
def is_taut(alpha: float, hb: float, inertia: Reals, stiffness: Reals) -> int:
    """1 if tension turns a body back by more than a step resolves: h beta tr N > alpha tr I.

    Shapes:  hb is h beta, s^2; inertia (9,) kg m^2; stiffness (9,) N m/rad
    """
    n, i6 = stiffness, inertia
    return 1 if hb * (n[0] + n[4] + n[8]) > alpha * (i6[0] + i6[4] + i6[8]) else 0


@kernel(allocates=True)
def carry_twist(
    # model
    entry_body: Wholes,  # (entries,) of the model's own rows
    # state in
    jacobian: RealRows,  # (entries, 6) at x_k
    slim_axis: RealRows,  # (bodies, 3) body axes
    rotation: RealRows, rotation_after: RealRows,  # (bodies, 9) at x_k and at x+
    slim: Flags, touched: Flags,  # (bodies,) slim bodies that rows hold, bodies that contacts act on
    # in and out
    velocity: RealRows,  # (bodies, 6)
) -> None:  # fmt: skip
    """Give slim bodies at x+ the rate about their axis a that was balanced at x_k, unless a row acts on it.

        omega+ += a_+ ((a_k - a_+) . omega+)

    That rate was balanced along the axis at x_k. Along the axis at x+ the same angular velocity has another component,
    and there is hardly any inertia to be patient with.

    Writes:  velocity
    """
    count = slim_axis.shape[0]
    before, free, any_free = np.empty((count, 3)), np.empty(count, np.uint8), False
    for body in range(count):
        free[body] = slim[body] if touched[body] == 0 else 0
        any_free = any_free or free[body] != 0
        before[body, 0], before[body, 1], before[body, 2] = times(rotation[body], slim_axis[body])
    if not any_free:
        return
    for entry in range(entry_body.shape[0]):
        j, a = jacobian[entry], before[entry_body[entry]]
        size = 0.0
        for i in range(6):
            size = max(size, abs(j[i]))
        if abs(j[3] * a[0] + j[4] * a[1] + j[5] * a[2]) > CORRECTION.free_twist * size:
            free[entry_body[entry]] = 0
    for body in range(count):
        if free[body] == 0:
            continue
        v, b = velocity[body], before[body]
        x, y, z = times(rotation_after[body], slim_axis[body])
        rate = (b[0] - x) * v[3] + (b[1] - y) * v[4] + (b[2] - z) * v[5]
        v[3] += rate * x
        v[4] += rate * y
        v[5] += rate * z


@kernel(inner=True)
def carry_spin(
    jointed: Flags, slim: Flags,  # (bodies,) bodies that any row touches, slim bodies that contacts hold
    rotation: RealRows, rotation_after: RealRows,  # (bodies, 9) at x_k and at x+
    # in and out
    velocity: RealRows,  # (bodies, 6)
) -> None:  # fmt: skip
    """Give slim bodies that only contacts hold the angular velocity at x+ that was balanced at x_k, in body axes.

        omega+ <- R_+ R_k^T omega+

    A log that rolls and is turned by theta on the way from x_k to x+ would have its roll, omega theta of it, across its
    axis, where the inertia is tens of times larger: up to 18 % of its energy from nowhere in a step of `log_tower`.

    Writes:  velocity
    """
    for body in range(slim.shape[0]):
        if slim[body] != 0 and jointed[body] == 0:
            r, v = rotation[body], velocity[body]
            x = r[0] * v[3] + r[3] * v[4] + r[6] * v[5]
            y = r[1] * v[3] + r[4] * v[4] + r[7] * v[5]
            z = r[2] * v[3] + r[5] * v[4] + r[8] * v[5]
            r = rotation_after[body]
            v[3] = r[0] * x + r[1] * y + r[2] * z
            v[4] = r[3] * x + r[4] * y + r[5] * z
            v[5] = r[6] * x + r[7] * y + r[8] * z


@kernel()
def change_of_wrench(
    # model
    entry_row: Wholes, entry_body: Wholes,  # (entries,) of the model's own rows
    companion: Flags,  # (rows,) 1 for rows that stand for a part of -K~
    # state in
    sign: Reals, lam: Reals,  # (rows,), (rows,) N s
    jacobian_before: RealRows, jacobian_after: RealRows,  # (entries, 6) at x_k with the rows' signs, at x+ without
    # out
    impulse_out: RealRows,  # (bodies, 6) N s and N m s, zero on entry
) -> None:  # fmt: skip
    """By how much the rows' impulses changed from x_k to x+ beyond what their companions foresaw.

    Writes:  impulse_out
    """
    for entry in range(entry_row.shape[0]):
        row = entry_row[entry]
        out, before, after = impulse_out[entry_body[entry]], jacobian_before[entry], jacobian_after[entry]
        kept = 0.0 if companion[row] != 0 else sign[row]
        for i in range(6):
            out[i] += (kept * after[i] - before[i]) * lam[row]


@kernel()
def imbalance(
    counts: Flags,  # (bodies,) 0 for bodies that are left out
    alphas: Reals, betas: Reals, h: float,  # (bodies,), (bodies,) s, s
    guess: RealRows, velocity: RealRows,  # (bodies, 6) v_k and v+
    inverse_mass: Reals, inertia: RealRows,  # (bodies,) 1/kg, (bodies, 9) kg m^2, world axes
    stiffness_before: RealRows, stiffness_after: RealRows,  # (bodies, 9) N' at x_k and N at x+, N m/rad
    # in and out
    error: RealRows,  # (bodies, 6) change of wrench on entry, N s and N m s; displacement on return, m and rad
) -> float:  # fmt: skip
    """Displacements by which bodies held by tension miss their balance at x+.

        r = change of wrench + h beta N'_k (omega+ - omega_k)
        e = beta (alpha I + h beta N'_+)^-1 r on rotations,   beta / (alpha m) r on translations

    Writes:  error
    Returns: the largest component, m or rad
    """
    vectors, scratch, block, inverse, stiff = matrix(3, 3), vector(9), vector(9), vector(9), vector(9)
    worst = 0.0
    for body in range(alphas.shape[0]):
        e, i6 = error[body], inertia[body]
        alpha, beta = alphas[body], betas[body]
        hb, n = h * beta, stiffness_after[body]
        if counts[body] == 0 or is_taut(alpha, hb, i6, n) == 0:
            for i in range(6):
                e[i] = 0.0
            continue
        k, v, w = stiffness_before[body], velocity[body], guess[body]
        x, y, z = v[3] - w[3], v[4] - w[4], v[5] - w[5]
        for i in range(3):
            e[3 + i] += hb * (k[3 * i] * x + k[3 * i + 1] * y + k[3 * i + 2] * z)
        for i in range(9):
            stiff[i] = n[i]
        keep_stiff_part(stiff, scratch, vectors)
        for i in range(9):
            block[i] = alpha * i6[i] + hb * stiff[i]
        invert_spd(block, inverse)
        x, y, z = times(inverse, e[3:])
        e[3], e[4], e[5] = beta * x, beta * y, beta * z
        for i in range(3):
            e[i] *= beta * inverse_mass[body]
        for i in range(6):
            worst = max(worst, abs(e[i]))
    return worst
