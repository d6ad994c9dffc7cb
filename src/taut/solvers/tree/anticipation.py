"""Auxiliary rows of a primary tree: who meets whom through the trees, and the matrix that anticipates the joints.

    A_ij = J_i H^-1 J_j^T      H = L D L^T bodies and joints, J_j^T what row j pushes      [Baraff1996, section 8.1]

A row pushes on few bodies, so L^-1 J^T is zero but on the paths from them to the root. From there two ways lead on:

    A_ij = (L^-1 J_i^T)^T D^-1 (L^-1 J_j^T)         half solves: paths, multiplied where they overlap    [section 10]
    A_ij = J_i (L^-T D^-1 L^-1 J_j^T)               whole solves, down to the bodies that rows touch

The first costs k^2 path lengths for k rows on a tree, the second k times the nodes that lie on any path, many rows at
a time: the cheaper one is taken, tree by tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taut.problem.kkt import Kkt
from taut.solvers.tree.primary import PrimaryRows
from taut.structure.incidence import Incidence, RowEntries, find_incidence
from taut.structure.pattern import Pattern

if TYPE_CHECKING:
    from taut.linalg.block_ldl import BlockLdl

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Anticipation:
    """The auxiliary rows among some entries, and the structure of their matrix.

    Attributes:
        auxiliary: (k,) the rows.
        incidence: which rows meet at each tree, as rows of free bodies meet at each body.
        pair_start, pair_entry: Jacobian blocks of each row at each tree.
        ranked: numbers of the rows at each tree, by the lowest node of the factor that they push on.
        lowest: that node, of each row at each tree.
        marked_start, marked: nodes on the paths from what rows push on to the roots, tree by tree in rising order.
    """

    auxiliary: Integers
    incidence: Incidence
    pair_start: Integers
    pair_entry: Integers
    ranked: Integers
    lowest: Integers
    marked_start: Integers
    marked: Integers

    @property
    def pattern(self) -> Pattern:
        """Pattern of the matrix of the auxiliary rows."""
        return self.incidence.pattern

    @classmethod
    def of(cls, entries: RowEntries, primary: PrimaryRows) -> Anticipation:
        """Work out the structure for the auxiliary rows of these entries."""
        from taut.solvers.tree.anticipation_kernels import mark_paths

        inside = np.zeros(entries.row_count, bool)
        inside[: primary.row_position.size] = primary.row_position >= 0
        auxiliary = np.flatnonzero(~inside)
        number = np.cumsum(~inside) - 1
        used = np.flatnonzero(~inside[entries.entry_row] & (entries.moves[entries.entry_body] > 0))
        node = primary.body_position[entries.entry_body[used]]
        key = number[entries.entry_row[used]] * max(primary.tree_count, 1) + primary.tree[node]
        pairs, pair_of = np.unique(key, return_inverse=True)
        pair_row, pair_tree = np.divmod(pairs, max(primary.tree_count, 1))
        row_start = np.searchsorted(pair_row, np.arange(auxiliary.size + 1))
        incidence = find_incidence(row_start, pair_row, pair_tree, np.ones(primary.tree_count, np.uint8))
        order = np.argsort(pair_of, kind="stable")
        pair_start = np.searchsorted(pair_of[order], np.arange(pairs.size + 1))
        lowest = np.minimum.reduceat(node[order], pair_start[:-1]) if pairs.size else np.zeros(0, np.int64)
        met = incidence.entry
        ranked = np.lexsort((lowest[met], pair_tree[met])) - incidence.body_start[pair_tree[met]]
        mark = np.zeros(primary.plan.count, np.uint8)
        mark_paths(primary.plan.parent, np.unique(node), mark)
        marked = np.flatnonzero(mark)
        by_tree = np.argsort(primary.tree[marked], kind="stable")
        marked = marked[by_tree]
        marked_start = np.searchsorted(primary.tree[marked], np.arange(primary.tree_count + 1))
        return cls(
            auxiliary=auxiliary,
            incidence=incidence,
            pair_start=pair_start,
            pair_entry=used[order],
            ranked=ranked,
            lowest=lowest,
            marked_start=marked_start,
            marked=marked,
        )

    def condense(self, blocks: Kkt, primary: PrimaryRows, ldl: BlockLdl, x: Array) -> Array:
        """Values of the matrix of the auxiliary rows, compliance included; `x` (nodes, 6) is scratch."""
        from taut.solvers.tree.anticipation_kernels import condense

        plan, incidence = primary.plan, self.incidence
        values = np.zeros(incidence.pattern.entry_count)
        condense(
            incidence.body_start, incidence.entry, incidence.target, incidence.mirror,
            self.pair_start, self.pair_entry, self.ranked, self.lowest, self.marked_start, self.marked, primary.depth,
            blocks.entry_body, primary.body_position, blocks.jacobian,
            plan.size, ldl.sign, plan.parent, plan.below_start, plan.below, ldl.diagonal, ldl.block, x, values,
        )  # fmt: skip
        values[incidence.diagonal] += blocks.compliance[self.auxiliary]
        return values
