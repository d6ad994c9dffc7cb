"""Compiled steps that all pivoting on islands shares: scale, multiply, assemble, solve for a given index set.

Everything works on the permuted problem scaled to a unit diagonal, x~ = sqrt(d) x for multipliers and x / sqrt(d) for
slacks, so that tolerances mean the same in every scene. Workspace rows of `real` and `whole` are named below.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.skyline_kernels import skyline_assemble, skyline_factor, skyline_shift, skyline_solve

BIAS, LOWER, UPPER, SCALE, LAM, W = 0, 1, 2, 3, 4, 5
"""Rows of `real` in permuted order: b~, lower~, upper~, 1 / sqrt(d), lam~, w~."""
STEP, INVERSE, DIAGONAL = 6, 7, 8
"""Rows of `real` in compact order (free rows only): right-hand side and solution, 1 / L_jj, diagonal of the matrix."""
REAL_ROWS = 9
SET, COMPACT, FREE_ROW, KEPT_SET = 0, 1, 2, 5
"""Rows of `whole`: index set; free number of a position or -1; position of a free number; (two rows) the envelope; a
copy of an index set."""
WHOLE_ROWS = 6

REFINE_ABOVE = 1e-13
"""Slack of a free row, relative to the problem, above which one step of iterative refinement is worth its cost."""


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1], float64[:, ::1])"
)
def scale_problem(
    order, lower_start, lower_column, lower_source,  # structure
    values, bias, lower, upper,  # problem
    entries_out,
    real_out,
):  # fmt: skip
    """Permute and scale a problem to unit diagonal: A~ = D^-1/2 A D^-1/2, b~ = D^-1/2 b, bounds~ = D^1/2 bounds.

    Shapes:  entries_out (entries of the lower triangle,), real_out (REAL_ROWS, n + padding)
    Writes:  entries_out; rows BIAS, LOWER, UPPER, SCALE of real_out
    Returns: 1 if every number is finite (bounds may be infinite on their own side), else 0
    """
    scale = real_out[SCALE]
    total = 0.0
    for k in range(order.size):
        row = order[k]
        diagonal = values[lower_source[lower_start[k + 1] - 1]]
        root = math.sqrt(abs(diagonal)) if diagonal != 0.0 else 1.0
        scale[k] = 1.0 / root
        real_out[BIAS, k] = bias[row] * scale[k]
        real_out[LOWER, k] = lower[row] * root
        real_out[UPPER, k] = upper[row] * root
        # 0 x is 0 for every finite x and NaN for all else
        total += 0.0 * real_out[BIAS, k]
        if not (lower[row] <= upper[row]):
            total = math.nan
    for k in range(order.size):
        a = lower_start[k]
        b = lower_start[k + 1]
        columns = lower_column[a:b]
        sources = lower_source[a:b]
        entries = entries_out[a:b]
        for e in range(columns.size):
            entries[e] = values[sources[e]] * scale[k] * scale[columns[e]]
            total += 0.0 * entries[e]
    return 1 if total == 0.0 else 0


@kernel("void(int64, int64, int64[::1], int64[::1], float64[::1], float64[:, ::1])", inner=True)
def multiply_island(begin, end, lower_start, lower_column, entries, real_out):
    """w = A lam + b on the island of positions begin..end, from the lower triangle."""
    lam, w, bias = real_out[LAM], real_out[W], real_out[BIAS]
    for k in range(begin, end):
        a = lower_start[k]
        b = lower_start[k + 1] - 1
        columns = lower_column[a:b]
        row = entries[a:b]
        x = lam[k]
        total = bias[k] + entries[b] * x
        for e in range(columns.size):
            j = columns[e]
            total += row[e] * lam[j]
            w[j] += row[e] * x
        w[k] = total


@kernel(
    "int64(int64, int64, int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " float64[::1])",
    inner=True,
)
def assemble_free(begin, end, lower_start, lower_column, entries, real_out, whole_out, layout_out, storage_out):
    """Gather A_FF of an island into panels; see `skyline_assemble`."""
    return skyline_assemble(
        begin, end, lower_start, lower_column, entries, whole_out[SET], whole_out[COMPACT:], layout_out, storage_out,
        real_out[DIAGONAL],
    )  # fmt: skip


@kernel("float64(int64, int64, float64[:, ::1])", inner=True)
def island_scale(begin, end, real):
    """Largest |b~| and |lam~| of an island: the size against which its numbers are judged."""
    bias, lam = real[BIAS], real[LAM]
    scale = 0.0
    for k in range(begin, end):
        scale = max(scale, abs(bias[k]), abs(lam[k]))
    return scale


@kernel(
    "int64(int64, int64, float64, int64[::1], int64[::1], float64[::1], float64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " float64[::1])",
    inner=True,
)
def solve_index_set(
    begin, end, proximity, lower_start, lower_column, entries, real_out, whole_out, layout_out, storage_out
):
    """Solve A_FF d = -(b + A lam)_F, lam_F += d with tight rows at their bounds.   [Lefebvre2020, Alg. 2.1, lines 4-8]

    The step is taken from the multipliers on entry, so rows that depend on others keep theirs. A step of iterative
    refinement follows while the slack of a free row asks for it.

    With `proximity` the factor is that of A_FF + proximity I: each pass is then a step of the proximal-point method,
    which hardly moves along directions that A hardly sees, and ends where those directions are good enough.

    Writes:  rows LAM, W, STEP, INVERSE of real_out and the workspace
    Returns: number of dependent rows, or a negative number if A_FF is not positive semidefinite
    """
    lam, w, step = real_out[LAM], real_out[W], real_out[STEP]
    index_set, free_row = whole_out[SET], whole_out[FREE_ROW]
    for k in range(begin, end):
        if index_set[k] < 0:
            lam[k] = real_out[LOWER, k]
        elif index_set[k] > 0:
            lam[k] = real_out[UPPER, k]
    panels = assemble_free(begin, end, lower_start, lower_column, entries, real_out, whole_out, layout_out, storage_out)
    count = layout_out[0, panels]
    inverse = real_out[INVERSE]
    if proximity > 0.0:
        for i in range(count):
            step[i] = proximity
        skyline_shift(layout_out, panels, step, storage_out)
    dependent = skyline_factor(layout_out, panels, real_out[DIAGONAL], storage_out, inverse)
    multiply_island(begin, end, lower_start, lower_column, entries, real_out)
    if dependent < 0:
        return dependent
    for _ in range(3):
        for i in range(count):
            step[i] = -w[free_row[i]]
        for i in range(count, (count + 3) // 4 * 4):
            step[i] = 0.0
        skyline_solve(layout_out, panels, storage_out, inverse, step)
        for i in range(count):
            lam[free_row[i]] += step[i]
        multiply_island(begin, end, lower_start, lower_column, entries, real_out)
        worst = 0.0
        for i in range(count):
            if inverse[i] > 0.0:
                worst = max(worst, abs(w[free_row[i]]))
        if worst <= REFINE_ABOVE * island_scale(begin, end, real_out):
            break
    return dependent
