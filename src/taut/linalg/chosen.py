"""A factor that chooses, a set of rows at a time, the way to factor that costs least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.downdated import ANEW, CHEAPEST, DowndatedFactor
from taut.linalg.fronts import FrontFactor
from taut.structure.front_tree import FrontTree, no_tree
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Wholes

WAY, BEGIN, END, TAKEN, HELD = 0, 1, 2, 3, 5
"""Places in `ChosenFactor.last`: which way the last factor went, and of which part it is; from TAKEN on, how often each
way was taken since the matrix was loaded; HELD: 1 if `KeptFactor` knows the last factor and may use it again."""
ROWS, FRONTS = 0, 1
"""Ways: row by row, see `DowndatedFactor`; fronts along the elimination tree, those that changed, see `FrontFactor`."""
WIDE_ABOVE, LARGEST = 24, 2**20
"""Rows leave a factor and come back where its columns have at least so many entries in the mean, and it has at most so
many in all: a narrow factor is made anew sooner, and of a large one there would be four copies."""


class ChosenFactor(NamedTuple):
    """A `Factor` with many ways, of which it takes the one predicted to cost least: a table for kernels.

    Islands that have fronts go that way or have all free rows factored anew in their skyline. Others never have
    fronts: of theirs, rows leave the factor and come back where that costs less than a new one.
                                                                                             [Lefebvre2020, sec. 4.1]

    Attributes:
        symbolic: Order, islands and lower triangle of the pattern.
        rows: Skyline factors; it holds the matrix.
        fronts: Fronts along the elimination tree, of the same matrix.
        last: (6,), see WAY.
    """

    symbolic: SymbolicStructure
    rows: DowndatedFactor
    fronts: FrontFactor
    last: Wholes

    @classmethod
    def of(
        cls,
        symbolic: SymbolicStructure,
        tree: FrontTree | None = None,
        entries: np.ndarray | None = None,
        exchanges: bool = True,
    ) -> ChosenFactor:
        """Room for the factors of a pattern; with `entries`, of a matrix that others load.

        Without `exchanges` no row ever leaves a factor and comes back.
        """
        wide = exchanges and WIDE_ABOVE * symbolic.size < symbolic.profile <= LARGEST
        rows = DowndatedFactor.of(symbolic, CHEAPEST if wide else ANEW, entries=entries)
        fronts = FrontFactor.of(no_tree(symbolic.size) if tree is None else tree, rows.plain.entries)
        return cls(symbolic, rows, fronts, np.zeros(6, np.int64))

    def beside(self) -> ChosenFactor:
        """A factor of the same matrix for another thread."""
        exchanges = self.rows.policy == CHEAPEST
        return self.of(self.symbolic, self.fronts.tree, self.rows.plain.entries, exchanges)

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import chosen_factor_kernels as kernels

        return kernels.load(self, values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.rows.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg import chosen_factor_kernels as kernels

        return kernels.factorise(self, begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg import chosen_factor_kernels as kernels

        kernels.solve(self, rhs, x_out)
