"""Symbolic analysis of a pattern for envelope factorisations, done once a pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import InputError
from taut.structure.islands import find_islands
from taut.structure.orderings import order_rows
from taut.structure.pattern import Pattern
from taut.tables import Wholes

PANEL_SLACK = 48
"""Storage a row that panels of up to 16 columns need beyond the profile, for any subset of the rows: each panel is at
most 16 rows higher than the columns of the next one, is 16 columns wide and is rounded up to tiles of 4."""


class SymbolicStructure(NamedTuple):
    """Permutation, islands and lower triangle of a pattern, and the storage its factor needs: a table for kernels.

    Nothing in it ever changes, so all who work on the pattern share it, whatever their thread.

    Shapes: order (n,), island_start (islands + 1,), lower_start (n + 1,), lower_column and lower_source (entries of the
    lower triangle,); the diagonal is the last entry of each row, lower_source points into `MlcpProblem.values`.
    `storage_size` is what the largest island needs.
    """

    order: Wholes
    island_start: Wholes
    lower_start: Wholes
    lower_column: Wholes
    lower_source: Wholes
    storage_size: int

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.order.size

    @property
    def profile(self) -> int:
        """Entries under the closed envelope of the largest island."""
        return self.storage_size - PANEL_SLACK * (self.size + 16)

    @property
    def island_count(self) -> int:
        """Number of islands."""
        return self.island_start.size - 1

    @property
    def whole_storage(self) -> int:
        """Storage that a factor of all islands at once needs; `storage_size` is for one after the other."""
        rows = np.arange(self.size)
        reach = rows.copy()
        np.maximum.at(reach, np.minimum.reduceat(self.lower_column, self.lower_start[:-1]), rows)
        return int((np.maximum.accumulate(reach) - rows + 1).sum()) + PANEL_SLACK * (self.size + 16)


def analyze_pattern(pattern: Pattern) -> SymbolicStructure:
    """Order the rows of a pattern and lay out the lower triangle of the permuted matrix.

    Worked out once and kept with the pattern.
    """
    known: SymbolicStructure | None = pattern.structures.get(SymbolicStructure)
    if known is None:
        known = pattern.structures.setdefault(SymbolicStructure, permute_pattern(pattern, *order_rows(pattern)))
    return known


def natural_structure(pattern: Pattern) -> SymbolicStructure:
    """The same with the rows of each island in the order that is given."""
    count, label = find_islands(pattern)
    starts = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=count))]).astype(np.int64)
    return permute_pattern(pattern, np.argsort(label, kind="stable").astype(np.int64), starts)


def permute_pattern(pattern: Pattern, order: np.ndarray, island_start: np.ndarray) -> SymbolicStructure:
    """Lay out the lower triangle of a pattern in this order, island by island."""
    from taut.structure.symbolic_kernels import permute_lower

    size = pattern.size
    entries = (pattern.entry_count + size) // 2
    if (pattern.entry_count + size) % 2:
        raise InputError(f"pattern with {size} rows and {pattern.entry_count} entries is not symmetric with a diagonal")
    lower_start = np.empty(size + 1, np.int64)
    lower_column = np.empty(entries, np.int64)
    lower_source = np.empty(entries, np.int64)
    work = np.empty((2, size), np.int64)
    profile = permute_lower(
        pattern.indptr, pattern.indices, order, island_start, work[0], work[1], lower_start, lower_column, lower_source
    )
    storage_size = profile + PANEL_SLACK * (size + 16)
    return SymbolicStructure(order, island_start, lower_start, lower_column, lower_source, storage_size)
