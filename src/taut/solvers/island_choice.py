"""Which islands of some rows are solved along their trees: a prediction in nanoseconds, so that no clock decides.

A solve of an island whose rows never have bounds is one factor and one solve with it. Of its rows that is

    T_rows = CALL + ROW n + ENTRY e + PIVOT t         n rows, e entries of A, t a predicted pivot on all rows

and along its trees, with bodies and rows as nodes,                                                 [Baraff1996, sec. 7]

    T_tree = TREE_CALL + TREE_NODE k + TREE_PRODUCT f                    k nodes, f multiplications of the factor

The constants are a fit to least times on one core of a 2026 x86-64 server, on made-up chains, trees, stars and nets
of 5 to 4,000 rows; nine in ten predictions are within 0.7 and 1.2 of what is measured. Only the ratio of the two
decides. Scenes had no part in the fit.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.solvers.island_workspace import IslandStructure
from taut.solvers.linear_time import LinearTime
from taut.structure.elimination import EliminationPlan
from taut.structure.front_tree import front_costs
from taut.structure.incidence import RowEntries

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

CALL, ROW, ENTRY, PIVOT = 24.5e3, 31.0, 0.98, 1.31
"""Nanoseconds of a solve of rows: any, a row, an entry of A, a nanosecond of a predicted pivot."""
TREE_CALL, TREE_NODE, TREE_PRODUCT = 4.9e3, 102.0, 0.36
"""Nanoseconds of a solve along trees: any, a body or joint, a multiplication of the factor."""
PLAN_NODE = 80e3
"""Planning the elimination of a body or joint."""
SOLVES = 600
"""Solves by which the plan must have paid for itself: 10 s of smooth motion at 60 frames a second."""
LEAST, FILL = 500.0, 20.0
"""Multiplications of the factor, at least: of a body or joint, and of the square of the number of loops."""
DIVISION, DIVISION_ROW = 150e3, 15.0
"""Solving a problem as two: any, a row."""

CHOICE = "choice of solver"
"""Key of a choice among what rows keep."""
NONE, NO_ROWS = np.zeros(0, bool), np.zeros(0, np.int64)
"""No island, and no row, along trees."""
NO_CANDIDATE = "every island has rows with bounds"
"""Why nothing goes along trees where nothing could."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Which rows are solved along their trees.

    Attributes:
        along_trees: (k,) the rows, in rising order.
        others: (n - k,) all the other rows.
        first: first row of each island that gains along its trees.
        gain: nanoseconds that each of these gains.
        reason: one line for people.
    """

    along_trees: Integers
    others: Integers
    first: Integers
    gain: Array
    reason: str


def choose(entries: RowEntries, solver: LinearTime) -> Choice:
    """The choice for some rows, made once and kept with them."""
    key: Hashable = (CHOICE, solver)
    choice: Choice | None = entries.structures.get(key)
    if choice is None:
        choice = choose_anew(entries, solver) if entries.base is None else choose_beside(entries, entries.base, solver)
        entries.structures[key] = choice
    return choice


def choose_anew(entries: RowEntries, solver: LinearTime) -> Choice:
    """The choice for rows that are always there, island by island or, if dividing the problem costs more, as one."""
    _, label = entries.islands
    gain = gains_by_island(entries, solver)
    won = gain > 0.0
    first = np.unique(label, return_index=True)[1][won]
    if not won.any():
        reason = "islands without bounds gain too little along their trees"
        return settle(entries, won, first, gain[won], NO_CANDIDATE if has_bounds(entries).all() else reason)
    if not won.all() and gain[won].sum() < DIVISION + DIVISION_ROW * entries.row_count:
        won = np.full(won.size, gain.sum() > 0.0)
    reason = reason_of(won, gain) if won.any() else "dividing the problem costs more than trees gain"
    return settle(entries, won, first, gain[gain > 0.0], reason)


def choose_beside(entries: RowEntries, base: RowEntries, solver: LinearTime) -> Choice:
    """The choice while rows have come, such as contacts: islands that these touch are pivoted on."""
    own = choose(base, solver)
    if not own.first.size:
        return settle(entries, NONE, own.first, own.gain, own.reason)
    count, label = entries.islands
    touched = np.zeros(count, bool)
    touched[label[base.row_count :]] = True
    islands = label[own.first]
    left = ~touched[islands]
    first, gain = own.first[left], own.gain[left]
    if gain.sum() < DIVISION + DIVISION_ROW * entries.row_count:
        return settle(entries, NONE, first, gain, "contacts couple what would gain along its trees")
    won = np.zeros(count, bool)
    won[islands[left]] = True
    return settle(entries, won, first, gain, f"{np.count_nonzero(won)} of {count} islands along their trees")


def settle(entries: RowEntries, won: NDArray[np.bool_], first: Integers, gain: Array, reason: str) -> Choice:
    """The choice of these islands (islands,), or of none."""
    if not won.any():
        return Choice(NO_ROWS, NO_ROWS, first, gain, reason)
    chosen = won[entries.islands[1]]
    return Choice(np.flatnonzero(chosen), np.flatnonzero(~chosen), first, gain, reason)


def reason_of(won: NDArray[np.bool_], gain: Array) -> str:
    """What is saved where islands (islands,) go along their trees."""
    saved = f"{1e-3 * gain[won].sum():.0f} us less a solve are predicted"
    return f"{np.count_nonzero(won)} of {won.size} islands along their trees, whose rows never have bounds: {saved}"


def gains_by_island(entries: RowEntries, solver: LinearTime) -> Array:
    """Nanoseconds (islands,) that a solve gains along the trees of each island; -inf where that is out of the question.

    That is where rows have bounds, and where a plan would not pay for itself.
    """
    count, label = entries.islands
    bounded = has_bounds(entries)
    gain = np.where(bounded, -np.inf, 0.0)
    if bounded.all():
        return gain
    by_rows = time_by_rows(entries) + (CALL - TREE_CALL) / np.count_nonzero(~bounded)
    nodes, least = least_along_trees(entries)
    worth = ~bounded & (nodes > 0.0) & (SOLVES * (by_rows - least) > PLAN_NODE * nodes)
    gain[~bounded & ~worth] = -np.inf
    if worth.any():
        rows = np.flatnonzero(worth[label])
        part = entries if rows.size == label.size else entries.part(rows)
        gain[worth] = by_rows[worth] - time_along_trees(part, solver)
    return gain


def has_bounds(entries: RowEntries) -> NDArray[np.bool_]:
    """Whether islands (islands,) have rows that may have bounds."""
    count, label = entries.islands
    return np.bincount(label, ~entries.unbounded, count) > 0.0


def time_by_rows(entries: RowEntries) -> Array:
    """Predicted time (islands,) of a solve by rows, but for the call."""
    count, label = entries.islands
    structure = IslandStructure.of_pattern(entries.incidence.pattern)
    cost, symbolic = structure.cost, structure.symbolic
    pivot = cost[1].copy()
    if structure.tree is not None:
        fronts = front_costs(symbolic, structure.tree)
        pivot += np.where(fronts > 0.0, fronts - cost[0], 0.0)
    found = symbolic.order[symbolic.island_start[:-1]]  # a row of each island, as the factor has them
    by_island = np.zeros(count)
    by_island[label[found]] = PIVOT * pivot
    met = np.diff(entries.incidence.pattern.indptr)
    return by_island + np.bincount(label, ROW + ENTRY * met, count)


def least_along_trees(entries: RowEntries) -> tuple[Array, Array]:
    """Nodes (islands,), about, and the least time (islands,) that a solve along the trees could take, but for the call.

    A body and a joint of five rows cost some LEAST multiplications each, and loops fill the factor.
    """
    count, label = entries.islands
    moving = entries.moves[entries.entry_body] > 0
    body, at = np.unique(entries.entry_body[moving], return_index=True)
    bodies = np.bincount(label[entries.entry_row[moving][at]], minlength=count)
    owners, at = np.unique(entries.owner, return_index=True)
    joints = np.bincount(label[at[owners >= 0]], minlength=count)
    nodes, loops = (bodies + joints).astype(np.float64), np.maximum(joints - bodies, 0)
    return nodes, TREE_NODE * nodes + TREE_PRODUCT * (LEAST * nodes + FILL * loops**2)


def time_along_trees(entries: RowEntries, solver: LinearTime) -> Array:
    """Predicted time (islands,) of a solve along the trees, but for the call."""
    count, label = entries.islands
    primary = solver.tree_of(entries).factor.primary
    inside = primary.row_position >= 0
    row, place = np.flatnonzero(inside), primary.row_position[inside]
    tree_island = np.full(primary.tree_count, -1)  # bodies without rows are trees of no island
    tree_island[primary.tree[place]] = label[row]
    at = tree_island[primary.tree]
    inside = at >= 0
    nodes = np.bincount(at[inside], minlength=count)
    products = np.bincount(at[inside], products_of(primary.plan)[inside], count)
    return TREE_NODE * nodes + TREE_PRODUCT * products


def products_of(plan: EliminationPlan) -> Array:
    """Multiplications (nodes,) of a factorisation, by the node that is eliminated.

    With a node of w columns and blocks of s_i rows below:  w^3 + w sum s_i (w + s_i) + w sum_{i<j} s_i s_j.
    """
    width = plan.size.astype(np.float64)
    column = np.repeat(np.arange(plan.count), np.diff(plan.below_start))
    rows = width[plan.below]
    total, squares = np.bincount(column, rows, plan.count), np.bincount(column, rows * rows, plan.count)
    return width**3 + width * (width * total + squares + 0.5 * (total**2 - squares))
