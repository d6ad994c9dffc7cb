"""Kernels of `augmented.py`: solves with the factor, and products with the matrix."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.augmented import FIRST, AugmentedTable
from taut.tables import RealBlocks, RealRows


@kernel(inner=True)
def down(t: AugmentedTable, node: int, x: RealRows) -> None:
    """y_j = G^-1 x_j, and x_i -= X_ij y_j for the rows below.

    Writes:  x
    """
    front, own, size = t.value[t.value_start[node] :], x[node], t.size[node]
    for i in range(size):
        row, value = front[i * (i + 1) // 2 :], own[i]
        for c in range(i):
            value -= row[c] * own[c]
        own[i] = value * row[i]
    i = size
    for at in range(t.below_start[node], t.below_start[node] + t.below_count[node]):
        other = x[t.below[at]]
        for r in range(t.size[t.below[at]]):
            row, value = front[i * (i + 1) // 2 :], 0.0
            for c in range(size):
                value += row[c] * own[c]
            other[r] -= value
            i += 1


@kernel(inner=True)
def up(t: AugmentedTable, node: int, x: RealRows) -> None:
    """x_j = G^-T (sign y_j - sum of X_ij^T x_i).

    Writes:  x
    """
    front, own, size = t.value[t.value_start[node] :], x[node], t.size[node]
    if t.sign[node] < 0:
        for c in range(size):
            own[c] = -own[c]
    i = size
    for at in range(t.below_start[node], t.below_start[node] + t.below_count[node]):
        other = x[t.below[at]]
        for r in range(t.size[t.below[at]]):
            row, value = front[i * (i + 1) // 2 :], other[r]
            for c in range(size):
                own[c] -= row[c] * value
            i += 1
    for i in range(size - 1, -1, -1):
        row = front[i * (i + 1) // 2 :]
        own[i] *= row[i]
        for c in range(i):
            own[c] -= row[c] * own[i]


@kernel()
def solve(t: AugmentedTable, x: RealBlocks) -> None:
    """x <- H^-1 x of any number of right-hand sides: in the order of elimination, and back.

    Shapes:  x (k, nodes, 6) by numbers of nodes
    Writes:  x
    Cost:    two multiplications an entry of the factor for each
    """
    node, last = t.counts[FIRST], -1
    while node >= 0:
        for k in range(x.shape[0]):
            down(t, node, x[k])
        last, node = node, t.after[node]
    while last >= 0:
        for k in range(x.shape[0]):
            up(t, last, x[k])
        last = t.before[last]


@kernel()
def multiply(t: AugmentedTable, x: RealRows, y_out: RealRows) -> None:
    """y = H x.

    Shapes:  x, y_out (nodes, 6) by numbers of nodes
    """
    for node in range(t.size.shape[0]):
        own, out, size = x[node], y_out[node], t.size[node]
        for r in range(size):
            value = 0.0
            for c in range(size):
                value += t.diagonal[node, max(r, c), min(r, c)] * own[c]
            out[r] = value
    for edge in range(t.edge.shape[1]):
        a, b = t.edge[0, edge], t.edge[1, edge]
        if a >= 0:
            block = t.coupling[edge]
            for r in range(t.size[a]):
                for c in range(t.size[b]):
                    y_out[a, r] += block[r, c] * x[b, c]
                    y_out[b, c] += block[r, c] * x[a, r]
