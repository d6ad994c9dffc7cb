"""Where the products of Jacobian blocks go in the Delassus matrix: worked out when the rows change, kept until then."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.structure.pattern import Pattern

Integers = NDArray[np.int64]


def find_incidence(
    entry_start: Integers, entry_row: Integers, entry_body: Integers, moves: NDArray[np.uint8]
) -> Incidence:
    """Pattern of A = J M^-1 J^T and the place of every product of two blocks at a moving body.

    Two rows meet where they share a body that moves; a fixed body carries nothing from one to the other.

    Cost:    O(sum over bodies of blocks^2)
    """
    from taut.structure import incidence_kernels as kernels

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
    """Which bodies rows touch: rows that are always there, or these with some after them that come and go.

    What depends on this alone is worked out once, when it is first asked for, and kept. `structures` holds what solvers
    worked out, by the solver itself: two that differ in an option are two keys.

    Attributes:
        entry_start: (rows + 1,) first Jacobian block of each row.
        entry_row, entry_body: (entries,) row and body of each block.
        moves: (bodies,) 1 for bodies that can move, 0 for the others.
        unbounded: (rows,) rows that never have bounds.
        owner: (rows,) number of what a row is part of, such as a joint, whose rows never say the same; -1 for none.
        base: the rows that are always there, which come first; None where these are all.
        group: (bodies,) number of the group that each body was put in, by its name; None where nobody says.
    """

    entry_start: Integers
    entry_row: Integers
    entry_body: Integers
    moves: NDArray[np.uint8]
    unbounded: NDArray[np.bool_]
    owner: Integers
    base: RowEntries | None = field(default=None, repr=False)
    group: Integers | None = None
    structures: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: not what solvers worked out, whose workspaces are of one object."""
        return vars(self) | {"structures": {}}

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.entry_start.size - 1

    @cached_property
    def incidence(self) -> Incidence:
        """Pattern of J M^-1 J^T for block diagonal M; a body with many rows makes it dense."""
        return find_incidence(self.entry_start, self.entry_row, self.entry_body, self.moves)

    @cached_property
    def islands(self) -> tuple[int, Integers]:
        """Number of groups of rows that no moving body connects, and the group (rows,) of each, by their first row."""
        from taut.structure.incidence_kernels import label_rows

        label = np.empty(self.row_count, np.int64)
        count = label_rows(self.entry_start, self.entry_body, self.moves, np.empty(self.moves.size, np.int64), label)
        return int(count), label

    def part(self, rows: Integers) -> RowEntries:
        """Some of the rows (k,), in rising order, as entries of their own; made once and kept."""
        key = ("part", rows.tobytes())
        known: RowEntries | None = self.structures.get(key)
        if known is None:
            blocks, start = self.blocks_of(rows)
            known = RowEntries(
                entry_start=start,
                entry_row=np.repeat(np.arange(rows.size), np.diff(start)),
                entry_body=self.entry_body[blocks],
                moves=self.moves,
                unbounded=self.unbounded[rows],
                owner=self.owner[rows],
                base=None if self.base is None else self.base.part(rows[rows < self.base.row_count]),
                group=self.group,
            )
            self.structures[key] = known
        return known

    def blocks_of(self, rows: Integers) -> tuple[Integers, Integers]:
        """Jacobian blocks of some rows (k,), row by row, and where those of each begin (k + 1,)."""
        counts = self.entry_start[rows + 1] - self.entry_start[rows]
        start = np.concatenate([[0], np.cumsum(counts)])
        return np.arange(start[-1]) + np.repeat(self.entry_start[rows] - start[:-1], counts), start

    def with_rows(self, entry_end: Integers, entry_row: Integers, entry_body: Integers) -> RowEntries:
        """These rows, which are always there, and some after them that come and go, and may have bounds.

        Shapes: entry_end (more rows,) where the blocks of each of them end; entry_row, entry_body (more blocks,).
        """
        count = entry_end.size
        return RowEntries(
            entry_start=np.concatenate([self.entry_start, entry_end]),
            entry_row=np.concatenate([self.entry_row, entry_row]),
            entry_body=np.concatenate([self.entry_body, entry_body]),
            moves=self.moves,
            unbounded=np.concatenate([self.unbounded, np.zeros(count, bool)]),
            owner=np.concatenate([self.owner, np.full(count, -1)]),
            base=self,
            group=self.group,
        )
