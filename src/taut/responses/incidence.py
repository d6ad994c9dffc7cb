"""Where the products of Jacobian blocks go in the Delassus matrix: worked out when the rows change, kept until then."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.model import Incidence
from taut.problem.pattern import Pattern
from taut.rows.layout import Integers


def find_incidence(
    entry_start: Integers, entry_row: Integers, entry_body: Integers, moves: NDArray[np.uint8]
) -> Incidence:
    """Pattern of A = J M^-1 J^T and the place of every product of two blocks at a moving body.

    Two rows meet where they share a body that moves; a fixed body carries nothing from one to the other.

    Cost:    O(sum over bodies of blocks^2)
    """
    from taut.responses import incidence_kernels as kernels

    rows, bodies = entry_start.size - 1, moves.size
    body_start, entry = np.empty(bodies + 1, np.int64), np.empty(entry_body.size, np.int64)
    pairs = kernels.group_by_body(entry_body, moves, body_start, entry)
    indptr, indices = np.empty(rows + 1, np.int64), np.empty(2 * pairs + rows, np.int64)
    count = kernels.find_pattern(
        entry_start, entry_row, entry_body, body_start, moves, entry, np.empty((2, rows + 1), np.int64), indptr, indices
    )
    pattern = Pattern(indptr, indices[:count].copy())
    target, mirror, diagonal = np.empty(pairs, np.int64), np.empty(pairs, np.int64), np.empty(rows, np.int64)
    work = np.empty((3, max(rows, entry_body.size, bodies) + 1), np.int64)
    kernels.find_targets(
        entry_start, entry_row, entry_body, body_start, moves, entry, pattern.indptr, pattern.indices, work,
        target, mirror, diagonal,
    )  # fmt: skip
    met = entry[: body_start[-1]].copy()
    return Incidence(pattern, body_start, met, target, mirror, diagonal)
