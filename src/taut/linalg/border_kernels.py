"""Compiled elimination of all rows of a part but those of its border, and the way back."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.front_kernels import (
    backward_fronts,
    eliminate_columns,
    forward_fronts,
    gather_front,
    mark_fronts,
)
from taut.linalg.fronts import DIAGONAL, FrontFactor
from taut.structure.cost_kernels import tiled
from taut.tables import Reals, Wholes

LEAST_DIAGONAL = 1e-8
"""Share of its diagonal that a row of the border must keep when the others are eliminated."""


@kernel(apart=True)
def condense_part(
    factor: FrontFactor, begin: int, end: int, free: Wholes, bias: Reals, matrix_out: Reals, bias_out: Reals
) -> int:
    """What is left for the rows B of the border when all others, I, hold: A_II lam_I + A_IB lam_B + b_I = 0 and

        w_B = S lam_B + c,   S = A_BB - A_BI A_II^-1 A_IB,   c = b_B - A_BI A_II^-1 b_I.       [Peiret2019, eq. 18]

    The tree of the factor has the border as the last front of the part.

    Shapes:  free (n,) zeros, bias (n,), matrix_out (P * P,) with S in its first rows and columns, bias_out (P,) that
             begins with c, P at least B
    Writes:  matrix_out, bias_out, the factor; its x holds L^-1 b_I for `expand_part`
    Returns: how many rows of I depend on others; or a negative number if A_II is not positive semidefinite, or if a row
             of B depends on I, so that rounding is all that S has of it
    """
    tree, none = factor.tree, bias[:0]
    first, border = tree.node_begin[begin], tree.node_begin[end] - 1
    mark_fronts(factor, begin, end, free, 1)
    dependent = 0
    for k in range(first, border):
        gather_front(factor, k, none)
        found = eliminate_columns(factor, k)
        if found < 0:
            return found
        dependent += found
    gather_front(factor, border, none)
    for c in range(tree.first[first], tree.first[border + 1]):
        factor.x[c] = bias[tree.position[c]]
    forward_fronts(factor, first, border)
    start, size, stride = tree.first[border], tree.first[border + 1] - tree.first[border], bias_out.size
    height, j0 = tiled(size), tree.padded[border]
    for j in range(size):
        if not (
            factor.storage[tree.offset[border] + j * (height + 1)] > LEAST_DIAGONAL * factor.real[DIAGONAL, j0 + j]
        ):
            return -1
        bias_out[j] = factor.x[start + j]
        column = factor.storage[tree.offset[border] + j * height : tree.offset[border] + (j + 1) * height]
        for i in range(j, size):
            matrix_out[i * stride + j] = column[i]
            matrix_out[j * stride + i] = column[i]
    return dependent


@kernel(apart=True)
def expand_part(factor: FrontFactor, begin: int, end: int, lam_border: Reals, lam_out: Reals) -> None:
    """Multipliers of all rows of a part from those of its border, after `condense_part`.

    Shapes:  lam_border (P,) begins with those of the border, lam_out (n,)
    Writes:  lam_out at the rows of the part
    """
    tree, x = factor.tree, factor.x
    first, border = tree.node_begin[begin], tree.node_begin[end] - 1
    for c in range(tree.first[first], tree.first[border]):
        x[c] = -x[c]
    for j in range(tree.first[border + 1] - tree.first[border]):
        x[tree.first[border] + j] = lam_border[j]
    backward_fronts(factor, first, border)
    for c in range(tree.first[first], tree.first[border + 1]):
        lam_out[tree.position[c]] = x[c]
