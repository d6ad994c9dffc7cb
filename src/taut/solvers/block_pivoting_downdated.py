"""Block principal pivoting with one factor of all rows, which tight rows are taken out of: the thesis' methods."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.linalg.cached import CachedFactor
from taut.linalg.downdated import FROM_FIRST, DowndatedFactor
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, Status
from taut.solvers.base import PivotingSolver, Start, start_arrays
from taut.solvers.block_pivoting_refactor import BlockPivotingRefactor
from taut.solvers.downdating_workspace import CachedWork, DowndatedWork, DowndatingStructure, room_of
from taut.solvers.island_workspace import PIVOT_CAPACITY, PIVOTS, check_sizes
from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern, natural_structure

MEBIBYTE = 2**20


@dataclass(frozen=True)
class DowndatingSolver(PivotingSolver):
    """What they share: the loop of `bpp`, island by island, given another factor.              [Lefebvre2020, Alg. 2.2]

    Where pivoting does not end, the problem is handed to `bpp-refactor`, which goes on with the interior-point method.
    """

    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    warm_pivots: int = 8
    """Pivots before the problem is handed on, from a warm start."""
    cold_pivots: int = 12
    """The same, from all rows free."""

    def __post_init__(self) -> None:
        most = PIVOT_CAPACITY // 2
        for option in ("warm_pivots", "cold_pivots"):
            if not 1 <= getattr(self, option) <= most:
                raise InputError(f"{option} of solver {self.name!r} is {getattr(self, option)}; it must be 1 to {most}")

    @abstractmethod
    def make_structure(self, pattern: Pattern) -> DowndatingStructure:
        """Order, islands and how to make workspaces; see `PivotingSolver.make_structure`."""

    def kernel(self) -> Callable[..., int]:
        """The compiled loop."""
        from taut.solvers.block_pivoting_downdated_kernels import solve_downdated

        loop: Callable[..., int] = solve_downdated
        return loop

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Work out now what the first problem would have to wait for, and load the kernels that every solve needs."""
        super().prepare(entries, contacts)
        importlib.import_module("taut.solvers.block_pivoting_downdated_kernels")

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        matrix = problem.matrix()
        if not matrix.symmetric:
            return self.solve_unsymmetric(matrix, warm_start)
        structure: DowndatingStructure = self.analyze(matrix.pattern)
        check_sizes(matrix)
        found = self.search(matrix, structure, warm_start, problem)
        if found.solved or found.status is Status.NON_FINITE:
            return found
        other = BlockPivotingRefactor(self.warm_pivots, self.cold_pivots).solve(problem, warm_start)
        return replace(
            other, iterations=found.iterations + other.iterations,
            factorizations=found.factorizations + other.factorizations,
        )  # fmt: skip

    def search(
        self, problem: MlcpProblem, structure: DowndatingStructure, warm_start: Start, given: Problem
    ) -> MlcpSolution:
        """Pivot from a start; what is found is judged by the problem as it was `given`."""
        start_set, start_lam = start_arrays(problem.size, warm_start)
        limit = self.cold_pivots if warm_start is None else self.warm_pivots
        lam, index_set = np.empty(problem.size), np.empty(problem.size, np.int64)
        solve_islands = self.kernel()
        work = structure.borrow()
        try:
            unsolved = solve_islands(
                work, problem.values, problem.bias, problem.lower, problem.upper, start_set, start_lam, limit, lam,
                index_set,
            )  # fmt: skip
            pivots = int(np.maximum.reduce(work.report[:, PIVOTS], initial=0))
        finally:
            structure.idle.append(work)
        if unsolved < 0:
            return self.refuse(problem)
        return self.conclude(given, lam, index_set, Status.ITERATION_LIMIT, "", pivots, pivots)


@dataclass(frozen=True)
class BlockPivotingDowndated(DowndatingSolver):
    """Tight rows are taken out of a dense factor, the rows as they are given.           [Lefebvre2020, Alg. 2.2-2.4]"""

    name: ClassVar[str] = "bpp-downdate"
    summary: ClassVar[str] = "block pivoting, tight rows taken out of one dense Cholesky factor (thesis)"

    def make_structure(self, pattern: Pattern) -> DowndatingStructure:
        """Islands of a pattern, with workspaces."""
        return DowndatingStructure(natural_structure(pattern), make_dense)


@dataclass(frozen=True)
class BlockPivotingSkyline(DowndatingSolver):
    """Tight rows are taken out of a skyline factor.                                    [Lefebvre2020, Alg. 2.5, 2.6]"""

    name: ClassVar[str] = "bpp-skyline"
    summary: ClassVar[str] = "block pivoting, tight rows taken out of one skyline Cholesky factor (thesis)"

    def make_structure(self, pattern: Pattern) -> DowndatingStructure:
        """Order, islands and envelope of a pattern, with workspaces."""
        return DowndatingStructure(analyze_pattern(pattern), make_skyline)


@dataclass(frozen=True)
class BlockPivotingCached(DowndatingSolver):
    """All dense factors on the way are kept, and a pivot starts from the closest.         [Lefebvre2020, Alg. 3.1, 3.2]

    Kept to compare with: copies cost more than they save.
    """

    name: ClassVar[str] = "bpp-cached"
    summary: ClassVar[str] = "block pivoting, dense factors kept by their tight rows (thesis, slow)"

    cache_mebibytes: int = 256
    """Most memory that the factors of one workspace may take."""

    def make_structure(self, pattern: Pattern) -> DowndatingStructure:
        """Islands of a pattern, with workspaces."""
        room = self.cache_mebibytes * MEBIBYTE

        def make(symbolic: SymbolicStructure) -> CachedWork:
            return CachedWork(factor=CachedFactor.of(symbolic, room), **room_of(symbolic))

        return DowndatingStructure(natural_structure(pattern), make)

    def kernel(self) -> Callable[..., int]:
        """The compiled loop."""
        from taut.solvers.block_pivoting_downdated_kernels import solve_cached

        loop: Callable[..., int] = solve_cached
        return loop


def make_dense(symbolic: SymbolicStructure) -> DowndatedWork:
    """Room to take rows out of full triangles."""
    return DowndatedWork(factor=DowndatedFactor.of(symbolic, FROM_FIRST, dense=True), **room_of(symbolic))


def make_skyline(symbolic: SymbolicStructure) -> DowndatedWork:
    """Room to take rows out of envelopes."""
    return DowndatedWork(factor=DowndatedFactor.of(symbolic, FROM_FIRST), **room_of(symbolic))
