"""Factors without tight rows, kept: a set of tight rows starts from the longest beginning of it that is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.downdated import FROM_FIRST, DowndatedFactor
from taut.structure.symbolic import SymbolicStructure
from taut.tables import RealRows, WholeRows, Wholes, held

PARENT, ROW, CHILD, SIBLING, USED = 0, 1, 2, 3, 4
"""Rows of `CachedFactor.tree`: the entry with the same tight rows but the last; that row; an entry with one row more,
and another of the same parent, -1 for none; when it was last used, by ASKED."""
TREE_ROWS = 5

ENTRIES, BYTES, ASKED, HITS, LONGEST, SAVED, RESTORED, EVICTED, UNSAVED = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Numbers in `CachedFactor.counts`. Of the part at hand: entries beside the first factor, bytes in them. From the first
problem on: how often the cache was asked, how often it knew the very set, most rows of a beginning that it knew;
factors copied into it and out of it; entries that made room for others; factors for which there was no room."""
COUNTS_SIZE = 9

MOST_ENTRIES = 4096
"""Entries that a cache can have, however small they are."""


class CachedFactor(NamedTuple):
    """A `Factor` that keeps what it took rows out of, after every row: a table for kernels. [Lefebvre2020, ch. 3]

    Its methods are in `cached_factor_kernels`. Keys are sets of tight rows in ascending order. As each is looked up row
    by row, they are kept as a tree, whose root is the first factor. Where there is no room the entry that was not used
    for longest goes; it never has entries after it, as these are used no later than it.

    Attributes:
        symbolic: Order and lower triangle of the pattern.
        base: The first factor and the one at hand, in full triangles.
        slots: (entries, storage + n + 16) factors and their inverse pivots; entry 0 is the first factor and has none.
        tree: (TREE_ROWS, entries + 1), see PARENT.
        counts: (COUNTS_SIZE,), see ENTRIES.
    """

    symbolic: SymbolicStructure
    base: DowndatedFactor
    slots: RealRows
    tree: WholeRows
    counts: Wholes

    @classmethod
    def of(cls, symbolic: SymbolicStructure, room: int) -> CachedFactor:
        """A cache of at most so many bytes."""
        base = DowndatedFactor.of(symbolic, FROM_FIRST, dense=True)
        width = base.first.size + symbolic.size + 16
        entries = min(room // (8 * width), MOST_ENTRIES)
        return cls(
            symbolic=symbolic,
            base=base,
            slots=np.empty((entries, width)),  # takes no memory until it is written
            tree=np.zeros((TREE_ROWS, entries + 1), np.int64),
            counts=np.zeros(COUNTS_SIZE, np.int64),
        )

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        return self.base.load(values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.base.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg import cached_factor_kernels as kernels

        return kernels.factorise(held(self), begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        self.base.solve(rhs, x_out)

    def triangle(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the free rows, and the dense L of the last factor, L L' = A~_FF."""
        return self.base.triangle()
