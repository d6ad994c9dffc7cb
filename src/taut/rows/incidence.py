"""Where the products of Jacobian blocks go in the Delassus matrix: worked out when the rows change, kept until then."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.spatial import Integers
from taut.structure.pattern import Pattern


def find_incidence(
    entry_start: Integers, entry_row: Integers, entry_body: Integers, moves: NDArray[np.uint8]
) -> Incidence:
    """Pattern of A = J M^-1 J^T and the place of every product of two blocks at a moving body.

    Two rows meet where they share a body that moves; a fixed body carries nothing from one to the other.

    Cost:    O(sum over bodies of blocks^2)
    """
    from taut.rows import incidence_kernels as kernels

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


@dataclass(frozen=True, eq=False)
class Incidence:
    """Which Jacobian blocks meet at each moving body, and where their products go in the Delassus matrix.

    Attributes:
        pattern: pattern of A = J M^-1 J^T + S.
        body_start: (n + 1,) ranges of `entry`.
        entry: Jacobian blocks body by body.
        target, mirror: for every pair (i, j <= i) of blocks at a body, the place of the product in A's values and of
            its transpose (-1 where both are the same diagonal place).
        diagonal: (rows,) place of A_ii.
    """

    pattern: Pattern
    body_start: Integers
    entry: Integers
    target: Integers
    mirror: Integers
    diagonal: Integers


@dataclass(frozen=True, eq=False)
class RowEntries:
    """Which bodies rows touch: those of a model, or with those of contacts after them.

    Shapes: entry_start (rows + 1,) first Jacobian block of each row; entry_row, entry_body (entries,) row and body of
    each block; moves (bodies,). What depends on this alone is worked out once, when it is first asked for, and kept.
    """

    entry_start: Integers
    entry_row: Integers
    entry_body: Integers
    moves: NDArray[np.uint8]
    structures: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.entry_start.size - 1

    @cached_property
    def incidence(self) -> Incidence:
        """Pattern of J M^-1 J^T for block diagonal M; a body with many rows makes it dense."""
        from taut.rows.incidence import find_incidence

        return find_incidence(self.entry_start, self.entry_row, self.entry_body, self.moves)
