"""Orderings that keep the envelope of a factor small."""

from __future__ import annotations

import numpy as np

from taut.structure.islands import find_islands
from taut.structure.pattern import Pattern


def order_rows(pattern: Pattern) -> tuple[np.ndarray, np.ndarray]:
    """Order in which to eliminate the rows, island by island.

    Reverse Cuthill-McKee from a row near the rim of each island, or the rows as they are where their envelope is no
    larger (a chain assembled link by link stays as it is).

    Returns: order (n,) with order[k] the row at position k, and island starts (islands + 1,) into it.
    """
    from taut.structure.ordering_kernels import order_islands

    size = pattern.size
    count, label = find_islands(pattern)
    order = np.empty(size, np.int64)
    island_start = np.empty(count + 1, np.int64)
    work = np.empty((3, size), np.int64)
    order_islands(pattern.indptr, pattern.indices, label, work, order, island_start)
    return order, island_start
