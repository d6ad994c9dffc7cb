"""Compiled columns of G H^-1 G^T of rows on trees with springs."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_direct_kernels import solve_direct
from taut.linalg.articulated_kernels import times_j
from taut.linalg.articulated_pcg import ConjugateGradients
from taut.linalg.articulated_pcg_kernels import pcg
from taut.linalg.articulated_rows import ArticulatedRows
from taut.linalg.articulated_rows_kernels import repeats
from taut.tables import RealRows, Reals


@kernel(inner=True)
def put_load(rows: ArticulatedRows, row: int, load_out: RealRows) -> None:
    """Add a row, as a load of nodes."""
    for e in range(rows.row_start[row], rows.row_start[row + 1]):
        g, out = rows.row_jacobian[e], load_out[rows.row_node[e]]
        for i in range(6):
            out[i] += g[i]


@kernel(inner=True)
def clear_load(rows: ArticulatedRows, row: int, load_out: RealRows) -> None:
    """Nothing pulls at the nodes of a row any more."""
    for e in range(rows.row_start[row], rows.row_start[row + 1]):
        for i in range(6):
            load_out[rows.row_node[e], i] = 0.0


@kernel(inner=True)
def read_rates(rows: ArticulatedRows, first: int, velocity: RealRows, rate_out: Reals) -> None:
    """G V of the rows from `first` on.

    Shapes:  velocity (n, 6), rate_out (rows,)
    """
    for row in range(first, rate_out.shape[0]):
        rate = 0.0
        for e in range(rows.row_start[row], rows.row_start[row + 1]):
            g, v = rows.row_jacobian[e], velocity[rows.row_node[e]]
            rate += (g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5])
        rate_out[row] = rate


@kernel(inner=True)
def take_over(rows: ArticulatedRows, column: int, response_out: RealRows) -> int:
    """Take the column before for one of the same row, or of its opposite.

    Writes:  response_out
    Returns: 1 if so, else 0
    """
    sign = repeats(rows, column)
    if sign == 0.0:
        return 0
    for row in range(column, rows.row_start.shape[0] - 1):
        response_out[column, row] = sign * response_out[column - 1, row]
    return 1


@kernel(apart=True)
def respond_pcg(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, work: ConjugateGradients, rows: ArticulatedRows, first: int,
    last: int, tolerance: float, most: int, load_out: RealRows, velocity_out: RealRows, none: Reals, y_out: Reals,
    response_out: RealRows,
) -> int:  # fmt: skip
    """Columns first to last of the response, from the diagonal on, by conjugate gradients.

    Shapes:  load_out (n, 6) and none (dofs,) all 0, y_out (dofs,)
    Returns: most iterations of a column; negative if those that were allowed were too few
    """
    longest = 0
    for column in range(first, last):
        if column > first and take_over(rows, column, response_out) == 1:
            continue
        for d in range(y_out.shape[0]):
            y_out[d] = 0.0
        put_load(rows, column, load_out)
        found = pcg(blocks, factor, work, load_out, none, tolerance, most, y_out)
        clear_load(rows, column, load_out)
        if found < 0:
            return found
        longest = max(longest, found)
        times_j(blocks, y_out, velocity_out)
        read_rates(rows, column, velocity_out, response_out[column])
    return longest


@kernel(apart=True)
def respond_direct(
    blocks: ArticulatedBlocks, direct: DirectFactor, rows: ArticulatedRows, first: int, last: int, refinements: int,
    load_out: RealRows, velocity_out: RealRows, none: Reals, y_out: Reals, response_out: RealRows,
) -> None:  # fmt: skip
    """Columns first to last of the response, from the diagonal on, by the direct factor.

    Shapes:  load_out (n, 6) and none (dofs,) all 0, y_out (dofs,)
    """
    for column in range(first, last):
        if column > first and take_over(rows, column, response_out) == 1:
            continue
        put_load(rows, column, load_out)
        solve_direct(blocks, direct, load_out, none, refinements, y_out)
        clear_load(rows, column, load_out)
        times_j(blocks, y_out, velocity_out)
        read_rates(rows, column, velocity_out, response_out[column])
