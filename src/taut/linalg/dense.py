"""Dense factors by LAPACK, anew for every set of rows: the papers' baseline, and the way where A is not symmetric."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SINGULAR_BELOW = 1e-14
"""Square of a Cholesky pivot, relative to the diagonal, that is rounding; times the number of rows where pivots are
chosen."""
INDEFINITE_ABOVE = 1e-10
"""What a Cholesky factor with chosen pivots leaves of the matrix, relative to its largest entry, that is no rounding:
the matrix is not positive semidefinite."""


@dataclass
class DenseFactor:
    """A `Factor` of a symmetric positive semidefinite matrix of unit diagonal, in full.     [Lefebvre2020, Alg. 2.1]

    Cholesky where A_FF is definite. Else Cholesky with chosen pivots as far as they are no rounding; the rows after
    them are combinations T of the first ones, which gives the least solution. Any row may then keep slack:

        A = [I; T] L L^T [I, T^T],    x = [I; T] G^-1 (L L^T)^-1 G^-1 [I, T^T] b,    G = I + T^T T
    """

    matrix: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    free: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    part: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    triangle: np.ndarray | None = None
    order: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    combine: np.ndarray | None = None
    gram: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

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
        from scipy.linalg.lapack import dpotrf

        self.combine = None
        if self.free.size == 0:
            return 0
        self.triangle, failed = dpotrf(self.part, lower=1)
        if failed == 0 and np.diag(self.triangle).min() ** 2 > SINGULAR_BELOW:
            return 0
        return self.factor_singular()

    def factor_singular(self) -> int:
        """Factor what was copied with chosen pivots; the number of rows that are left, or -1 if it is indefinite."""
        from scipy.linalg.blas import dtrsm
        from scipy.linalg.lapack import dpotrf, dpstrf

        size, largest = self.free.size, max(np.abs(self.part).max(), 1e-300)
        factor, order, rank, _ = dpstrf(self.part, lower=1, tol=SINGULAR_BELOW * size * largest)
        first, left = order[:rank] - 1, order[rank:] - 1
        top, bottom = factor[:rank, :rank], factor[rank:, :rank]
        remainder = self.part[np.ix_(left, left)] - bottom @ bottom.T
        if not np.abs(remainder).max(initial=0.0) <= INDEFINITE_ABOVE * largest:
            return -1
        self.order = self.free[np.concatenate([first, left])]
        self.triangle = top
        self.combine = dtrsm(1.0, top, bottom, side=1, lower=1) if rank and left.size else bottom
        self.gram = dpotrf(np.eye(rank) + self.combine.T @ self.combine, lower=1)[0] if rank else top
        return int(left.size)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from scipy.linalg.lapack import dpotrs

        if self.free.size == 0:
            return
        if self.combine is None:
            x_out[self.free] = dpotrs(self.triangle, rhs[self.free], lower=1)[0]
            return
        rank = self.combine.shape[1]
        first, left = self.order[:rank], self.order[rank:]
        x = rhs[first] + self.combine.T @ rhs[left]
        if rank:
            for triangle in (self.gram, self.triangle, self.gram):
                x = dpotrs(triangle, x, lower=1)[0]
        x_out[first], x_out[left] = x, self.combine @ x


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
        solution = None if self.triangle is None else dgetrs(self.triangle, self.pivots, rhs[self.free])[0]
        if solution is None or not np.isfinite(solution).all():
            solution = lstsq(self.part, rhs[self.free])[0]
        x_out[self.free] = solution
