"""A factor that chooses, a set of rows at a time, the way to factor that costs least."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from taut.linalg.downdated import ANEW as NO_EXCHANGE
from taut.linalg.downdated import CHEAPEST, DowndatedFactor
from taut.linalg.fronts import FrontFactor
from taut.linalg.skyline import SkylineFactor
from taut.structure.front_tree import FrontTree, no_tree
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Wholes, held

WAY, BEGIN, END, TAKEN = 0, 1, 2, 3
"""Places in `ChosenFactor.last`: which way the last factor went, and of which part it is; from TAKEN on, how often each
way was taken since the matrix was loaded."""
ANEW, ROWS, FRONTS = 0, 1, 2
"""Ways: all free rows anew, see `SkylineFactor`; row by row, see `DowndatedFactor`; fronts along the elimination tree,
those that changed, see `FrontFactor`."""
WAYS = 3
HELD = TAKEN + WAYS
"""A last place in `ChosenFactor.last`: 1 if `KeptFactor` knows the last factor and may use it again."""
FULL_SHARE, SMALLEST, LARGEST = 0.8, 2**9, 2**15
"""Rows leave a factor and come back where it is at least this share of a full triangle, has at least and at most so
many entries, and no island has fronts: in a full triangle that pays for up to 15 % of the rows, in a band for far
fewer; a small factor is made anew sooner; and of a large one there would be four copies."""


class ChosenFactor(NamedTuple):
    """A `Factor` with many ways, of which it takes the one predicted to cost least: a table for kernels.

    Islands that have fronts go that way or have all free rows factored anew in their skyline. Others never have
    fronts: of theirs, rows leave the factor and come back where that costs less than a new one.
                                                                                             [Lefebvre2020, sec. 4.1]

    Attributes:
        symbolic: Order, islands and lower triangle of the pattern.
        plain: New skyline factors; it holds the matrix.
        rows: The same factors, which rows leave and come to; of no rows where none do.
        fronts: Fronts along the elimination tree, of the same matrix, or none.
        last: (HELD + 1,), see WAY.
    """

    symbolic: SymbolicStructure
    plain: SkylineFactor
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
        shared: Any = held(symbolic)  # one handle for two
        plain = SkylineFactor.of(shared, entries)
        exchanges = exchanges and tree is None and SMALLEST <= symbolic.profile <= LARGEST and is_full(symbolic)
        rows = DowndatedFactor.of(symbolic, CHEAPEST, plain=plain) if exchanges else no_exchanges()
        fronts = no_fronts() if tree is None else FrontFactor.of(tree, plain.entries)
        return cls(shared, plain, rows, fronts, np.zeros(HELD + 1, np.int64))

    def beside(self) -> ChosenFactor:
        """A factor of the same matrix for another thread."""
        tree = self.fronts.tree if self.fronts.tree.nodes else None
        return self.of(self.symbolic, tree, self.plain.entries, self.rows.policy == CHEAPEST)

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import chosen_factor_kernels as kernels

        return kernels.load(held(self), values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.plain.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg import chosen_factor_kernels as kernels

        return kernels.factorise(held(self), begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg import chosen_factor_kernels as kernels

        kernels.solve(held(self), rhs, x_out)


def is_full(symbolic: SymbolicStructure) -> bool:
    """Whether the factor of the largest island is nearly a full triangle."""
    largest = int(np.diff(symbolic.island_start).max(initial=0))
    return FULL_SHARE * 0.5 * largest * (largest + 1) <= symbolic.profile


@cache
def no_exchanges() -> Any:
    """Handle of a factor of no rows: one for all who have nothing to exchange, as handles cost time to make."""
    none = np.zeros(0, np.int64)
    empty = SymbolicStructure(none, np.zeros(1, np.int64), np.zeros(1, np.int64), none, none, 0)
    return held(DowndatedFactor.of(empty, NO_EXCHANGE))


@cache
def no_fronts() -> Any:
    """Handle of fronts of no island, one for all who have none."""
    return held(FrontFactor.of(no_tree(), np.zeros(0)))
