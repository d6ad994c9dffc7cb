"""Where the products of Jacobian blocks go in the Delassus matrix: worked out once a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.model import Incidence
from taut.problem.pattern import Pattern
from taut.rows.layout import Integers


def find_incidence(entry_row: Integers, entry_body: Integers, moves: NDArray[np.uint8], row_count: int) -> Incidence:
    """Pattern of A = J M^-1 J^T and the place of every product of two blocks at a moving body.

    Two rows meet where they share a body that moves; a fixed body carries nothing from one to the other.

    Cost:    O(sum over bodies of blocks^2)
    """
    entries = np.flatnonzero(moves[entry_body])
    entries = entries[np.argsort(entry_body[entries], kind="stable")]
    body_start = np.searchsorted(entry_body[entries], np.arange(moves.size + 1)).astype(np.int64)
    counts = np.diff(body_start)
    # all pairs (i, j <= i) of blocks at each body
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, count in zip(body_start, counts, strict=False):
        i, j = np.tril_indices(count)
        firsts.append(entries[start + i])
        seconds.append(entries[start + j])
    row, column = entry_row[np.concatenate(firsts)], entry_row[np.concatenate(seconds)]
    diagonal = np.arange(row_count)
    keys = np.unique(np.concatenate([row * row_count + column, column * row_count + row, diagonal * (row_count + 1)]))
    indptr = np.searchsorted(keys, np.arange(row_count + 1) * row_count).astype(np.int64)
    pattern = Pattern(indptr, (keys % max(row_count, 1)).astype(np.int64))
    target = np.searchsorted(keys, row * row_count + column).astype(np.int64)
    mirror = np.where(row == column, -1, np.searchsorted(keys, column * row_count + row)).astype(np.int64)
    places = np.searchsorted(keys, diagonal * (row_count + 1)).astype(np.int64)
    return Incidence(pattern, body_start, entries.astype(np.int64), target, mirror, places)
