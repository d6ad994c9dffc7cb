"""Kernels of `augmented.py`: one front, put together from the matrix and from what its children have left."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.augmented import AugmentedTable
from taut.tables import RealRows, Reals


@kernel(inner=True)
def put_matrix(t: AugmentedTable, node: int, first: int, front: Reals) -> None:
    """Write the columns of a node of H into its front, from a row on; `place` says where rows of others begin.

    Writes:  front
    """
    size, own = t.size[node], t.diagonal[node]
    for r in range(first, size):
        row = front[r * (r + 1) // 2 :]
        for c in range(r + 1):
            row[c] = own[r, c]
    edge = t.first_edge[node]
    while edge >= 0:
        side = 0 if t.edge[0, edge] == node else 1
        other = t.edge[1 - side, edge]
        if t.rank[other] > t.rank[node] and t.place[other] >= first:
            block, begin = t.coupling[edge], t.place[other]
            for r in range(t.size[other]):
                row = front[(begin + r) * (begin + r + 1) // 2 :]
                for c in range(size):
                    row[c] = block[c, r] if side == 0 else block[r, c]
        edge = t.edge[2 + side, edge]


@kernel(inner=True)
def match_runs(t: AugmentedTable, child: int) -> int:
    """Rows of a child's front that follow each other in that of its parent: long runs, as most rows are the same.

    Writes:  run: where each begins among the rows that the child has left, and in the front; then an end
    Returns: how many
    """
    count, rows, next_ = 0, 0, -1
    for at in range(t.below_start[child], t.below_start[child] + t.below_count[child]):
        begin = t.place[t.below[at]]
        if begin != next_:
            t.run[0, count], t.run[1, count] = rows, begin
            count += 1
        rows += t.size[t.below[at]]
        next_ = begin + t.size[t.below[at]]
    t.run[0, count] = rows
    return count


@kernel(inner=True)
def add_child(t: AugmentedTable, child: int, first: int, front: Reals) -> None:
    """Add what a child has left for its rows below, from a row of the front on.

    Writes:  front, run
    """
    size, runs = t.size[child], match_runs(t, child)
    left, begin, place = t.value[t.value_start[child] :], t.run[0], t.run[1]
    for p in range(runs):
        for r in range(begin[p], begin[p + 1]):
            here, there = size + r, place[p] + r - begin[p]
            if there < first:
                continue
            source = left[here * (here + 1) // 2 + size : here * (here + 1) // 2 + here + 1]
            target = front[there * (there + 1) // 2 : there * (there + 1) // 2 + there + 1]
            for q in range(p + 1):
                length = min(begin[q + 1], r + 1) - begin[q]
                add(length, source[begin[q] :], target[place[q] :])


@kernel(inner=True)
def add(count: int, source: Reals, target: Reals) -> None:
    """target += source.

    Writes:  target
    """
    for c in range(count):
        target[c] += source[c]


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
def subtract_three(a: float, b: float, c: float, x: Reals, y: Reals, z: Reals, out: Reals) -> None:
    """out -= a x + b y + c z: three columns at once, as a row is then read and written a third as often.

    Writes:  out
    """
    for i in range(out.shape[0]):
        out[i] -= a * x[i] + b * y[i] + c * z[i]


@kernel(inner=True)
def subtract_one(a: float, x: Reals, out: Reals) -> None:
    """out -= a x.

    Writes:  out
    """
    for i in range(out.shape[0]):
        out[i] -= a * x[i]


@kernel(inner=True)
def factor_below(sign: float, size: int, first: int, rows: int, front: Reals, across: RealRows) -> None:
    """X_i = sign H_ij G^-T in the rows below from one on, and what is left there: H_ik - sign X_i X_k^T.

    Writes:  front; across: columns of X
    Cost:    size times half of rows^2 - first^2 multiplications
    """
    for i in range(size, first):
        row = front[i * (i + 1) // 2 :]
        for k in range(size):
            across[k, i - size] = row[k]
    for i in range(first, rows):
        row = front[i * (i + 1) // 2 : i * (i + 1) // 2 + i + 1]
        for k in range(size):
            other, value = front[k * (k + 1) // 2 :], sign * row[k]
            for c in range(k):
                value -= row[c] * other[c]
            row[k] = value * other[k]
            across[k, i - size] = row[k]
        rest = row[size:]
        for k in range(0, size - 2, 3):
            a, b, c = sign * row[k], sign * row[k + 1], sign * row[k + 2]
            subtract_three(a, b, c, across[k], across[k + 1], across[k + 2], rest)
        for k in range(size - size % 3, size):
            subtract_one(sign * row[k], across[k], rest)


@kernel(apart=True)
def eliminate(t: AugmentedTable, node: int, first: int) -> int:
    """Put a front together and eliminate its node; rows before `first` stand as they are.

    Writes:  value, place and back to -1, run, across
    Returns: 1, or 0 if the node's block is not definite with its sign
    """
    rows, start, size = t.size[node], t.below_start[node], t.size[node]
    t.place[node] = 0
    for at in range(start, start + t.below_count[node]):
        t.place[t.below[at]] = rows
        rows += t.size[t.below[at]]
    front = t.value[t.value_start[node] : t.value_start[node] + rows * (rows + 1) // 2]
    if first < rows:
        empty = front[first * (first + 1) // 2 :]
        for at in range(empty.shape[0]):
            empty[at] = 0.0
        put_matrix(t, node, first, front)
        child = t.child[node]
        while child >= 0:
            add_child(t, child, first, front)
            child = t.sibling[child]
    t.place[node] = -1
    for at in range(start, start + t.below_count[node]):
        t.place[t.below[at]] = -1
    sign = 1.0 if t.sign[node] > 0 else -1.0
    if first == 0 and factor_own(sign, size, front) == 0:
        return 0
    if first < rows:
        factor_below(sign, size, max(size, first), rows, front, t.across)
    return 1
