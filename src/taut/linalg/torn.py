"""A factor of parts with borders: the Schur complement of each part on its border comes with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taut.linalg.fronts import FrontFactor
from taut.linalg.skyline import SkylineFactor
from taut.structure.front_tree import FrontTree
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Wholes, held

BEGIN, END = 0, 1
"""Places in `TornFactor.last`: the part that was factored last."""


class TornFactor(NamedTuple):
    """A `Factor` by fronts that carry the rows of a border along, which are never eliminated: a table for kernels.

    Rows of the border are tight for those who pivot, and their multipliers are given; what the eliminated columns
    leave at them is the Schur complement of the part. So the factor of the last pivot serves for it, and what did not
    change is not done again.                                                            [Peiret2019, eq. 24, sec. 5.2]

    Attributes:
        symbolic: Order, parts and lower triangle of the torn pattern.
        plain: Holds the matrix.
        fronts: Fronts along the elimination tree; the last one of a part is its border.
        copy: (n,) by position, -1 for rows that are eliminated.
        labels: (n,) workspace: labels, 0 for the border.
        last: (2,), see BEGIN.
    """

    symbolic: SymbolicStructure
    plain: SkylineFactor
    fronts: FrontFactor
    copy: Wholes
    labels: Wholes
    last: Wholes

    @classmethod
    def of(cls, symbolic: SymbolicStructure, tree: FrontTree, copy: np.ndarray) -> TornFactor:
        """Room for the factors of a torn pattern."""
        shared: Any = held(symbolic)  # one handle for two
        plain = SkylineFactor.of(shared)
        fronts = FrontFactor.of(tree, plain.entries)
        return cls(shared, plain, fronts, copy, np.zeros(symbolic.size, np.int64), np.zeros(2, np.int64))

    def beside(self) -> TornFactor:
        """The same factor for a thread that works on other parts: all but the vectors of one front are shared."""
        vector, local = np.zeros_like(self.fronts.vector), np.zeros_like(self.fronts.local)
        return self._replace(fronts=self.fronts._replace(vector=vector, local=local), last=np.zeros(2, np.int64))

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import torn_kernels as kernels

        return kernels.load(held(self), values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.plain.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free inner rows of a part; see `Factor.factorise`."""
        from taut.linalg import torn_kernels as kernels

        return kernels.factorise(held(self), begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg import torn_kernels as kernels

        kernels.solve(held(self), rhs, x_out)
