"""Block principal pivoting with a skyline Cholesky factor of the free rows at every pivot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import judge
from taut.problem.solution import MlcpSolution, Status
from taut.solvers.base import HIDDEN_ABOVE, PivotingSolver, Start, start_arrays
from taut.solvers.island_workspace import PIVOT_CAPACITY, IslandWorkspace
from taut.structure.pattern import Pattern


@dataclass(frozen=True)
class BlockPivoting(PivotingSolver):
    """Block principal pivoting, island by island, from a warm index set.               [Lefebvre2020, Alg. 2.1]

    Each pivot factors the free rows in an envelope of their own, so tight rows cost nothing.
    """

    name: ClassVar[str] = "bpp"
    summary: ClassVar[str] = "block pivoting, skyline Cholesky of the free rows at every pivot; interior point if stuck"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    warm_pivots: int = 8
    """Pivots before the interior-point method takes over, from a warm start."""
    cold_pivots: int = 12
    """The same, from all rows free."""

    def __post_init__(self) -> None:
        most = PIVOT_CAPACITY // 2
        for option in ("warm_pivots", "cold_pivots"):
            if not 1 <= getattr(self, option) <= most:
                raise InputError(f"{option} of solver 'bpp' is {getattr(self, option)}; it must be 1 to {most}")

    def make_structure(self, pattern: Pattern) -> IslandWorkspace:
        """Order, islands, envelope and workspace of a pattern."""
        return IslandWorkspace.of_pattern(pattern)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        problem = problem.matrix()
        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        work = self.analyze(problem.pattern)
        work.check(problem)
        solution = self.search(problem, work, warm_start)
        if solution.solved or solution.status is Status.NON_FINITE:
            return solution
        from taut.solvers.proximal_point import finish_by_proximal_point

        return finish_by_proximal_point(self, problem, solution)

    def search(self, problem: MlcpProblem, work: IslandWorkspace, warm_start: Start) -> MlcpSolution:
        """Pivot from a start and, on islands where that does not end soon, go on with the interior-point method."""
        from taut.solvers.block_pivoting_kernels import CODE, LIMIT, PIVOTS, REPORT_COLUMNS, pivot_islands

        symbolic = work.symbolic
        start_set, start_lam = start_arrays(problem.size, warm_start)
        limit = self.cold_pivots if warm_start is None else self.warm_pivots
        lam = np.empty(problem.size)
        index_set = np.empty(problem.size, np.int64)
        report = np.zeros((symbolic.island_count, REPORT_COLUMNS), np.int64)
        unsolved = pivot_islands(
            symbolic.order, symbolic.island_start, symbolic.lower_start, symbolic.lower_column, symbolic.lower_source,
            problem.values, problem.bias, problem.lower, problem.upper, start_set, start_lam, limit,
            work.entries, work.real, work.whole, work.layout, work.storage, work.seen, lam, index_set, report,
        )  # fmt: skip
        if unsolved < 0:
            return self.refuse(problem)
        pivots = int(report[:, PIVOTS].max(initial=0))
        found = self.conclude(problem, lam, index_set, Status.ITERATION_LIMIT, "", pivots, pivots)
        if unsolved == 0:
            if found.status is not Status.ITERATION_LIMIT:
                return found
            verdict = judge(problem, lam)
            doubtful = verdict.violation > np.minimum(self.accuracy * verdict.scale, HIDDEN_ABOVE * verdict.data)
            report[doubtful, CODE] = LIMIT
        from taut.solvers.interior_point import finish_by_interior_point

        solution = finish_by_interior_point(self, problem, work, report, None if warm_start is None else start_lam)
        return found if found.solved and not solution.solved else solution
