"""Kernels of `block_ldl.py`: blocks of at most 6 x 6, stored as 6 x 6 with zeros beyond their size.

Rows are worked on as 6 numbers in registers: constant trip counts are worth more than the flops on zeros.
"""

from __future__ import annotations

import math

from taut.kernel import kernel


@kernel("boolean(int64, int64, float64, float64[:, ::1])", inner=True)
def invert_root(
    first, size,  # leading rows that are given, 0 or 3; rows
    sign,  # 1 for a positive definite block, -1 for a negative definite one
    # in and out
    block,  # (6, 6) on return U
):  # fmt: skip
    """U = G^-T, upper triangular, of the Cholesky factor sign * block = G G^T, in place.

    A root of the inverse, not the inverse: products with it lose half the digits that ill-conditioned blocks cost, and
    what they are subtracted from stays definite. Where the first rows meet only themselves, U may be given there.

    Writes:  block
    Cost:    size^3 / 3 multiplications
    Returns: whether the block is definite with its sign
    """
    for j in range(first, size):
        pivot = sign * block[j, j]
        for k in range(first, j):
            pivot -= block[j, k] * block[j, k]
        if not pivot > 0.0:
            return False
        inverse = 1.0 / math.sqrt(pivot)
        block[j, j] = inverse
        for i in range(j + 1, size):
            value = sign * block[i, j]
            for k in range(first, j):
                value -= block[i, k] * block[j, k]
            block[i, j] = value * inverse
    for j in range(first, size):
        for i in range(j + 1, size):
            value = 0.0
            for k in range(j, i):
                value -= block[i, k] * block[j, k]
            block[j, i] = value * block[i, i]
    for i in range(first + 1, size):
        for j in range(first, i):
            block[i, j] = 0.0
    return True


@kernel("void(int64, int64, float64, float64[:, ::1], float64[:, ::1], float64[:, ::1])", inner=True)
def subtract_product(
    rows, columns, sign,
    left, right,  # (6, 6)
    # in and out
    block,  # (6, 6)
):  # fmt: skip
    """block -= sign left right^T.

    Writes:  block
    Cost:    6 rows columns multiplications
    """
    for r in range(rows):
        l0, l1, l2, l3, l4, l5 = left[r, 0], left[r, 1], left[r, 2], left[r, 3], left[r, 4], left[r, 5]
        for c in range(columns):
            block[r, c] -= sign * (
                l0 * right[c, 0] + l1 * right[c, 1] + l2 * right[c, 2]
                + l3 * right[c, 3] + l4 * right[c, 4] + l5 * right[c, 5]
            )  # fmt: skip


@kernel("void(int64, int64, float64, float64[:, ::1], float64[:, ::1])", inner=True)
def times_root(
    rows, depth, sign,
    root,  # (6, 6) U
    # in and out
    block,  # (6, 6) H, on return sign H U
):  # fmt: skip
    """block <- sign block U.

    Writes:  block
    Cost:    6 rows depth multiplications
    """
    for r in range(rows):
        b0, b1, b2, b3, b4, b5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(depth):
            share = sign * block[r, k]
            b0 += share * root[k, 0]
            b1 += share * root[k, 1]
            b2 += share * root[k, 2]
            b3 += share * root[k, 3]
            b4 += share * root[k, 4]
            b5 += share * root[k, 5]
        block[r, 0], block[r, 1], block[r, 2], block[r, 3], block[r, 4], block[r, 5] = b0, b1, b2, b3, b4, b5


@kernel("void(int64, float64, float64[:, ::1], float64[:, ::1])", inner=True)
def times_split_root(
    rows, sign,
    root,  # (6, 6) U: three numbers on the diagonal, then a triangle of three rows
    # in and out
    block,  # (6, 6) H, on return sign H U
):  # fmt: skip
    """block <- sign block U where three rows of U are given: those of a body, its mass and its inertia.

    Writes:  block
    Cost:    9 rows multiplications
    """
    for r in range(rows):
        x, y, z = sign * block[r, 3], sign * block[r, 4], sign * block[r, 5]
        for k in range(3):
            block[r, k] *= sign * root[k, k]
        block[r, 3] = x * root[3, 3]
        block[r, 4] = x * root[3, 4] + y * root[4, 4]
        block[r, 5] = x * root[3, 5] + y * root[4, 5] + z * root[5, 5]


@kernel(
    "int64(int64[::1], int64[::1], float64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1],"
    "float64[:, :, ::1])",
    apart=True,
)
def factor(
    # plan
    size, given, sign,  # (nodes,) rows of each node; of them given as U; 1 for positive definite pivots, -1 for others
    below_start, below, target,  # see `EliminationPlan`
    # in and out
    diagonal,  # (nodes, 6, 6) blocks of H; on return U
    block,  # (blocks, 6, 6) blocks of H below the diagonal, zero where they fill in; on return X
):  # fmt: skip
    """H = L D L^T, column by column, each column updating the blocks to its right.        [Baraff1996, sparsefactor]

    D is kept by a root of its inverse, D_k^-1 = s_k U_k U_k^T, and L as X_jk = L_jk U_k^-T = s_k H_jk U_k.

    Writes:  diagonal, block
    Cost:    a column of width d with m blocks of height e: d^3 / 3 + 6 m e (d + (m + 1) e / 2) multiplications
    Returns: position of the first node whose block is not definite, or -1
    """
    pair = 0
    for node in range(size.shape[0]):
        d, root, s = size[node], diagonal[node], sign[node]
        if not invert_root(given[node], d, s, root):
            return node
        first, last = below_start[node], below_start[node + 1]
        for a in range(first, last):
            e, entries = size[below[a]], block[a]
            if given[node] == 3:
                times_split_root(e, s, root, entries)
            else:
                times_root(e, d, s, root, entries)
            for b in range(first, a):
                subtract_product(e, size[below[b]], s, entries, block[b], block[target[pair]])
                pair += 1
            subtract_product(e, e, s, entries, entries, diagonal[below[a]])
    return -1


@kernel(
    "void(int64, int64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])",
    inner=True,
)
def push_up(
    node,
    # plan
    size, below_start, below,
    # factor
    diagonal, block,
    # in and out
    x,  # (nodes, 6)
):  # fmt: skip
    """x_node <- y = U^T x_node, and x -= X y over the blocks below the node.

    Writes:  x at the node and below it
    """
    own, root = x[node], diagonal[node]
    y0, y1, y2, y3, y4, y5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(size[node]):
        value = own[r]
        y0 += root[r, 0] * value
        y1 += root[r, 1] * value
        y2 += root[r, 2] * value
        y3 += root[r, 3] * value
        y4 += root[r, 4] * value
        y5 += root[r, 5] * value
    own[0], own[1], own[2], own[3], own[4], own[5] = y0, y1, y2, y3, y4, y5
    for a in range(below_start[node], below_start[node + 1]):
        entries, other = block[a], x[below[a]]
        for r in range(size[below[a]]):
            other[r] -= (
                entries[r, 0] * y0 + entries[r, 1] * y1 + entries[r, 2] * y2
                + entries[r, 3] * y3 + entries[r, 4] * y4 + entries[r, 5] * y5
            )  # fmt: skip


@kernel(
    "void(int64, int64[::1], float64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1],"
    "float64[:, ::1])",
    inner=True,
)
def pull_down(
    node,
    # plan
    size, sign, below_start, below,
    # factor
    diagonal, block,
    # in and out
    x,  # (nodes, 6)
):  # fmt: skip
    """x_node <- U (sign y - sum of X^T x over the blocks below the node), y = x_node as `push_up` left it.

    Writes:  x[node]
    """
    own, root, s = x[node], diagonal[node], sign[node]
    y0, y1, y2, y3, y4, y5 = s * own[0], s * own[1], s * own[2], s * own[3], s * own[4], s * own[5]
    for a in range(below_start[node], below_start[node + 1]):
        entries, other = block[a], x[below[a]]
        for r in range(size[below[a]]):
            value = other[r]
            y0 -= entries[r, 0] * value
            y1 -= entries[r, 1] * value
            y2 -= entries[r, 2] * value
            y3 -= entries[r, 3] * value
            y4 -= entries[r, 4] * value
            y5 -= entries[r, 5] * value
    for r in range(size[node]):
        own[r] = (
            root[r, 0] * y0 + root[r, 1] * y1 + root[r, 2] * y2 + root[r, 3] * y3 + root[r, 4] * y4 + root[r, 5] * y5
        )


@kernel(
    "void(int64[::1], float64[::1], int64[::1], int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])"
)
def solve(
    # plan
    size, sign, below_start, below,
    # factor
    diagonal, block,  # (nodes, 6, 6) U, (blocks, 6, 6) X
    # in and out
    x,  # (nodes, 6) right-hand sides, zero beyond each node's size; on return H^-1 x
):  # fmt: skip
    """x <- H^-1 x: up to the roots, and down again.                                         [Baraff1996, sparsesolve]

    Writes:  x
    Cost:    12 d (nodes) + 12 e (blocks) multiplications
    """
    nodes = size.shape[0]
    for node in range(nodes):
        push_up(node, size, below_start, below, diagonal, block, x)
    for node in range(nodes - 1, -1, -1):
        pull_down(node, size, sign, below_start, below, diagonal, block, x)
