"""Compiled primal-dual interior-point method on the box QP behind a box MLCP, with crossover to an index set.

For symmetric positive semidefinite A the MLCP is the optimality condition of

    minimise 1/2 lam' A lam + b' lam   subject to   lower <= lam <= upper.

Slacks s (distance to a bound) and their duals z are variables of their own, one row of `inner` for lower and one for
upper bounds; a missing bound has s = 1, z = 0. Fixed rows (lower = upper) take no part.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.factor import Factor
from taut.solvers.island_kernels import island_scale, worst_violation
from taut.solvers.island_workspace import Search
from taut.tables import RealRows, Reals, Wholes, generic

SLACK, DUAL, SLACK_STEP, DUAL_STEP, LAM_STEP = 0, 2, 4, 6, 8
"""Rows of `inner` (lower bounds; the next row for upper bounds): s, z, ds, dz; and the step of lam, one row."""
KEPT_STEP, TARGET, KEPT_LAM, CLOSE_LAM = 9, 14, 16, 9
"""Rows of `inner`: a copy of the five step rows; the complementarity that a step should cancel; copies of lam: of the
interior point, and of an answer close to it, made between iterations when no step has to be kept."""
EXISTS, RECIPROCAL, MISMATCH, BASE, SIDE = 17, 19, 21, 23, 24
"""Rows of `inner`: 1 where a bound exists, else 0; 1 / s of those; distance to the bound - s; the right-hand side that
all steps of an iteration share; -1, 1 where a row is settled at its lower, upper bound, 2 where it was, else 0."""
FIXED, SETTLED = -1, 2
"""Labels during the iterations, beside 0: rows that take no part as they have no choice, and as theirs is clear."""

COLD_SHARE, WARM_SHARE = 0.1, 0.02
"""Slacks and duals start at least at this share of the island's scale: without and with a warm start."""
NEAR_SHARE, NEAR_VIOLATION = 0.002, 2.0
"""Root of the products s z where multipliers are nearly right to begin with: this share of the island's scale, or this
multiple of their violation, whichever is larger. Products far below the violation send the method along the boundary:
with joints between 1 and 1e4 kg it takes 80 iterations from 0.005 of the scale, and 10 from twice the violation."""
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
SETTLED_ABOVE = 1e3
"""Barrier z / s above which a row is settled: it goes to its bound and takes no part, as a fixed row, so that the
factor has a row less. Its slack then says whether that was right. From 1e2 to 1e5 only the time of a factor changes."""


@generic
def start_multipliers(
    begin: int,
    end: int,
    warm: int,
    order: Wholes,
    start_lam: Reals,
    search: Search,
    factor: Factor,
    inner_out: RealRows,
) -> float:
    """First multipliers and their slack: lam~ at -b~ or the bound next to it, or `warm` ones if they violate less.

    Writes:  lam and w of the search, row KEPT_LAM of inner_out
    Returns: size of the data: largest |b~| and |w~| with the multipliers nearest to 0
    """
    bias, lower, upper, scale = search.bias, search.lower, search.upper, search.scale
    lam, w, kept = search.lam, search.w, inner_out[KEPT_LAM]
    data = 0.0
    least = math.inf
    # nearest to 0, cold; where there is a warm start that, and the better of those two again
    for trial in range(4 if warm != 0 else 2):
        for k in range(begin, end):
            x = 0.0
            if trial == 1:
                x = -bias[k]
            elif trial == 2:
                x = start_lam[order[k]] / scale[k]
            elif trial == 3:
                x = kept[k]
            lam[k] = min(max(x if math.isfinite(x) else 0.0, lower[k]), upper[k])
        factor.multiply(begin, end, lam, bias, w)
        violation = worst_violation(begin, end, search)
        if trial == 0:
            data = island_scale(begin, end, search)
            for k in range(begin, end):
                data = max(data, abs(w[k]))
        elif violation < least or trial == 1:
            least = violation
            for k in range(begin, end):
                kept[k] = lam[k]
    return data


@kernel(inner=True)
def leave_interior(k: int, inner_out: RealRows) -> None:
    """A row without bounds to keep away from: s = 1, z = 0, no steps.

    Writes:  inner_out
    """
    inner_out[LAM_STEP, k] = 0.0
    for side in range(2):
        inner_out[SLACK + side, k] = 1.0
        inner_out[DUAL + side, k] = 0.0
        inner_out[EXISTS + side, k] = 0.0
        inner_out[SLACK_STEP + side, k] = 0.0
        inner_out[DUAL_STEP + side, k] = 0.0


@kernel(apart=True)
def settle_rows(begin: int, end: int, search: Search, inner_out: RealRows) -> int:
    """Labels of an iteration: every row free but the fixed and the settled ones, which go to their bounds.

    Writes:  index_set of the search; lam where it is no number or settles; inner_out
    Returns: number of bounds of the rows that take part
    """
    lower, upper, lam_out, index_set_out = search.lower, search.upper, search.lam, search.index_set
    bounds = 0
    for k in range(begin, end):
        if not math.isfinite(lam_out[k]):
            lam_out[k] = 0.0
        side = 0 if inner_out[DUAL, k] > inner_out[DUAL + 1, k] else 1
        if inner_out[SIDE, k] == 0.0 and inner_out[DUAL + side, k] > SETTLED_ABOVE * inner_out[SLACK + side, k]:
            inner_out[SIDE, k] = 2.0 * side - 1.0
            lam_out[k] = lower[k] if side == 0 else upper[k]
            leave_interior(k, inner_out)
        index_set_out[k] = SETTLED if abs(inner_out[SIDE, k]) == 1.0 else 0
        if lower[k] == upper[k]:
            index_set_out[k] = FIXED
        bounds += int(inner_out[EXISTS, k] + inner_out[EXISTS + 1, k])
    return bounds


@kernel(apart=True)
def release_rows(begin: int, end: int, centre: float, search: Search, inner_out: RealRows) -> int:
    """Let settled rows whose slack has the wrong sign take part again, for good, with s z = centre.

    Writes:  index_set of the search, inner_out
    Returns: number of their bounds
    """
    lower, upper, w, index_set_out = search.lower, search.upper, search.w, search.index_set
    bounds = 0
    for k in range(begin, end):
        if index_set_out[k] == SETTLED and inner_out[SIDE, k] * w[k] > 0.0:
            index_set_out[k] = 0
            for side in range(2):
                if math.isfinite(lower[k] if side == 0 else upper[k]):
                    # the other bound is where it was
                    far = 0.0 if inner_out[SIDE, k] == 2.0 * side - 1.0 else upper[k] - lower[k]
                    slack = max(math.sqrt(centre), far)
                    inner_out[SLACK + side, k] = slack
                    inner_out[DUAL + side, k] = centre / slack
                    inner_out[EXISTS + side, k] = 1.0
                    bounds += 1
            inner_out[SIDE, k] = 2.0
    return bounds


@kernel(apart=True)
def start_interior(begin: int, end: int, share: float, search: Search, inner_out: RealRows) -> None:
    """Slacks and duals well inside, at least at this share of the island's scale.

    Writes:  inner_out
    """
    lower, upper, lam, w = search.lower, search.upper, search.lam, search.w
    scale = island_scale(begin, end, search)
    least = share * scale
    for k in range(begin, end):
        inner_out[SIDE, k] = 0.0
        leave_interior(k, inner_out)
        for side in range(2):
            bound = lower[k] if side == 0 else upper[k]
            sign = 1.0 - 2.0 * side
            if lower[k] < upper[k] and math.isfinite(bound):
                slack = max(sign * (lam[k] - bound), least)
                inner_out[SLACK + side, k] = slack
                # a bound that is far away starts with a small dual, so that no product s z dwarfs the others
                inner_out[DUAL + side, k] = max(sign * w[k], least * min(1.0, scale / slack))
                inner_out[EXISTS + side, k] = 1.0


@kernel(apart=True)
def start_near(begin: int, end: int, search: Search, inner_out: RealRows) -> None:
    """Slacks and duals next to those of the multipliers, where these come from sweeps and are nearly right.

    With y = lam - w, s - z is the distance of y from a bound and s z = mu: s = (y' + sqrt(y'^2 + 4 mu)) / 2.

    Writes:  inner_out
    """
    lower, upper, lam, w = search.lower, search.upper, search.lam, search.w
    scale, violation = island_scale(begin, end, search), worst_violation(begin, end, search)
    mu = max(NEAR_SHARE * scale, NEAR_VIOLATION * violation) ** 2
    for k in range(begin, end):
        inner_out[SIDE, k] = 0.0
        leave_interior(k, inner_out)
        for side in range(2):
            bound = lower[k] if side == 0 else upper[k]
            if lower[k] < upper[k] and math.isfinite(bound):
                away = (1.0 - 2.0 * side) * (lam[k] - w[k] - bound)
                large = 0.5 * (abs(away) + math.sqrt(away * away + 4.0 * mu))
                inner_out[SLACK + side, k] = large if away > 0.0 else mu / large
                inner_out[DUAL + side, k] = mu / large if away > 0.0 else large
                inner_out[EXISTS + side, k] = 1.0


@kernel(apart=True)
def linearise_interior(begin: int, end: int, search: Search, inner_out: RealRows) -> float:
    """What all steps of an iteration share: mismatch r of the slacks, 1 / s, and -(w - z_l + z_u) -+ z r / s.

    Writes:  rows BASE, MISMATCH, RECIPROCAL of inner_out
    Returns: largest |w - z_l + z_u| and |r| of the rows that take part
    """
    lower, upper, lam, w, index_set = search.lower, search.upper, search.lam, search.w, search.index_set
    worst = 0.0
    for k in range(begin, end):
        inner_out[BASE, k] = 0.0
        dual = w[k] - inner_out[DUAL, k] + inner_out[DUAL + 1, k]
        total = -dual
        for side in range(2):
            inner_out[MISMATCH + side, k] = 0.0
            inner_out[RECIPROCAL + side, k] = 0.0
            if inner_out[EXISTS + side, k] > 0.0:
                sign = 1.0 - 2.0 * side
                bound = lower[k] if side == 0 else upper[k]
                mismatch = sign * (lam[k] - bound) - inner_out[SLACK + side, k]
                inner_out[MISMATCH + side, k] = mismatch
                inner_out[RECIPROCAL + side, k] = 1.0 / inner_out[SLACK + side, k]
                total -= sign * inner_out[DUAL + side, k] * mismatch * inner_out[RECIPROCAL + side, k]
                worst = max(worst, abs(mismatch))
        if index_set[k] == 0:
            inner_out[BASE, k] = total
            worst = max(worst, abs(dual))
    return worst


@kernel("float64(int64, int64, float64, float64[:, ::1])", apart=True)
def complementarity(begin, end, length, inner):
    """Sum of s z after a step of this length."""
    total = 0.0
    for side in range(2):
        slack, dual = inner[SLACK + side], inner[DUAL + side]
        slack_step, dual_step = inner[SLACK_STEP + side], inner[DUAL_STEP + side]
        for k in range(begin, end):
            total += (slack[k] + length * slack_step[k]) * (dual[k] + length * dual_step[k])
    return total


@kernel("float64(int64, int64, float64[:, ::1])", apart=True)
def longest_step(begin, end, inner):
    """Longest step, at most 1, that keeps all slacks and duals nonnegative."""
    length = 1.0
    for row in range(SLACK_STEP):
        value, step = inner[row], inner[row + SLACK_STEP]
        for k in range(begin, end):
            if value[k] + length * step[k] < 0.0:
                length = -value[k] / step[k]
    return length


@kernel("float64(int64, float64[:, ::1])", inner=True)
def barrier(k, inner):
    """z_l / s_l + z_u / s_u of a row, and the proximity."""
    lower = inner[DUAL, k] * inner[RECIPROCAL, k]
    return PROXIMITY + lower + inner[DUAL + 1, k] * inner[RECIPROCAL + 1, k]


@kernel(apart=True)
def barriers(begin: int, end: int, inner: RealRows, shift_out: Reals) -> None:
    """Diagonal z / s + PROXIMITY of every row.

    Writes:  shift_out
    """
    for k in range(begin, end):
        shift_out[k] = barrier(k, inner)


@generic
def find_direction(begin: int, end: int, factor: Factor, inner_out: RealRows) -> None:
    """Newton direction for the complementarity targets c, with r the mismatch of the slacks:

    (A + z/s) d = -(w - z_l + z_u) - (c_l + z_l r_l) / s_l + (c_u + z_u r_u) / s_u

    Writes:  the step rows of inner_out
    """
    lam_step, base = inner_out[LAM_STEP], inner_out[BASE]
    below, above = inner_out[RECIPROCAL], inner_out[RECIPROCAL + 1]
    target_below, target_above = inner_out[TARGET], inner_out[TARGET + 1]
    for k in range(begin, end):
        lam_step[k] = base[k] - target_below[k] * below[k] + target_above[k] * above[k]
    factor.solve(lam_step, lam_step)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        exists, reciprocal = inner_out[EXISTS + side], inner_out[RECIPROCAL + side]
        mismatch, dual, target = inner_out[MISMATCH + side], inner_out[DUAL + side], inner_out[TARGET + side]
        slack_step, dual_step = inner_out[SLACK_STEP + side], inner_out[DUAL_STEP + side]
        for k in range(begin, end):
            slack_step[k] = exists[k] * (sign * lam_step[k]) + mismatch[k]
            dual_step[k] = -(target[k] + dual[k] * slack_step[k]) * reciprocal[k]


@kernel("void(int64, int64, float64, float64, float64[:, ::1])", apart=True)
def aim(begin, end, order, centre, inner_out):
    """Targets s z + order ds dz - centre: the affine direction (0, 0), or Mehrotra's corrector (1, sigma mu)."""
    for side in range(2):
        slack, dual, target = inner_out[SLACK + side], inner_out[DUAL + side], inner_out[TARGET + side]
        slack_step, dual_step = inner_out[SLACK_STEP + side], inner_out[DUAL_STEP + side]
        for k in range(begin, end):
            target[k] = slack[k] * dual[k] + order * (slack_step[k] * dual_step[k]) - centre


@kernel("void(int64, int64, float64, float64, float64[:, ::1])", apart=True)
def aim_central(begin, end, length, centre, inner_out):
    """Correct the targets by the products that a step of this length would leave far from `centre` (Gondzio)."""
    least, most = CENTRALITY * centre, centre / CENTRALITY
    for side in range(2):
        slack, dual, target = inner_out[SLACK + side], inner_out[DUAL + side], inner_out[TARGET + side]
        slack_step, dual_step = inner_out[SLACK_STEP + side], inner_out[DUAL_STEP + side]
        for k in range(begin, end):
            product = (slack[k] + length * slack_step[k]) * (dual[k] + length * dual_step[k])
            target[k] -= max(min(max(product, least), most) - product, -most)


@kernel("void(int64, int64, int64, int64, int64, float64[:, ::1])", apart=True)
def copy_rows(begin, end, source, target, count, inner_out):
    """Copy rows of `inner_out`."""
    for row in range(count):
        a, b = inner_out[source + row], inner_out[target + row]
        for k in range(begin, end):
            b[k] = a[k]


@generic
def choose_step(begin: int, end: int, bounds: int, search: Search, factor: Factor, inner_out: RealRows) -> float:
    """Mehrotra's predictor-corrector direction with centrality corrections.

    Writes:  inner_out
    Returns: length of the step
    """
    aim(begin, end, 0.0, 0.0, inner_out)
    find_direction(begin, end, factor, inner_out)
    now = complementarity(begin, end, 0.0, inner_out)
    left = complementarity(begin, end, longest_step(begin, end, inner_out), inner_out) / now
    centre = left * left * left * now / bounds
    aim(begin, end, 1.0, centre, inner_out)
    find_direction(begin, end, factor, inner_out)
    length = longest_step(begin, end, inner_out)
    share = max(STEP_SHARE, 1.0 - math.sqrt(now / bounds) / island_scale(begin, end, search))
    for _ in range(CORRECTIONS):
        copy_rows(begin, end, SLACK_STEP, KEPT_STEP, 5, inner_out)
        aim_central(begin, end, min(length + CORRECTION_REACH, 1.0), centre, inner_out)
        find_direction(begin, end, factor, inner_out)
        longer = longest_step(begin, end, inner_out)
        if longer < length + CORRECTION_GAIN:
            copy_rows(begin, end, KEPT_STEP, SLACK_STEP, 5, inner_out)
            break
        length = longer
    if complementarity(begin, end, share * length, inner_out) > SAFE_ABOVE * now:
        # second-order terms can send the method in circles; a plain step towards the centre cannot
        aim(begin, end, 0.0, SAFE_CENTRING * now / bounds, inner_out)
        find_direction(begin, end, factor, inner_out)
        length = longest_step(begin, end, inner_out)
    return share * length
