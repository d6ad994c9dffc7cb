"""Compiled responses of rows on trees, one column at a time."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_kernels import pass_velocity, sum_load
from taut.linalg.articulated_rows import ArticulatedRows, RowScratch
from taut.tables import Reals, Wholes


@kernel()
def find_reach(
    parent: Wholes, touched: Wholes, tree_out: Wholes, work_out: Wholes, start_out: Wholes, reach_out: Wholes
) -> int:
    """Trees of nodes, and of each tree the nodes that are touched, with their ancestors.

    Shapes:  tree_out, work_out, reach_out (n,), start_out (n + 1,) of which trees + 1 are used
    Returns: number of trees
    """
    trees, count = 0, parent.shape[0]
    for j in range(count):
        work_out[j] = 0
        if parent[j] < 0:
            tree_out[j] = trees
            trees += 1
        else:
            tree_out[j] = tree_out[parent[j]]
    for e in range(touched.shape[0]):
        work_out[touched[e]] = 1
    for t in range(trees + 1):
        start_out[t] = 0
    for j in range(count - 1, -1, -1):
        if work_out[j] == 1:
            start_out[tree_out[j] + 1] += 1
            if parent[j] >= 0:
                work_out[parent[j]] = 1
    for t in range(trees):
        start_out[t + 1] += start_out[t]
    # the start of a tree moves on as its nodes are listed, until it is where the next tree starts
    for j in range(count):
        if work_out[j] == 1:
            reach_out[start_out[tree_out[j]]] = j
            start_out[tree_out[j]] += 1
    for t in range(trees, 0, -1):
        start_out[t] = start_out[t - 1]
    start_out[0] = 0
    return trees


@kernel(inner=True)
def repeats(rows: ArticulatedRows, k: int) -> float:
    """Whether a row is that before it, or its opposite: a motor and a limit of one joint are.

    Returns: 1, -1, or 0 if neither
    """
    first, last, before = rows.row_start[k], rows.row_start[k + 1], rows.row_start[k - 1]
    if last - first != first - before:
        return 0.0
    same, opposite = 1, 1
    for e in range(last - first):
        if rows.row_node[first + e] != rows.row_node[before + e]:
            return 0.0
        a, b = rows.row_jacobian[first + e], rows.row_jacobian[before + e]
        for i in range(6):
            same = same if a[i] == b[i] else 0
            opposite = opposite if a[i] == -b[i] else 0
    return 1.0 if same == 1 else -1.0 * opposite


@kernel(inner=True)
def send_up(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, rows: ArticulatedRows, work: RowScratch, column: int
) -> None:
    """Loads of a row, from the nodes that it touches up to the roots.

    Writes:  load (0 again at the end), y, cursor
    """
    first, last = rows.row_start[column], rows.row_start[column + 1]
    node = -1
    for e in range(first, last):
        at, g = rows.row_node[e], rows.row_jacobian[e]
        work.cursor[e - first] = at
        node = max(node, at)
        for i in range(6):
            work.load[at, i] += g[i]
    while node >= 0:
        sum_load(blocks, factor, node, work.y, work.load)
        for i in range(6):
            work.load[node, i] = 0.0
        # all loads that have come to this node go on as one
        following = -1
        for c in range(last - first):
            if work.cursor[c] == node:
                work.cursor[c] = blocks.parent[node]
            following = max(following, work.cursor[c])
        node = following


@kernel(inner=True)
def send_down(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, rows: ArticulatedRows, work: RowScratch, tree: int
) -> None:
    """Velocities of the nodes of a tree that rows touch, from the root down.

    Writes:  velocity, y (0 again at the end)
    """
    for k in range(rows.reach_start[tree], rows.reach_start[tree + 1]):
        node = rows.reach[k]
        pass_velocity(blocks, factor, node, work.y, work.velocity)
        for d in range(blocks.dof_start[node], blocks.dof_start[node + 1]):
            work.y[d] = 0.0


@kernel(apart=True)
def respond(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, rows: ArticulatedRows, work: RowScratch, first: int,
    last: int, indptr: Wholes, indices: Wholes, values_out: Reals,
) -> None:  # fmt: skip
    """G P^-1 g of the rows g from first to last, from the diagonal on, where a pattern has room for it.

    Nodes of trees that a row does not touch may have any velocity: rows meet only where they share a tree.

    Writes:  values_out at indices not below the row, work
    Cost:    38 flops a node and degree of freedom, on the way up and down; 12 an entry of the rows
    """
    start, mark, sign = rows.row_start, 0, 1.0
    for tree in range(work.met.shape[0]):
        work.met[tree] = 0
    for row in range(first, last):
        sign = repeats(rows, row) * sign if row > first else 0.0
        if sign == 0.0:
            sign, mark = 1.0, row + 1
            send_up(blocks, factor, rows, work, row)
            for e in range(start[row], start[row + 1]):
                tree = rows.tree[rows.row_node[e]]
                if work.met[tree] != mark:
                    work.met[tree] = mark
                    send_down(blocks, factor, rows, work, tree)
        for place in range(indptr[row], indptr[row + 1]):
            other = indices[place]
            if other < row:
                continue
            rate = 0.0
            for e in range(start[other], start[other + 1]):
                node = rows.row_node[e]
                if work.met[rows.tree[node]] == mark:
                    g, v = rows.row_jacobian[e], work.velocity[node]
                    rate += (g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5])
            values_out[place] = sign * rate
