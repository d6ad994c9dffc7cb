"""Products and roots of blocks of 6 x 6 in rows of eight numbers, which are one vector of the processor."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.lanes import plus, put_row, row_of, times
from taut.table_types import matrix
from taut.tables import RealBlocks, RealRows, Reals


@kernel(inner=True)
def add_product(
    rows: int, weight: Reals, r: int, jacobian: RealRows, a: int, b: int, stride: int, out: RealRows
) -> None:
    """out += sum of E_r J_a^T J_b over the rows of a group, whose blocks begin at a and b.

    Writes:  out
    Cost:    72 flops a row
    """
    o0, o1, o2 = row_of(out, 0), row_of(out, 1), row_of(out, 2)
    o3, o4, o5 = row_of(out, 3), row_of(out, 4), row_of(out, 5)
    for row in range(rows):
        j, right = jacobian[a + row * stride], times(weight[r + row], row_of(jacobian, b + row * stride))
        o0, o1, o2 = plus(o0, j[0], right), plus(o1, j[1], right), plus(o2, j[2], right)
        o3, o4, o5 = plus(o3, j[3], right), plus(o4, j[4], right), plus(o5, j[5], right)
    put_row(out, 0, o0)
    put_row(out, 1, o1)
    put_row(out, 2, o2)
    put_row(out, 3, o3)
    put_row(out, 4, o4)
    put_row(out, 5, o5)


@kernel(inner=True)
def invert_root(sign: float, block: RealRows) -> int:
    """U = G^-T, upper triangular, of sign block = G G^T, in place.

    A root of the inverse, not the inverse: products with it lose half the digits that ill-conditioned blocks cost, and
    what they are subtracted from stays definite.

    Writes:  block
    Returns: 1 if the block is definite with its sign, else 0
    """
    g = matrix(6, 8)
    for j in range(6):
        pivot = sign * block[j, j]
        for k in range(j):
            pivot -= g[j, k] * g[j, k]
        if not pivot > 0.0:
            return 0
        inverse = 1.0 / math.sqrt(pivot)
        g[j, j] = inverse
        for i in range(j + 1, 6):
            value = sign * block[i, j]
            for k in range(j):
                value -= g[i, k] * g[j, k]
            g[i, j] = value * inverse
    for j in range(6):
        for c in range(8):
            block[j, c] = 0.0
        block[j, j] = g[j, j]
        for i in range(j + 1, 6):
            value = 0.0
            for k in range(j, i):
                value -= g[i, k] * block[j, k]
            block[j, i] = value * g[i, i]
    return 1


@kernel(inner=True)
def times_root(sign: float, root: RealRows, block: RealBlocks, first: int, last: int) -> None:
    """block_a <- sign block_a U for a column of blocks.

    Writes:  block
    Cost:    432 flops a block
    """
    u0, u1, u2 = times(sign, row_of(root, 0)), times(sign, row_of(root, 1)), times(sign, row_of(root, 2))
    u3, u4, u5 = times(sign, row_of(root, 3)), times(sign, row_of(root, 4)), times(sign, row_of(root, 5))
    for a in range(first, last):
        x = block[a]
        for i in range(6):
            row = plus(plus(times(x[i, 0], u0), x[i, 1], u1), x[i, 2], u2)
            put_row(x, i, plus(plus(plus(row, x[i, 3], u3), x[i, 4], u4), x[i, 5], u5))


@kernel(inner=True)
def subtract_product(left: RealRows, right: RealRows, out: RealRows) -> None:
    """out -= left right.

    Writes:  out
    Cost:    432 flops
    """
    r0, r1, r2 = row_of(right, 0), row_of(right, 1), row_of(right, 2)
    r3, r4, r5 = row_of(right, 3), row_of(right, 4), row_of(right, 5)
    for i in range(6):
        row = plus(plus(plus(row_of(out, i), -left[i, 0], r0), -left[i, 1], r1), -left[i, 2], r2)
        put_row(out, i, plus(plus(plus(row, -left[i, 3], r3), -left[i, 4], r4), -left[i, 5], r5))
