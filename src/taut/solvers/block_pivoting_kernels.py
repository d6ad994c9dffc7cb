"""Compiled block principal pivoting over all islands of a problem, in one call."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.solvers.island_kernels import (
    BIAS,
    COMPACT,
    INVERSE,
    LAM,
    LOWER,
    SCALE,
    SET,
    UPPER,
    W,
    island_scale,
    scale_problem,
    solve_index_set,
)

SOLVED, LIMIT, CYCLE, INDEFINITE, STUCK = 0, 1, 2, 3, 4
"""How an island ended; STUCK: a dependent row has a slack that no bound can take, or lam ran off."""
CODE, PIVOTS, FACTORIZATIONS, DEPENDENT = 0, 1, 2, 3
"""Columns of the report of an island: how it ended, work done, dependent rows in the last factor."""
REPORT_COLUMNS = 4

VIOLATION_TOLERANCE = 1e-12
"""Violation, relative to the island's scale, that is rounding and no reason to pivot: degenerate rows stay put."""
INCONSISTENT_ABOVE = 1e-10
"""Slack of a dependent free row, relative to the island's scale, that is no rounding."""
ACCEPTED_VIOLATION = 1e-10
"""Violation, relative to the island's scale, with which a search that does not end is still taken as solved."""
CLOSE_ENOUGH = 3e-10
"""Violation, relative to the island's scale, with which an answer that is not exact is taken: below the promise."""
HIDDEN_ABOVE = 1e-6
"""Violation, relative to the data, that calls for another way to solve, however small it is beside lam~."""
SAFE_PROXIMITY = 1e-6
"""Share of the diagonal added to the factor where a pivot was negative: far above what rounding makes of a zero."""
SINGLE_PIVOTS = 5
"""Single pivots after an index set repeats, before blocks are tried again; twice as many at each further repeat."""
FEW_CHANGES = 16
"""With no more rows to change than this a search is near its end and may take twice its pivots."""
STALL_WINDOW = 3
"""A search has stalled when more than FEW_CHANGES rows change and they did not halve in this many pivots."""
MANY_CHANGES = 64
"""A search in which more rows than this ask to change, and more than a pivot ago, has stalled at once."""
CROSSING_CHANGES = 48
"""A crossover that asks for more changes than this came too early."""
HASTY, PATIENT, CROSSING = 0, 1, 2
"""When a search ends unsolved: when it stalls; only at its limit; as soon as many rows ask to change."""
HASH_PRIME = 2147483647


@kernel("int64(int64, int64, int64[::1])", inner=True)
def hash_index_set(begin, end, index_set):
    """62-bit hash of an island's index set."""
    a = 17
    b = 31
    for k in range(begin, end):
        a = (a * 1000003 + index_set[k] + 2) % HASH_PRIME
        b = (b * 69069 + index_set[k] + 2) % HASH_PRIME
    return a * HASH_PRIME + b


@kernel("int64(int64, float64, float64[:, ::1], int64[:, ::1])", inner=True)
def wanted_label(k, scale, real, whole):
    """Label that row k should have, given lam and w.                                          [Lefebvre2020, eq. 2.1]

    A free row out of its bounds goes to the bound it passed; a tight row whose slack has the wrong sign becomes free; a
    dependent free row that could not be brought to w = 0 goes to the bound its slack points at, if there is one.
    """
    tol = VIOLATION_TOLERANCE * scale
    lam, w, label = real[LAM, k], real[W, k], whole[SET, k]
    lower, upper = real[LOWER, k], real[UPPER, k]
    if label == 0:
        if lam < lower - tol:
            return -1
        if lam > upper + tol:
            return 1
        if real[INVERSE, whole[COMPACT, k]] == 0.0:
            if w > INCONSISTENT_ABOVE * scale and lower > -math.inf:
                return -1
            if w < -INCONSISTENT_ABOVE * scale and upper < math.inf:
                return 1
        return 0
    if lower == upper or label * w <= tol:
        return label
    return 0


@kernel("int64(int64, int64, float64, int64, float64[:, ::1], int64[:, ::1])", inner=True)
def update_index_set(begin, end, scale, single, real, whole_out):
    """Relabel all rows that ask for it, or with `single` only the last one.

    Returns: rows that asked
    """
    index_set = whole_out[SET]
    changes = 0
    for k in range(end - 1, begin - 1, -1):
        label = wanted_label(k, scale, real, whole_out)
        if label != index_set[k]:
            changes += 1
            # labels of other rows do not matter to this one, so they may change on the way
            if changes == 1 or single == 0:
                index_set[k] = label
    return changes


@kernel("int64(int64, int64, float64, float64[:, ::1], int64[:, ::1])", inner=True)
def count_stuck(begin, end, scale, real, whole):
    """Dependent free rows whose slack stays although no label asks to change."""
    stuck = 0
    for k in range(begin, end):
        if whole[SET, k] == 0 and not (abs(real[W, k]) <= INCONSISTENT_ABOVE * scale):
            stuck += 1
    return stuck


@kernel("float64(int64, int64, float64[:, ::1])", inner=True)
def worst_violation(begin, end, real):
    """Natural residual of an island, |lam~ - clip(lam~ - w~, lower~, upper~)|.                  [Peiret2019, eq. 29]"""
    worst = 0.0
    for k in range(begin, end):
        lam = real[LAM, k]
        worst = max(worst, abs(lam - min(max(lam - real[W, k], real[LOWER, k]), real[UPPER, k])))
    return worst


@kernel("int64(int64, int64, float64[:, ::1], int64[:, ::1])", inner=True)
def has_run_off(begin, end, real, whole):
    """Whether free rows may have run off along a direction that A hardly sees: rounding of A lam spoils the rest.

    Multipliers may also have to be that large; another way to solve then finds none that are better.
    """
    data = 0.0
    for k in range(begin, end):
        data = max(data, abs(real[BIAS, k]))
        if whole[SET, k] != 0:
            data = max(data, abs(real[LAM, k]))
    return 1 if worst_violation(begin, end, real) > HIDDEN_ABOVE * data else 0


@kernel("int64(int64, int64, int64, int64[:, ::1], int64[:, ::1])", inner=True)
def has_repeated(begin, end, pivot, whole, seen_out):
    """Whether the index set was there before; remembers it as number `pivot`."""
    seen_out[0, pivot] = hash_index_set(begin, end, whole[SET])
    for k in range(pivot):
        if seen_out[0, k] == seen_out[0, pivot]:
            return 1
    return 0


@kernel("int64(int64, int64, int64, int64[:, ::1])", inner=True)
def has_ended(pivot, limit, patience, seen):
    """Whether a search should end unsolved after this pivot, given the changes at each pivot in seen[1]."""
    changes = seen[1, pivot]
    if patience == CROSSING and changes > CROSSING_CHANGES:
        return 1
    if pivot + 1 >= 2 * limit or (pivot + 1 >= limit and changes > FEW_CHANGES):
        return 1
    if patience != HASTY or pivot == 0 or changes <= FEW_CHANGES:
        return 0
    if changes > seen[1, pivot - 1] and changes > MANY_CHANGES:
        return 1
    if pivot < STALL_WINDOW:
        return 0
    return 1 if 2 * changes > seen[1, pivot - STALL_WINDOW] else 0


@kernel(
    "void(int64, int64, int64, int64, float64, int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1],"
    " int64[:, ::1], float64[::1], int64[:, ::1], int64[::1])",
    inner=True,
)
def pivot_island(
    begin, end, limit, patience, proximity,
    lower_start, lower_column, entries,  # structure and scaled problem
    real, whole, layout, storage,  # workspace, start and solution in real and whole
    seen,  # workspace (2, 2 limit)
    report_out,
):  # fmt: skip
    """Block principal pivoting on one island from the index set in `whole`.      [Lefebvre2020, Alg. 2.1; Judice1994]

    Stops after `limit` pivots (twice that if few rows still change) and, if HASTY, when the search stalls or an index
    set repeats a second time. With `proximity` an index set that fits is an answer only if the violation is small.
    Departs from the papers: single least-index pivots (Murty) start when an index set repeats, not when the number of
    violations stops to fall.
    """
    report_out[CODE] = LIMIT
    repeats = 0
    singles = 0
    for pivot in range(2 * limit):
        report_out[PIVOTS] += 1
        dependent = -1
        while dependent < 0:
            report_out[FACTORIZATIONS] += 1
            dependent = solve_index_set(
                begin, end, proximity, lower_start, lower_column, entries, real, whole, layout, storage
            )
            if proximity >= SAFE_PROXIMITY:
                break
            if dependent < 0:
                # a pivot just above rounding spoils those after it; what is still negative then is so for good
                proximity = SAFE_PROXIMITY
        report_out[DEPENDENT] = dependent
        if dependent < 0:
            report_out[CODE] = INDEFINITE
            return
        scale = island_scale(begin, end, real)
        changes = update_index_set(begin, end, scale, singles, real, whole)
        if changes == 0:
            if proximity > 0.0:
                close = worst_violation(begin, end, real) <= CLOSE_ENOUGH * scale
                report_out[CODE] = SOLVED if close else LIMIT
                return
            stuck = count_stuck(begin, end, scale, real, whole) + has_run_off(begin, end, real, whole)
            report_out[CODE] = SOLVED if stuck == 0 else STUCK
            return
        seen[1, pivot] = changes
        if has_ended(pivot, limit, patience, seen) == 1:
            if worst_violation(begin, end, real) <= ACCEPTED_VIOLATION * scale:
                report_out[CODE] = SOLVED
            return
        singles = max(singles - 1, 0)
        if has_repeated(begin, end, pivot, whole, seen) == 1 and singles == 0:
            repeats += 1
            singles = SINGLE_PIVOTS << min(repeats - 1, 20)
            if repeats == 2 and patience == HASTY:
                report_out[CODE] = CYCLE
                return


@kernel("int64(int64, int64, float64[:, ::1], int64[:, ::1])", inner=True)
def is_idle(begin, end, real_out, whole_out):
    """Whether nothing asks anything of an island: b = 0 and bounds that allow lam = 0, which is then set.

    A start with lam != 0 would otherwise leave a little of it, with nothing to call it small against.
    """
    for k in range(begin, end):
        if not (real_out[BIAS, k] == 0.0 and real_out[LOWER, k] <= 0.0 <= real_out[UPPER, k]):
            return 0
    for k in range(begin, end):
        real_out[LAM, k] = 0.0
        label = whole_out[SET, k]
        if (label < 0 and real_out[LOWER, k] < 0.0) or (label > 0 and real_out[UPPER, k] > 0.0):
            whole_out[SET, k] = 0
    return 1


@kernel("void(int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1])", inner=True)
def load_start(order, index_set, lam, real_out, whole_out):
    """Permute and scale a start; labels of bounds that do not exist become free, fixed rows tight, non-numbers 0."""
    for k in range(order.size):
        label = index_set[order[k]]
        lower, upper = real_out[LOWER, k], real_out[UPPER, k]
        if lower == upper:
            label = -1
        elif (label < 0 and lower == -math.inf) or (label > 0 and upper == math.inf):
            label = 0
        whole_out[SET, k] = min(max(label, -1), 1)
        x = lam[order[k]] / real_out[SCALE, k]
        real_out[LAM, k] = x if math.isfinite(x) else 0.0


@kernel("void(int64[::1], float64[::1], float64[::1], float64[:, ::1], int64[:, ::1], float64[::1], int64[::1])")
def store_result(order, lower, upper, real, whole, lam_out, index_set_out):
    """Unscale and put back in the given order; tight rows exactly at their bounds, all within bounds."""
    for k in range(order.size):
        row = order[k]
        label = whole[SET, k]
        index_set_out[row] = label
        if label < 0:
            lam_out[row] = lower[row]
        elif label > 0:
            lam_out[row] = upper[row]
        else:
            lam_out[row] = min(max(real[LAM, k] * real[SCALE, k], lower[row]), upper[row])


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1], int64[::1], float64[::1], int64, float64[::1], float64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " float64[::1], int64[:, ::1], float64[::1], int64[::1], int64[:, ::1])"
)
def pivot_islands(
    order, island_start, lower_start, lower_column, lower_source,  # structure
    values, bias, lower, upper,  # problem
    start_set, start_lam, limit,
    entries, real, whole, layout, storage, seen,  # workspace
    lam_out,
    index_set_out,
    report_out,
):  # fmt: skip
    """Solve every island of a problem by block principal pivoting.

    Shapes:  lam_out, index_set_out (n,), report_out (islands, REPORT_COLUMNS), 0 on entry
    Returns: number of islands that were not solved, or -1 if the problem holds a number that is not finite
    """
    if scale_problem(order, lower_start, lower_column, lower_source, values, bias, lower, upper, entries, real) == 0:
        return -1
    load_start(order, start_set, start_lam, real, whole)
    unsolved = 0
    for island in range(island_start.size - 1):
        if is_idle(island_start[island], island_start[island + 1], real, whole) == 1:
            continue
        pivot_island(
            island_start[island], island_start[island + 1], limit, HASTY, 0.0, lower_start, lower_column, entries,
            real, whole, layout, storage, seen, report_out[island],
        )  # fmt: skip
        if report_out[island, CODE] != SOLVED:
            unsolved += 1
    store_result(order, lower, upper, real, whole, lam_out, index_set_out)
    return unsolved
