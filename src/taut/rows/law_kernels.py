"""Kernels of `law.py`: from measures to the numbers of the MLCP, and what springs store."""

from __future__ import annotations

from taut.kernel import kernel

HOLD, FOLLOW, SOFT, LIMITS, COMPANION = 0, 1, 2, 3, 4


@kernel("float64(float64, float64, float64, float64)", inner=True)
def stored(
    gap, stiffness,  # m or rad, N/m or N m/rad
    lower_force, upper_force,  # N or N m
):  # fmt: skip
    """Energy of a spring whose force f = -k gap ends at its bounds, J: -f gap - f^2 / (2 k), within them k gap^2 / 2.

    A servo at its bound gives back no more than its force times the way.

    Returns: the energy
    """
    if stiffness <= 0.0:
        return 0.0
    force = min(max(-stiffness * gap, lower_force), upper_force)
    return -force * gap - 0.5 * force * force / stiffness


@kernel(
    "void(int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1],"
    "int64[::1], int64[::1], float64[:, ::1], float64, float64[::1], float64, float64[::1], float64[::1],"
    "float64[:, ::1],"
    "float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def apply_laws(
    # model
    kind, target, stiffness, damping,  # (rows,)
    lower_limit, upper_limit, lower_force, upper_force,  # (rows,)
    entry_start, entry_body,  # (rows + 1,), (entries,)
    # state in
    velocity,  # (bodies, 6) the velocity linearised at, m/s and rad/s
    h, betas,  # s, (rows,) s
    repair,  # share of a violation that the step takes back
    left,  # (rows,) gap that the step leaves for the rest of its frame to close
    value,  # (rows,) q
    # in and out
    jacobian,  # (entries, 6) turned around where an upper limit acts
    # out
    gap_out, sign_out, compliance_out, bias_out, lower_out, upper_out,  # (rows,)
):  # fmt: skip
    """Laws of `taut.rows.law` for every row.

    Writes:  jacobian, gap_out, sign_out, compliance_out, bias_out, lower_out, upper_out
    """
    for row in range(kind.shape[0]):
        law, goal, beta = kind[row], target[row], betas[row]
        gap, sign = value[row] - goal, 1.0
        if law == LIMITS:
            low, high = value[row] - lower_limit[row], upper_limit[row] - value[row]
            gap, sign = (low, 1.0) if low <= high else (high, -1.0)
        rate = 0.0
        for entry in range(entry_start[row], entry_start[row + 1]):
            block, twist = jacobian[entry], velocity[entry_body[entry]]
            for i in range(6):
                block[i] *= sign
                rate += block[i] * twist[i]
        gap_out[row], sign_out[row] = gap, sign
        lower_out[row], upper_out[row] = h * lower_force[row], h * upper_force[row]
        compliance_out[row] = 0.0
        if law == HOLD or law == LIMITS:
            open_gap = (gap - left[row]) / beta - rate
            bias_out[row] = open_gap if law == LIMITS and open_gap > 0.0 else repair * open_gap
        elif law == FOLLOW:
            bias_out[row] = -goal
        elif law == SOFT:
            weight = stiffness[row] * beta + damping[row]
            compliance_out[row] = 1.0 / (h * weight)
            bias_out[row] = stiffness[row] * (gap - beta * rate) / weight
        else:
            compliance_out[row] = 1.0
            bias_out[row] = -rate


@kernel("void(int64[::1], float64[::1], float64[::1], float64[::1], float64, float64[::1], float64[::1])")
def gaps_to_leave(
    # model
    kind, target, lower_limit, upper_limit,  # (rows,)
    share,  # of its gap that a row is left with
    # state in
    value,  # (rows,) q at the start of the step
    # out
    left_out,  # (rows,) m or rad
):  # fmt: skip
    """Gaps that a part of a frame leaves, so that no gap is closed faster than its size in a whole frame.

    Writes:  left_out
    """
    for row in range(kind.shape[0]):
        left_out[row] = 0.0
        if kind[row] == HOLD:
            left_out[row] = share * (value[row] - target[row])
        elif kind[row] == LIMITS:
            left_out[row] = share * min(value[row] - lower_limit[row], upper_limit[row] - value[row], 0.0)


@kernel("float64(int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])")
def spring_energy(
    # model
    kind, target, stiffness, lower_force, upper_force,  # (rows,)
    # state in
    value,  # (rows,) q
):  # fmt: skip
    """Energy stored in soft rows, J, see `stored`.

    Returns: the energy
    """
    energy = 0.0
    for row in range(kind.shape[0]):
        if kind[row] == SOFT:
            energy += stored(value[row] - target[row], stiffness[row], lower_force[row], upper_force[row])
    return energy


@kernel(
    "float64(int64[::1], int64[::1], uint8[::1], uint8[::1], float64[::1], float64[:, ::1], float64[::1],"
    "float64[:, ::1], int64[::1])"
)
def worst_slack(
    # model
    entry_start, entry_body,  # (rows + 1,), (entries,)
    closes, redundant,  # (rows,) hard rows, of which those are redundant
    # state in
    betas,  # (rows,) s
    jacobian, bias,  # (entries, 6), (rows,)
    velocity,  # (bodies, 6)
    index_set,  # (rows,) 0 free
):  # fmt: skip
    """How far the worst hard row is left open by these velocities where the solve closed it: beta |J v + b|, m or rad.

    Returns: the way
    """
    worst = 0.0
    for row in range(closes.shape[0]):
        if closes[row] != 0 and redundant[row] == 0 and index_set[row] == 0:
            rate = bias[row]
            for entry in range(entry_start[row], entry_start[row + 1]):
                block, twist = jacobian[entry], velocity[entry_body[entry]]
                for i in range(6):
                    rate += block[i] * twist[i]
            worst = max(worst, abs(betas[row] * rate))
    return worst
