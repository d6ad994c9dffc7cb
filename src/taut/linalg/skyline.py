"""Skyline Cholesky factor of a sparse symmetric positive semidefinite matrix: analyse once, factor often."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.errors import InputError
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern
from taut.tables import RealRows, Reals, WholeRows, Wholes

DIAGONAL, INVERSE, COMPACT = 0, 1, 2
"""Rows of `SkylineFactor.real`, by number among the rows of the factor: diagonal of the matrix, 1 / L_jj, a vector."""


class SkylineFactor(NamedTuple):
    """A `Factor` of free rows in an envelope of their own, so that the others cost nothing: a table for kernels.

    Its methods are in `skyline_factor_kernels`. Parts of a problem can be factored in several threads if each has a
    factor of its own; they share `symbolic` and `entries`, see `of`.

    Attributes:
        symbolic: Order and lower triangle of the pattern.
        entries: (lower triangle,) of A~.
        numbers: (4, n + 16) number of a position among the rows of the factor or -1; position of a number; workspace.
        layout: (5, n // 4 + 3) panels, see `skyline_kernels`.
        storage: (symbolic.storage_size,) the panels: room for one island after the other, see `whole_storage`.
        real: (3, n + 16), see DIAGONAL.
        panels: (1,) how many panels there are.
    """

    symbolic: SymbolicStructure
    entries: Reals
    numbers: WholeRows
    layout: WholeRows
    storage: Reals
    real: RealRows
    panels: Wholes

    @classmethod
    def of(cls, symbolic: SymbolicStructure, entries: np.ndarray | None = None) -> SkylineFactor:
        """Room for the factors of a pattern; with `entries`, of a matrix that others load."""
        size = symbolic.size
        return cls(
            symbolic=symbolic,
            entries=np.empty(symbolic.lower_source.size) if entries is None else entries,
            numbers=np.zeros((4, size + 16), np.int64),
            layout=np.zeros((5, size // 4 + 3), np.int64),
            storage=np.empty(symbolic.storage_size),
            real=np.zeros((3, size + 16)),
            panels=np.zeros(1, np.int64),
        )

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import skyline_factor_kernels as kernels

        return kernels.load(self, values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        from taut.linalg import skyline_factor_kernels as kernels

        kernels.multiply(self, begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg import skyline_factor_kernels as kernels

        return kernels.factorise(self, begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg import skyline_factor_kernels as kernels

        kernels.solve(self, rhs, x_out)


class SkylineCholesky:
    """P A P' = L L' in an envelope ordered by `order_rows`, factored in panels.                [Lefebvre2020, sec. 2.2]

    Rows that depend on the ones before them are dropped (their unknown is 0) and counted in `dependent`. A factor that
    failed says at which row in `failed_row`; it does not raise.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.symbolic = analyze_pattern(pattern)
        size = self.symbolic.size
        self._entries = np.empty(self.symbolic.lower_source.size)
        self._numbers = np.zeros((4, size + 16), np.int64)
        self._layout = np.zeros((5, size // 4 + 3), np.int64)
        self._storage = np.empty(self.symbolic.whole_storage)  # it factors all islands at once
        self._real = np.zeros((3, size + 16))
        self._panels = 0
        self.dependent = 0
        self.failed_row: int | None = None

    def factor(self, values: np.ndarray) -> bool:
        """Factor the matrix with these values on the pattern (entry_count,); False if it is not semidefinite."""
        from taut.linalg.skyline_kernels import skyline_factor

        self._assemble(values)
        found = skyline_factor(self._layout, self._panels, self._real[0], self._storage, self._real[1])
        self.dependent = max(found, 0)
        self.failed_row = None if found >= 0 else int(self.symbolic.order[-1 - found])
        return found >= 0

    def dependent_rows(self, values: np.ndarray, pivot: float, sizes: np.ndarray | None = None) -> np.ndarray:
        """Rows (indices, sorted) whose pivot is at most `pivot` times their size once those before them are gone.

        A row that has little part in a dependence has a pivot of rounding that is far larger: what counts then is the
        size of A for the combination x of rows before and this one that makes it least, x' A x / sum of sizes x^2, with
        L' x = e. Sizes (n,) are the diagonal unless others are given. Which row of a dependent set is named depends on
        the order of elimination. The factor is used up.
        """
        from taut.linalg.skyline_kernels import DEPENDENT_PIVOT, skyline_factor

        symbolic, size = self.symbolic, self.symbolic.size
        known, self.failed_row = np.ones(size), 0
        while True:
            self._assemble(values)
            diagonal, inverse = self._real[0][:size], self._real[1][:size]
            if sizes is not None:
                diagonal[:] = sizes[symbolic.order]
            own = diagonal.copy()
            diagonal *= known * pivot / DEPENDENT_PIVOT  # the kernel compares with its own, smaller threshold
            self._real[1].fill(1.0)  # rows after one at which the factor fails are not known to depend
            found = skyline_factor(self._layout, self._panels, self._real[0], self._storage, self._real[1])
            # a matrix of products J J^T has no negative pivots: where rounding makes one, the row depends on others
            hidden = -1 - found if found < 0 else self._hidden_row(own, pivot)
            if hidden < 0 or math.isinf(known[hidden]):  # all are found, or there is a number that is none
                break
            known[hidden] = math.inf
        return np.sort(symbolic.order[np.flatnonzero(inverse == 0.0)])

    def _hidden_row(self, own: np.ndarray, pivot: float) -> int:
        """The first row of the last factor, of those with small pivots, that depends on others by its combination with
        them; -1 if none does. `own` (n,) are sizes in the order of elimination."""
        from taut.linalg.skyline_kernels import skyline_back

        inverse = self._real[1]
        small = (inverse[: own.size] > 0.0) & (own * inverse[: own.size] ** 2 > 1.0 / math.sqrt(pivot))
        for row in np.flatnonzero(small).tolist():
            x = np.zeros_like(inverse)
            x[row] = 1.0
            skyline_back(self._layout, self._panels, self._storage, inverse, x)
            if own @ x[: own.size] ** 2 * pivot >= 1.0:
                return row
        return -1

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """Solve A x = rhs (n,) with the last factor."""
        from taut.linalg.skyline_kernels import skyline_solve

        size = self.symbolic.size
        if self.failed_row is not None or rhs.shape != (size,):
            raise InputError(f"rhs of shape {rhs.shape} cannot be solved: it must be ({size},) and the factor complete")
        work = self._real[2]
        work[:size] = rhs[self.symbolic.order]
        work[size:] = 0.0
        skyline_solve(self._layout, self._panels, self._storage, self._real[1], work)
        x = np.empty(size)
        x[self.symbolic.order] = work[:size]
        return x

    def _assemble(self, values: np.ndarray) -> None:
        """Lay the matrix out in panels of the envelope."""
        from taut.linalg.skyline_kernels import skyline_assemble

        symbolic = self.symbolic
        np.take(values, symbolic.lower_source, out=self._entries)
        self._panels = skyline_assemble(
            0, symbolic.size, symbolic.lower_start, symbolic.lower_column, self._entries,
            np.zeros(symbolic.size, np.int64), self._numbers, self._layout, self._storage, self._real[0],
        )  # fmt: skip
