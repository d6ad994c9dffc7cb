"""Compiled methods of `DowndatedFactor`: what pivoting asks of a factor, see `linalg.factor`."""

from __future__ import annotations

import math

import taut.linalg.skyline_factor_kernels  # noqa: F401  gives SkylineFactor its methods
from taut.kernel import kernel
from taut.linalg.downdated import (
    ANEW,
    BEGIN,
    CHEAPEST,
    COPIES,
    DELETED,
    DOUBTFUL,
    END,
    ERROR,
    EXCHANGED,
    FAILED,
    FIRST_GROWTH,
    FIRST_INVERSE,
    FIRSTS,
    FROM_FIRST,
    GROWTH,
    HOLDS,
    IN_USE,
    INCREMENTAL,
    INSERTED,
    MISSED,
    NOT_MADE,
    PANELS,
    REFACTORED,
    SOLUTION,
    SWEEPS,
    USABLE,
    WHOLE,
    DowndatedFactor,
)
from taut.linalg.downdated_cost_kernels import cost_of_adoption, cost_of_copy, cost_of_exchange, cost_of_refactor
from taut.linalg.skyline import DIAGONAL, INVERSE
from taut.linalg.skyline_kernels import skyline_factor, skyline_gather, skyline_layout, skyline_solve
from taut.linalg.skyline_update_kernels import LANES, skyline_exchange
from taut.tables import Flags, Reals, Wholes, generic, method

ROUNDING = 2.0**-53
"""Relative error of one operation."""
ADOPTED_USES = 3.0
"""How often a factor of all rows is used, at least, if rows leave it once: searches rarely end at the second pivot."""
LARGEST_ESTIMATE = 1e-7
"""Estimate of the error of a factor above which the free rows are factored anew. In 5,500 cases the error was at most
0.3 of its estimate, so it stays below 1e-7 with room to spare."""


@kernel("float64(int64[:, ::1], int64, float64[::1], float64[::1], float64[::1], float64[::1])", apart=True)
def inverse_growth(layout, panels, diagonal, storage, inverse, x_out):
    """How much A^-1 enlarges, relative to the diagonal: max |A^-1 s| with signs s at random, or the largest 1 / L_jj^2.

    It is at most the condition number of A in the largest norm, and seldom less than a tenth of it.

    Writes:  x_out, workspace
    Cost:    one solve
    """
    size = layout[0, panels]
    largest, growth = 0.0, 0.0
    for i in range((size + 3) // 4 * 4):
        x_out[i] = (1.0 if (i * 40503 >> 7) & 1 == 0 else -1.0) if i < size and inverse[i] > 0.0 else 0.0
    skyline_solve(layout, panels, storage, inverse, x_out)
    for i in range(size):
        if inverse[i] > 0.0:
            largest, growth = max(largest, diagonal[i]), max(growth, inverse[i] * inverse[i], abs(x_out[i]))
    return growth * largest


@kernel("float64(int64, float64)")
def error_estimate(exchanged, growth):
    """Estimate of max |L - L_new| / max |L_new|, with L_new factored anew.

    Rows leave by rotations, so L L' differs from A_FF by a few roundings, and somewhat more with each row; what that
    does to L itself goes with the condition of A_FF. A row that comes back adds no more than one that leaves as long as
    the pivots stay large, and small ones are seen in the growth.
    """
    return ROUNDING * (2.0 + math.sqrt(exchanged)) * growth


@kernel("void(int64, float64[::1], float64[::1])", inner=True)
def copy_numbers(count, given, out):
    """Copy so many numbers."""
    a, b = given[:count], out[:count]
    for k in range(count):
        b[k] = a[k]


@kernel(apart=True)
def lay_out(factor: DowndatedFactor, begin: int, end: int) -> None:
    """Lay out all rows of a part in panels; there is no factor of them yet, and no row has left it.

    Writes:  numbers, layout, real, state, estimate of the factor
    """
    numbers, state, size = factor.numbers, factor.state, end - begin
    for i in range(size):
        numbers[0, begin + i], numbers[1, i] = i, begin + i
        numbers[2, i] = factor.first_column[begin + i] - begin
        factor.real[FIRST_INVERSE, i] = factor.real[INVERSE, i] = 1.0
    state[BEGIN], state[END], state[PANELS] = begin, end, skyline_layout(numbers[2], size, numbers[3], factor.layout)
    state[USABLE], state[HOLDS], state[WHOLE] = NOT_MADE, 0, 0
    factor.estimate[MISSED] = 0.0


@kernel(apart=True)
def factor_first(factor: DowndatedFactor) -> int:
    """Factor all rows of the part, unless that has been done.                          [Lefebvre2020, Alg. 2.2, line 2]

    Writes:  entries, first, real, state, counts, estimate of the factor
    Returns: 1 if it has neither dependent rows nor failed, else 0
    """
    symbolic, state, layout, diagonal = factor.symbolic, factor.state, factor.layout, factor.real[DIAGONAL]
    if state[USABLE] != NOT_MADE:
        return state[USABLE]
    panels, size = state[PANELS], state[END] - state[BEGIN]
    skyline_gather(
        symbolic.lower_start, symbolic.lower_column, factor.plain.entries, factor.numbers, layout, panels, factor.first,
        diagonal,
    )  # fmt: skip
    if factor.policy != FROM_FIRST:
        copy_numbers(layout[1, panels], factor.first, factor.entries)
    if state[WHOLE] == 1:
        # the panels of all rows are the same here and there
        copy_numbers(layout[1, panels], factor.plain.storage, factor.first)
        copy_numbers((size + 3) // 4 * 4, factor.plain.real[INVERSE], factor.real[FIRST_INVERSE])
        state[USABLE] = 1
    else:
        found = skyline_factor(layout, panels, diagonal, factor.first, factor.real[FIRST_INVERSE])
        state[USABLE] = 1 if found == 0 else 0
    factor.counts[FIRSTS] += 1
    if state[USABLE] == 1:
        factor.estimate[FIRST_GROWTH] = inverse_growth(
            layout, panels, diagonal, factor.first, factor.real[FIRST_INVERSE], factor.real[SOLUTION]
        )
        hopeless = not (error_estimate(1, factor.estimate[FIRST_GROWTH]) <= LARGEST_ESTIMATE)
        if factor.policy == CHEAPEST and hopeless:
            # rows would leave for nothing: what is left would be factored anew
            state[USABLE] = 0
            factor.counts[DOUBTFUL] += 1
    return state[USABLE]


@kernel(apart=True)
def copy_first(factor: DowndatedFactor) -> None:
    """Start from the first factor.                                                     [Lefebvre2020, Alg. 2.2, line 7]

    Writes:  storage, real, state, counts of the factor
    """
    state = factor.state
    copy_numbers(factor.layout[1, state[PANELS]], factor.first, factor.storage)
    copy_numbers((state[END] - state[BEGIN] + 3) // 4 * 4, factor.real[FIRST_INVERSE], factor.real[INVERSE])
    state[EXCHANGED], state[HOLDS] = 0, 1
    factor.counts[COPIES] += 1


@kernel(apart=True)
def exchange_rows(factor: DowndatedFactor, rows: Wholes) -> int:
    """Take rows out of the factor, and back into it, see `skyline_exchange`.       [Lefebvre2020, Alg. 2.2, lines 8-11]

    Writes:  storage, real, vectors, state, counts of the factor
    Returns: 1, or 0 if a row that came back depends on others; there is then no factor
    """
    state, counts, inverse = factor.state, factor.counts, factor.real[INVERSE]
    for k in range(rows.size):
        counts[DELETED if inverse[rows[k]] > 0.0 else INSERTED] += 1
    counts[SWEEPS] += (rows.size + LANES - 1) // LANES
    state[EXCHANGED] += rows.size
    found = skyline_exchange(
        factor.layout, state[PANELS], factor.entries, factor.real[DIAGONAL], rows, factor.storage, inverse,
        factor.vectors,
    )  # fmt: skip
    if found < 0:
        state[HOLDS] = 0
        counts[FAILED] += 1
    return state[HOLDS]


@kernel(apart=True)
def is_accurate(factor: DowndatedFactor) -> int:
    """Whether the factor is as good as a new one, by an estimate of its error.

    Fewer rows are conditioned no worse than all of them, so mostly the growth of the first factor is enough to know.

    Writes:  real, counts, estimate of the factor
    """
    state, estimate, real = factor.state, factor.estimate, factor.real
    estimate[GROWTH] = estimate[FIRST_GROWTH]
    estimate[ERROR] = error_estimate(state[EXCHANGED], estimate[GROWTH])
    if estimate[ERROR] <= LARGEST_ESTIMATE:
        return 1
    estimate[GROWTH] = inverse_growth(
        factor.layout, state[PANELS], real[DIAGONAL], factor.storage, real[INVERSE], real[SOLUTION]
    )  # fmt: skip
    estimate[ERROR] = error_estimate(state[EXCHANGED], estimate[GROWTH])
    if estimate[ERROR] <= LARGEST_ESTIMATE:
        return 1
    factor.counts[DOUBTFUL] += 1
    return 0


@kernel(apart=True)
def choose_way(factor: DowndatedFactor, tight: Wholes, changed: Wholes) -> int:
    """The cheapest way to the factor without the tight rows: FROM_FIRST, INCREMENTAL, or -1 for a new factor.

    While there is no first factor it is not known how often it would be used. Where no row is tight a new factor is
    one of all rows, and becomes the first one at the next pivot if a few more make that worth while. Else the first
    factor is made once it would have saved what it costs, which at worst doubles the cost.

    Writes:  estimate of the factor: MISSED
    """
    layout, panels = factor.layout, factor.state[PANELS]
    size, entries, pairs = layout[0, panels], layout[1, panels], 0.0
    for p in range(panels):
        pairs += layout[4, p] * float(layout[2, p]) ** 2
    anew = cost_of_refactor(size, entries, pairs, (size - tight.size) / size)
    first = cost_of_copy(entries) + cost_of_exchange(layout, panels, tight, factor.real[FIRST_INVERSE])
    if factor.state[USABLE] == NOT_MADE:
        if tight.size == 0:
            return -1
        factor.estimate[MISSED] += max(anew - first, 0.0)
        if factor.state[WHOLE] == 1:
            return FROM_FIRST if ADOPTED_USES * factor.estimate[MISSED] >= cost_of_adoption(entries) else -1
        return FROM_FIRST if factor.estimate[MISSED] >= cost_of_refactor(size, entries, pairs, 1.0) else -1
    if factor.state[HOLDS] == 1 and cost_of_exchange(layout, panels, changed, factor.real[INVERSE]) < min(anew, first):
        return INCREMENTAL
    return FROM_FIRST if first < anew else -1


@kernel(apart=True)
def collect_rows(factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, changed: int) -> int:
    """Rows of a part that are tight, or with `changed` those that the factor has to take out or back.

    Writes:  rows of the factor
    Returns: how many they are
    """
    inverse, rows = factor.real[INVERSE], factor.rows[changed]
    count = 0
    for k in range(begin, end):
        tight = 1 if index_set[k] != 0 else 0
        is_out = 1 if changed == 1 and inverse[k - begin] == 0.0 else 0
        if tight != is_out:
            rows[count] = k - begin
            count += 1
    return count


@kernel(apart=True)
def downdate(factor: DowndatedFactor, begin: int, end: int, index_set: Wholes) -> int:
    """Make the factor one of the free rows of a part, by the factor's policy.

    Returns: 1 if that succeeded, 0 if the free rows have to be factored anew
    """
    state, policy = factor.state, factor.policy
    if policy == ANEW:
        return 0
    if state[BEGIN] != begin or state[END] != end:
        lay_out(factor, begin, end)
    tight = factor.rows[0, : collect_rows(factor, begin, end, index_set, 0)]
    changed = factor.rows[1, : collect_rows(factor, begin, end, index_set, 1)]
    way = choose_way(factor, tight, changed) if policy == CHEAPEST else policy
    if way < 0 or factor_first(factor) == 0:
        return 0
    if way == INCREMENTAL and state[HOLDS] == 1 and exchange_rows(factor, changed) == 1:
        if is_accurate(factor) == 1:
            return 1
        if not (error_estimate(tight.size, factor.estimate[GROWTH]) <= LARGEST_ESTIMATE):
            return 0  # it is the matrix, not the way to its factor
    copy_first(factor)
    return is_accurate(factor) if exchange_rows(factor, tight) == 1 else 0


@kernel(apart=True)
def refactor(
    factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Factor the free rows anew; see `SkylineFactor.factorise`."""
    factor.counts[REFACTORED] += 1
    return factor.plain.factorise(begin, end, index_set, shift, dependent_out)


@kernel("void(int64, int64, int64[::1], uint8[::1])", inner=True)
def mark_independent(begin, end, index_set, dependent_out):
    """No free row of a part depends on others.

    Writes:  dependent_out
    """
    for k in range(begin, end):
        if index_set[k] == 0:
            dependent_out[k] = 0


@kernel(apart=True)
def factorise_downdated(
    factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Take the tight rows of a part out of the factor of all its rows; see `Factor.factorise`.

    Writes:  all of factor but its matrix; dependent_out
    """
    state = factor.state
    state[IN_USE] = downdate(factor, begin, end, index_set) if shift.size == 0 else 0
    if state[IN_USE] == 0:
        found = refactor(factor, begin, end, index_set, shift, dependent_out)
        whole = factor.plain.layout[0, factor.plain.panels[0]] == end - begin
        state[WHOLE] = 1 if found == 0 and whole and shift.size == 0 else 0
        return found
    mark_independent(begin, end, index_set, dependent_out)
    return 0


@generic
def forget_factors(factor: DowndatedFactor) -> None:
    """The matrix is another one now."""
    factor.state[END] = -1


@method(DowndatedFactor)
def load(factor: DowndatedFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix and forget all factors; see `Factor.load`."""
    forget_factors(factor)
    return factor.plain.load(values, scale)


@method(DowndatedFactor)
def multiply(factor: DowndatedFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    factor.plain.multiply(begin, end, lam, bias, w_out)


@method(DowndatedFactor)
def factorise(
    factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Factor the free rows of a part; see `Factor.factorise` and `factorise_downdated`."""
    return factorise_downdated(factor, begin, end, index_set, shift, dependent_out)


@kernel(apart=True)
def solve_downdated(factor: DowndatedFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with what is left of the factor of all rows.                               [Lefebvre2020, Alg. 2.4, 2.6]"""
    begin, end = factor.state[BEGIN], factor.state[END]
    inverse, x = factor.real[INVERSE], factor.real[SOLUTION]
    size = end - begin
    for i in range(size):
        x[i] = rhs[begin + i] if inverse[i] > 0.0 else 0.0
    for i in range(size, (size + 3) // 4 * 4):
        x[i] = 0.0
    skyline_solve(factor.layout, factor.state[PANELS], factor.storage, inverse, x)
    for i in range(size):
        if inverse[i] > 0.0:
            x_out[begin + i] = x[i]


@method(DowndatedFactor)
def solve(factor: DowndatedFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    if factor.state[IN_USE] == 1:
        solve_downdated(factor, rhs, x_out)
    else:
        factor.plain.solve(rhs, x_out)
