"""Cholesky factor by fronts along an elimination tree: what changes is done again along its paths to the root only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.structure.front_tree import FrontTree
from taut.tables import RealRows, Reals, WholeRows, Wholes

DIAGONAL, INVERSE = 0, 1
"""Rows of `FrontFactor.real`, by column of a front: diagonal of the matrix, 1 / L_jj."""
VALID, MARK, FREE, BELOW = 0, 1, 2, 3
"""Rows of `FrontFactor.state`, by node: whether its front is that of the matrix and the labels; whether it is to be
done (again); how many of its columns are eliminated, and how many rows below them it has."""
TIGHT, DROPPED = 0, 1
"""Rows of `FrontFactor.label`, by column: whether it is tight, and whether fronts leave it out of their rows too."""
COMPACT, SOURCE, TARGET = 0, 1, 2
"""Rows of `FrontFactor.local`: number of each column of a front among the free ones, or -1; rows of the update matrix
of a child, and the rows of the front to which they are added."""


class FrontFactor(NamedTuple):
    """P A_FF P' = L L' by fronts: a table for kernels.                                  [Lefebvre2020, sec. 4.1]

    The storage of a front are its free columns, a rectangle of all its rows, and the update matrix that it leaves to
    its parent. Both stay, so a front can be done again from what its children left, whether or not those were done
    again. A row that becomes tight keeps its place among the rows below other fronts but is not eliminated in its own:
    so it touches its own front and the ancestors of that, and no others. Rows that were tight from the first are left
    out everywhere, until they become free.

    Attributes:
        tree: The fronts.
        entries: (lower triangle,) of A~, in the order of the islands.
        storage: (tree.offset[-1],) the fronts.
        real: (2, padded columns), see DIAGONAL.
        column: (padded columns,) column of the tree that each free column of a front is.
        below: (rows of all nodes,) column of the tree that each row below a front is, without those left out.
        number: (rows of all nodes,) number of each row below a front among those of `below`, or -1.
        label: (2, columns), see TIGHT.
        state: (4, nodes), see VALID.
        x: (columns,) a vector.
        vector: (rows of the highest front,) a vector.
        local: (3, rows of the highest front), see COMPACT.
    """

    tree: FrontTree
    entries: Reals
    storage: Reals
    real: RealRows
    column: Wholes
    below: Wholes
    number: Wholes
    label: WholeRows
    state: WholeRows
    x: Reals
    vector: Reals
    local: WholeRows

    @classmethod
    def of(cls, tree: FrontTree, entries: np.ndarray) -> FrontFactor:
        """Room for the factors of matrices that others load into `entries`."""
        columns, padded, rows = tree.position.size, int(tree.padded[-1]), tree.row.size
        highest = int((np.diff(tree.first) + np.diff(tree.row_start)).max(initial=0)) + 8
        return cls(
            tree=tree,
            entries=entries,
            storage=np.empty(int(tree.offset[-1])),
            real=np.zeros((2, padded)),
            column=np.zeros(padded, np.int64),
            below=np.zeros(rows, np.int64),
            number=np.zeros(rows, np.int64),
            label=np.zeros((2, columns), np.int64),
            state=np.zeros((4, tree.nodes), np.int64),
            x=np.zeros(columns),
            vector=np.zeros(highest),
            local=np.zeros((3, highest), np.int64),
        )
