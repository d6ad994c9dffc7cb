"""Compiled interior-point solve of an island, ended by reading off its index set and pivoting to the exact answer."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.solvers.block_pivoting_kernels import (
    CLOSE_ENOUGH,
    CODE,
    CROSSING,
    FACTORIZATIONS,
    INDEFINITE,
    LIMIT,
    PATIENT,
    SOLVED,
    STUCK,
    pivot_island,
    worst_violation,
)
from taut.solvers.interior_point_kernels import (
    CLOSE_LAM,
    COLD_SHARE,
    DUAL,
    FIXED,
    KEPT_LAM,
    LAM_STEP,
    SETTLED,
    SETTLED_ABOVE,
    SLACK,
    SLACK_STEP,
    WARM_SHARE,
    choose_step,
    complementarity,
    factor_interior,
    linearise_interior,
    start_interior,
    start_multipliers,
)
from taut.solvers.island_kernels import (
    KEPT_SET,
    LAM,
    LOWER,
    SET,
    UPPER,
    assemble_free,
    island_scale,
    multiply_island,
)

ITERATIONS = 60
"""Most iterations; 10 to 20 are usual."""
FIRST_CROSSOVER, LAST_CROSSOVER, CROSSOVER_FACTOR = 1e-6, 1e-11, 0.1
"""Relative errors at which the index set is read off: at first, at last, and how much tighter each time."""
EXACT_CROSSOVER = 1e-9
"""Relative error from which a crossover also tries the factor of A itself."""
CLOSE, SHARPEN, EXACT, LAST, ITERATE, DONE = 0, 1, 2, 3, 4, 5
"""Stages of the solve of an island: four that pivot, the iterations, the end. CLOSE: a crossover with proximity;
SHARPEN: its answer once more with the factor of A itself; EXACT: a crossover with that factor; LAST: what is left when
the iterations did not converge."""
PIVOT_LIMIT = (3, 1, 3, 128)
"""Pivots allowed in each stage."""
PATIENCE = (CROSSING, CROSSING, PATIENT, PATIENT)
"""When the pivots of a stage end unsolved."""
STAGE_PROXIMITY = (1e-5, 0.0, 0.0, 0.0)
"""Share of the diagonal added to the factor in each stage: among redundant rows it keeps lam near the interior point,
where the many index sets that are as good as each other do not matter."""
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


@kernel("void(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])", inner=True)
def read_index_set(begin, end, real, whole_out, inner_out):
    """Label a row tight where the dual of a bound exceeds its slack, and keep a copy of lam."""
    for k in range(begin, end):
        inner_out[KEPT_LAM, k] = real[LAM, k]
        if real[LOWER, k] == real[UPPER, k]:
            whole_out[SET, k] = -1
        elif inner_out[DUAL, k] > inner_out[SLACK, k]:
            whole_out[SET, k] = -1
        elif inner_out[DUAL + 1, k] > inner_out[SLACK + 1, k]:
            whole_out[SET, k] = 1
        else:
            whole_out[SET, k] = 0


@kernel("void(int64, int64, float64[:, ::1], float64[:, ::1])", inner=True)
def resume_interior(begin, end, real_out, inner):
    """Back to the interior point: lam as kept."""
    for k in range(begin, end):
        real_out[LAM, k] = inner[KEPT_LAM, k]


@kernel("void(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])", inner=True)
def settle_rows(begin, end, real_out, whole_out, inner):
    """Labels of an iteration: every row free but the fixed and the settled ones."""
    for k in range(begin, end):
        if not math.isfinite(real_out[LAM, k]):
            real_out[LAM, k] = 0.0
        whole_out[SET, k] = 0
        if real_out[LOWER, k] == real_out[UPPER, k]:
            whole_out[SET, k] = FIXED
        for side in range(2):
            if inner[DUAL + side, k] > SETTLED_ABOVE * inner[SLACK + side, k]:
                whole_out[SET, k] = SETTLED


@kernel("void(int64, int64, float64, float64[:, ::1], float64[:, ::1])", inner=True)
def take_step(begin, end, length, real_out, inner_out):
    """Add the step to lam, slacks and duals."""
    lam, lam_step = real_out[LAM], inner_out[LAM_STEP]
    for k in range(begin, end):
        lam[k] += length * lam_step[k]
    for row in range(SLACK_STEP):
        value, step = inner_out[row], inner_out[row + SLACK_STEP]
        for k in range(begin, end):
            value[k] += length * step[k]


@kernel("int64(int64, int64, float64, float64[:, ::1])", inner=True)
def is_close(begin, end, data, real):
    """Whether a candidate keeps the promise of the residual, with room to spare, without being exact."""
    violation = worst_violation(begin, end, real)
    return 1 if violation <= CLOSE_ENOUGH * island_scale(begin, end, real) and violation <= CLOSE_SHARE * data else 0


@kernel("int64(int64, int64, float64, float64[:, ::1], int64[:, ::1])", inner=True)
def has_diverged(begin, end, data, real_out, whole_out):
    """Whether lam ran off along a direction that A does not see and b falls along: there is no solution.

    Such multipliers are set back to zero, since no size of them is better than another.
    """
    scale = island_scale(begin, end, real_out)
    violation = worst_violation(begin, end, real_out)
    doubtful = violation > DOUBTFUL_SHARE * data and violation > ROUNDING_SHARE * scale
    if scale > DIVERGED_FOR_SURE * data or (scale > DIVERGED * data and doubtful):
        for k in range(begin, end):
            real_out[LAM, k] = 0.0
            whole_out[SET, k] = -1 if real_out[LOWER, k] == real_out[UPPER, k] else 0
        return 1
    return 0


@kernel("void(int64, int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])", inner=True)
def before_pivots(stage, begin, end, real, whole_out, inner_out):
    """Read the index set off the interior point; to sharpen an answer keep it, as the index set may not stay."""
    if stage != SHARPEN:
        read_index_set(begin, end, real, whole_out, inner_out)
        return
    for k in range(begin, end):
        inner_out[CLOSE_LAM, k] = real[LAM, k]
        whole_out[KEPT_SET, k] = whole_out[SET, k]


@kernel("void(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])", inner=True)
def put_on_bounds(begin, end, real_out, whole_out, inner_out):
    """The interior point with its index set read off and tight rows at their bounds."""
    resume_interior(begin, end, real_out, inner_out)
    read_index_set(begin, end, real_out, whole_out, inner_out)
    for k in range(begin, end):
        if whole_out[SET, k] != 0:
            real_out[LAM, k] = real_out[LOWER, k] if whole_out[SET, k] < 0 else real_out[UPPER, k]


@kernel(
    "int64(int64, int64, int64, float64, float64, int64[::1], int64[::1], float64[::1], float64[:, ::1],"
    " int64[:, ::1], float64[:, ::1], int64[:, ::1], int64[::1])",
    inner=True,
)
def after_pivots(
    stage, begin, end, error, data,
    lower_start, lower_column, entries,  # structure and scaled problem
    real, whole, inner, seen,  # workspace, solution in real and whole
    report_out,
):  # fmt: skip
    """What to do next, given how the pivots of a stage ended.

    Returns: the next stage; before ITERATE and EXACT the interior point is back in place
    """
    if stage == CLOSE:
        if report_out[CODE] == SOLVED and is_close(begin, end, data, real) == 1:
            rounded = worst_violation(begin, end, real) <= ROUNDED * island_scale(begin, end, real)
            return DONE if rounded else SHARPEN
        resume_interior(begin, end, real, inner)
        return EXACT if error <= EXACT_CROSSOVER else ITERATE
    if stage == SHARPEN and report_out[CODE] != SOLVED:
        if seen[1, 0] <= NEARLY_EXACT:
            # nearly exact already: worth going on
            resume_interior(begin, end, real, inner)
            return EXACT if error <= EXACT_CROSSOVER else ITERATE
        report_out[CODE] = SOLVED
        for k in range(begin, end):
            real[LAM, k] = inner[CLOSE_LAM, k]
            whole[SET, k] = whole[KEPT_SET, k]
    if stage == SHARPEN:
        return DONE
    ended = report_out[CODE] != LIMIT
    if not ended:
        put_on_bounds(begin, end, real, whole, inner)
        multiply_island(begin, end, lower_start, lower_column, entries, real)
    if has_diverged(begin, end, data, real, whole) == 1:
        report_out[CODE] = STUCK
        return DONE
    if ended or stage == LAST or error <= LAST_CROSSOVER:
        return DONE
    if is_close(begin, end, data, real) == 1:
        report_out[CODE] = SOLVED
        return DONE
    resume_interior(begin, end, real, inner)
    return ITERATE


@kernel(
    "void(int64[::1], int64[::1], int64, float64[::1], int64[::1], int64[::1], float64[::1], float64[:, ::1],"
    " int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1], int64[:, ::1], int64[:, ::1])"
)
def interior_islands(
    order, island_start, warm, start_lam,
    lower_start, lower_column, entries,  # structure and scaled problem
    real, whole, inner, layout, storage, seen,  # workspace, solution in real and whole
    report_out,
):  # fmt: skip
    """Mehrotra's predictor-corrector method, then crossover, on islands reported as neither solved nor indefinite.

    The index set is read off when the relative error is below FIRST_CROSSOVER and, where a few pivots from there do not
    end, again after more iterations. Where no crossover ends the interior point is left as it is; where the method does
    not converge, pivoting goes on from the index set it reached.
    """
    for island in range(island_start.size - 1):
        report = report_out[island]
        if report[CODE] == SOLVED or report[CODE] == INDEFINITE:
            continue
        begin, end = island_start[island], island_start[island + 1]
        data = start_multipliers(
            begin, end, warm, order, start_lam, lower_start, lower_column, entries, real, inner
        )  # fmt: skip
        bounds = start_interior(begin, end, WARM_SHARE if warm == 1 else COLD_SHARE, real, whole, inner)
        error, read_off_at, iterations, stage = math.inf, FIRST_CROSSOVER, 0, ITERATE
        while stage != DONE:
            if stage == ITERATE:
                settle_rows(begin, end, real, whole, inner)
                multiply_island(begin, end, lower_start, lower_column, entries, real)
                scale = max(island_scale(begin, end, real), 1e-300)
                gap = math.sqrt(complementarity(begin, end, 0.0, inner) / max(bounds, 1))
                error = max(linearise_interior(begin, end, real, whole, inner), gap) / scale
                lost = bounds == 0 or not math.isfinite(error) or scale > DIVERGED_FOR_SURE * data
                if lost or iterations == ITERATIONS:
                    stage = LAST
                elif error <= read_off_at:
                    stage, read_off_at = CLOSE, CROSSOVER_FACTOR * error
                else:
                    panels = assemble_free(begin, end, lower_start, lower_column, entries, real, whole, layout, storage)
                    iterations += 1
                    report[FACTORIZATIONS] += 1
                    if factor_interior(panels, real, whole, inner, layout, storage) < 0:
                        stage = LAST
                    else:
                        length = choose_step(begin, end, panels, bounds, real, whole, inner, layout, storage)
                        take_step(begin, end, length, real, inner)
            if stage != ITERATE:
                before_pivots(stage, begin, end, real, whole, inner)
                pivot_island(
                    begin, end, PIVOT_LIMIT[stage], PATIENCE[stage], STAGE_PROXIMITY[stage], lower_start, lower_column,
                    entries, real, whole, layout, storage, seen, report,
                )  # fmt: skip
                stage = after_pivots(
                    stage, begin, end, error, data, lower_start, lower_column, entries, real, whole, inner, seen, report
                )
