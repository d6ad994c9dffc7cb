"""Trees in joint coordinates: the KKT problem of all rows, solved with the joints of trees eliminated.

        M u - J^T lam = 0,   J u + S lam + b = w            the problem as it is, see `taut.problem.kkt`

Rows that a tree keeps by itself say  J_E u + b_E = 0,  and have the solutions  u = near + J_mr y  with y the rates of
its joints and `near` where the tree was predicted to go. Soft rows within trees go into the masses. What is left is

        H y = J_mr^T (J_K^T lam_K - M near + ...)           H = J_mr^T (M + J_s^T S^-1 J_s) J_mr      [Baxter2019, 2.14]
        A lam_K + b_K = w_K,   A = G H^-1 G^T + S           G = J_K J_mr                              [Baxter2019, 3.2]

for any solver that pivots. Impulses of joints are what bodies then miss in their balance, summed from the leaves to the
root, so that the solution is one of the whole problem, and judged there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_rows import ArticulatedRows, RowScratch, row_response
from taut.model.articulation import AT_BODY, AT_JOINT, CROSSING, ELIMINATED, KEPT, Articulation
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern
from taut.structure.union import DisjointSets
from taut.tables import Handle, RealRows, Reals, WholeRows, Wholes, held

THREADS = 2
"""Threads that share columns; what they find does not depend on how many there are."""

WORTH_SHARING = 20_000
"""Rows times nodes on their ways from which threads share columns, about 1 ms: to start some takes a tenth of that."""


class ReducedTable(NamedTuple):
    """Structure and memory of an elimination.

    Attributes:
        trees: the trees; places: where bodies are linearised.
        blocks, factor: of H, see `taut.linalg.articulated`.
        absorbed, absorbed_node, absorbed_entry: (m,) soft rows at one body or joint, its node, and the Jacobian block
            of each at that node's body.
        joint_entry: (nodes, 6) Jacobian blocks at each node of the rows that it keeps.
        crossing, crossing_entry: (c,) soft rows across trees, and the Jacobian blocks of all of them at nodes.
        kept, kept_entry: (k,) rows that are left, and their Jacobian blocks at nodes.
        rows, scratch: these rows as trees see them, and room for a column of A.
        indptr, indices, values, next: A of these, and (k,) how far its lower half is filled.
        bias: (k,) b_K.
        lam: (k,) their multipliers.
        near: (n, 6) velocities that bodies were predicted with less those without rows: where to start. Zero for bodies
            in maximal coordinates.
        change: (n, 6) what is added to what was predicted.
        balance, rhs: (nodes, 6) impulses without those of rows that are kept, and with them.
        force, step: (nodes, 6) of joints, and of one row or a correction.
        rate, rate_step, zero: (dofs,) of joints, of a correction, and nothing.
        answer: (n, 6) velocities of a solution without the free ones.
        size: (n, 2) the largest velocity and rate of turn that add up to them.
        loose, others: Jacobian blocks at moving bodies that are in no tree, and rows that no tree keeps.
        island, measure: (rows,), (3, islands) groups of rows, and what is measured of each, see `judge_slack`.
    """

    trees: Articulation
    places: Places
    blocks: ArticulatedBlocks
    factor: ArticulatedFactor
    absorbed: Wholes
    absorbed_node: Wholes
    absorbed_entry: Wholes
    joint_entry: WholeRows
    crossing: Wholes
    crossing_entry: Wholes
    kept: Wholes
    kept_entry: Wholes
    rows: ArticulatedRows
    scratch: RowScratch
    indptr: Wholes
    indices: Wholes
    values: Reals
    next: Wholes
    bias: Reals
    lam: Reals
    near: RealRows
    change: RealRows
    balance: RealRows
    rhs: RealRows
    force: RealRows
    step: RealRows
    rate: Reals
    rate_step: Reals
    zero: Reals
    answer: RealRows
    size: RealRows
    loose: Wholes
    others: Wholes
    island: Wholes
    measure: RealRows


class Velocities(NamedTuple):
    """Velocities (n, 6) of a step, see `ReducedTable`."""

    near: Array
    change: Array


@dataclass(frozen=True, eq=False)
class ReducedRows:
    """The elimination of trees in one set of rows, and the memory for it."""

    table: ReducedTable
    pattern: Pattern

    @cached_property
    def handle(self) -> Handle:
        """What kernels take it by."""
        return held(self.table)

    def reduce(self, kkt: Handle) -> bool:
        """Eliminate trees from a problem without springs across them; whether that went well.

        See the kernel of this name. Threads share columns where there is much to do.
        """
        from taut.responses.articulated_kernels import begin_reduction, end_reduction, reduce

        table = self.table
        if table.kept.size * table.rows.reach.size < WORTH_SHARING:
            return int(reduce(kkt, self.handle)) == 0
        if begin_reduction(kkt, self.handle) != 0:
            return False
        blocks, factor = held(table.blocks), held(table.factor)
        row_response(blocks, factor, table.rows, (table.indptr, table.indices), table.values, THREADS)
        end_reduction(kkt, self.handle)
        return True

    def among(self, entries: RowEntries) -> ReducedRows:
        """The same elimination where more rows follow, all of which are kept; in the same memory."""
        fields, pattern = kept_fields(self.table.trees, self.table.blocks, entries)
        return ReducedRows(self.table._replace(**fields), pattern)


def reduced_rows(trees: Articulation, entries: RowEntries, places: Places, velocities: Velocities) -> ReducedRows:
    """Memory for the elimination of trees among the rows of a model."""
    absorbed, crossing = (
        np.flatnonzero(np.isin(trees.role, (AT_BODY, AT_JOINT))),
        np.flatnonzero(trees.role == CROSSING),
    )
    node, entry = absorbed_places(trees, entries, absorbed)
    nodes, dofs, bodies = trees.body.size, int(trees.dof_start[-1]), trees.node.size
    cross_start, cross_node, cross_entry = node_blocks(trees, entries, crossing)
    blocks = ArticulatedBlocks(
        parent=trees.parent, dof_start=trees.dof_start, arm=np.zeros((nodes, 3)), subspace=np.zeros((dofs, 6)),
        block=np.zeros((nodes, 36)), reduced=np.zeros((dofs, 6)), cross_start=cross_start, cross_node=cross_node,
        cross_jacobian=np.zeros((cross_node.size, 6)), cross_weight=np.zeros(crossing.size),
    )  # fmt: skip
    balance, rhs, force, step = np.zeros((4, nodes, 6))
    rate, rate_step, zero = np.zeros((3, dofs))
    fields, pattern = kept_fields(trees, blocks, entries)
    table = ReducedTable(
        trees=trees, places=places, blocks=blocks, factor=ArticulatedFactor.of(nodes, dofs), absorbed=absorbed,
        absorbed_node=node, absorbed_entry=entry, joint_entry=joint_blocks(trees, entries), crossing=crossing,
        crossing_entry=cross_entry, **velocities._asdict(), balance=balance, rhs=rhs,
        force=force, step=step, rate=rate, rate_step=rate_step, zero=zero, answer=np.zeros((bodies, 6)),
        size=np.zeros((bodies, 2)), **fields,
    )  # fmt: skip
    return ReducedRows(table, pattern)


def kept_fields(trees: Articulation, blocks: ArticulatedBlocks, entries: RowEntries) -> tuple[dict[str, Any], Pattern]:
    """What depends on the rows that are kept, those after the model's own among them, and the pattern of their A."""
    role = np.append(trees.role, np.zeros(entries.row_count - trees.role.size, np.int64))
    kept, loose = np.flatnonzero(role == KEPT), (entries.moves > 0) & (trees.node < 0)
    pattern, (start, node, entry) = pattern_of(trees, entries, kept), node_blocks(trees, entries, kept)
    rows = ArticulatedRows.of(trees.parent, start, node, np.zeros((node.size, 6)))
    bias, lam = np.zeros((2, kept.size))
    fields = {
        "kept": kept, "kept_entry": entry, "rows": rows, "scratch": RowScratch.of(blocks, rows),
        "indptr": pattern.indptr, "indices": pattern.indices, "values": np.zeros(pattern.entry_count),
        "next": np.zeros(kept.size, np.int64), "bias": bias, "lam": lam, "island": entries.islands[1],
        "measure": np.zeros((3, entries.islands[0])), "loose": np.flatnonzero(loose[entries.entry_body]),
        "others": np.flatnonzero(role != ELIMINATED),
    }  # fmt: skip
    return fields, pattern


def absorbed_places(trees: Articulation, entries: RowEntries, rows: Integers) -> tuple[Integers, Integers]:
    """Node at which each of these soft rows acts, the lower one of a joint, and its Jacobian block there."""
    node, entry = np.zeros(rows.size, np.int64), np.zeros(rows.size, np.int64)
    for k, row in enumerate(rows):
        blocks = np.arange(entries.entry_start[row], entries.entry_start[row + 1])
        blocks = blocks[entries.moves[entries.entry_body[blocks]] > 0]
        number = trees.node[entries.entry_body[blocks]]
        last = int(np.argmax(number))  # children come after their parents
        node[k], entry[k] = number[last], blocks[last]
    return node, entry


def joint_blocks(trees: Articulation, entries: RowEntries) -> Integers:
    """Jacobian blocks (nodes, 6) at each node of the rows that it keeps; -1 for none."""
    found = np.full((trees.body.size, 6), -1)
    for node, (first, count) in enumerate(zip(trees.first_row, trees.row_count, strict=True)):
        for k in range(count):
            blocks = np.arange(entries.entry_start[first + k], entries.entry_start[first + k + 1])
            found[node, k] = blocks[entries.entry_body[blocks] == trees.body[node]][0]
    return found


def node_blocks(trees: Articulation, entries: RowEntries, rows: Integers) -> tuple[Integers, Integers, Integers]:
    """Of some rows the Jacobian blocks at nodes: the first of each row (rows + 1,), and their nodes and numbers."""
    blocks, start = entries.blocks_of(rows)
    node = trees.node[entries.entry_body[blocks]]
    here = np.append(0, np.cumsum(node >= 0))
    return here[start], node[node >= 0], blocks[node >= 0]


def connected_trees(trees: Articulation, entries: RowEntries) -> Integers:
    """Tree of every node (nodes,), the first of those that springs across trees connect."""
    tree = np.repeat(np.arange(trees.tree_start.size - 1), np.diff(trees.tree_start))
    sets = DisjointSets(trees.tree_start.size - 1)
    for row in np.flatnonzero(trees.role == CROSSING):
        bodies = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]]
        sets.join({int(tree[node]) for node in trees.node[bodies] if node >= 0})
    return np.array([sets.find(each) for each in range(trees.tree_start.size - 1)], np.int64)[tree]


def pattern_of(trees: Articulation, entries: RowEntries, kept: Integers) -> Pattern:
    """Pattern of A of the rows that are kept: those meet that share a moving body, or trees that springs connect."""
    root = np.arange(trees.node.size)
    root[trees.body] = trees.body[trees.tree_start[connected_trees(trees, entries)]]
    blocks, start = entries.blocks_of(kept)
    row = np.repeat(np.arange(kept.size), np.diff(start))
    pairs = np.unique(row * root.size + root[entries.entry_body[blocks]])
    row, body = np.divmod(pairs, root.size)
    merged = RowEntries(
        entry_start=np.searchsorted(row, np.arange(kept.size + 1)).astype(np.int64), entry_row=row, entry_body=body,
        moves=entries.moves, unbounded=entries.unbounded[kept], owner=entries.owner[kept],
    )  # fmt: skip
    return merged.incidence.pattern
