"""G H^-1 G^T of rows that touch a few nodes each: loops, limits and contacts on trees.        [Baxter2019, sec. 3.4]

Each column is a solve of its own. Its loads go up from the nodes that the row touches, past their ancestors only; its
velocities go down to the nodes that rows touch, and to no others.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.linalg.articulated import ArticulatedBlocks, dense_jacobian, dense_matrix, dense_rows
from taut.tables import Handle, RealRows, Reals, Wholes, held

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class ArticulatedRows(NamedTuple):
    """Rows on trees: a table for kernels.

    Attributes:
        row_start: (rows + 1,) ranges of the entries of each row.
        row_node: (entries,) the nodes that a row touches.
        row_jacobian: (entries, 6) the row there.
        tree: (n,) number of the tree of each node.
        reach_start: (trees + 1,) ranges of `reach`.
        reach: (nodes,) nodes that rows touch and their ancestors, tree by tree, parents first.
    """

    row_start: Wholes
    row_node: Wholes
    row_jacobian: RealRows
    tree: Wholes
    reach_start: Wholes
    reach: Wholes

    @classmethod
    def of(
        cls, parent: NDArray[np.int64], start: NDArray[np.int64], node: NDArray[np.int64], jacobian: Array
    ) -> ArticulatedRows:
        """Rows with these entries on nodes with these parents."""
        from taut.linalg.articulated_rows_kernels import find_reach

        tree, touched = np.zeros((2, parent.size), np.int64)
        reach_start, reach = np.zeros(parent.size + 1, np.int64), np.empty(parent.size, np.int64)
        trees = find_reach(parent, node, tree, touched, reach_start, reach)
        return cls(start, node, jacobian, tree, reach_start[: trees + 1], reach[: reach_start[trees]])


class RowScratch(NamedTuple):
    """Vectors of one column at a time: a table for kernels, one a thread.

    Attributes:
        load, velocity: (n, 6); between columns the load is 0.
        y: (dofs,) 0 between columns.
        cursor: (entries of the longest row,) how far up each load has come.
        met: (trees,) the last column that moved each tree, plus 1.
    """

    load: RealRows
    velocity: RealRows
    y: Reals
    cursor: Wholes
    met: Wholes

    @classmethod
    def of(cls, blocks: ArticulatedBlocks, rows: ArticulatedRows) -> RowScratch:
        """Room for columns of these rows."""
        load, velocity = np.zeros((2, blocks.nodes, 6))
        longest = int(np.diff(rows.row_start).max(initial=0))
        cursor, met = np.zeros(longest, np.int64), np.zeros(rows.reach_start.size - 1, np.int64)
        return cls(load, velocity, np.zeros(blocks.dofs), cursor, met)


def row_response(
    blocks: Handle, factor: Handle, rows: ArticulatedRows, pattern: tuple[Integers, Integers], values_out: Array,
    parts: int = 1,
) -> None:  # fmt: skip
    """G P^-1 G^T with the factor P of `factor_tree`, from the diagonal on, where a pattern (indptr, indices) has room.

    The rows are shared out in as many parts, each with a thread of its own. Rows do not wait for each other, and what
    is found is the same for any number of threads.                                             [Baxter2019, sec. 3.4]
    """
    from taut.linalg.articulated_rows_kernels import respond

    ends, handle = np.linspace(0, rows.row_start.size - 1, parts + 1).astype(int), held(rows)

    def work(part: int) -> None:
        scratch = held(RowScratch.of(blocks.unheld, rows))  # type: ignore[arg-type]
        respond(blocks, factor, handle, scratch, int(ends[part]), int(ends[part + 1]), *pattern, values_out)

    with ThreadPoolExecutor(parts) as executor:
        list(executor.map(work, range(parts)))


def dense_response(blocks: ArticulatedBlocks, rows: ArticulatedRows) -> Array:
    """G H^-1 G^T (rows, rows)."""
    reduced = dense_rows(rows.row_start, rows.row_node, rows.row_jacobian, blocks.nodes) @ dense_jacobian(blocks)
    return np.asarray(reduced @ np.linalg.solve(dense_matrix(blocks), reduced.T))
