"""Kernels of `law.py`: from measures to the numbers of the MLCP, and what springs store."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.curve import Curves
from taut.rows.curve_kernels import energy_at
from taut.rows.table import RowTable
from taut.tables import Flags, RealRows, Reals, Wholes

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


@kernel("float64(float64, float64, float64, float64)", inner=True)
def damper(
    gap, damping,  # m or rad, N s/m or N m s/rad
    lower_force, upper_force,  # N or N m
):  # fmt: skip
    """The damping of a soft row in a step: none where a spring that only pushes, or only pulls, starts out of reach.

    A damper that knew from where the step leads that it will be reached would stop bodies on their way there.

    Returns: the damping
    """
    if (lower_force == 0.0 and gap > 0.0) or (upper_force == 0.0 and gap < 0.0):
        return 0.0
    return damping


@kernel()
def apply_laws(
    # model
    kind: Wholes, stiffness: Reals, damping: Reals,  # (rows,)
    entry_start: Wholes, entry_body: Wholes,  # (rows + 1,), (entries,)
    # state in
    target: Reals, limits: RealRows, force_limits: RealRows,  # (rows,), and (rows, 2)
    firmness: Reals,  # (rows,) share of stiffness and damping that a soft row has
    velocity: RealRows,  # (bodies, 6) the velocity linearised at, m/s and rad/s
    repair: float,  # share of a violation that the step takes back
    left: Reals,  # (rows,) gap that the step leaves for the rest of its frame to close
    start: Reals,  # (rows,) q where the step starts
    # in and out
    rows: RowTable,  # with step, beta, value, and Jacobian, which is turned around where an upper limit acts
) -> None:  # fmt: skip
    """Laws of `taut.rows.law` for every row.

    Writes:  jacobian, gap, sign, compliance, bias, lower, upper of rows
    """
    h = rows.step[0]
    for row in range(kind.shape[0]):
        law, goal, beta, value = kind[row], target[row], rows.beta[row], rows.value[row]
        gap, sign = value - goal, 1.0
        if law == LIMITS:
            low, high = value - limits[row, 0], limits[row, 1] - value
            gap, sign = (low, 1.0) if low <= high else (high, -1.0)
        rate = 0.0
        for entry in range(entry_start[row], entry_start[row + 1]):
            block, twist = rows.jacobian[entry], velocity[entry_body[entry]]
            for i in range(6):
                block[i] *= sign
                rate += block[i] * twist[i]
        rows.gap[row], rows.sign[row], rows.compliance[row] = gap, sign, 0.0
        rows.lower[row], rows.upper[row] = h * force_limits[row, 0], h * force_limits[row, 1]
        if law == HOLD or law == LIMITS:
            open_gap = (gap - left[row]) / beta - rate
            rows.bias[row] = open_gap if law == LIMITS and open_gap > 0.0 else repair * open_gap
        elif law == FOLLOW:
            rows.bias[row] = -goal
        elif law == SOFT:
            stiff, damps = stiffness[row] * firmness[row], damping[row] * firmness[row]
            weight = stiff * beta + damper(start[row] - goal, damps, force_limits[row, 0], force_limits[row, 1])
            rows.compliance[row] = 1.0 / (h * weight)
            rows.bias[row] = stiff * (gap - beta * rate) / weight
        else:
            rows.compliance[row], rows.bias[row] = 1.0, -rate


@kernel("void(int64[::1], float64[::1], float64[:, ::1], float64, float64[::1], float64[::1])")
def gaps_to_leave(
    kind, target, limits,  # (rows,), (rows,), (rows, 2) laws where the step starts
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
            left_out[row] = share * min(value[row] - limits[row, 0], limits[row, 1] - value[row], 0.0)


@kernel(inner=True)
def stored_in_row(
    curves: Curves, spring: int, gap: float, stiffness: float, lower_force: float, upper_force: float
) -> float:
    """Energy of a soft row, J, with a curve or as `stored` has it.

    Returns: the energy
    """
    if spring >= 0:
        return energy_at(curves, spring, gap)
    return stored(gap, stiffness, lower_force, upper_force)


@kernel()
def spring_energy(
    # model
    curves: Curves, spring: Wholes,  # (rows,)
    kind: Wholes, target: Reals, stiffness: Reals, force_limits: RealRows,  # (rows,), and (rows, 2)
    # state in
    value: Reals,  # (rows,) q
    # out
    energy_out: Reals,  # (rows,) J, 0 for rows that are not soft
) -> float:  # fmt: skip
    """Energy stored in soft rows, see `stored_in_row`.

    Writes:  energy_out
    Returns: their sum
    """
    energy = 0.0
    for row in range(kind.shape[0]):
        energy_out[row] = 0.0
        if kind[row] == SOFT:
            gap, low, high = value[row] - target[row], force_limits[row, 0], force_limits[row, 1]
            energy_out[row] = stored_in_row(curves, spring[row], gap, stiffness[row], low, high)
            energy += energy_out[row]
    return energy


@kernel()
def worst_slack(
    # model
    entry_start: Wholes, entry_body: Wholes,  # (rows + 1,), (entries,)
    closes: Flags, redundant: Flags,  # (rows,) hard rows, of which those are redundant
    # state in
    rows: RowTable,  # with beta, Jacobian and bias
    velocity: RealRows, index_set: Wholes,  # (bodies, 6), (rows,) 0 free
) -> float:  # fmt: skip
    """How far the worst hard row is left open by these velocities where the solve closed it: beta |J v + b|, m or rad.

    Returns: the way
    """
    worst = 0.0
    for row in range(closes.shape[0]):
        if closes[row] != 0 and redundant[row] == 0 and index_set[row] == 0:
            rate = rows.bias[row]
            for entry in range(entry_start[row], entry_start[row + 1]):
                block, twist = rows.jacobian[entry], velocity[entry_body[entry]]
                for i in range(6):
                    rate += block[i] * twist[i]
            worst = max(worst, abs(rows.beta[row] * rate))
    return worst
