"""A factor that outlives its matrix: the next one, if it is much the same, is solved by iterations with the old one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.chosen import ChosenFactor
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Flags, RealRows, Wholes, held

MODE, ALLOWED, SPENT, TOTAL, USES, SKIPPED, PENALTY = 0, 1, 2, 3, 4, 5, 6
"""Numbers in `KeptFactor.state`: what solves use, see ASIDE; iterations that cost what a new factor costs; iterations
since the last `factorise`; iterations and matrices since the factor was made; how often it is still made anew without
a try, and how often that was after the last try that failed."""
REUSED, ITERATIONS, GIVEN_UP = 7, 8, 9
"""More of them, from the first problem on: matrices that were tried with a factor of another one, iterations, and how
often these came to nothing."""
STATE_SIZE = 10
ASIDE, DIRECT, KEPT, NONE = 0, 1, 2, 3
"""What solves use: the factor of other parts; the factor of the matrix; that of another one; nothing, x = 0."""
X, RESIDUAL, PRECONDITIONED, DIRECTION, PRODUCT, ZERO = 0, 1, 2, 3, 4, 5
"""Rows of `KeptFactor.vectors`: the unknowns, r = rhs - A x, M^-1 r, the direction of the step, A times it, zeros."""


class KeptFactor(NamedTuple):
    """A `Factor` that keeps the last L L' of its largest island over `load`: a table for kernels.

    A part with the labels of the last factor is not factored. Its solves are conjugate gradients on the new matrix,
    preconditioned by the old factor. Where they take longer than a new factor would, there is a new factor. What is
    found depends on what was solved before, but for rounding: the residual decides, as always.

    Only the island with most rows is kept. Others, and factors with a shift, are made `aside`.

    Attributes:
        symbolic: Order, islands and lower triangle of the pattern.
        chosen: The factor that is kept; it holds the matrix.
        aside: Factors of the same matrix that are not kept.
        labels: (n,) of the rows of the factor that is kept.
        dependent: (n,) workspace.
        vectors: (6, n), see X.
        state: (STATE_SIZE,), see MODE.
        begin, end: The part that is kept.
    """

    symbolic: SymbolicStructure
    chosen: ChosenFactor
    aside: ChosenFactor
    labels: Wholes
    dependent: Flags
    vectors: RealRows
    state: Wholes
    begin: int
    end: int

    @classmethod
    def of(cls, chosen: ChosenFactor) -> KeptFactor:
        """Keep what this factor makes; others may use it too."""
        symbolic = chosen.symbolic
        size, start = symbolic.size, symbolic.island_start
        largest = int(np.argmax(np.diff(start))) if size else 0
        return cls(
            symbolic=symbolic,
            chosen=chosen,
            aside=chosen.beside(),
            labels=np.zeros(size, np.int64),
            dependent=np.zeros(size, np.uint8),
            vectors=np.zeros((6, size)),
            state=np.zeros(STATE_SIZE, np.int64),
            begin=int(start[largest]) if size else 0,
            end=int(start[largest + 1]) if size else 0,
        )

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import kept_factor_kernels as kernels

        return kernels.load(held(self), values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.chosen.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part, or not; see `Factor.factorise`."""
        from taut.linalg import kept_factor_kernels as kernels

        return kernels.factorise(held(self), begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor, or one before; see `Factor.solve`."""
        from taut.linalg import kept_factor_kernels as kernels

        kernels.solve(held(self), rhs, x_out)
