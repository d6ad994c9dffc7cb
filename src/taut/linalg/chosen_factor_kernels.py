"""Compiled methods of `ChosenFactor`, and what each way would cost."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.chosen import ANEW, BEGIN, END, FRONTS, HELD, ROWS, TAKEN, WAY, WAYS, ChosenFactor
from taut.linalg.downdated import CHEAPEST
from taut.linalg.downdated_factor_kernels import forget_factors
from taut.linalg.front_kernels import factor_fronts, mark_fronts, solve_fronts
from taut.linalg.fronts import BELOW, DROPPED, FREE, MARK, TIGHT, VALID, FrontFactor
from taut.linalg.skyline import SkylineFactor
from taut.linalg.skyline_factor_kernels import factor_numbered, number_free
from taut.structure.cost_kernels import front_solve_time, front_time, skyline_time
from taut.tables import Flags, Reals, Wholes, generic, method


@kernel(inner=True)
def skyline_cost(skyline: SkylineFactor) -> float:
    """Predicted nanoseconds to gather, factor and solve with the panels that are laid out."""
    layout, panels = skyline.layout, skyline.panels[0]
    products = 0.0
    for p in range(panels):
        height, width = float(layout[2, p]), float(layout[4, p])
        products += width * height * height
    return skyline_time(layout[0, panels], layout[1, panels], 0.5 * products)


@kernel(inner=True)
def fronts_cost(fronts: FrontFactor, begin: int, end: int) -> float:
    """Predicted nanoseconds to do the fronts of a part that are marked, and to solve with all of them."""
    tree, state = fronts.tree, fronts.state
    total = 0.0
    for k in range(tree.node_begin[begin], tree.node_begin[end]):
        free, below = 0, 0
        for c in range(tree.first[k], tree.first[k + 1]):
            free += 1 - fronts.label[TIGHT, c]
        for a in range(tree.row_start[k], tree.row_start[k + 1]):
            below += 1 - fronts.label[DROPPED, tree.row[a]]
        total += front_solve_time(free, below)
        if state[MARK, k] == 1:
            total += front_time(free, below)
    return total


@kernel(inner=True)
def all_fronts_cost(fronts: FrontFactor, begin: int, end: int, anew: int) -> float:
    """Predicted nanoseconds to solve with the fronts of a part and, with `anew`, to do all of them."""
    tree, state = fronts.tree, fronts.state
    total = 0.0
    for k in range(tree.node_begin[begin], tree.node_begin[end]):
        free, below = state[FREE, k], state[BELOW, k]
        total += front_solve_time(free, below) + anew * front_time(free, below)
    return total


@generic
def forget_ways(factor: ChosenFactor) -> None:
    """There is no factor of the matrix any more, whichever way; arrays stay as they are.

    Writes:  VALID of the fronts, last; there is no factor of rows any more
    """
    for k in range(factor.fronts.state.shape[1]):
        factor.fronts.state[VALID, k] = 0
    for way in range(WAYS):
        factor.last[TAKEN + way] = 0
    forget_factors(factor.rows)


@method(ChosenFactor)
def load(factor: ChosenFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix; see `Factor.load`.

    Writes:  the entries; what `forget_ways` writes
    """
    forget_ways(factor)
    return factor.plain.load(values, scale)


@method(ChosenFactor)
def multiply(factor: ChosenFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    factor.plain.multiply(begin, end, lam, bias, w_out)


@kernel(apart=True)
def factor_cheaper(
    factor: ChosenFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Factor a part that has fronts: in those that changed, or in a new skyline, whichever is predicted to cost less.

    Writes:  the factor; dependent_out
    """
    fronts, skyline = factor.fronts, factor.plain
    mark_fronts(fronts, begin, end, index_set, 1 if shift.size > 0 else 0)
    number_free(skyline, begin, end, index_set)
    if fronts_cost(fronts, begin, end) < skyline_cost(skyline):
        factor.last[WAY] = FRONTS
        return factor_fronts(fronts, begin, end, shift, dependent_out)
    return factor_numbered(skyline, shift, dependent_out)


@method(ChosenFactor)
def factorise(factor: ChosenFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part in the way that costs least; see `Factor.factorise`."""
    last, tree = factor.last, factor.fronts.tree
    last[WAY], last[BEGIN], last[END], last[HELD] = ANEW, begin, end, 0
    if tree.parent.size > 0 and tree.node_begin[begin] < tree.node_begin[end]:
        found = factor_cheaper(factor, begin, end, index_set, shift, dependent_out)
    elif factor.rows.policy == CHEAPEST:
        last[WAY] = ROWS
        found = factor.rows.factorise(begin, end, index_set, shift, dependent_out)
    else:
        found = factor.plain.factorise(begin, end, index_set, shift, dependent_out)
    last[TAKEN + last[WAY]] += 1
    return found


@kernel(apart=True)
def solve_by_fronts(factor: ChosenFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the fronts of the part that was factored last; see `solve_fronts`."""
    solve_fronts(factor.fronts, factor.last[BEGIN], factor.last[END], rhs, x_out)


@method(ChosenFactor)
def solve(factor: ChosenFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    if factor.last[WAY] == FRONTS:
        solve_by_fronts(factor, rhs, x_out)
    elif factor.last[WAY] == ROWS:
        factor.rows.solve(rhs, x_out)
    else:
        factor.plain.solve(rhs, x_out)
