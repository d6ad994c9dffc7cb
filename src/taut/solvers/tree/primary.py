"""Which rows are primary, and the graph of bodies and primary rows in the order of its elimination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.problem.kkt import HARD_REGULARISATION
from taut.structure.elimination import EliminationPlan, plan_elimination
from taut.structure.incidence import RowEntries
from taut.structure.loops import has_loops
from taut.structure.union import DisjointSets

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

Group = tuple[list[int], tuple[int, ...]]
"""Rows of a node, and the moving bodies that they touch."""

LARGEST = 6
"""Most rows of a node."""

PIVOTING = 100_000
"""What it costs, in multiplications, to leave any rows to the pivoting solver: some 50 us."""


@dataclass(frozen=True, eq=False)
class PrimaryRows:
    """Where bodies, primary rows and their Jacobian blocks are in the factor.

    Attributes:
        plan: the elimination of the nodes: moving bodies, and groups of rows between the same bodies.
        sign: (nodes,) 1 for bodies, -1 for rows, by position.
        given: (nodes,) 3 for bodies that are eliminated before any of their rows: their masses stand alone; else 0.
        tree, depth: (nodes,) number of the tree that each position belongs to, and nodes from there to its root.
        body_position: (bodies,) position of each body's node, -1 for fixed ones.
        row_position, row_slot: (rows,) node of each row and its place there, -1 for auxiliary rows.
        entry_block, entry_slot, entry_across: (blocks,) where each Jacobian block goes: number of the block of
            the factor, -1 for none; the row or column there; 1 if it goes into a column.
        filled: blocks of the factor that no Jacobian block goes to.
        softening: (rows,) least compliance of a row in the factor, over its diagonal of A: rows that close loops may
            ask the same of bodies that are eliminated before them.
    """

    plan: EliminationPlan
    sign: Array
    given: Integers
    tree: Integers
    depth: Integers
    body_position: Integers
    row_position: Integers
    row_slot: Integers
    entry_block: Integers
    entry_slot: Integers
    entry_across: NDArray[np.uint8]
    filled: Integers
    softening: Array

    @property
    def tree_count(self) -> int:
        """Number of trees."""
        return int(self.tree.max(initial=-1)) + 1


def choose_primary(entries: RowEntries, cut_loops: bool | None = None) -> PrimaryRows:
    """The primary rows: all unbounded ones, or only those that close no loop; None = the cheaper of both."""
    groups = group_rows(entries)
    inside = plan_nodes(entries, groups)
    acyclic = [group for group, closes in zip(groups, closing_loops(entries, groups), strict=True) if not closes]
    if len(acyclic) == len(groups):
        return place_rows(entries, groups, inside)
    cut = plan_nodes(entries, acyclic)
    extra = sum(len(rows) for rows, _ in groups) - sum(len(rows) for rows, _ in acyclic)
    solve = int((12 * cut.size).sum())
    if cut_loops is None:
        cut_loops = cut.flops + extra * solve + extra**3 // 3 + PIVOTING < inside.flops
    return place_rows(entries, acyclic, cut) if cut_loops else place_rows(entries, groups, inside)


def group_rows(entries: RowEntries) -> list[Group]:
    """Nodes of rows: at most six unbounded rows of one owner that touch the same moving bodies.

    Rows of different owners may ask the same of one of the bodies and could not be eliminated with it alone.
    """
    start, body, moves = entries.entry_start, entries.entry_body, entries.moves
    groups: list[Group] = []
    latest: dict[tuple[int, ...], int] = {}
    for row in np.flatnonzero(entries.unbounded):
        touched = tuple(sorted({int(each) for each in body[start[row] : start[row + 1]] if moves[each]}))
        key = (int(entries.owner[row]), *touched)
        if key not in latest or len(groups[latest[key]][0]) == LARGEST:
            latest[key] = len(groups)
            groups.append(([], touched))
        groups[latest[key]][0].append(int(row))
    return groups


def closing_loops(entries: RowEntries, groups: list[Group]) -> list[bool]:
    """Whether each node of rows closes a loop of moving bodies with those before it."""
    sets = DisjointSets(entries.moves.size)
    return [not sets.join(bodies) for _, bodies in groups]


def plan_nodes(entries: RowEntries, groups: list[Group]) -> EliminationPlan:
    """Elimination of the moving bodies, in order, and these nodes of rows after them."""
    number = np.cumsum(entries.moves) - 1
    bodies = int(entries.moves.sum())
    sizes = [6] * bodies + [len(rows) for rows, _ in groups]
    edges = [(int(number[body]), bodies + index) for index, (_, near) in enumerate(groups) for body in near]
    return plan_elimination(sizes, [False] * bodies + [True] * len(groups), edges)


def place_rows(entries: RowEntries, groups: list[Group], plan: EliminationPlan) -> PrimaryRows:
    """Where everything goes in the factor of this plan."""
    moves = entries.moves
    bodies = int(moves.sum())
    body_position = np.full(moves.size, -1)
    body_position[moves > 0] = plan.position[:bodies]
    sign = np.ones(plan.count)
    sign[plan.position[bodies:]] = -1.0
    given = np.zeros(plan.count, np.int64)
    given[np.setdiff1d(body_position[moves > 0], plan.below)] = 3
    row_position, row_slot = np.full(entries.row_count, -1), np.full(entries.row_count, -1)
    for index, (rows, _) in enumerate(groups):
        row_position[rows], row_slot[rows] = plan.position[bodies + index], np.arange(len(rows))
    block, across = np.full(entries.entry_body.size, -1), np.zeros(entries.entry_body.size, np.uint8)
    for entry, (row, body) in enumerate(zip(entries.entry_row, entries.entry_body, strict=True)):
        place, other = row_position[row], body_position[body]
        if place >= 0 and other >= 0:
            across[entry] = other > place
            block[entry] = plan.block(max(place, other), min(place, other))
    tree, depth = label_trees(plan)
    return PrimaryRows(
        plan=plan,
        sign=sign,
        given=given,
        tree=tree,
        depth=depth,
        body_position=body_position,
        row_position=row_position,
        row_slot=row_slot,
        entry_block=block,
        entry_slot=row_slot[entries.entry_row],
        entry_across=across,
        filled=np.setdiff1d(np.arange(plan.below.size), block),
        softening=np.full(entries.row_count, HARD_REGULARISATION if has_loops(entries, row_position >= 0) else 0.0),
    )


def label_trees(plan: EliminationPlan) -> tuple[Integers, Integers]:
    """Number of the tree that each position belongs to, and the nodes from there to its root, itself included."""
    tree, depth = np.zeros(plan.count, np.int64), np.ones(plan.count, np.int64)
    roots = 0
    for node in range(plan.count - 1, -1, -1):  # parents come after their children
        parent = plan.parent[node]
        if parent < 0:
            tree[node], roots = roots, roots + 1
        else:
            tree[node], depth[node] = tree[parent], depth[parent] + 1
    return tree, depth
