"""What to eliminate first, counted in products: trees, or bodies as in maximal coordinates.

With trees gone, the k rows that a tree leaves all meet, and A of them is dense: k columns, each a way through the tree,
and k^3 / 3 products. Without, rows meet at bodies, and most never do: a chain on the ground has hundreds of contacts,
of which each knows two links. It is one KKT problem in either order, and one solution.
"""

from __future__ import annotations

import numpy as np

from taut.model.articulation import KEPT, Articulation
from taut.structure.incidence import RowEntries

WAY = 40.0
"""Products that a node or a degree of freedom takes on the way of a column through its tree."""

PATIENCE = 4.0
"""How many times the products of rows that meet at bodies trees may take: these leave out what fills in between, and
velocities that come from the rates of joints never open one."""


def trees_first(trees: Articulation, entries: RowEntries) -> bool:
    """Whether trees are eliminated before the rows that they leave."""
    kept = np.ones(entries.row_count, bool)
    kept[: trees.role.size] = trees.role == KEPT
    node, count = trees.node[entries.entry_body], trees.tree_start.size - 1
    there = kept[entries.entry_row] & (node >= 0)
    tree = np.repeat(np.arange(count), np.diff(trees.tree_start))
    meetings = np.unique(entries.entry_row[there] * count + tree[node[there]])
    rows = np.bincount(meetings % count, minlength=count).astype(float)
    size = np.diff(trees.tree_start) + np.diff(trees.dof_start[trees.tree_start])
    at_body = np.bincount(entries.entry_body, entries.moves[entries.entry_body])
    return bool((rows * (WAY * size + rows**2 / 3.0)).sum() <= PATIENCE * (at_body**3).sum())
