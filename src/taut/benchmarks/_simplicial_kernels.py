"""Compiled simplicial Cholesky factor, up-looking: row after row, an entry at a time, as sparse libraries start."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.skyline_kernels import DEPENDENT_PIVOT, NEGATIVE_PIVOT
from taut.tables import Reals, WholeRows, Wholes


@kernel(inner=True)
def link_row(
    k: int, lower_start: Wholes, lower_column: Wholes, free: Wholes, parent_out: Wholes, ancestor_out: Wholes,
    mark_out: Wholes,
) -> None:  # fmt: skip
    """Add row k to the elimination tree of the free rows before it.                               [Davis2006, ch. 4]

    Ancestors are shortcuts to the top of what the tree is so far.
    """
    parent_out[k] = -1
    ancestor_out[k] = -1
    mark_out[k] = k
    for e in range(lower_start[k], lower_start[k + 1] - 1):
        i = lower_column[e]
        while free[i] == 1 and i != k:
            above = ancestor_out[i]
            ancestor_out[i] = k
            if above == -1:
                parent_out[i] = k
                break
            i = above


@kernel(inner=True)
def reach_row(
    k: int, lower_start: Wholes, lower_column: Wholes, free: Wholes, parent: Wholes, mark_out: Wholes, reach_out: Wholes
) -> int:
    """The columns that row k of L has entries in: paths up the tree from its entries, each below those it goes to.

    Writes:  mark_out, reach_out from its returned place to the end
    Returns: where the list begins
    """
    top = reach_out.size
    for e in range(lower_start[k], lower_start[k + 1] - 1):
        i = lower_column[e]
        if free[i] == 0:
            continue
        length = 0
        while mark_out[i] != k:
            # a path grows from the left end of the list, then moves to its right end
            reach_out[length] = i
            length += 1
            mark_out[i] = k
            i = parent[i]
        while length > 0:
            top -= 1
            length -= 1
            reach_out[top] = reach_out[length]
    return top


@kernel()
def count_columns(lower_start: Wholes, lower_column: Wholes, work: WholeRows, column_start_out: Wholes) -> None:
    """Where the columns of the factor of all rows begin: no factor of some of the rows has longer ones.

    Shapes:  work (5, n), column_start_out (n + 1,)
    """
    free, parent, ancestor, mark, reach = work[0], work[1], work[2], work[3], work[4]
    size = parent.size
    for k in range(size + 1):
        column_start_out[k] = 0
    for k in range(size):
        free[k] = 1
    for k in range(size):
        link_row(k, lower_start, lower_column, free, parent, ancestor, mark)
        for place in range(reach_row(k, lower_start, lower_column, free, parent, mark, reach), size):
            column_start_out[reach[place] + 1] += 1
    for k in range(size):
        column_start_out[k + 1] += column_start_out[k]


@kernel()
def factor_up_looking(
    # matrix
    lower_start: Wholes, lower_column: Wholes, entries: Reals, shift: Reals, column_start: Wholes,
    # workspace
    work: WholeRows,  # (5, n), its first row the free rows
    x: Reals,  # (n,) zeros
    # factor
    inverse_out: Reals, column_end_out: Wholes, row_out: Wholes, value_out: Reals,
) -> int:  # fmt: skip
    """L L^T = A_FF + diag(shift)_F, row by row: L_k = L^-1 A_k, l_kk^2 = a_kk - L_k L_k^T.           [Davis2006, ch. 4]

    Rows that depend on those before them are dropped: their inverse pivot is 0.

    Shapes:  entries (lower triangle,), shift (n,) or (0,) for none, inverse_out (n,), column_end_out (n,)
    Cost:    flops of the factor, an indirect access for each two, and the tree
    Returns: dependent rows, or -1 - row if the matrix is not positive semidefinite there
    """
    free, parent, ancestor, mark, reach = work[0], work[1], work[2], work[3], work[4]
    size, dependent = x.size, 0
    for k in range(size):
        column_end_out[k] = column_start[k]
    for k in range(size):
        inverse_out[k] = 0.0
        if free[k] == 0:
            continue
        link_row(k, lower_start, lower_column, free, parent, ancestor, mark)
        top = reach_row(k, lower_start, lower_column, free, parent, mark, reach)
        last = lower_start[k + 1] - 1
        for e in range(lower_start[k], last):
            if free[lower_column[e]] == 1:
                x[lower_column[e]] = entries[e]
        pivot = entries[last] + (shift[k] if shift.size > 0 else 0.0)
        for place in range(top, size):
            i = reach[place]
            entry = x[i] * inverse_out[i]
            x[i] = 0.0
            rows = row_out[column_start[i] : column_end_out[i]]
            values = value_out[column_start[i] : column_end_out[i]]
            for p in range(rows.size):
                x[rows[p]] -= values[p] * entry
            pivot -= entry * entry
            # kept for now: a row that turns out to depend on others takes it back
            row_out[column_end_out[i]] = k
            value_out[column_end_out[i]] = entry
            column_end_out[i] += 1 if inverse_out[i] > 0.0 else 0
        if pivot > DEPENDENT_PIVOT * entries[last]:
            inverse_out[k] = 1.0 / math.sqrt(pivot)
            continue
        for place in range(top, size):
            column_end_out[reach[place]] -= 1 if inverse_out[reach[place]] > 0.0 else 0
        if not (pivot >= NEGATIVE_PIVOT * entries[last]):
            return -1 - k
        dependent += 1
    return dependent


@kernel()
def solve_up_looking(
    column_start: Wholes, column_end: Wholes, row: Wholes, value: Reals, inverse: Reals, x_out: Reals
) -> None:
    """x = (L L^T)^-1 x; rows that are not free, or depend on others, become 0.

    Shapes:  inverse, x_out (n,)
    """
    size = x_out.size
    for k in range(size):
        x_out[k] *= inverse[k]
        for p in range(column_start[k], column_end[k]):
            x_out[row[p]] -= value[p] * x_out[k]
    for k in range(size - 1, -1, -1):
        total = x_out[k]
        for p in range(column_start[k], column_end[k]):
            total -= value[p] * x_out[row[p]]
        x_out[k] = total * inverse[k]
