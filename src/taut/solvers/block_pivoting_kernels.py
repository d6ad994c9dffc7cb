"""Block principal pivoting, written once, for any factor, compiled or not; labels and bookkeeping are kernels."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.linalg.factor import Factor
from taut.solvers.index_set_kernels import (
    FIRM,
    HASTY,
    VIOLATION_TOLERANCE,
    WARY,
    has_ended,
    has_repeated,
    is_stuck,
    put_on_bounds,
    shift_by,
    step_free_rows,
    update_index_set,
    wants_refinement,
)
from taut.solvers.island_kernels import (
    give_result,
    is_cold,
    is_idle,
    is_worth_condensing,
    island_scale,
    load_islands,
    store_result,
    take_islands,
    worst_violation,
)
from taut.solvers.island_workspace import (
    BORDER,
    CHANGES,
    CODE,
    CYCLE,
    DEPENDENT,
    FACTORIZATIONS,
    FIRST,
    INDEFINITE,
    LIMIT,
    PIVOTS,
    REPEATS,
    SOLVED,
    STAGE,
    STUCK,
    IslandWork,
    ReusingWork,
    Search,
    SkylineWork,
)
from taut.tables import Reals, Wholes, generic

HIDDEN_ON_BORDER = 1e-11
"""Violation, relative to the data, with which what was found on a border is taken without pivots on all rows."""
ACCEPTED_VIOLATION = 1e-10
"""Violation, relative to the island's scale, with which a search that does not end is still taken as solved."""
CLOSE_ENOUGH = 3e-10
"""Violation, relative to the island's scale, with which an answer that is not exact is taken: below the promise."""
SAFE_PROXIMITY = 1e-6
"""Share of the diagonal added to the factor where a pivot was negative: far above what rounding makes of a zero."""
SINGLE_PIVOTS = 5
"""Single pivots after an index set repeats, before blocks are tried again; twice as many at each further repeat."""


@generic
def solve_index_set(begin: int, end: int, proximity: float, search: Search, factor: Factor) -> int:
    """Solve A_FF d = (b + A lam)_F, lam_F -= d with tight rows at their bounds.   [Lefebvre2020, Alg. 2.1, lines 4-8]

    The step is taken from the multipliers on entry, so rows that depend on others keep theirs. A step of iterative
    refinement follows while the slack of a free row asks for it.

    With `proximity` the factor is that of A_FF + proximity I: each pass is then a step of the proximal-point method,
    which hardly moves along directions that A hardly sees, and ends where those directions are good enough.

    Writes:  lam, w, step, shift, dependent of the search; the factor
    Returns: number of dependent rows, or a negative number if A_FF is not positive semidefinite
    """
    lam, w, bias, step = search.lam, search.w, search.bias, search.step
    put_on_bounds(begin, end, search)
    shift = search.shift[: shift_by(begin, end, proximity, search.shift)]
    dependent = factor.factorise(begin, end, search.index_set, shift, search.dependent)
    factor.multiply(begin, end, lam, bias, w)
    if dependent < 0:
        return dependent
    for _ in range(3):
        factor.solve(w, step)
        step_free_rows(begin, end, search)
        factor.multiply(begin, end, lam, bias, w)
        if wants_refinement(begin, end, search) == 0:
            break
    return dependent


@generic
def pivot_island(
    begin: int,
    end: int,
    limit: int,
    patience: int,
    proximity: float,
    search: Search,
    factor: Factor,
    seen: np.ndarray,  # workspace (2, 2 limit)
    report_out: np.ndarray,  # (REPORT_COLUMNS,)
) -> None:
    """Block principal pivoting on one island from the index set of the search.   [Lefebvre2020, Alg. 2.1; Judice1994]

    Stops after `limit` pivots (twice that if few rows still change) and, if HASTY or WARY, when the search stalls or an
    index set repeats a second time. With `proximity` an index set that fits is an answer only if the violation is
    small. Departs from the papers: single least-index pivots (Murty) start when an index set repeats, not when the
    number of violations stops to fall.

    Writes:  the search, the factor, seen, report_out
    """
    report_out[CODE], report_out[REPEATS] = LIMIT, 0
    singles = 0
    for pivot in range(2 * limit):
        report_out[PIVOTS] += 1
        dependent = -1
        while dependent < 0:
            report_out[FACTORIZATIONS] += 1
            dependent = solve_index_set(begin, end, proximity, search, factor)
            if proximity >= SAFE_PROXIMITY:
                break
            if dependent < 0:
                # a pivot just above rounding spoils those after it; what is still negative then is so for good
                proximity = SAFE_PROXIMITY
        report_out[DEPENDENT] = dependent
        if dependent < 0:
            report_out[CODE] = INDEFINITE
            return
        scale = island_scale(begin, end, search)
        changes = update_index_set(begin, end, scale, singles, search)
        if changes == 0:
            if proximity > 0.0:
                close = worst_violation(begin, end, search) <= CLOSE_ENOUGH * scale
                report_out[CODE] = SOLVED if close else LIMIT
                return
            report_out[CODE] = STUCK if is_stuck(begin, end, scale, search) == 1 else SOLVED
            return
        seen[1, pivot] = changes
        if pivot == 0:
            report_out[CHANGES] = changes
        if has_ended(pivot, limit, patience, seen) == 1:
            if worst_violation(begin, end, search) <= ACCEPTED_VIOLATION * scale:
                report_out[CODE] = SOLVED
            return
        singles = max(singles - 1, 0)
        if has_repeated(begin, end, pivot, search, seen) == 1 and singles == 0:
            report_out[REPEATS] += 1
            singles = SINGLE_PIVOTS << min(report_out[REPEATS] - 1, 20)
            if report_out[REPEATS] == 2 and (patience == HASTY or patience == WARY):
                report_out[CODE] = CYCLE
                return


@generic
def pivot_part(work: IslandWork, first: int, last: int, stage: int, limit: int, patience: int, proximity: float) -> int:
    """Pivot on those of the islands first..last that are at this stage; see `pivot_island`.

    Several threads may do so at once, each with other islands and a work beside the others, see `SkylineWork.beside`.

    Writes:  the work, of the report the rows of these islands
    Returns: number of islands that were not solved
    """
    search, factor, seen = work.search, work.factor, work.seen
    island_start = factor.symbolic.island_start
    unsolved = 0
    for island in range(first, last):
        report = work.report[island]
        begin, end = island_start[island], island_start[island + 1]
        if report[STAGE] != stage or (stage == FIRST and is_idle(begin, end, search) == 1):
            continue
        pivot_island(begin, end, limit, patience, proximity, search, factor, seen, report)
        if report[CODE] != SOLVED:
            unsolved += 1
    return unsolved


@generic
def pivot_each(
    work: SkylineWork | ReusingWork, first: int, last: int, stage: int, limit: int, patience: int, proximity: float
) -> int:
    """Pivot on some islands, one at a time; see `pivot_part`.

    At the FIRST stage, islands whose border is worth the detour get one pivot, none if nothing is known to start from;
    their next stage is then BORDER.
    """
    unsolved = 0
    island_start = work.factor.symbolic.island_start
    for island in range(first, last):
        begin, end = island_start[island], island_start[island + 1]
        cold = is_cold(begin, end, work.search) if stage == FIRST else 0
        pivot, plan = work.cost[0, island], work.cost[1, island]
        if stage == FIRST and is_worth_condensing(begin, end, pivot, plan, cold, work.search) == 1:
            left = pivot_part(work, island, island + 1, FIRST, 1 - cold, FIRM, 0.0)
            if left == 1:
                work.report[island, STAGE] = BORDER
        else:
            left = pivot_part(work, island, island + 1, stage, limit, patience, proximity)
        unsolved += left
    return unsolved


@kernel(apart=True)
def pivot_islands(
    work: SkylineWork, first: int, last: int, stage: int, limit: int, patience: int, proximity: float
) -> int:
    """Pivot on some islands with the factor that chooses; see `pivot_each`."""
    unsolved: int = pivot_each(work, first, last, stage, limit, patience, proximity)
    return unsolved


@kernel()
def take_border(work: SkylineWork, island: int) -> int:
    """Whether the index set that an island has from its border is exact on all rows; if so, the island is solved.

    Writes:  lam and w of the search, CODE in the report
    """
    search, symbolic = work.search, work.factor.symbolic
    begin, end = symbolic.island_start[island], symbolic.island_start[island + 1]
    put_on_bounds(begin, end, search)
    work.factor.multiply(begin, end, search.lam, search.bias, search.w)
    scale = island_scale(begin, end, search)
    data = 0.0
    for k in range(begin, end):
        data = max(data, abs(search.bias[k]), abs(search.lam[k]) if search.index_set[k] != 0 else 0.0)
    violation = worst_violation(begin, end, search)
    # by the data as well: beside multipliers that ran off, any violation is small
    fits = violation <= VIOLATION_TOLERANCE * scale and violation <= HIDDEN_ON_BORDER * data
    if fits and is_stuck(begin, end, scale, search) == 0:
        work.report[island, CODE] = SOLVED
        return 1
    return 0


@generic
def solve_with(
    work: IslandWork,
    values: Reals,
    bias: Reals,
    lower: Reals,
    upper: Reals,
    start_set: Wholes,
    start_lam: Reals,
    limit: int,
    lam_out: Reals,
    index_set_out: Wholes,
) -> int:
    """Solve every island of a problem by block principal pivoting with the factor of a workspace.

    Shapes:  values (entries of the pattern,), all others (n,)
    Writes:  lam_out, index_set_out, the work with its report
    Returns: number of islands that were not solved, or -1 if the problem holds a number that is not finite
    """
    if take_islands(work, values, bias, lower, upper, start_set, start_lam) == 0:
        return -1
    unsolved: int = pivot_part(work, 0, work.report.shape[0], FIRST, limit, HASTY, 0.0)
    give_result(work.factor.symbolic.order, work.search, lower, upper, lam_out, index_set_out)
    return unsolved


@generic
def solve_islands(
    work: SkylineWork,
    values: Reals,
    bias: Reals,
    lower: Reals,
    upper: Reals,
    start_set: Wholes,
    start_lam: Reals,
    limit: int,
    lam_out: Reals,
    index_set_out: Wholes,
) -> int:
    """`solve_with` the factor that chooses, by kernels that are compiled once for all who call them."""
    if load_islands(work, values, bias, lower, upper, start_set, start_lam) == 0:
        return -1
    unsolved: int = pivot_islands(work, 0, work.report.shape[0], FIRST, limit, HASTY, 0.0)
    store_result(work, lower, upper, lam_out, index_set_out)
    return unsolved
