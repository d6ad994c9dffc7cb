"""Compiled steps that all work on islands shares: scale a problem, measure it, store what was found."""

from __future__ import annotations

import math

import taut.linalg.chosen_factor_kernels  # noqa: F401  gives ChosenFactor its methods
from taut.kernel import kernel
from taut.solvers.island_workspace import IslandWork, Search, SkylineWork
from taut.structure.cost_kernels import border_gain
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Reals, WholeRows, Wholes, generic


@kernel(inner=True)
def scale_rows(
    symbolic: SymbolicStructure, values: Reals, bias: Reals, lower: Reals, upper: Reals, search: Search
) -> int:
    """Permute and scale rows to unit diagonal: d = |diag A|, b~ = D^-1/2 b, bounds~ = D^1/2 bounds.

    Writes:  bias, lower, upper, scale of the search
    Returns: 1 if every number is finite (bounds may be infinite on their own side), else 0
    """
    order, lower_start, lower_source = symbolic.order, symbolic.lower_start, symbolic.lower_source
    bias_out, lower_out, upper_out, scale_out = search.bias, search.lower, search.upper, search.scale
    total = 0.0
    for k in range(order.size):
        row = order[k]
        diagonal = values[lower_source[lower_start[k + 1] - 1]]
        root = math.sqrt(abs(diagonal)) if diagonal != 0.0 else 1.0
        scale_out[k] = 1.0 / root
        bias_out[k] = bias[row] * scale_out[k]
        lower_out[k] = lower[row] * root
        upper_out[k] = upper[row] * root
        # 0 x is 0 for every finite x and NaN for all else
        total += 0.0 * bias_out[k]
        if not (lower[row] <= upper[row]):
            total = math.nan
    return 1 if total == 0.0 else 0


@generic
def take_problem(work: IslandWork, values: Reals, bias: Reals, lower: Reals, upper: Reals) -> int:
    """Take a problem, scaled to unit diagonal, into a workspace; see `scale_rows` and `Factor.load`.

    Returns: 1 if every number is finite, else 0
    """
    if scale_rows(work.factor.symbolic, values, bias, lower, upper, work.search) == 0:
        return 0
    return work.factor.load(values, work.search.scale)


@kernel(apart=True)
def take_start(order: Wholes, index_set: Wholes, lam: Reals, search: Search, report_out: WholeRows) -> None:
    """Permute and scale a start; labels of bounds that do not exist become free, fixed rows tight, non-numbers 0.

    Writes:  index_set and lam of the search; zeros to report_out
    """
    lower, upper, scale = search.lower, search.upper, search.scale
    index_set_out, lam_out = search.index_set, search.lam
    for island in range(report_out.shape[0]):
        for column in range(report_out.shape[1]):
            report_out[island, column] = 0
    for k in range(order.size):
        label = index_set[order[k]]
        if lower[k] == upper[k]:
            label = -1
        elif (label < 0 and lower[k] == -math.inf) or (label > 0 and upper[k] == math.inf):
            label = 0
        index_set_out[k] = min(max(label, -1), 1)
        x = lam[order[k]] / scale[k]
        lam_out[k] = x if math.isfinite(x) else 0.0


@kernel()
def load_problem(work: SkylineWork, values: Reals, bias: Reals, lower: Reals, upper: Reals) -> int:
    """Take a problem into a workspace; see `take_problem`."""
    return take_problem(work, values, bias, lower, upper)


@generic
def take_islands(
    work: IslandWork, values: Reals, bias: Reals, lower: Reals, upper: Reals, start_set: Wholes, start_lam: Reals
) -> int:
    """Take a problem and a start into a workspace; see `take_problem` and `take_start`.

    Returns: 1 if every number of the problem is finite, else 0
    """
    if take_problem(work, values, bias, lower, upper) == 0:
        return 0
    take_start(work.factor.symbolic.order, start_set, start_lam, work.search, work.report)
    return 1


@kernel()
def load_islands(
    work: SkylineWork, values: Reals, bias: Reals, lower: Reals, upper: Reals, start_set: Wholes, start_lam: Reals
) -> int:
    """Take a problem and a start into a workspace; see `take_islands`."""
    return take_islands(work, values, bias, lower, upper, start_set, start_lam)


@kernel(apart=True)
def give_result(
    order: Wholes, search: Search, lower: Reals, upper: Reals, lam_out: Reals, index_set_out: Wholes
) -> None:
    """Unscale and put back in the given order; tight rows exactly at their bounds, all within bounds.

    Writes:  lam_out, index_set_out
    """
    lam, scale, index_set = search.lam, search.scale, search.index_set
    for k in range(order.size):
        row = order[k]
        label = index_set[k]
        index_set_out[row] = label
        if label < 0:
            lam_out[row] = lower[row]
        elif label > 0:
            lam_out[row] = upper[row]
        else:
            lam_out[row] = min(max(lam[k] * scale[k], lower[row]), upper[row])


@kernel()
def store_result(work: SkylineWork, lower: Reals, upper: Reals, lam_out: Reals, index_set_out: Wholes) -> None:
    """What a workspace found; see `give_result`."""
    give_result(work.factor.symbolic.order, work.search, lower, upper, lam_out, index_set_out)


@kernel(apart=True)
def is_idle(begin: int, end: int, search: Search) -> int:
    """Whether nothing asks anything of an island: b = 0 and bounds that allow lam = 0, which is then set.

    A start with lam != 0 would otherwise leave a little of it, with nothing to call it small against.

    Writes:  lam and index_set of the search
    """
    bias, lower, upper = search.bias, search.lower, search.upper
    lam_out, index_set_out = search.lam, search.index_set
    for k in range(begin, end):
        if not (bias[k] == 0.0 and lower[k] <= 0.0 <= upper[k]):
            return 0
    for k in range(begin, end):
        lam_out[k] = 0.0
        label = index_set_out[k]
        if (label < 0 and lower[k] < 0.0) or (label > 0 and upper[k] > 0.0):
            index_set_out[k] = 0
    return 1


@kernel(apart=True)
def island_scale(begin: int, end: int, search: Search) -> float:
    """Largest |b~| and |lam~| of an island: the size against which its numbers are judged."""
    bias, lam = search.bias, search.lam
    scale = 0.0
    for k in range(begin, end):
        scale = max(scale, abs(bias[k]), abs(lam[k]))
    return scale


@kernel(apart=True)
def worst_violation(begin: int, end: int, search: Search) -> float:
    """Natural residual of an island, |lam~ - clip(lam~ - w~, lower~, upper~)|.                  [Peiret2019, eq. 29]"""
    lam, w, lower, upper = search.lam, search.w, search.lower, search.upper
    worst = 0.0
    for k in range(begin, end):
        worst = max(worst, abs(lam[k] - min(max(lam[k] - w[k], lower[k]), upper[k])))
    return worst


@kernel(inner=True)
def is_cold(begin: int, end: int, search: Search) -> int:
    """Whether nothing is known to start an island from: all rows free, or fixed, at 0."""
    for k in range(begin, end):
        if search.lam[k] != 0.0 or (search.index_set[k] != 0 and search.lower[k] < search.upper[k]):
            return 0
    return 1


@kernel(inner=True)
def is_worth_condensing(begin: int, end: int, pivot: float, plan: float, cold: int, search: Search) -> int:
    """Whether pivots on the rows that have bounds, all others eliminated first, save more than the way there costs.

    `pivot` and `plan` are the predicted times of a pivot on all rows, 0 if there is to be no border, and of planning.
    """
    if border_gain(pivot, plan, 0.0, cold) <= 0.0:
        return 0
    bounded = 0
    for k in range(begin, end):
        bounded += 1 if search.lower[k] > -math.inf or search.upper[k] < math.inf else 0
    # without bounds one pivot on all rows is the answer; a border of most rows saves little, however many follow
    if bounded == 0 or 2 * bounded > end - begin:
        return 0
    return 1 if border_gain(pivot, plan, bounded, cold) > 0.0 else 0
