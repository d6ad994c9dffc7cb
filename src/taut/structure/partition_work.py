"""What it takes to solve a partitioned problem: operations are counted and weighted, so no clock has a say.

Envelopes are those of skyline factors in the order in which parts took their bodies. Whoever solves parts may well have
better factors; what counts here is which of some partitions takes least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

TEAM = 4
"""Threads that parts are thought to be shared by. Not those of the machine: parts are the same on all of them."""


class Touched(NamedTuple):
    """Which things rows touch, bodies or pairs of rows, and whether a row may have bounds.

    Shapes: start (rows + 1,), body (entries,), moves (bodies,), bounded (rows,)
    """

    start: Integers
    body: Integers
    moves: NDArray[np.uint8]
    bounded: NDArray[np.float64]


def predicted(rows: Touched, part: Integers, row: Integers, key: Integers, parts: int) -> float:
    """Time of what factors take until a problem is solved, ns: counted operations with the weights of `cost_kernels`.

        max(largest t_p, sum of t_p / TEAM) + R F(S),   t_p = R_p (F(A_p) + forward solves L^-1 G^T + G A_p^-1 G^T)

    with what it takes to carry the rows of the interface along and to add the product to S.
    F is the time of a skyline factor with a solve. The forward solves reach from the first row of a part that a row of
    the interface meets. Where no row of a part has bounds, its factor is made once: R_p = 1, else R = WARM_PIVOTS. S is
    of the rows of the interface, which meet where they touch one part.

    Shapes: part (bodies,); row, key (rows,) part and place in the order of elimination
    """
    from taut.structure import partition_work_kernels as kernels
    from taut.structure.cost_kernels import PIVOT_ROW, PRODUCT, ROW, STORED, SUBSTITUTED, WARM_PIVOTS

    sequence, stored = np.empty(row.size, np.int64), np.empty(row.size + 1, np.int64)
    kernels.sort_rows(key, np.empty(int(key.max(initial=0)) + 2, np.int64), sequence)
    work, first = np.empty((6, parts + 1), np.int64), np.empty(part.size, np.int64)
    inner = kernels.count_inner(rows.start, rows.body, rows.moves, row, sequence, first, stored, work)
    interface, scratch = sequence[inner:], np.empty((2, parts), np.int64)
    kernels.count_met(rows.start, rows.body, part, interface, first, stored, np.cumsum(work[0, :-1]), scratch, work)
    kernels.count_between(rows.start, rows.body, part, interface, scratch[0], work)
    count, envelope, products, met, reached, solved = work.astype(float)
    once = ROW * count + (STORED + SUBSTITUTED) * envelope + PRODUCT * (products + solved + 0.5 * met * reached)
    once += PIVOT_ROW * met + 0.5 * STORED * met * met
    bounded = np.bincount(row + 1, rows.bounded, parts + 1)[1:] > 0.0
    inside = once[:-1] * np.where(bounded, WARM_PIVOTS, 1.0)
    return float(max(inside.max(initial=0.0), inside.sum() / TEAM) + WARM_PIVOTS * once[-1])
