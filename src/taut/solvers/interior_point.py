"""Interior-point method with crossover: needs 10 to 20 factorisations whatever the problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.solvers.base import PivotingSolver, Start, start_arrays
from taut.solvers.island_workspace import IslandWorkspace, failure_of
from taut.structure.pattern import Pattern


@dataclass(frozen=True)
class InteriorPoint(PivotingSolver):
    """Mehrotra's predictor-corrector method on the box QP, then crossover to the exact index set.

    Starts from the multipliers of a warm start where they violate less than those of a cold start. `bpp` falls back on
    it, island by island, when pivoting does not end soon.
    """

    name: ClassVar[str] = "ipm"
    summary: ClassVar[str] = "interior point on the box QP, then crossover to an exact index set"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    def make_structure(self, pattern: Pattern) -> IslandWorkspace:
        """Order, islands, envelope and workspace of a pattern."""
        return IslandWorkspace.of_pattern(pattern)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        from taut.solvers.block_pivoting_kernels import CODE, LIMIT, REPORT_COLUMNS
        from taut.solvers.island_kernels import scale_problem

        problem = problem.matrix()
        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        _, start_lam = start_arrays(problem.size, warm_start)
        work = self.analyze(problem.pattern)
        work.check(problem)
        symbolic = work.symbolic
        finite = scale_problem(
            symbolic.order, symbolic.lower_start, symbolic.lower_column, symbolic.lower_source,
            problem.values, problem.bias, problem.lower, problem.upper, work.entries, work.real,
        )  # fmt: skip
        if not finite:
            return self.refuse(problem)
        report = np.zeros((symbolic.island_count, REPORT_COLUMNS), np.int64)
        report[:, CODE] = LIMIT
        solution = finish_by_interior_point(self, problem, work, report, None if warm_start is None else start_lam)
        if solution.solved:
            return solution
        from taut.solvers.proximal_point import finish_by_proximal_point

        return finish_by_proximal_point(self, problem, solution)


def finish_by_interior_point(
    solver: PivotingSolver, problem: MlcpProblem, work: IslandWorkspace, report: np.ndarray, start: np.ndarray | None
) -> MlcpSolution:
    """Solve the islands that `report` calls neither solved nor indefinite; `work` holds the scaled problem.

    `start` are multipliers (n,) to start from, if they violate less than those of a cold start.
    """
    from taut.solvers.block_pivoting_kernels import FACTORIZATIONS, PIVOTS, store_result
    from taut.solvers.crossover_kernels import interior_islands
    from taut.solvers.interior_point_kernels import INNER_ROWS

    symbolic, size = work.symbolic, problem.size
    warm, start_lam = (0, np.zeros(size)) if start is None else (1, start)
    interior_islands(
        symbolic.order, symbolic.island_start, warm, start_lam, symbolic.lower_start, symbolic.lower_column,
        work.entries, work.real, work.whole, np.zeros((INNER_ROWS, size)), work.layout, work.storage, work.seen, report,
    )  # fmt: skip
    lam, index_set = np.empty(size), np.empty(size, np.int64)
    store_result(symbolic.order, problem.lower, problem.upper, work.real, work.whole, lam, index_set)
    pivots = int(report[:, PIVOTS].max(initial=0))
    factorizations = int(report[:, FACTORIZATIONS].max(initial=0))
    return solver.conclude(problem, lam, index_set, *failure_of(report), pivots, factorizations)
