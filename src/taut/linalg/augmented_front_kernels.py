"""Kernels of `augmented.py`: one front, put together from the matrix and from what its children have left."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.augmented import AugmentedTable
from taut.tables import RealRows, Reals


@kernel(inner=True)
def put_matrix(t: AugmentedTable, node: int, front: Reals) -> None:
    """Write the columns of a node of H into its front; `place` says where rows of others begin.

    Writes:  front
    """
    size, own = t.size[node], t.diagonal[node]
    for r in range(size):
        row = front[r * (r + 1) // 2 :]
        for c in range(r + 1):
            row[c] = own[r, c]
    edge = t.first_edge[node]
    while edge >= 0:
        side = 0 if t.edge[0, edge] == node else 1
        other = t.edge[1 - side, edge]
        if t.rank[other] > t.rank[node]:
            block, first = t.coupling[edge], t.place[other]
            for r in range(t.size[other]):
                row = front[(first + r) * (first + r + 1) // 2 :]
                for c in range(size):
                    row[c] = block[c, r] if side == 0 else block[r, c]
        edge = t.edge[2 + side, edge]


@kernel(inner=True)
def add_child(t: AugmentedTable, child: int, front: Reals) -> None:
    """Add what a child has left for its rows below.

    Writes:  front, map
    """
    first, rows = t.size[child], 0
    for at in range(t.below_start[child], t.below_start[child] + t.below_count[child]):
        begin = t.place[t.below[at]]
        for r in range(t.size[t.below[at]]):
            t.map[rows] = begin + r
            rows += 1
    left = t.value[t.value_start[child] :]
    for r in range(rows):
        here, there = first + r, t.map[r]
        source = left[here * (here + 1) // 2 + first : here * (here + 1) // 2 + here + 1]
        target = front[there * (there + 1) // 2 : there * (there + 1) // 2 + there + 1]
        for c in range(source.shape[0]):
            target[t.map[c]] += source[c]


@kernel(inner=True)
def factor_own(sign: float, size: int, front: Reals) -> int:
    """sign H_jj = G G^T in the first rows of a front, with 1 / G_tt on the diagonal.

    Writes:  front
    Returns: 1, or 0 if the block is not definite with its sign
    """
    for i in range(size):
        row = front[i * (i + 1) // 2 :]
        for k in range(i + 1):
            other, value = front[k * (k + 1) // 2 :], sign * row[k]
            for c in range(k):
                value -= row[c] * other[c]
            if k < i:
                row[k] = value * other[k]
            elif value > 0.0:
                row[k] = 1.0 / math.sqrt(value)
            else:
                return 0
    return 1


@kernel(inner=True)
def factor_below(sign: float, size: int, rows: int, front: Reals, across: RealRows) -> None:
    """X_i = sign H_ij G^-T in the rows below, and what is left there: H_ik - sign X_i X_k^T.

    Writes:  front; across: columns of X
    Cost:    size (rows - size)^2 multiplications
    """
    for i in range(size, rows):
        row = front[i * (i + 1) // 2 : i * (i + 1) // 2 + i + 1]
        for k in range(size):
            other, value = front[k * (k + 1) // 2 :], sign * row[k]
            for c in range(k):
                value -= row[c] * other[c]
            row[k] = value * other[k]
            across[k, i - size] = row[k]
        rest = row[size:]
        for k in range(size):
            share, column = sign * row[k], across[k]
            for c in range(rest.shape[0]):
                rest[c] -= share * column[c]


@kernel(apart=True)
def eliminate(t: AugmentedTable, node: int) -> int:
    """Put a front together and eliminate its node.

    Writes:  value, place and back to -1, map, across
    Returns: 1, or 0 if the node's block is not definite with its sign
    """
    rows, start = t.size[node], t.below_start[node]
    t.place[node] = 0
    for at in range(start, start + t.below_count[node]):
        t.place[t.below[at]] = rows
        rows += t.size[t.below[at]]
    front = t.value[t.value_start[node] : t.value_start[node] + rows * (rows + 1) // 2]
    for at in range(front.shape[0]):
        front[at] = 0.0
    put_matrix(t, node, front)
    child = t.child[node]
    while child >= 0:
        add_child(t, child, front)
        child = t.sibling[child]
    t.place[node] = -1
    for at in range(start, start + t.below_count[node]):
        t.place[t.below[at]] = -1
    sign = 1.0 if t.sign[node] > 0 else -1.0
    if factor_own(sign, t.size[node], front) == 0:
        return 0
    factor_below(sign, t.size[node], rows, front, t.across)
    return 1
