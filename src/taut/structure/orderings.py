"""Orderings that keep the envelope of a factor small."""

from __future__ import annotations

import numpy as np

from taut.problem.pattern import Pattern


def order_rows(pattern: Pattern) -> tuple[np.ndarray, np.ndarray]:
    """Order in which to eliminate the rows, island by island.

    Reverse Cuthill-McKee from a row near the rim of each island, or the rows as they are where their envelope is no
    larger (a chain assembled link by link stays as it is).

    Returns: order (n,) with order[k] the row at position k, and island starts (islands + 1,) into it.
    """
    from taut.structure.ordering_kernels import order_islands

    size = pattern.size
    order = np.empty(size, np.int64)
    island_start = np.empty(size + 1, np.int64)
    work = np.empty((4, size), np.int64)
    islands = order_islands(pattern.indptr, pattern.indices, work, order, island_start)
    return order, island_start[: islands + 1].copy()
