"""Compiled primal-dual interior-point method on the box QP behind a box MLCP, with crossover to an index set.

For symmetric positive semidefinite A the MLCP is the optimality condition of

    minimise 1/2 lam' A lam + b' lam   subject to   lower <= lam <= upper.

Slacks s (distance to a bound) and their duals z are variables of their own, one row of `inner` for lower and one for
upper bounds; a missing bound has s = 1, z = 0. Fixed rows (lower = upper) take no part.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.skyline_kernels import skyline_factor, skyline_solve
from taut.solvers.island_kernels import (
    BIAS,
    DIAGONAL,
    FREE_ROW,
    INVERSE,
    LAM,
    LOWER,
    SET,
    STEP,
    UPPER,
    W,
    island_scale,
    multiply_island,
)

SLACK, DUAL, SLACK_STEP, DUAL_STEP, LAM_STEP = 0, 2, 4, 6, 8
"""Rows of `inner` (lower bounds; the next row for upper bounds): s, z, ds, dz; and the step of lam, one row."""
KEPT_STEP, TARGET, KEPT_LAM = 9, 14, 16
"""Rows of `inner`: a copy of the five step rows; the complementarity that a step should cancel; a copy of lam."""
INNER_ROWS = 17

START_SHARE = 0.1
"""Slacks and duals start at least at this share of the island's scale."""
STEP_SHARE = 0.995
"""Share of the way to the boundary that a step goes."""
CORRECTIONS = 2
"""Centrality corrections a step, each one more solve with the same factor."""
CORRECTION_REACH, CORRECTION_GAIN = 0.3, 0.01
"""How much longer a step a correction aims at, and the least gain for which it is kept."""
SAFE_ABOVE, SAFE_CENTRING = 1.3, 0.2
"""A step after which the sum of s z is more than this multiple of it now is replaced by a plain, centring one."""
PROXIMITY = 1e-12
"""Share of the diagonal added to the matrix: it keeps directions that A does not see still, and where the method
converges to does not depend on it."""
CENTRALITY = 0.1
"""A product s z between this share of the target and its inverse counts as central."""


@kernel("int64(int64, int64, int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1], float64[:, ::1])")
def start_interior(begin, end, lower_start, lower_column, entries, real_out, whole_out, inner_out):
    """First point: lam at -b~ or the bound next to it, slacks and duals well inside.

    Returns: number of bounds
    """
    for k in range(begin, end):
        lower, upper = real_out[LOWER, k], real_out[UPPER, k]
        whole_out[SET, k] = -1 if lower == upper else 0
        real_out[LAM, k] = min(max(-real_out[BIAS, k], lower), upper)
    multiply_island(begin, end, lower_start, lower_column, entries, real_out)
    scale = island_scale(begin, end, real_out)
    least = START_SHARE * scale
    bounds = 0
    for k in range(begin, end):
        for side in range(2):
            bound = real_out[LOWER + side, k]
            sign = 1.0 - 2.0 * side
            inner_out[SLACK + side, k] = 1.0
            inner_out[DUAL + side, k] = 0.0
            inner_out[SLACK_STEP + side, k] = 0.0
            inner_out[DUAL_STEP + side, k] = 0.0
            if whole_out[SET, k] == 0 and math.isfinite(bound):
                slack = max(sign * (real_out[LAM, k] - bound), least)
                inner_out[SLACK + side, k] = slack
                # a bound that is far away starts with a small dual, so that no product s z dwarfs the others
                inner_out[DUAL + side, k] = max(sign * real_out[W, k], least * min(1.0, scale / slack))
                bounds += 1
    return bounds


@kernel("float64(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])")
def interior_mismatch(begin, end, real, whole, inner):
    """Largest |w - z_l + z_u| and |distance to a bound - s| of the rows that take part."""
    worst = 0.0
    for k in range(begin, end):
        if whole[SET, k] != 0:
            continue
        worst = max(worst, abs(real[W, k] - inner[DUAL, k] + inner[DUAL + 1, k]))
        for side in range(2):
            if inner[DUAL + side, k] > 0.0:
                distance = (1.0 - 2.0 * side) * (real[LAM, k] - real[LOWER + side, k])
                worst = max(worst, abs(distance - inner[SLACK + side, k]))
    return worst


@kernel("float64(int64, int64, float64, float64[:, ::1])")
def complementarity(begin, end, length, inner):
    """Sum of s z after a step of this length."""
    total = 0.0
    for side in range(2):
        slack, dual = inner[SLACK + side], inner[DUAL + side]
        slack_step, dual_step = inner[SLACK_STEP + side], inner[DUAL_STEP + side]
        for k in range(begin, end):
            total += (slack[k] + length * slack_step[k]) * (dual[k] + length * dual_step[k])
    return total


@kernel("float64(int64, int64, float64[:, ::1])")
def longest_step(begin, end, inner):
    """Longest step, at most 1, that keeps all slacks and duals nonnegative."""
    length = 1.0
    for row in range(SLACK_STEP):
        value, step = inner[row], inner[row + SLACK_STEP]
        for k in range(begin, end):
            if value[k] + length * step[k] < 0.0:
                length = -value[k] / step[k]
    return length


@kernel("int64(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1])")
def factor_interior(panels, real_out, whole, inner, layout, storage_out):
    """Factor A + diag(z / s + PROXIMITY) in the panels that hold A.

    Returns: as `skyline_factor`
    """
    width = max(layout[4, 0], 1)
    for i in range(layout[0, panels]):
        k = whole[FREE_ROW, i]
        barrier = PROXIMITY + inner[DUAL, k] / inner[SLACK, k] + inner[DUAL + 1, k] / inner[SLACK + 1, k]
        p = i // width
        storage_out[layout[1, p] + (i - layout[0, p]) * (layout[2, p] + 1)] += barrier
        real_out[DIAGONAL, i] += barrier
    return skyline_factor(layout, panels, real_out[DIAGONAL], storage_out, real_out[INVERSE])


@kernel("void(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1])")
def find_direction(panels, real_out, whole, inner_out, layout, storage):
    """Newton direction for the complementarity targets c, with r the mismatch of the slacks:

    (A + z/s) d = -(w - z_l + z_u) - (c_l + z_l r_l) / s_l + (c_u + z_u r_u) / s_u

    Writes:  row STEP of real_out (compact) and the step rows of inner_out
    """
    step = real_out[STEP]
    count = layout[0, panels]
    for i in range(count):
        k = whole[FREE_ROW, i]
        step[i] = -real_out[W, k]
        for side in range(2):
            slack, dual = inner_out[SLACK + side, k], inner_out[DUAL + side, k]
            if dual > 0.0:
                sign = 1.0 - 2.0 * side
                mismatch = sign * (real_out[LAM, k] - real_out[LOWER + side, k]) - slack
                step[i] += sign * (dual - (inner_out[TARGET + side, k] + dual * mismatch) / slack)
    for i in range(count, (count + 3) // 4 * 4):
        step[i] = 0.0
    skyline_solve(layout, panels, storage, real_out[INVERSE], step)
    for i in range(count):
        k = whole[FREE_ROW, i]
        inner_out[LAM_STEP, k] = step[i]
        for side in range(2):
            slack, dual = inner_out[SLACK + side, k], inner_out[DUAL + side, k]
            if dual > 0.0:
                sign = 1.0 - 2.0 * side
                # the mismatch is rounded as above, so that its rounding, times z/s, cancels in the dual equation
                mismatch = sign * (real_out[LAM, k] - real_out[LOWER + side, k]) - slack
                move = sign * step[i] + mismatch
                inner_out[SLACK_STEP + side, k] = move
                inner_out[DUAL_STEP + side, k] = -(inner_out[TARGET + side, k] + dual * move) / slack


@kernel("void(int64, int64, float64, float64, float64[:, ::1])")
def aim(begin, end, order, centre, inner_out):
    """Targets s z + order ds dz - centre: the affine direction (0, 0), or Mehrotra's corrector (1, sigma mu)."""
    for side in range(2):
        for k in range(begin, end):
            product = inner_out[SLACK + side, k] * inner_out[DUAL + side, k]
            second = inner_out[SLACK_STEP + side, k] * inner_out[DUAL_STEP + side, k]
            inner_out[TARGET + side, k] = product + order * second - centre


@kernel("void(int64, int64, float64, float64, float64[:, ::1])")
def aim_central(begin, end, length, centre, inner_out):
    """Correct the targets by the products that a step of this length would leave far from `centre` (Gondzio)."""
    for side in range(2):
        for k in range(begin, end):
            slack = inner_out[SLACK + side, k] + length * inner_out[SLACK_STEP + side, k]
            product = slack * (inner_out[DUAL + side, k] + length * inner_out[DUAL_STEP + side, k])
            wanted = min(max(product, CENTRALITY * centre), centre / CENTRALITY)
            inner_out[TARGET + side, k] -= max(wanted - product, -centre / CENTRALITY)


@kernel("void(int64, int64, int64, int64, int64, float64[:, ::1])")
def copy_rows(begin, end, source, target, count, inner_out):
    """Copy rows of `inner_out`."""
    for row in range(count):
        a, b = inner_out[source + row], inner_out[target + row]
        for k in range(begin, end):
            b[k] = a[k]


@kernel(
    "float64(int64, int64, int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1])"
)
def choose_step(begin, end, panels, bounds, real_out, whole, inner_out, layout, storage):
    """Mehrotra's predictor-corrector direction with centrality corrections.

    Returns: length of the step
    """
    aim(begin, end, 0.0, 0.0, inner_out)
    find_direction(panels, real_out, whole, inner_out, layout, storage)
    now = complementarity(begin, end, 0.0, inner_out)
    left = complementarity(begin, end, longest_step(begin, end, inner_out), inner_out) / now
    centre = left * left * left * now / bounds
    aim(begin, end, 1.0, centre, inner_out)
    find_direction(panels, real_out, whole, inner_out, layout, storage)
    length = longest_step(begin, end, inner_out)
    share = max(STEP_SHARE, 1.0 - math.sqrt(now / bounds) / island_scale(begin, end, real_out))
    for _ in range(CORRECTIONS):
        copy_rows(begin, end, SLACK_STEP, KEPT_STEP, 5, inner_out)
        aim_central(begin, end, min(length + CORRECTION_REACH, 1.0), centre, inner_out)
        find_direction(panels, real_out, whole, inner_out, layout, storage)
        longer = longest_step(begin, end, inner_out)
        if longer < length + CORRECTION_GAIN:
            copy_rows(begin, end, KEPT_STEP, SLACK_STEP, 5, inner_out)
            break
        length = longer
    if complementarity(begin, end, share * length, inner_out) > SAFE_ABOVE * now:
        # second-order terms can send the method in circles; a plain step towards the centre cannot
        aim(begin, end, 0.0, SAFE_CENTRING * now / bounds, inner_out)
        find_direction(panels, real_out, whole, inner_out, layout, storage)
        length = longest_step(begin, end, inner_out)
    return share * length
