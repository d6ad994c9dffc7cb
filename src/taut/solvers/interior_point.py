"""Interior-point method with crossover: needs 10 to 20 factorisations whatever the problem."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.problem.kkt import KktProblem, Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.solvers.base import PivotingSolver, Start, start_arrays
from taut.solvers.body_space import ITERATED, load_body_space, solve_by_bodies
from taut.solvers.island_workspace import (
    CODE,
    FACTORIZATIONS,
    INDEFINITE,
    LIMIT,
    PIVOTS,
    SOLVED,
    IslandStructure,
    Workspace,
    check_sizes,
    failure_of,
    take_turns,
)
from taut.structure.incidence import RowEntries
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

    def make_structure(self, pattern: Pattern) -> IslandStructure:
        """Order, islands and envelope of a pattern, with workspaces.

        No row leaves a factor and comes back: the diagonal is another one in every iteration.
        """
        return IslandStructure.of(pattern, exchanges=False)

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Work out now what the first problem would have to wait for, and load the kernels that every solve needs."""
        super().prepare(entries, contacts)
        load_interior_point()
        if contacts:
            load_body_space()

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        found = None
        if isinstance(problem, KktProblem):
            found = solve_by_bodies(self, problem, warm_start, ITERATED, pivots=0)
        return self.solve_by_rows(problem.matrix(), warm_start) if found is None else found

    def solve_by_rows(self, problem: MlcpProblem, warm_start: Start) -> MlcpSolution:
        """Solve a problem by its matrix A."""
        from taut.solvers.island_kernels import load_problem

        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        _, start_lam = start_arrays(problem.size, warm_start)
        structure = self.analyze(problem.pattern)
        check_sizes(problem)
        with structure.lent() as work:
            if not load_problem(work.handle, problem.values, problem.bias, problem.lower, problem.upper):
                return self.refuse(problem)
            report = work.tables.report
            report.fill(0)
            report[:, CODE] = LIMIT
            solution = finish_by_interior_point(self, problem, work, None if warm_start is None else start_lam)
        if solution.solved:
            return solution
        from taut.solvers.proximal_point import finish_by_proximal_point

        return finish_by_proximal_point(self, problem, solution)


def load_interior_point() -> None:
    """Load the kernels of both stages by rows now, so that the first problem costs what the others do."""
    for module in ("solvers.crossover_kernels", "structure.front_tree_kernels"):
        importlib.import_module(f"taut.{module}")


def finish_by_interior_point(
    solver: PivotingSolver, problem: MlcpProblem, work: Workspace, start: np.ndarray | None
) -> MlcpSolution:
    """Solve the islands that the report does not call solved; `work` holds the scaled problem.

    An island that came as indefinite stays so if it is not solved. `start` are multipliers (n,) to start from, if they
    violate less than those of a cold start.
    """
    from taut.solvers.island_kernels import store_result

    size, report = problem.size, work.tables.report
    indefinite = report[:, CODE] == INDEFINITE
    run_stages(work, start)
    report[indefinite & (report[:, CODE] != SOLVED), CODE] = INDEFINITE
    lam, index_set = np.empty(size), np.empty(size, np.int64)
    store_result(work.handle, problem.lower, problem.upper, lam, index_set)
    pivots = int(report[:, PIVOTS].max(initial=0))
    factorizations = int(report[:, FACTORIZATIONS].max(initial=0))
    return solver.conclude(problem, lam, index_set, *failure_of(report), pivots, factorizations)


def run_stages(work: Workspace, start: np.ndarray | None) -> None:
    """Interior-point method, then crossover: the index set is read off and pivoted on to the exact answer.

    It is read off when the relative error is small and, where a few pivots from there do not end, again after more
    iterations. Where no crossover ends the interior point is left as it is; where the method does not converge,
    pivoting goes on from the index set it reached. Islands go through the stages side by side, each in its own way.
    """
    from taut.solvers.block_pivoting_kernels import pivot_islands
    from taut.solvers.crossover_kernels import iterate_islands, judge_pivots, start_islands

    def pivot(stage: int, limit: int, patience: int, proximity: float) -> None:
        pivot_islands(work.handle, 0, work.tables.report.shape[0], stage, limit, patience, proximity)

    warm, start_lam = (0, work.tables.search.lam) if start is None else (1, start)
    left = start_islands(warm, start_lam, work.handle, work.inner, work.progress)
    take_turns(work, left, iterate_islands, pivot, judge_pivots)
