"""A factor that chooses, a set of rows at a time, the way to factor that costs least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.fronts import FrontFactor
from taut.linalg.skyline import SkylineFactor
from taut.structure.front_tree import FrontTree, no_tree
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Wholes

WAY, BEGIN, END, TAKEN = 0, 1, 2, 3
"""Places in `ChosenFactor.last`: which way the last factor went, and of which part it is; from TAKEN on, how often each
way was taken since the matrix was loaded."""
SKYLINE, FRONTS = 0, 1
"""Ways: panels of the free rows anew; fronts along the elimination tree, only those that changed."""


class ChosenFactor(NamedTuple):
    """A `Factor` with two ways: a table for kernels.                              [Lefebvre2020, sec. 4.1; its beyond]

    Islands that have no fronts, because nobody planted a tree for them, always go the first way.

    Attributes:
        symbolic: Order, islands and lower triangle of the pattern.
        skyline: Panels of the free rows alone, all anew; it holds the matrix.
        fronts: Fronts along the elimination tree, of the same matrix.
        last: (5,), see WAY.
    """

    symbolic: SymbolicStructure
    skyline: SkylineFactor
    fronts: FrontFactor
    last: Wholes

    @classmethod
    def of(
        cls, symbolic: SymbolicStructure, tree: FrontTree | None = None, entries: np.ndarray | None = None
    ) -> ChosenFactor:
        """Room for the factors of a pattern; with `entries`, of a matrix that others load."""
        skyline = SkylineFactor.of(symbolic, entries)
        fronts = FrontFactor.of(no_tree(symbolic.size) if tree is None else tree, skyline.entries)
        return cls(symbolic, skyline, fronts, np.zeros(5, np.int64))

    def beside(self) -> ChosenFactor:
        """A factor of the same matrix for another thread."""
        return self.of(self.symbolic, self.fronts.tree, self.skyline.entries)

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import chosen_factor_kernels as kernels

        return kernels.load(self, values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.skyline.multiply(begin, end, lam, bias, w_out)

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
