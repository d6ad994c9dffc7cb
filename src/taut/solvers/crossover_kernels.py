"""Compiled interior-point solve of an island, ended by reading off its index set and pivoting to the exact answer."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.solvers.block_pivoting_kernels import (
    CODE,
    FACTORIZATIONS,
    INDEFINITE,
    LIMIT,
    SOLVED,
    STUCK,
    pivot_island,
    worst_violation,
)
from taut.solvers.interior_point_kernels import (
    DUAL,
    KEPT_LAM,
    LAM_STEP,
    SLACK,
    SLACK_STEP,
    choose_step,
    complementarity,
    factor_interior,
    interior_mismatch,
    start_interior,
)
from taut.solvers.island_kernels import LAM, LOWER, SET, UPPER, W, assemble_free, island_scale, multiply_island

ITERATIONS = 60
"""Most iterations; 10 to 20 are usual."""
FIRST_CROSSOVER, LAST_CROSSOVER, CROSSOVER_FACTOR = 1e-9, 1e-11, 1e-2
"""Relative errors at which the index set is read off: at first, at last, and how much tighter each time."""
CROSSOVER_PIVOTS, LAST_PIVOTS = 3, 128
"""Pivots allowed after a crossover, and when the interior-point method itself did not converge."""
DIVERGED, DIVERGED_FOR_SURE = 1e6, 1e14
"""Growth of lam~ over the data that makes an answer doubtful, and that no solvable problem has."""
DOUBTFUL_SHARE, ROUNDING_SHARE = 1e-2, 1e-15
"""A doubtful answer is none if its violation exceeds these shares of the data and of lam~."""


@kernel("void(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])")
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


@kernel("void(int64, int64, float64[:, ::1], int64[:, ::1], float64[:, ::1])")
def resume_interior(begin, end, real_out, whole_out, inner):
    """Back to the interior point after a crossover that did not end: lam as kept, every row free but the fixed ones."""
    for k in range(begin, end):
        real_out[LAM, k] = inner[KEPT_LAM, k] if math.isfinite(inner[KEPT_LAM, k]) else 0.0
        whole_out[SET, k] = -1 if real_out[LOWER, k] == real_out[UPPER, k] else 0


@kernel("void(int64, int64, float64, float64[:, ::1], float64[:, ::1])")
def take_step(begin, end, length, real_out, inner_out):
    """Add the step to lam, slacks and duals."""
    lam, lam_step = real_out[LAM], inner_out[LAM_STEP]
    for k in range(begin, end):
        lam[k] += length * lam_step[k]
    for row in range(SLACK_STEP):
        value, step = inner_out[row], inner_out[row + SLACK_STEP]
        for k in range(begin, end):
            value[k] += length * step[k]


@kernel("float64(int64, int64, float64[:, ::1])")
def data_scale(begin, end, real):
    """Largest |b~|, |lam~| and |w~| at the start."""
    scale = island_scale(begin, end, real)
    for k in range(begin, end):
        scale = max(scale, abs(real[W, k]))
    return scale


@kernel("int64(int64, int64, float64, float64[:, ::1], int64[:, ::1])")
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


@kernel(
    "void(int64, int64, int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1], float64[:, ::1],"
    " int64[:, ::1], float64[::1], int64[:, ::1], int64[::1])"
)
def interior_island(
    begin, end, lower_start, lower_column, entries,  # structure and scaled problem
    real, whole, inner, layout, storage, seen,  # workspace, solution in real and whole
    report_out,
):  # fmt: skip
    """Mehrotra's predictor-corrector method on one island, then crossover.

    The index set is read off when the relative error is below FIRST_CROSSOVER and, where a few pivots from there do not
    end, again after more iterations. Where no crossover ends the interior point is left as it is; where the method does
    not converge, pivoting goes on from the index set it reached.
    """
    bounds = start_interior(begin, end, lower_start, lower_column, entries, real, whole, inner)
    read_index_set(begin, end, real, whole, inner)
    data = data_scale(begin, end, real)
    read_off_at = FIRST_CROSSOVER
    for _ in range(ITERATIONS):
        resume_interior(begin, end, real, whole, inner)
        multiply_island(begin, end, lower_start, lower_column, entries, real)
        scale = max(island_scale(begin, end, real), 1e-300)
        gap = math.sqrt(complementarity(begin, end, 0.0, inner) / max(bounds, 1))
        error = max(interior_mismatch(begin, end, real, whole, inner), gap) / scale
        if bounds == 0 or not math.isfinite(error) or scale > DIVERGED_FOR_SURE * data:
            break
        if error <= read_off_at:
            read_index_set(begin, end, real, whole, inner)
            pivot_island(
                begin, end, CROSSOVER_PIVOTS, 1, lower_start, lower_column, entries,
                real, whole, layout, storage, seen, report_out,
            )  # fmt: skip
            if has_diverged(begin, end, data, real, whole) == 1:
                report_out[CODE] = STUCK
                return
            if report_out[CODE] == SOLVED or report_out[CODE] == INDEFINITE:
                return
            resume_interior(begin, end, real, whole, inner)
            if read_off_at <= LAST_CROSSOVER:
                read_index_set(begin, end, real, whole, inner)
                return
            read_off_at *= CROSSOVER_FACTOR
        panels = assemble_free(begin, end, lower_start, lower_column, entries, real, whole, layout, storage)
        report_out[FACTORIZATIONS] += 1
        if factor_interior(panels, real, whole, inner, layout, storage) < 0:
            break
        length = choose_step(begin, end, panels, bounds, real, whole, inner, layout, storage)
        take_step(begin, end, length, real, inner)
        read_index_set(begin, end, real, whole, inner)
    pivot_island(
        begin, end, LAST_PIVOTS, 1, lower_start, lower_column, entries, real, whole, layout, storage, seen, report_out
    )
    if report_out[CODE] == LIMIT:
        resume_interior(begin, end, real, whole, inner)
        read_index_set(begin, end, real, whole, inner)
        multiply_island(begin, end, lower_start, lower_column, entries, real)
    if has_diverged(begin, end, data, real, whole) == 1:
        report_out[CODE] = STUCK
