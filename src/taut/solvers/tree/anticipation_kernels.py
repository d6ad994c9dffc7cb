"""Kernels of `anticipation.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.linalg.block_ldl_kernels import push_up

TOGETHER = 16
"""Right-hand sides that whole solves carry through the factor at once."""


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


@kernel("UniTuple(int64, 2)(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64)", inner=True)
def path_lengths(pairs, pair_start, pair_entry, entry_body, body_position, depth, nodes):
    """Nodes on the paths of rows at a tree whose paths have this many nodes in all.

    Returns: the most that there can be; how many there are if the paths of each row soon meet
    """
    most, likely = 0, 0
    for a in range(pairs.shape[0]):
        together, longest = 0, 0
        for k in range(pair_start[pairs[a]], pair_start[pairs[a] + 1]):
            steps = depth[body_position[entry_body[pair_entry[k]]]]
            together += steps
            longest = max(longest, steps)
        most += min(together, nodes)
        likely += longest
    return most, likely


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1],"
    "int64[::1], float64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1],"
    "float64[:, ::1], int64[::1], int64[::1], float64[:, ::1], float64[::1])",
    allocates=True,
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


@kernel("void(float64[:, :], float64[:, ::1], float64[:, ::1])", inner=True)
def add_product(
    block,  # (6, 6)
    x,  # (6, TOGETHER)
    # in and out
    total,  # (6, TOGETHER)
):
    """total += block x for all right-hand sides: one loop, so that the compiler takes several of them at a time.

    Writes:  total
    """
    b00, b01, b02, b03, b04, b05 = block[0, 0], block[0, 1], block[0, 2], block[0, 3], block[0, 4], block[0, 5]
    b10, b11, b12, b13, b14, b15 = block[1, 0], block[1, 1], block[1, 2], block[1, 3], block[1, 4], block[1, 5]
    b20, b21, b22, b23, b24, b25 = block[2, 0], block[2, 1], block[2, 2], block[2, 3], block[2, 4], block[2, 5]
    b30, b31, b32, b33, b34, b35 = block[3, 0], block[3, 1], block[3, 2], block[3, 3], block[3, 4], block[3, 5]
    b40, b41, b42, b43, b44, b45 = block[4, 0], block[4, 1], block[4, 2], block[4, 3], block[4, 4], block[4, 5]
    b50, b51, b52, b53, b54, b55 = block[5, 0], block[5, 1], block[5, 2], block[5, 3], block[5, 4], block[5, 5]
    for m in range(x.shape[1]):
        x0, x1, x2, x3, x4, x5 = x[0, m], x[1, m], x[2, m], x[3, m], x[4, m], x[5, m]
        total[0, m] += b00 * x0 + b01 * x1 + b02 * x2 + b03 * x3 + b04 * x4 + b05 * x5
        total[1, m] += b10 * x0 + b11 * x1 + b12 * x2 + b13 * x3 + b14 * x4 + b15 * x5
        total[2, m] += b20 * x0 + b21 * x1 + b22 * x2 + b23 * x3 + b24 * x4 + b25 * x5
        total[3, m] += b30 * x0 + b31 * x1 + b32 * x2 + b33 * x3 + b34 * x4 + b35 * x5
        total[4, m] += b40 * x0 + b41 * x1 + b42 * x2 + b43 * x3 + b44 * x4 + b45 * x5
        total[5, m] += b50 * x0 + b51 * x1 + b52 * x2 + b53 * x3 + b54 * x4 + b55 * x5


@kernel(
    "void(int64, int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1],float64[:, :, ::1])",
    inner=True,
)
def push_up_together(
    node,
    # plan
    below_start, below,
    # factor
    diagonal, block,
    # workspace
    y,  # (6, TOGETHER)
    # in and out
    x,  # (nodes, 6, TOGETHER)
):  # fmt: skip
    """`push_up` for several right-hand sides.

    Writes:  y, x at the node and below it
    """
    own = x[node]
    for i in range(6):
        for m in range(TOGETHER):
            y[i, m] = 0.0
    add_product(diagonal[node].T, own, y)
    for i in range(6):
        for m in range(TOGETHER):
            own[i, m] = y[i, m]
            y[i, m] = -y[i, m]
    for a in range(below_start[node], below_start[node + 1]):
        add_product(block[a], y, x[below[a]])


@kernel(
    "void(int64, float64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1],"
    "float64[:, :, ::1])",
    inner=True,
)
def pull_down_together(
    node,
    # plan
    sign, below_start, below,
    # factor
    diagonal, block,
    # workspace
    y,  # (6, TOGETHER)
    # in and out
    x,  # (nodes, 6, TOGETHER)
):  # fmt: skip
    """`pull_down` for several right-hand sides.

    Writes:  y, x[node]
    """
    own = x[node]
    for i in range(6):
        for m in range(TOGETHER):
            y[i, m] = -sign[node] * own[i, m]
            own[i, m] = 0.0
    for a in range(below_start[node], below_start[node + 1]):
        add_product(block[a].T, x[below[a]], y)
    for i in range(6):
        for m in range(TOGETHER):
            y[i, m] = -y[i, m]
    add_product(diagonal[node], y, own)


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[::1], int64[::1], int64[::1], int64[::1],"
    "float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1], uint8[::1], float64[::1])",
    allocates=True,
    apart=True,
)
def whole_solves(
    # structure
    pairs,  # rows at this tree
    target, mirror, first_pair, pair_start, pair_entry,
    ranked, lowest,  # numbers in `pairs` by the lowest node that they push on; that node of each pair
    marked,  # nodes on the paths of this tree, in rising order
    # model
    entry_body, body_position, jacobian,
    # plan and factor
    size, sign, parent, below_start, below, factor_diagonal, factor_block,
    # workspace
    x, reached,  # (nodes, 6, TOGETHER), (nodes,)
    # out
    values_out,
):  # fmt: skip
    """A_ij = J_i x_j with x = H^-1 J^T on the bodies that rows touch.                       [Baraff1996, section 8.2]

    Several rows go through the factor together. Of A_ij and A_ji the one is taken whose x starts lower: rows still to
    come touch no lower node, so each x is needed only from its own lowest node up.

    Writes:  values_out, x, reached
    """
    y, value = np.empty((6, TOGETHER)), np.empty(TOGETHER)
    rows, begin = pairs.shape[0], 0
    for first in range(0, rows, TOGETHER):
        while marked[begin] < lowest[pairs[ranked[first]]]:
            begin += 1
        nodes = marked[begin:]
        for k in range(nodes.shape[0]):
            own = x[nodes[k]]
            reached[nodes[k]] = 0
            for i in range(6):
                for m in range(TOGETHER):
                    own[i, m] = 0.0
        for m in range(min(TOGETHER, rows - first)):
            pair = pairs[ranked[first + m]]
            for k in range(pair_start[pair], pair_start[pair + 1]):
                node = body_position[entry_body[pair_entry[k]]]
                reached[node] = 1
                for i in range(6):
                    x[node, i, m] += jacobian[pair_entry[k], i]
        for k in range(nodes.shape[0]):
            if reached[nodes[k]]:
                push_up_together(nodes[k], below_start, below, factor_diagonal, factor_block, y, x)
                if parent[nodes[k]] >= 0:
                    reached[parent[nodes[k]]] = 1
        for k in range(nodes.shape[0] - 1, -1, -1):
            pull_down_together(nodes[k], sign, below_start, below, factor_diagonal, factor_block, y, x)
        for other in range(first, rows):
            a = ranked[other]
            for m in range(TOGETHER):
                value[m] = 0.0
            for k in range(pair_start[pairs[a]], pair_start[pairs[a] + 1]):
                j = jacobian[pair_entry[k]]
                v = x[body_position[entry_body[pair_entry[k]]]]
                for i in range(6):
                    for m in range(v.shape[1]):
                        value[m] += j[i] * v[i, m]
            for m in range(min(TOGETHER, other - first + 1)):
                b = ranked[first + m]
                pair = first_pair + max(a, b) * (max(a, b) + 1) // 2 + min(a, b)
                values_out[target[pair]] += value[m]
                if mirror[pair] >= 0:
                    values_out[mirror[pair]] += value[m]


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[::1], int64[::1],"
    "int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], float64[::1])",
    allocates=True,
)
def condense(
    # structure
    tree_start, tree_pair, target, mirror,  # see `Incidence`: what meets at each tree, and where products go
    pair_start, pair_entry,  # Jacobian blocks of each row at each tree
    ranked, lowest,  # see `Anticipation`
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
             72 k m + 6 k^2 multiplications. They are not equally fast: compared are nanoseconds that were measured,
             50 k p + 2 k^2 p and 400 m a round of whole solves (half of the nodes, and once more) + 10 k^2
    """
    for node in range(x.shape[0]):
        for i in range(6):
            x[node, i] = 0.0
    widest, longest = 1, 0
    for p in range(pair_start.shape[0] - 1):
        widest = max(widest, pair_start[p + 1] - pair_start[p])
    for tree in range(tree_start.shape[0] - 1):
        own, nodes = tree_pair[tree_start[tree] : tree_start[tree + 1]], marked_start[tree + 1] - marked_start[tree]
        most, _ = path_lengths(own, pair_start, pair_entry, entry_body, body_position, depth, nodes)
        longest = max(longest, most)
    heads, path = np.empty(widest, np.int64), np.empty(longest, np.int64)
    first_pair = 0
    for tree in range(tree_start.shape[0] - 1):
        first, last = tree_start[tree], tree_start[tree + 1]
        own, nodes = tree_pair[first:last], marked[marked_start[tree] : marked_start[tree + 1]]
        rows, count = own.shape[0], nodes.shape[0]
        if rows == 0:
            continue
        most, likely = path_lengths(own, pair_start, pair_entry, entry_body, body_position, depth, count)
        rounds = (rows + TOGETHER - 1) // TOGETHER
        if (50 + 2 * rows) * likely <= 400 * (rounds + 1) * count + 10 * rows * rows:
            half_solves(
                own, target, mirror, first_pair, pair_start, pair_entry, entry_body, body_position, jacobian, size,
                sign, parent, below_start, below, factor_diagonal, factor_block, x, heads, path,
                np.empty((most, 6)), values_out,
            )  # fmt: skip
        else:
            whole_solves(
                own, target, mirror, first_pair, pair_start, pair_entry, ranked[first:last], lowest, nodes, entry_body,
                body_position, jacobian, size, sign, parent, below_start, below, factor_diagonal,
                factor_block, np.empty((size.shape[0], 6, TOGETHER)), np.empty(size.shape[0], np.uint8), values_out,
            )  # fmt: skip
        first_pair += rows * (rows + 1) // 2
