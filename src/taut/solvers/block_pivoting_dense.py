"""Block principal pivoting with a full dense factor at every pivot: the papers' baseline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE, MlcpSolution, Status
from taut.solvers.base import PivotingSolver, Start, start_arrays

VIOLATION_TOLERANCE = 1e-12
"""Violation, relative to the problem's scale, that is rounding and no reason to pivot."""
INCONSISTENT_ABOVE = 1e-10
"""Slack of a free row, relative to the problem's scale, that is no rounding: the free rows contradict each other."""
SINGULAR_BELOW = 1e-14
"""Square of a Cholesky pivot, relative to the diagonal, that is rounding."""
SINGLE_PIVOTS = 5
"""Single pivots after an index set repeats, before blocks are tried again; twice as many at each further repeat."""
COLD_PIVOTS, LAST_PIVOTS, UNSYMMETRIC_PIVOTS = 6, 200, 1000
"""Pivots before the interior-point method is asked for an index set, from there on, and where A is not symmetric."""


@dataclass(frozen=True)
class BlockPivotingDense(PivotingSolver):
    """Block principal pivoting, dense LAPACK Cholesky of A_FF at every pivot.               [Lefebvre2020, Alg. 2.1]

    No ordering, no islands, no sparsity: kept to compare with. Cycles and problems on which pivoting does not end are
    handled as in `bpp`.
    """

    name: ClassVar[str] = "bpp-dense"
    summary: ClassVar[str] = "block pivoting, full dense Cholesky at every pivot (baseline)"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a residual that is not finite says it
            return solve_dense(self, problem.matrix(), warm_start)


@dataclass
class DenseSearch:
    """State of a search for the index set, on the problem scaled to unit diagonal."""

    A: np.ndarray
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    symmetric: bool
    labels: np.ndarray
    lam: np.ndarray
    w: np.ndarray = field(default_factory=lambda: np.zeros(0))
    pivots: int = 0
    failure: Status | None = None

    def solve_free(self) -> bool:
        """Solve for the free rows with the others at their bounds; False if A_FF is not positive semidefinite."""
        free = self.labels == FREE
        self.lam = np.where(free, 0.0, np.where(self.labels == AT_LOWER, self.lower, self.upper))
        rhs = -(self.A @ self.lam + self.b)[free]
        matrix = self.A[np.ix_(free, free)]
        solution = solve_semidefinite(matrix, rhs) if self.symmetric else solve_general(matrix, rhs)
        self.pivots += 1
        if solution is None:
            return False
        self.lam[free] = solution
        self.w = self.A @ self.lam + self.b
        return True

    def wanted_labels(self) -> np.ndarray:
        """Labels that lam and w ask for.                                                       [Lefebvre2020, eq. 2.1]

        A free row whose slack could not be brought to 0 goes to the bound that its slack points at.
        """
        scale = max(np.abs(self.b).max(initial=0.0), np.abs(self.lam).max(initial=0.0))
        tol, inconsistent = VIOLATION_TOLERANCE * scale, INCONSISTENT_ABOVE * scale
        free, lam, w = self.labels == FREE, self.lam, self.w
        wanted = self.labels.copy()
        wanted[free & (w > inconsistent) & (self.lower > -np.inf)] = AT_LOWER
        wanted[free & (w < -inconsistent) & (self.upper < np.inf)] = AT_UPPER
        wanted[free & (lam < self.lower - tol)] = AT_LOWER
        wanted[free & (lam > self.upper + tol)] = AT_UPPER
        wanted[(self.lower != self.upper) & (self.labels * w > tol)] = FREE
        return wanted

    def pivot(self, limit: int) -> bool:
        """Pivot until the index set fits; blocks, and single rows for a while whenever an index set repeats."""
        seen: set[bytes] = set()
        singles, repeats = 0, 0
        self.failure = Status.ITERATION_LIMIT
        for _ in range(limit):
            if not self.solve_free():
                self.failure = Status.NOT_POSITIVE_DEFINITE
                return False
            wanted = self.wanted_labels()
            asking = np.flatnonzero(wanted != self.labels)
            if asking.size == 0:
                self.failure = Status.INFEASIBLE
                return True
            if singles > 0:
                asking = asking[-1:]
                singles -= 1
            self.labels[asking] = wanted[asking]
            key = self.labels.astype(np.int8).tobytes()
            if key in seen and singles == 0:
                singles = SINGLE_PIVOTS << repeats
                repeats += 1
                self.failure = Status.CYCLING
            seen.add(key)
        return False


def solve_dense(solver: PivotingSolver, problem: MlcpProblem, warm_start: Start) -> MlcpSolution:
    """Solve a problem by dense pivoting; also the way of every pivoting solver where A is not symmetric.

    Rows whose bounds are equal have nothing to find out: they are left out of the dense matrix.
    """
    fixed = problem.lower == problem.upper
    kept, lam = np.flatnonzero(~fixed), np.where(fixed, problem.lower, 0.0)
    if not (np.isfinite(problem.values).all() and np.isfinite(problem.bias).all() and np.isfinite(lam).all()
            and (problem.lower <= problem.upper).all()):  # fmt: skip
        return solver.refuse(problem)
    labels = np.where(fixed, AT_LOWER, start_arrays(problem.size, warm_start)[0])
    search, root, extra = search_dense(problem, kept, lam, labels[kept])
    found = np.where(search.labels == AT_LOWER, problem.lower[kept], problem.upper[kept])
    free = search.labels == FREE
    found[free] = np.clip(search.lam / root, problem.lower[kept], problem.upper[kept])[free]
    lam[kept], labels[kept] = found, search.labels
    status = search.failure or Status.ITERATION_LIMIT
    message = "no index set fits within the pivots allowed" if status is Status.ITERATION_LIMIT else status.value
    factorizations = search.pivots + extra
    solution = solver.conclude(problem, lam, labels, status, message, search.pivots, factorizations)
    if solution.solved or not problem.symmetric:
        return solution
    from taut.solvers.proximal_point import finish_by_proximal_point

    return finish_by_proximal_point(solver, problem, solution)


def search_dense(
    problem: MlcpProblem, kept: np.ndarray, lam: np.ndarray, labels: np.ndarray
) -> tuple[DenseSearch, np.ndarray, int]:
    """Search for the labels of the rows that are kept, from these, with the others at lam (n,).

    Returns: the search where it ended, sqrt(diag A), and factorisations of the interior-point method.
    """
    from taut.solvers.reference.interior_point import interior_point

    A = problem.sparse[kept][:, kept].toarray()
    d = np.abs(np.diag(A))
    root = np.sqrt(np.where(d > 0.0, d, 1.0))
    lower, upper = problem.lower[kept] * root, problem.upper[kept] * root
    labels[((labels == AT_LOWER) & (lower == -np.inf)) | ((labels == AT_UPPER) & (upper == np.inf))] = FREE
    bias = (problem.bias + problem.sparse @ lam)[kept] / root
    A /= np.outer(root, root)
    search = DenseSearch(A, bias, lower, upper, problem.symmetric, labels, np.zeros(kept.size))
    extra = 0
    if not search.pivot(COLD_PIVOTS) and search.failure is not Status.NOT_POSITIVE_DEFINITE:
        if problem.symmetric:
            _, search.labels, extra = interior_point(A, search.b, lower, upper)
        search.pivot(LAST_PIVOTS if problem.symmetric else UNSYMMETRIC_PIVOTS)
    return search, root, extra


def solve_semidefinite(matrix: np.ndarray, rhs: np.ndarray) -> np.ndarray | None:
    """Solve with a symmetric positive semidefinite matrix of unit diagonal; None if it is indefinite.

    Cholesky where it is definite; else the least solution from its eigenvectors.
    """
    from scipy.linalg import eigh
    from scipy.linalg.lapack import dpotrf, dpotrs

    if rhs.size == 0:
        return rhs
    factor, failed = dpotrf(matrix, lower=1)
    if failed == 0 and np.diag(factor).min() ** 2 > SINGULAR_BELOW:
        return dpotrs(factor, rhs, lower=1)[0]
    values, vectors = eigh(matrix)
    largest = np.abs(values).max()
    if values[0] < -1e-10 * max(largest, 1e-300):
        return None
    used = values > SINGULAR_BELOW * rhs.size * largest
    return vectors[:, used] @ ((vectors[:, used].T @ rhs) / values[used])


def solve_general(matrix: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Solve with any matrix: LU where it is regular, else the least-squares solution of least length."""
    from scipy.linalg import lstsq
    from scipy.linalg.lapack import dgesv

    if rhs.size == 0:
        return rhs
    _, _, solution, failed = dgesv(matrix, rhs)
    if failed == 0 and np.isfinite(solution).all():
        return solution
    return lstsq(matrix, rhs)[0]
