"""Dense factors by LAPACK, anew for every set of rows: the papers' baseline, and the way where A is not symmetric."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SINGULAR_BELOW = 1e-14
"""Square of a Cholesky pivot, relative to the diagonal, that is rounding."""
NEGATIVE_BELOW = -1e-10
"""Eigenvalue, relative to the largest, that is no rounding: the matrix is not positive semidefinite."""


@dataclass
class DenseFactor:
    """A `Factor` of a symmetric positive semidefinite matrix of unit diagonal, in full.     [Lefebvre2020, Alg. 2.1]

    Cholesky where A_FF is definite; else its eigenvectors, which give the least solution. Any row may then keep slack.
    """

    matrix: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    free: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    part: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    triangle: np.ndarray | None = None
    vectors: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    values: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix, given in full (n, n); see `Factor.load`."""
        self.matrix = values * np.outer(scale, scale)
        return int(np.isfinite(self.matrix).all())

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b; see `Factor.multiply`."""
        rows = slice(begin, end)
        w_out[rows] = self.matrix[rows, rows] @ lam[rows] + bias[rows]

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows; see `Factor.factorise`."""
        self.take_free(begin, end, index_set, shift)
        found = self.factor_part()
        dependent_out[self.free] = found > 0
        return found

    def take_free(self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray) -> None:
        """Copy the rows and columns that are free, with the shift on their diagonal."""
        self.free = begin + np.flatnonzero(index_set[begin:end] == 0)
        self.part = self.matrix[np.ix_(self.free, self.free)]
        if shift.size:
            self.part[np.diag_indices_from(self.part)] += shift[self.free]

    def factor_part(self) -> int:
        """Factor what was copied; the number of rows that depend on others, or -1 if it is indefinite."""
        from scipy.linalg import eigh
        from scipy.linalg.lapack import dpotrf

        size = self.free.size
        if size == 0:
            return 0
        self.triangle, failed = dpotrf(self.part, lower=1)
        if failed == 0 and np.diag(self.triangle).min() ** 2 > SINGULAR_BELOW:
            return 0
        self.triangle = None
        values, vectors = eigh(self.part)
        largest = np.abs(values).max()
        if values[0] < NEGATIVE_BELOW * max(largest, 1e-300):
            return -1
        used = values > SINGULAR_BELOW * size * largest
        self.values, self.vectors = values[used], vectors[:, used]
        return size - int(used.sum())

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from scipy.linalg.lapack import dpotrs

        if self.free.size == 0:
            return
        if self.triangle is not None:
            x_out[self.free] = dpotrs(self.triangle, rhs[self.free], lower=1)[0]
        else:
            x_out[self.free] = self.vectors @ ((self.vectors.T @ rhs[self.free]) / self.values)


@dataclass
class GeneralFactor(DenseFactor):
    """A `Factor` of any matrix: LU where A_FF is regular, else the least-squares solution of least length."""

    pivots: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))

    def factor_part(self) -> int:
        """LU factor of what was copied; the number of its rows if it is singular."""
        from scipy.linalg.lapack import dgetrf

        if self.free.size == 0:
            return 0
        self.triangle, self.pivots, failed = dgetrf(self.part)
        if failed == 0:
            return 0
        self.triangle = None
        return self.free.size

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from scipy.linalg import lstsq
        from scipy.linalg.lapack import dgetrs

        if self.free.size == 0:
            return
        given = rhs[self.free]
        if not np.isfinite(given).all():
            x_out[self.free] = 0.0  # multipliers ran off, and no step brings them back: the residual will say so
            return
        solution = None if self.triangle is None else dgetrs(self.triangle, self.pivots, given)[0]
        if solution is None or not np.isfinite(solution).all():
            solution = lstsq(self.part, given)[0]
        x_out[self.free] = solution
