"""Compiled methods of `ChosenFactor`, and what each way would cost."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.chosen import BEGIN, END, FRONTS, SKYLINE, TAKEN, WAY, ChosenFactor
from taut.linalg.front_kernels import factor_fronts, mark_fronts, solve_fronts, tiled
from taut.linalg.fronts import DROPPED, MARK, TIGHT, VALID, FrontFactor
from taut.linalg.skyline import SkylineFactor
from taut.linalg.skyline_factor_kernels import factor_numbered, number_free
from taut.tables import Flags, Reals, Wholes, method

ROW, PANEL, STORED, PRODUCT, SUBSTITUTED = 11.0, 12.0, 1.33, 0.018, 0.39
"""Nanoseconds of the skyline way: a free row, a panel, an entry of the envelope that is gathered, a multiplication with
addition, an entry of the envelope in a solve."""
FRONT, GATHERED, TILE, FRONT_SUBSTITUTED, PASSED = 118.0, 0.66, 31.0, 0.42, 47.0
"""Nanoseconds of the other: a front that is done, an entry of it that is gathered, a product of tiles of four columns;
in a solve an entry of the factor, and a front."""


@kernel(inner=True)
def skyline_cost(skyline: SkylineFactor) -> float:
    """Predicted nanoseconds to gather, factor and solve with the panels that are laid out."""
    layout, panels = skyline.layout, skyline.panels[0]
    products = 0.0
    for p in range(panels):
        height, width = float(layout[2, p]), float(layout[4, p])
        products += width * height * height
    stored = float(layout[1, panels])
    return ROW * layout[0, panels] + PANEL * panels + (STORED + SUBSTITUTED) * stored + 0.5 * PRODUCT * products


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
        w, h = float(tiled(free)), float(tiled(below))
        total += PASSED + FRONT_SUBSTITUTED * w * (w + h)
        if state[MARK, k] == 1:
            total += FRONT + GATHERED * (w * (w + h) + h * h) + TILE * (w * (0.5 * w + h) / 16.0)
    return total


@method(ChosenFactor)
def load(factor: ChosenFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix; see `Factor.load`.

    Writes:  skyline.entries, VALID of the fronts, last
    """
    for k in range(factor.fronts.state.shape[1]):
        factor.fronts.state[VALID, k] = 0
    factor.last[TAKEN + SKYLINE] = 0
    factor.last[TAKEN + FRONTS] = 0
    return factor.skyline.load(values, scale)


@method(ChosenFactor)
def multiply(factor: ChosenFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    factor.skyline.multiply(begin, end, lam, bias, w_out)


@kernel(apart=True)
def choose_way(factor: ChosenFactor, begin: int, end: int, index_set: Wholes, anew: int) -> int:
    """Which way is predicted to cost less; what that way has to know is then ready.

    Writes:  the marks of the fronts, the layout of the skyline
    """
    fronts = factor.fronts
    if fronts.tree.node_begin[begin] == fronts.tree.node_begin[end]:
        number_free(factor.skyline, begin, end, index_set)
        return SKYLINE
    mark_fronts(fronts, begin, end, index_set, anew)
    number_free(factor.skyline, begin, end, index_set)
    return FRONTS if fronts_cost(fronts, begin, end) < skyline_cost(factor.skyline) else SKYLINE


@method(ChosenFactor)
def factorise(factor: ChosenFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part in the way that costs less; see `Factor.factorise`."""
    way = choose_way(factor, begin, end, index_set, 1 if shift.size > 0 else 0)
    factor.last[WAY], factor.last[BEGIN], factor.last[END] = way, begin, end
    factor.last[TAKEN + way] += 1
    if way == FRONTS:
        return factor_fronts(factor.fronts, begin, end, shift, dependent_out)
    return factor_numbered(factor.skyline, shift, dependent_out)


@method(ChosenFactor)
def solve(factor: ChosenFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    last = factor.last
    if last[WAY] == FRONTS:
        solve_fronts(factor.fronts, last[BEGIN], last[END], rhs, x_out)
    else:
        factor.skyline.solve(rhs, x_out)
