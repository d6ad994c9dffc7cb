"""Compiled interior-point solve of an island, ended by reading off its index set and pivoting to the exact answer."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.factor import Factor
from taut.solvers.block_pivoting_kernels import CLOSE_ENOUGH
from taut.solvers.index_set_kernels import CROSSING, PATIENT
from taut.solvers.interior_point_kernels import (
    CLOSE_LAM,
    COLD_SHARE,
    DUAL,
    KEPT_LAM,
    LAM_STEP,
    SIDE,
    SLACK,
    SLACK_STEP,
    WARM_SHARE,
    barriers,
    choose_step,
    complementarity,
    linearise_interior,
    release_rows,
    settle_rows,
    start_interior,
    start_multipliers,
    start_near,
)
from taut.solvers.island_kernels import island_scale, worst_violation
from taut.solvers.island_workspace import (
    CHANGES,
    CLOSE,
    CODE,
    DONE,
    EXACT,
    FACTORIZATIONS,
    ITERATE,
    LAST,
    LIMIT,
    SHARPEN,
    SOLVED,
    STAGE,
    STUCK,
    IslandWork,
    Search,
    SkylineWork,
)
from taut.tables import RealRows, Reals, Wholes, generic

COLD, WARM, SWEPT = 0, 1, 2
"""What islands start from: nothing, multipliers of another problem, or such that sweeps have brought near."""
ITERATIONS = 60
"""Most iterations; 10 to 20 are usual."""
FIRST_CROSSOVER, LAST_CROSSOVER, CROSSOVER_FACTOR = 1e-6, 1e-11, 0.1
"""Relative errors at which the index set is read off: at first, at last, and how much tighter each time."""
EXACT_CROSSOVER = 1e-9
"""Relative error from which a crossover also tries the factor of A itself."""
PIVOTING = (
    (CLOSE, 3, CROSSING, 1e-5),
    (SHARPEN, 1, CROSSING, 0.0),
    (EXACT, 3, PATIENT, 0.0),
    (LAST, 128, PATIENT, 0.0),
)
"""Of each stage that pivots: pivots allowed, when they end unsolved, and the share of the diagonal that is added to the
factor. Among redundant rows the latter keeps lam near the interior point, where the many index sets that are as good as
each other do not matter."""
ERROR, READ_OFF_AT, STEPS, DATA, CENTRE, NEAR = 0, 1, 2, 3, 4, 5
"""Columns of the progress of islands: relative error of the interior point; error at which the index set is read off
next; iterations made; size of the data; mean of s z; of islands that started near multipliers that sweeps led to, the
error after a few iterations, 0 for others."""
NEAR_STEPS, NEAR_LEFT = 4, 0.3
"""An island that started near is started well inside instead if the error after so many iterations is still above this
share of itself after twice as many. In piles a fiftieth is left; heavy bodies on light ones, where sweeps lead nowhere
near, keep all of it, and would take 50 iterations."""
ROUNDED = 1e-12
"""Violation, relative to the island's scale, that is not worth one more factor."""
NEARLY_EXACT = 8
"""A close answer is not taken yet if no more rows than this keep it from being exact."""
CLOSE_SHARE = 1e-7
"""Violation, relative to the data, with which an answer that is not exact is taken."""
DIVERGED, DIVERGED_FOR_SURE = 1e6, 1e14
"""Growth of lam~ over the data that makes an answer doubtful, and that no solvable problem has."""
DOUBTFUL_SHARE, ROUNDING_SHARE = 1e-2, 1e-15
"""A doubtful answer is none if its violation exceeds these shares of the data and of lam~."""


@kernel(apart=True)
def read_index_set(begin: int, end: int, search: Search, inner_out: RealRows) -> None:
    """Label a row tight where the dual of a bound exceeds its slack, and keep a copy of lam.

    Writes:  index_set of the search, row KEPT_LAM of inner_out
    """
    lower, upper, lam, index_set_out = search.lower, search.upper, search.lam, search.index_set
    for k in range(begin, end):
        inner_out[KEPT_LAM, k] = lam[k]
        if lower[k] == upper[k]:
            index_set_out[k] = -1
        elif inner_out[SIDE, k] == -1.0 or inner_out[DUAL, k] > inner_out[SLACK, k]:
            index_set_out[k] = -1
        elif inner_out[SIDE, k] == 1.0 or inner_out[DUAL + 1, k] > inner_out[SLACK + 1, k]:
            index_set_out[k] = 1
        else:
            index_set_out[k] = 0


@kernel(apart=True)
def resume_interior(begin: int, end: int, search: Search, inner: RealRows) -> None:
    """Back to the interior point: lam as kept.

    Writes:  lam of the search
    """
    lam_out = search.lam
    for k in range(begin, end):
        lam_out[k] = inner[KEPT_LAM, k]


@kernel(apart=True)
def take_step(begin: int, end: int, length: float, search: Search, inner_out: RealRows) -> None:
    """Add the step to lam, slacks and duals.

    Writes:  lam of the search, rows SLACK and DUAL of inner_out
    """
    lam, lam_step = search.lam, inner_out[LAM_STEP]
    for k in range(begin, end):
        lam[k] += length * lam_step[k]
    for row in range(SLACK_STEP):
        value, step = inner_out[row], inner_out[row + SLACK_STEP]
        for k in range(begin, end):
            value[k] += length * step[k]


@kernel(apart=True)
def is_close(begin: int, end: int, data: float, search: Search) -> int:
    """Whether a candidate keeps the promise of the residual, with room to spare, without being exact."""
    violation = worst_violation(begin, end, search)
    return 1 if violation <= CLOSE_ENOUGH * island_scale(begin, end, search) and violation <= CLOSE_SHARE * data else 0


@kernel(apart=True)
def has_diverged(begin: int, end: int, data: float, search: Search) -> int:
    """Whether lam ran off along a direction that A does not see and b falls along: there is no solution.

    Such multipliers are set back to zero, since no size of them is better than another.

    Writes:  lam and index_set of the search
    """
    lower, upper, lam_out, index_set_out = search.lower, search.upper, search.lam, search.index_set
    scale = island_scale(begin, end, search)
    violation = worst_violation(begin, end, search)
    doubtful = violation > DOUBTFUL_SHARE * data and violation > ROUNDING_SHARE * scale
    if scale > DIVERGED_FOR_SURE * data or (scale > DIVERGED * data and doubtful):
        for k in range(begin, end):
            lam_out[k] = 0.0
            index_set_out[k] = -1 if lower[k] == upper[k] else 0
        return 1
    return 0


@kernel(apart=True)
def keep_answer(begin: int, end: int, search: Search, kept_out: Wholes, inner_out: RealRows) -> None:
    """Copy an answer that is close, as the index set may not stay when it is sharpened.

    Writes:  kept_out, row CLOSE_LAM of inner_out
    """
    lam, index_set = search.lam, search.index_set
    for k in range(begin, end):
        inner_out[CLOSE_LAM, k] = lam[k]
        kept_out[k] = index_set[k]


@kernel(apart=True)
def take_answer(begin: int, end: int, search: Search, kept: Wholes, inner: RealRows) -> None:
    """Back to the answer that was kept.

    Writes:  lam and index_set of the search
    """
    lam_out, index_set_out = search.lam, search.index_set
    for k in range(begin, end):
        lam_out[k] = inner[CLOSE_LAM, k]
        index_set_out[k] = kept[k]


@kernel(apart=True)
def settle_on_bounds(begin: int, end: int, search: Search, inner_out: RealRows) -> None:
    """The interior point with its index set read off and tight rows at their bounds.

    Writes:  lam and index_set of the search
    """
    resume_interior(begin, end, search, inner_out)
    read_index_set(begin, end, search, inner_out)
    lower, upper, lam_out, index_set = search.lower, search.upper, search.lam, search.index_set
    for k in range(begin, end):
        if index_set[k] != 0:
            lam_out[k] = lower[k] if index_set[k] < 0 else upper[k]


@kernel(apart=True)
def leave_crossover(begin: int, end: int, error: float, search: Search, inner_out: RealRows) -> int:
    """Back to the interior point, and from there on with the factor of A itself if it is accurate enough for that.

    Writes:  the search, row KEPT_LAM of inner_out
    Returns: the next stage
    """
    resume_interior(begin, end, search, inner_out)
    if error > EXACT_CROSSOVER:
        return ITERATE
    read_index_set(begin, end, search, inner_out)
    return EXACT


@generic
def start_again(begin: int, end: int, search: Search, factor: Factor, inner_out: RealRows) -> None:
    """Start an island that started near once more, from the same multipliers, but well inside.

    Writes:  lam and w of the search, inner_out
    """
    resume_interior(begin, end, search, inner_out)
    factor.multiply(begin, end, search.lam, search.bias, search.w)
    start_interior(begin, end, COLD_SHARE, search, inner_out)


@generic
def start_each(warm: int, start_lam: Reals, work: IslandWork, inner_out: RealRows, progress_out: RealRows) -> int:
    """First interior points of the islands that are not solved; the others are done.

    Islands that pivoting found indefinite are among them: with the barrier on its diagonal the matrix may be definite
    all the way, and so are the rows that are free in the end, as in data rounded to a few digits.

    Shapes:  start_lam (n,), used if `warm` is not COLD; inner_out (INNER_ROWS, n); progress_out (islands, PROGRESS)
    Writes:  the search and the report of the work, inner_out, progress_out
    Returns: number of islands that are not done
    """
    symbolic = work.factor.symbolic
    left = 0
    for island in range(progress_out.shape[0]):
        report, progress = work.report[island], progress_out[island]
        report[STAGE] = DONE
        if report[CODE] != SOLVED:
            report[STAGE] = ITERATE
            left += 1
            begin, end = symbolic.island_start[island], symbolic.island_start[island + 1]
            data = start_multipliers(begin, end, warm, symbolic.order, start_lam, work.search, work.factor, inner_out)
            if warm == SWEPT:
                start_near(begin, end, work.search, inner_out)
            else:
                start_interior(begin, end, COLD_SHARE if warm == COLD else WARM_SHARE, work.search, inner_out)
            progress[ERROR], progress[READ_OFF_AT], progress[STEPS] = math.inf, FIRST_CROSSOVER, 0.0
            progress[DATA], progress[CENTRE], progress[NEAR] = data, 0.0, math.inf if warm == SWEPT else 0.0
    return left


@generic
def iterate_each(work: IslandWork, inner: RealRows, progress_out: RealRows) -> int:
    """Mehrotra's predictor-corrector method on islands at ITERATE until their index sets can be read off, as is done.

    The next stage is CLOSE, or LAST where the method does not converge.

    Shapes:  inner (INNER_ROWS, n), progress_out (islands, PROGRESS)
    Writes:  the work, inner, progress_out
    Returns: sum of 1 << stage over the stages at which there are islands now
    """
    search, factor, island_start = work.search, work.factor, work.factor.symbolic.island_start
    stages = 0
    for island in range(progress_out.shape[0]):
        report, progress = work.report[island], progress_out[island]
        begin, end = island_start[island], island_start[island + 1]
        if report[STAGE] != ITERATE:
            stages |= 1 << report[STAGE]
            continue
        while report[STAGE] == ITERATE:
            bounds = settle_rows(begin, end, search, inner)
            factor.multiply(begin, end, search.lam, search.bias, search.w)
            scale = max(island_scale(begin, end, search), 1e-300)
            if bounds > 0:
                progress[CENTRE] = complementarity(begin, end, 0.0, inner) / bounds
            centre = progress[CENTRE]
            bounds += release_rows(begin, end, centre, search, inner)
            gap = math.sqrt(centre) if bounds > 0 else 0.0
            error = max(linearise_interior(begin, end, search, inner), gap) / scale
            progress[ERROR] = error
            if progress[NEAR] > 0.0 and progress[STEPS] == NEAR_STEPS:
                progress[NEAR] = error
            if progress[NEAR] > 0.0 and progress[STEPS] == 2 * NEAR_STEPS and error > NEAR_LEFT * progress[NEAR]:
                start_again(begin, end, search, factor, inner)
                progress[NEAR] = progress[CENTRE] = 0.0
                continue
            settled = bounds == 0 and progress[STEPS] > 0.0 and progress[READ_OFF_AT] == FIRST_CROSSOVER
            lost = not math.isfinite(error) or scale > DIVERGED_FOR_SURE * progress[DATA]
            lost = lost or (bounds == 0 and not settled)
            if lost or progress[STEPS] == ITERATIONS:
                report[STAGE] = LAST
            elif settled or error <= progress[READ_OFF_AT]:
                report[STAGE], progress[READ_OFF_AT] = CLOSE, CROSSOVER_FACTOR * min(error, FIRST_CROSSOVER)
            else:
                barriers(begin, end, inner, search.shift)
                progress[STEPS] += 1.0
                report[FACTORIZATIONS] += 1
                if factor.factorise(begin, end, search.index_set, search.shift, search.dependent) < 0:
                    report[STAGE] = LAST
                else:
                    take_step(begin, end, choose_step(begin, end, bounds, search, factor, inner), search, inner)
        read_index_set(begin, end, search, inner)
        stages |= 1 << report[STAGE]
    return stages


@generic
def after_pivots(
    begin: int,
    end: int,
    progress: Reals,
    search: Search,
    factor: Factor,
    kept: Wholes,
    inner: RealRows,
    report_out: Wholes,
) -> int:
    """What to do next with an island, given how the pivots of its stage ended.

    Writes:  the search, kept, inner, CODE in report_out
    Returns: the next stage; if it pivots, the search holds where from; before ITERATE it holds the interior point
    """
    stage, error, data = report_out[STAGE], progress[ERROR], progress[DATA]
    if stage == CLOSE:
        if report_out[CODE] != SOLVED or is_close(begin, end, data, search) == 0:
            return leave_crossover(begin, end, error, search, inner)
        if worst_violation(begin, end, search) <= ROUNDED * island_scale(begin, end, search):
            return DONE
        keep_answer(begin, end, search, kept, inner)
        return SHARPEN
    if stage == SHARPEN:
        if report_out[CODE] != SOLVED:
            if report_out[CHANGES] <= NEARLY_EXACT:
                # nearly exact already: worth going on
                return leave_crossover(begin, end, error, search, inner)
            report_out[CODE] = SOLVED
            take_answer(begin, end, search, kept, inner)
        return DONE
    ended = report_out[CODE] != LIMIT
    if not ended:
        settle_on_bounds(begin, end, search, inner)
        factor.multiply(begin, end, search.lam, search.bias, search.w)
    if has_diverged(begin, end, data, search) == 1:
        report_out[CODE] = STUCK
        return DONE
    if ended or stage == LAST or error <= LAST_CROSSOVER:
        return DONE
    if is_close(begin, end, data, search) == 1:
        report_out[CODE] = SOLVED
        return DONE
    resume_interior(begin, end, search, inner)
    return ITERATE


@generic
def judge_each(work: IslandWork, kept: Wholes, inner: RealRows, progress: RealRows) -> int:
    """Bring all islands whose pivots ended to their next stage; see `after_pivots`.

    Shapes:  kept (n,), inner (INNER_ROWS, n), progress (islands, PROGRESS)
    Writes:  the work, kept, inner
    Returns: number of islands that are not done
    """
    left = 0
    island_start = work.factor.symbolic.island_start
    for island in range(progress.shape[0]):
        report = work.report[island]
        if report[STAGE] != DONE:
            report[STAGE] = after_pivots(
                island_start[island], island_start[island + 1], progress[island], work.search, work.factor, kept, inner,
                report,
            )  # fmt: skip
        left += report[STAGE] != DONE
    return left


@kernel()
def start_islands(warm: int, start_lam: Reals, work: SkylineWork, inner_out: RealRows, progress_out: RealRows) -> int:
    """First interior points of islands, with the factor that chooses; see `start_each`."""
    left: int = start_each(warm, start_lam, work, inner_out, progress_out)
    return left


@kernel()
def iterate_islands(work: SkylineWork, inner: RealRows, progress_out: RealRows) -> int:
    """Iterations with the factor that chooses; see `iterate_each`."""
    stages: int = iterate_each(work, inner, progress_out)
    return stages


@kernel()
def judge_pivots(work: SkylineWork, kept: Wholes, inner: RealRows, progress: RealRows) -> int:
    """How pivots with the factor that chooses ended; see `judge_each`."""
    left: int = judge_each(work, kept, inner, progress)
    return left
