"""Block principal pivoting with a full dense factor at every pivot: the papers' baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from taut.linalg.dense import DenseFactor, GeneralFactor
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import AT_LOWER, FREE, MlcpSolution, Status
from taut.solvers.base import PivotingSolver, Start, start_arrays
from taut.solvers.island_workspace import (
    CODE,
    FACTORIZATIONS,
    LIMIT,
    PIVOTS,
    REPEATS,
    REPORT_COLUMNS,
    SOLVED,
    STUCK,
    Search,
    failure_of,
)
from taut.tables import held

COLD_PIVOTS, LAST_PIVOTS, UNSYMMETRIC_PIVOTS = 6, 200, 1000
"""Pivots before the interior-point method is asked for an index set, from there on, and where A is not symmetric."""


Pivot = Callable[[MlcpProblem, np.ndarray, Search], tuple[np.ndarray, int]]
"""Searches among the rows (n,) that are kept: the report (REPORT_COLUMNS,) of the search, and other factorisations."""


class Pivoted(NamedTuple):
    """What pivots found, the rows (n,) that they were on, and where the search for their labels ended."""

    solution: MlcpSolution
    kept: np.ndarray
    search: Search


@dataclass(frozen=True)
class BlockPivotingDense(PivotingSolver):
    """Block principal pivoting, dense LAPACK Cholesky of A_FF at every pivot.               [Lefebvre2020, Alg. 2.1]

    No ordering, no islands, no sparsity: kept to compare with. The loop is that of `bpp`, given a dense factor and run
    by Python.
    """

    name: ClassVar[str] = "bpp-dense"
    summary: ClassVar[str] = "block pivoting, full dense Cholesky at every pivot (baseline)"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        return solve_dense(self, problem.matrix(), warm_start)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a residual that is not finite says it
def solve_dense(solver: PivotingSolver, problem: MlcpProblem, warm_start: Start) -> MlcpSolution:
    """Solve a problem by dense pivoting; also the way of every pivoting solver where A is not symmetric."""
    solution, kept, search = solve_by_pivots(solver, problem, warm_start, pivot_dense)
    if solution.solved or solution.status is Status.NON_FINITE:
        return solution
    if not problem.symmetric:
        from taut.solvers.lemke import finish_by_lemke

        return finish_by_lemke(solver, problem, kept, search, solution)
    from taut.solvers.proximal_point import finish_by_proximal_point

    return finish_by_proximal_point(solver, problem, solution)


def solve_by_pivots(solver: PivotingSolver, problem: MlcpProblem, warm_start: Start, pivot: Pivot) -> Pivoted:
    """Solve a problem by pivots on all rows at once.

    Rows whose bounds are equal have nothing to find out: they are left out of the matrix.
    """
    fixed = problem.lower == problem.upper
    kept, lam = np.flatnonzero(~fixed), np.where(fixed, problem.lower, 0.0)
    if not (np.isfinite(problem.values).all() and np.isfinite(problem.bias).all() and np.isfinite(lam).all()
            and (problem.lower <= problem.upper).all()):  # fmt: skip
        return Pivoted(solver.refuse(problem), kept, Search.of_size(kept.size))
    labels = np.where(fixed, AT_LOWER, start_arrays(problem.size, warm_start)[0])
    search = scaled_search(problem, kept, lam, labels[kept])
    report, extra = pivot(problem, kept, search)
    found = np.where(search.index_set == AT_LOWER, problem.lower[kept], problem.upper[kept])
    free = search.index_set == FREE
    found[free] = np.clip(search.lam * search.scale, problem.lower[kept], problem.upper[kept])[free]
    lam[kept], labels[kept] = found, search.index_set
    status, message = failure_of_search(report)
    pivots, factorizations = int(report[PIVOTS]), int(report[FACTORIZATIONS]) + extra
    solution = solver.conclude(problem, lam, labels, status, message, pivots, factorizations)
    return Pivoted(solution, kept, search)


def scaled_search(problem: MlcpProblem, kept: np.ndarray, lam: np.ndarray, labels: np.ndarray) -> Search:
    """Search for the labels of the rows that are kept (n,), from these, with the other rows at lam."""
    d = np.abs(problem.sparse.diagonal()[kept])
    root = np.sqrt(np.where(d > 0.0, d, 1.0))
    search = Search.of_size(kept.size)
    search.lower[:], search.upper[:] = problem.lower[kept] * root, problem.upper[kept] * root
    search.scale[:], search.bias[:] = 1.0 / root, (problem.bias + problem.sparse @ lam)[kept] / root
    no_bound = ((labels < 0) & (search.lower == -np.inf)) | ((labels > 0) & (search.upper == np.inf))
    search.index_set[:] = np.where(no_bound, FREE, labels)
    return search


def pivot_dense(problem: MlcpProblem, kept: np.ndarray, search: Search) -> tuple[np.ndarray, int]:
    """Pivot on the rows that are kept; where that does not end soon, from the index set of an interior point.

    Returns: the report (REPORT_COLUMNS,) of the search, and factorisations of the interior-point method.
    """
    from taut.solvers.block_pivoting_kernels import pivot_island
    from taut.solvers.index_set_kernels import FIRM
    from taut.solvers.reference.interior_point import interior_point

    factor = DenseFactor() if problem.symmetric else GeneralFactor()
    factor.load(problem.sparse[kept][:, kept].toarray(), search.scale)
    last = LAST_PIVOTS if problem.symmetric else UNSYMMETRIC_PIVOTS
    seen, report, extra = np.zeros((2, 2 * last), np.int64), np.zeros(REPORT_COLUMNS, np.int64), 0
    handle = held(search)
    pivot_island(0, kept.size, COLD_PIVOTS, FIRM, 0.0, handle, factor, seen, report)
    if report[CODE] == LIMIT:
        if problem.symmetric:
            start = interior_point(factor.matrix, search.bias, search.lower, search.upper)
            search.index_set[:], extra = start[1], start[2]
        pivot_island(0, kept.size, last, FIRM, 0.0, handle, factor, seen, report)
    return report, extra


def failure_of_search(report: np.ndarray) -> tuple[Status, str]:
    """Status and message, should the residual turn out to be too large."""
    if report[CODE] == LIMIT and report[REPEATS]:
        return Status.CYCLING, Status.CYCLING.value
    if report[CODE] in (SOLVED, STUCK):  # an index set that fits
        return Status.INFEASIBLE, Status.INFEASIBLE.value
    return failure_of(report[None])
