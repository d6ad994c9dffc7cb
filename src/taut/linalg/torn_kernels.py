"""Compiled methods of `TornFactor`, and the Schur complements that it leaves."""

from __future__ import annotations

import taut.linalg.skyline_factor_kernels  # noqa: F401  gives SkylineFactor its methods
from taut.kernel import kernel
from taut.linalg.front_kernels import backward_fronts, factor_nodes, forward_fronts, gather_front, mark_fronts
from taut.linalg.fronts import MARK, VALID
from taut.linalg.torn import BEGIN, END, TornFactor
from taut.tables import Flags, Reals, Wholes, method


@kernel(inner=True)
def border_of(factor: TornFactor, begin: int, end: int) -> int:
    """The node that is the border of a part; the one after its last if it has none."""
    tree = factor.fronts.tree
    last = tree.node_begin[end]
    return last - 1 if factor.copy[tree.position[tree.first[last] - 1]] >= 0 else last


@method(TornFactor)
def load(factor: TornFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix; see `Factor.load`. The border has none of its own: A of the interface counts once, not by copies.

    Writes:  the entries; VALID of the fronts
    """
    for k in range(factor.fronts.state.shape[1]):
        factor.fronts.state[VALID, k] = 0
    finite = factor.plain.load(values, scale)
    for k in range(factor.copy.size):
        if factor.copy[k] >= 0:
            factor.plain.entries[factor.symbolic.lower_start[k + 1] - 1] = 0.0
    return finite


@method(TornFactor)
def multiply(factor: TornFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part, with what its inner rows do to the copies; see `Factor.multiply`."""
    factor.plain.multiply(begin, end, lam, bias, w_out)


@kernel(apart=True)
def factor_part(factor: TornFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Do the fronts of a part that changed; see `Factor.factorise`.

    Writes:  the factor, dependent_out
    """
    fronts, labels = factor.fronts, factor.labels
    factor.last[BEGIN], factor.last[END] = begin, end
    for k in range(begin, end):
        labels[k] = index_set[k] if factor.copy[k] < 0 else 0
    mark_fronts(fronts, begin, end, labels, 1 if shift.size > 0 else 0)
    return factor_nodes(fronts, fronts.tree.node_begin[begin], border_of(factor, begin, end), shift, dependent_out)


@method(TornFactor)
def factorise(factor: TornFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free inner rows of a part; see `Factor.factorise`."""
    found: int = factor_part(factor, begin, end, index_set, shift, dependent_out)
    return found


@kernel(apart=True)
def solve_part(factor: TornFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve for the free inner rows of the part that was factored last, with nothing at its border.   [eq. 28]

    Writes:  x_out at free inner rows; x and vector of the fronts
    """
    fronts, begin, end = factor.fronts, factor.last[BEGIN], factor.last[END]
    tree, x = fronts.tree, fronts.x
    first, border, last = tree.node_begin[begin], border_of(factor, begin, end), tree.node_begin[end]
    for c in range(tree.first[first], tree.first[border]):
        x[c] = rhs[tree.position[c]]
    forward_fronts(fronts, first, border)
    for c in range(tree.first[border], tree.first[last]):
        x[c] = 0.0
    backward_fronts(fronts, first, border)
    for c in range(tree.first[first], tree.first[border]):
        if factor.labels[tree.position[c]] == 0:
            x_out[tree.position[c]] = x[c]


@method(TornFactor)
def solve(factor: TornFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    solve_part(factor, rhs, x_out)


@kernel(apart=True)
def complement_part(
    factor: TornFactor, begin: int, end: int, index_set: Wholes, dependent_out: Flags, none: Reals
) -> int:
    """Bring the factor of a part and its Schur complement -A_BF A_FF^-1 A_FB, in its last front, to these labels.

    Nothing is done where neither changed.                                                       [Peiret2019, eq. 24]

    Shapes:  none (0,)
    Writes:  the factor, dependent_out
    Returns: dependent rows, or a negative number if A_FF is not positive semidefinite
    """
    fronts = factor.fronts
    found = factor_part(factor, begin, end, index_set, none, dependent_out)
    border = border_of(factor, begin, end)
    if found >= 0 and border < fronts.tree.node_begin[end] and fronts.state[MARK, border] == 1:
        gather_front(fronts, border, none)
        fronts.state[VALID, border] = 1
    return found
