"""Kernels of `anticipation.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.linalg.block_ldl_kernels import pull_down, push_up


@kernel("void(int64[::1], int64[::1], uint8[::1])")
def mark_paths(
    parent,  # (nodes,)
    nodes,  # where paths start
    # in and out
    mark,  # (nodes,)
):
    """Mark the paths from nodes to their roots.

    Writes:  mark
    """
    for k in range(nodes.shape[0]):
        node = nodes[k]
        while node >= 0 and mark[node] == 0:
            mark[node] = 1
            node = parent[node]


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1],"
    "float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], int64[::1], int64[::1])",
    inner=True,
)
def push_to_root(
    own,  # Jacobian blocks of a row at a tree
    # model
    entry_body, body_position,
    # plan
    size, parent, below_start, below,
    # state in
    jacobian, factor_diagonal, factor_block,
    # in and out
    x,  # (nodes, 6) zero on entry; on return y = U^T L^-1 J^T
    # workspace
    heads,  # (blocks of the row,)
    # out
    path_out,  # nodes where x may differ from 0, in rising order
):  # fmt: skip
    """U^T L^-1 J^T of one row: only the paths from its bodies to the root.

    Writes:  x, heads, path_out
    Cost:    36 multiplications a block on the way
    Returns: number of nodes on the paths
    """
    for k in range(own.shape[0]):
        heads[k] = body_position[entry_body[own[k]]]
        for i in range(6):
            x[heads[k], i] += jacobian[own[k], i]
    count = 0
    while True:
        node = -1
        for k in range(own.shape[0]):
            if heads[k] >= 0 and (node < 0 or heads[k] < node):
                node = heads[k]
        if node < 0:
            return count
        path_out[count] = node
        count += 1
        push_up(node, size, below_start, below, factor_diagonal, factor_block, x)
        for k in range(own.shape[0]):  # paths that have met go on as one
            if heads[k] == node:
                heads[k] = parent[node]


@kernel("int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64)", inner=True)
def path_bound(pair, pair_start, pair_entry, entry_body, body_position, depth, nodes):
    """Most nodes on the paths of a row at a tree whose paths have this many nodes in all.

    Returns: the number
    """
    steps = 0
    for k in range(pair_start[pair], pair_start[pair + 1]):
        steps += depth[body_position[entry_body[pair_entry[k]]]]
    return min(steps, nodes)


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1],"
    "int64[::1], float64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1],"
    "float64[:, ::1], int64[::1], int64[::1], float64[:, ::1], float64[::1])"
)
def half_solves(
    # structure
    pairs,  # rows at this tree
    target, mirror, first_pair, pair_start, pair_entry,
    # model
    entry_body, body_position, jacobian,
    # plan and factor
    size, sign, parent, below_start, below, factor_diagonal, factor_block,
    # workspace
    x, heads, path, signed,  # (nodes, 6) zero, (blocks of a row,), (steps,), (steps, 6)
    # out
    values_out,
):  # fmt: skip
    """A_ij = sum of s y_i . y_j with y = U^T L^-1 J^T, where paths overlap.                  [Baraff1996, section 10]

    Writes:  values_out, heads, path, signed
    """
    start = np.empty(pairs.shape[0] + 1, np.int64)
    start[0] = 0
    pair = first_pair
    for a in range(pairs.shape[0]):
        own = pair_entry[pair_start[pairs[a]] : pair_start[pairs[a] + 1]]
        own_path = path[start[a] :]
        count = push_to_root(
            own, entry_body, body_position, size, parent, below_start, below, jacobian, factor_diagonal, factor_block,
            x, heads, own_path,
        )  # fmt: skip
        start[a + 1] = start[a] + count
        for k in range(count):
            node, y = own_path[k], signed[start[a] + k]
            for i in range(6):
                y[i] = sign[node] * x[node, i]
        for b in range(a + 1):
            value = 0.0
            for k in range(start[b], start[b + 1]):
                z, y = x[path[k]], signed[k]
                value += z[0] * y[0] + z[1] * y[1] + z[2] * y[2] + z[3] * y[3] + z[4] * y[4] + z[5] * y[5]
            values_out[target[pair]] += value
            if mirror[pair] >= 0:
                values_out[mirror[pair]] += value
            pair += 1
        for k in range(count):
            for i in range(6):
                x[own_path[k], i] = 0.0


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "float64[:, ::1], int64[::1], float64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1],"
    "float64[:, :, ::1], float64[:, ::1], int64[::1], int64[::1], float64[::1])"
)
def whole_solves(
    # structure
    pairs,  # rows at this tree
    target, mirror, first_pair, pair_start, pair_entry,
    marked,  # nodes on the paths of this tree, in rising order
    # model
    entry_body, body_position, jacobian,
    # plan and factor
    size, sign, parent, below_start, below, factor_diagonal, factor_block,
    # workspace
    x, heads, path,  # (nodes, 6) zero, (blocks of a row,), (nodes of the tree,)
    # out
    values_out,
):  # fmt: skip
    """A_ij = J_i x_j with x = H^-1 J^T on the bodies that rows touch.                       [Baraff1996, section 8.2]

    Writes:  values_out, heads, path
    """
    pair = first_pair
    for a in range(pairs.shape[0]):
        own = pair_entry[pair_start[pairs[a]] : pair_start[pairs[a] + 1]]
        push_to_root(
            own, entry_body, body_position, size, parent, below_start, below, jacobian, factor_diagonal, factor_block,
            x, heads, path,
        )  # fmt: skip
        for k in range(marked.shape[0] - 1, -1, -1):
            pull_down(marked[k], size, sign, below_start, below, factor_diagonal, factor_block, x)
        for b in range(a + 1):
            value = 0.0
            for k in range(pair_start[pairs[b]], pair_start[pairs[b] + 1]):
                j, v = jacobian[pair_entry[k]], x[body_position[entry_body[pair_entry[k]]]]
                value += j[0] * v[0] + j[1] * v[1] + j[2] * v[2] + j[3] * v[3] + j[4] * v[4] + j[5] * v[5]
            values_out[target[pair]] += value
            if mirror[pair] >= 0:
                values_out[mirror[pair]] += value
            pair += 1
        for k in range(marked.shape[0]):
            for i in range(6):
                x[marked[k], i] = 0.0


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[::1], int64[::1], int64[::1], int64[::1],"
    "float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], float64[::1])"
)
def condense(
    # structure
    tree_start, tree_pair, target, mirror,  # see `Incidence`: what meets at each tree, and where products go
    pair_start, pair_entry,  # Jacobian blocks of each row at each tree
    marked_start, marked,  # nodes on the paths of each tree
    depth,  # (nodes,) nodes from each to its root, itself included
    # model
    entry_body, body_position,
    jacobian,  # (entries, 6)
    # plan and factor
    size, sign, parent, below_start, below, factor_diagonal, factor_block,
    # workspace
    x,  # (nodes, 6)
    # out
    values_out,  # (nonzeros,) zero on entry
):  # fmt: skip
    """J_i H^-1 J_j^T for all auxiliary rows that meet at a tree, by half or whole solves, whichever costs less.

    Writes:  x, values_out
    Cost:    per tree with k rows, paths of p nodes and m nodes on any path: the lesser of 72 k p + 3 k^2 p and
             36 k p + 72 k m + 6 k^2 multiplications
    """
    for node in range(x.shape[0]):
        for i in range(6):
            x[node, i] = 0.0
    widest, longest = 1, 0
    for p in range(pair_start.shape[0] - 1):
        widest = max(widest, pair_start[p + 1] - pair_start[p])
    for tree in range(tree_start.shape[0] - 1):
        nodes, steps = marked_start[tree + 1] - marked_start[tree], 0
        for e in range(tree_start[tree], tree_start[tree + 1]):
            steps += path_bound(tree_pair[e], pair_start, pair_entry, entry_body, body_position, depth, nodes)
        longest = max(longest, steps)
    heads, path = np.empty(widest, np.int64), np.empty(longest, np.int64)
    first_pair = 0
    for tree in range(tree_start.shape[0] - 1):
        first, last = tree_start[tree], tree_start[tree + 1]
        rows = last - first
        if rows == 0:
            continue
        nodes, steps = marked[marked_start[tree] : marked_start[tree + 1]], 0
        for e in range(first, last):
            steps += path_bound(tree_pair[e], pair_start, pair_entry, entry_body, body_position, depth, nodes.shape[0])
        if 36 * steps + 3 * rows * steps <= 72 * rows * nodes.shape[0] + 6 * rows * rows:
            half_solves(
                tree_pair[first:last], target, mirror, first_pair, pair_start, pair_entry, entry_body, body_position,
                jacobian, size, sign, parent, below_start, below, factor_diagonal, factor_block, x, heads, path,
                np.empty((steps, 6)), values_out,
            )  # fmt: skip
        else:
            whole_solves(
                tree_pair[first:last], target, mirror, first_pair, pair_start, pair_entry, nodes, entry_body,
                body_position, jacobian, size, sign, parent, below_start, below, factor_diagonal, factor_block, x,
                heads, path, values_out,
            )  # fmt: skip
        first_pair += rows * (rows + 1) // 2
