"""Block principal pivoting with the Cholesky factor that is predicted to cost least at every pivot."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import KktProblem, Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import judge
from taut.problem.solution import MlcpSolution, Status
from taut.solvers.base import HIDDEN_ABOVE, PivotingSolver, Start, start_arrays
from taut.solvers.body_space import PIVOTED, iterate_by_bodies, load_body_space, solve_by_bodies
from taut.solvers.condensing import search_borders
from taut.solvers.island_workspace import (
    BORDER,
    CODE,
    FACTORIZATIONS,
    LIMIT,
    PIVOT_CAPACITY,
    PIVOTS,
    STAGE,
    IslandStructure,
    Workspace,
    check_sizes,
)
from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern


@dataclass(frozen=True)
class BlockPivoting(PivotingSolver):
    """Block principal pivoting, island by island, from a warm index set.               [Lefebvre2020, Alg. 2.1]

    Each pivot factors the free rows in the cheapest way, see `ChosenFactor`; where few rows have bounds, pivots are on
    these alone, see `condensing`.
    """

    name: ClassVar[str] = "bpp"
    summary: ClassVar[str] = "block pivoting, at every pivot the factor that should cost least; interior point if stuck"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    warm_pivots: int = 8
    """Pivots before the interior-point method takes over, from a warm start."""
    cold_pivots: int = 12
    """The same, from all rows free."""
    reuse: bool = False
    """Whether the last factor is used again, by iterations, for the next problem of the same pattern if its free rows
    are the same. What is found is as exact, but its last bits depend on what was solved before."""

    def __post_init__(self) -> None:
        most = PIVOT_CAPACITY // 2
        for option in ("warm_pivots", "cold_pivots"):
            if not 1 <= getattr(self, option) <= most:
                raise InputError(f"{option} of solver {self.name!r} is {getattr(self, option)}; it must be 1 to {most}")

    @property
    def by_bodies(self) -> bool:
        """Whether problems with bodies are solved by these, see `body_space`; a factor that is kept is one of rows."""
        return not self.reuse

    def make_structure(self, pattern: Pattern) -> IslandStructure:
        """Order, islands and envelope of a pattern, with workspaces."""
        if self.reuse:
            return IslandStructure.of(pattern)  # nobody else uses the workspaces
        return IslandStructure.of_pattern(pattern)

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Work out now what the first problem would have to wait for, and load the kernels that every solve needs."""
        super().prepare(entries, contacts)
        load_pivoting()
        if self.reuse:
            importlib.import_module("taut.solvers.reusing_kernels")
        if contacts and self.by_bodies:
            load_body_space()

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        found = None
        if isinstance(problem, KktProblem) and self.by_bodies:
            found = solve_by_bodies(self, problem, warm_start, PIVOTED, self.most_pivots(warm_start))
        return self.solve_by_rows(problem, warm_start) if found is None else found

    def most_pivots(self, warm_start: Start) -> int:
        """Pivots before the interior-point method takes over."""
        return self.cold_pivots if warm_start is None else self.warm_pivots

    def solve_by_rows(self, problem: Problem, warm_start: Start) -> MlcpSolution:
        """Solve a problem by its matrix A."""
        given, problem = problem, problem.matrix()
        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        structure = self.analyze(problem.pattern)
        check_sizes(problem)
        solution = self.search(problem, structure, warm_start, given)
        if solution.solved or solution.status is Status.NON_FINITE:
            return solution
        from taut.solvers.proximal_point import finish_by_proximal_point

        return finish_by_proximal_point(self, problem, solution)

    def search(
        self, problem: MlcpProblem, structure: IslandStructure, warm_start: Start, given: Problem | None = None
    ) -> MlcpSolution:
        """Pivot from a start and, on islands where that does not end soon, go on with the interior-point method.

        What is found is judged by the problem as it was `given`: by blocks that is cheaper than by its matrix.
        """
        from taut.solvers.island_kernels import store_result

        lam = np.empty(problem.size)
        index_set = np.empty(problem.size, np.int64)
        with structure.lent() as work:
            unsolved = self.pivot(problem, work, warm_start, lam, index_set)
            if unsolved < 0:
                return self.refuse(problem)
            report = work.tables.report
            if unsolved and (report[:, STAGE] == BORDER).any():
                unsolved = search_borders(self, structure, work, warm_start is not None)
                store_result(work.handle, problem.lower, problem.upper, lam, index_set)
            pivots, factors = np.maximum.reduce(report[:, [PIVOTS, FACTORIZATIONS]], initial=0).tolist()
            found = self.conclude(given or problem, lam, index_set, Status.ITERATION_LIMIT, "", pivots, factors)
            if unsolved == 0:
                if found.status is not Status.ITERATION_LIMIT:
                    return found
                verdict = judge(problem, lam)
                doubtful = verdict.violation > np.minimum(self.accuracy * verdict.scale, HIDDEN_ABOVE * verdict.data)
                report[doubtful, CODE] = LIMIT
            if isinstance(given, KktProblem) and self.by_bodies:
                iterate_by_bodies(self, given, work, warm_start)
            solution = self.iterate(problem, work, warm_start)
        return found if found.solved and not solution.solved else solution

    def pivot(
        self, problem: MlcpProblem, work: Workspace, warm_start: Start, lam_out: np.ndarray, index_set_out: np.ndarray
    ) -> int:
        """Pivot on every island from a start.

        Returns: number of islands that were not solved, or -1 if the problem holds a number that is not finite
        """
        from taut.solvers.block_pivoting_kernels import solve_islands

        solve, handle = solve_islands, work.handle
        if self.reuse:
            from taut.solvers.reusing_kernels import solve_reusing

            solve, handle = solve_reusing, work.reusing
        start_set, start_lam = start_arrays(problem.size, warm_start)
        unsolved: int = solve(
            handle, problem.values, problem.bias, problem.lower, problem.upper, start_set, start_lam,
            self.most_pivots(warm_start), lam_out, index_set_out,
        )  # fmt: skip
        return unsolved

    def iterate(self, problem: MlcpProblem, work: Workspace, warm_start: Start) -> MlcpSolution:
        """Go on with the interior-point method on the islands of a workspace that are not solved."""
        from taut.solvers.interior_point import finish_by_interior_point

        start = None if warm_start is None else start_arrays(problem.size, warm_start)[1]
        return finish_by_interior_point(self, problem, work, start)


def load_pivoting() -> None:
    """Load the kernels of pivoting by rows now, so that the first problem costs what the others do."""
    modules = ["structure.ordering_kernels", "structure.symbolic_kernels", "structure.front_tree_kernels"]
    for module in (*modules, "solvers.block_pivoting_kernels", "solvers.condensing_kernels"):
        importlib.import_module(f"taut.{module}")
