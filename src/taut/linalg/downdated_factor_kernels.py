"""Compiled methods of `DowndatedFactor`: what pivoting asks of a factor, see `linalg.factor`."""

from __future__ import annotations

import math

import taut.linalg.skyline_factor_kernels  # noqa: F401  gives SkylineFactor its methods
from taut.kernel import kernel
from taut.linalg.downdated import (
    BEGIN,
    CHEAPEST,
    COPIES,
    DELETED,
    DOUBTFUL,
    END,
    EXCHANGED,
    FAILED,
    FIRST_INVERSE,
    FIRSTS,
    FROM_FIRST,
    HOLDS,
    IN_USE,
    INCREMENTAL,
    INSERTED,
    PANELS,
    REFACTORED,
    SOLUTION,
    SWEEPS,
    USABLE,
    DowndatedFactor,
)
from taut.linalg.downdated_cost_kernels import cost_of_copy, cost_of_exchange, cost_of_refactor
from taut.linalg.skyline import DIAGONAL, INVERSE
from taut.linalg.skyline_kernels import skyline_factor, skyline_fill, skyline_solve
from taut.linalg.skyline_update_kernels import LANES, skyline_exchange
from taut.tables import Flags, Reals, Wholes, method

ROUNDING = 2.0**-53
"""Relative error of one operation."""
LARGEST_ESTIMATE = 1e-8
"""Estimate of the error of a factor above which the free rows are factored anew."""


@kernel("float64(int64, float64[::1], float64[::1], int64)")
def error_estimate(size, diagonal, inverse, exchanged):
    """Estimate of max |L - L_new| / max |L_new|, with L_new factored anew, from the pivots alone."""
    smallest = 1.0
    for i in range(size):
        if inverse[i] > 0.0:
            smallest = min(smallest, 1.0 / (diagonal[i] * inverse[i] * inverse[i]))
    return ROUNDING * math.sqrt(1.0 + exchanged) / smallest


@kernel("void(int64, float64[::1], float64[::1])", inner=True)
def copy_numbers(count, given, out):
    """Copy so many numbers."""
    a, b = given[:count], out[:count]
    for k in range(count):
        b[k] = a[k]


@kernel(apart=True)
def factor_all(factor: DowndatedFactor, begin: int, end: int) -> None:
    """Factor all rows of a part.                                                       [Lefebvre2020, Alg. 2.2, line 2]

    Writes:  layout, entries, first, real, state, counts of the factor
    """
    symbolic, numbers, state, layout = factor.symbolic, factor.numbers, factor.state, factor.layout
    diagonal = factor.real[DIAGONAL]
    for k in range(begin, end):
        numbers[0, k], numbers[1, k - begin] = k - begin, k
        numbers[2, k - begin] = factor.first_column[k] - begin
    panels = skyline_fill(
        end - begin, symbolic.lower_start, symbolic.lower_column, factor.plain.entries, numbers, layout, factor.first,
        diagonal,
    )  # fmt: skip
    if factor.policy != FROM_FIRST:
        copy_numbers(layout[1, panels], factor.first, factor.entries)
    found = skyline_factor(layout, panels, diagonal, factor.first, factor.real[FIRST_INVERSE])
    state[BEGIN], state[END], state[PANELS] = begin, end, panels
    state[USABLE], state[HOLDS] = 1 if found == 0 else 0, 0
    factor.counts[FIRSTS] += 1


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
    """Take rows out of the factor, and back into it, see `skyline_exchange`.        [Lefebvre2020, Alg. 2.2, lines 8-11]

    Writes:  storage, real, vectors, state, counts, estimate of the factor
    Returns: 1 if the factor is as good as a new one, else 0
    """
    state, counts, inverse = factor.state, factor.counts, factor.real[INVERSE]
    for k in range(rows.size):
        counts[DELETED if inverse[rows[k]] > 0.0 else INSERTED] += 1
    counts[SWEEPS] += (rows.size + LANES - 1) // LANES
    found = skyline_exchange(
        factor.layout, state[PANELS], factor.entries, factor.real[DIAGONAL], rows, factor.storage, inverse,
        factor.vectors,
    )  # fmt: skip
    if found < 0:
        state[HOLDS] = 0
        counts[FAILED] += 1
        return 0
    state[EXCHANGED] += rows.size
    factor.estimate[0] = error_estimate(state[END] - state[BEGIN], factor.real[DIAGONAL], inverse, state[EXCHANGED])
    if not (factor.estimate[0] <= LARGEST_ESTIMATE):
        counts[DOUBTFUL] += 1
        return 0
    return 1


@kernel(apart=True)
def choose_way(factor: DowndatedFactor, tight: Wholes, changed: Wholes) -> int:
    """The cheapest way to the factor without the tight rows: FROM_FIRST, INCREMENTAL, or -1 for a new factor."""
    layout, panels = factor.layout, factor.state[PANELS]
    size, entries, pairs = layout[0, panels], layout[1, panels], 0.0
    for p in range(panels):
        pairs += layout[4, p] * float(layout[2, p]) ** 2
    least = cost_of_refactor(size, entries, pairs, (size - tight.size) / size)
    way = -1
    cost = cost_of_copy(entries) + cost_of_exchange(layout, panels, tight, factor.real[FIRST_INVERSE])
    if cost < least:
        least, way = cost, FROM_FIRST
    if factor.state[HOLDS] == 1 and cost_of_exchange(layout, panels, changed, factor.real[INVERSE]) < least:
        way = INCREMENTAL
    return way


@kernel(apart=True)
def downdate(factor: DowndatedFactor, begin: int, end: int, index_set: Wholes) -> int:
    """Make the factor one of the free rows of a part, by the factor's policy.

    Returns: 1 if that succeeded, 0 if the free rows have to be factored anew
    """
    state, policy, inverse = factor.state, factor.policy, factor.real[INVERSE]
    if state[BEGIN] != begin or state[END] != end:
        factor_all(factor, begin, end)
    if state[USABLE] == 0:
        return 0
    count, changes = 0, 0
    for k in range(begin, end):
        tight = index_set[k] != 0
        if tight:
            factor.rows[0, count] = k - begin
            count += 1
        if tight != (inverse[k - begin] == 0.0):
            factor.rows[1, changes] = k - begin
            changes += 1
    tight_rows, changed = factor.rows[0, :count], factor.rows[1, :changes]
    way = choose_way(factor, tight_rows, changed) if policy == CHEAPEST else policy
    if way < 0:
        return 0
    if way == INCREMENTAL and state[HOLDS] == 1 and exchange_rows(factor, changed) == 1:
        return 1
    copy_first(factor)
    return exchange_rows(factor, tight_rows)


@kernel(apart=True)
def refactor(
    factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Factor the free rows anew; see `SkylineFactor.factorise`."""
    factor.counts[REFACTORED] += 1
    return factor.plain.factorise(begin, end, index_set, shift, dependent_out)


@method(DowndatedFactor)
def load(factor: DowndatedFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix and forget all factors; see `Factor.load`."""
    factor.state[END] = -1
    return factor.plain.load(values, scale)


@method(DowndatedFactor)
def multiply(factor: DowndatedFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    factor.plain.multiply(begin, end, lam, bias, w_out)


@method(DowndatedFactor)
def factorise(
    factor: DowndatedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Take the tight rows of a part out of the factor of all its rows; see `Factor.factorise`.

    Writes:  all of factor but its matrix; dependent_out
    """
    factor.state[IN_USE] = downdate(factor, begin, end, index_set) if shift.size == 0 else 0
    if factor.state[IN_USE] == 0:
        return refactor(factor, begin, end, index_set, shift, dependent_out)
    for k in range(begin, end):
        if index_set[k] == 0:
            dependent_out[k] = 0
    return 0


@kernel(apart=True)
def solve_downdated(factor: DowndatedFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with what is left of the factor of all rows.                                 [Lefebvre2020, Alg. 2.4, 2.6]"""
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
