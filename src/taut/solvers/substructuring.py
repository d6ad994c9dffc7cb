"""Block pivoting part by part: the parts are coupled exactly through the Schur complement of their free rows."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.parts import check_choice, partition_of
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers.base import PivotingSolver, Start
from taut.solvers.block_pivoting import BlockPivoting, load_pivoting
from taut.solvers.island_workspace import FACTORIZATIONS, PIVOTS, IslandStructure, Workspace, check_sizes
from taut.solvers.part_coupling import Coupling
from taut.solvers.part_coupling_work import CouplingStructure
from taut.structure.incidence import RowEntries

NOT_ENDED = "the coupling of the parts did not end, after {} iterations; solved as a whole"
GIVEN_UP = "coupling the parts does not pay, as {} iterations showed; solved as a whole"


@dataclass(frozen=True)
class Substructuring(PivotingSolver):
    """Parts solved on their own and coupled exactly, see `part_coupling`; what differs is how the interface is solved.

    Where the coupling does not end, or its answer misses the promise, `bpp` goes on from there with all rows at once;
    from the start again where the coupling does not pay, see `part_coupling_cost`.
    """

    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    partition: str = "auto"
    """How parts are made, see `row_parts`."""
    part_size: int = 0
    """Bodies a part; 0: chosen."""
    most: int = 50
    """How often all parts are solved, at most: once in a coupling iteration, more often where a step is cut. Where that
    takes longer than all rows at once it is given up before."""
    threads: int = 1
    """Threads that parts are handed to; answers do not depend on it."""
    warm_pivots: int = 8
    """Pivots in a part before the interior-point method takes over there, from known labels."""
    cold_pivots: int = 12
    """The same, from all rows free."""

    def __post_init__(self) -> None:
        check_choice(f"solver {self.name!r}", self.partition, self.part_size)
        for option, most in (("most", 10**6), ("threads", 256), ("warm_pivots", 128), ("cold_pivots", 128)):
            if not 1 <= getattr(self, option) <= most:
                raise InputError(f"{option} of solver {self.name!r} is {getattr(self, option)}; it must be 1 to {most}")

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Load the kernels that the first problem would have to wait for."""
        load_pivoting()
        for module in ("structure.tearing_kernels", "solvers.part_coupling_kernels"):
            importlib.import_module(f"taut.{module}")

    @abstractmethod
    def solve_interface(
        self, problem: MlcpProblem, structure: IslandStructure, work: Workspace, start: WarmStart | None
    ) -> MlcpSolution:
        """Solve the problem of the interface, S lam + z = w within bounds.                [Peiret2019, sec. 5.1]"""

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        given, problem = problem, problem.matrix()
        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        check_sizes(problem)
        structure = CouplingStructure.of(given, problem.pattern, self.partition, self.part_size)
        with structure.lent() as work:
            coupling = Coupling.of(self, given, structure, work, warm_start)
            if coupling is None:
                return self.refuse(problem)
            with np.errstate(over="ignore", invalid="ignore"):  # multipliers may run off; the judge sees it
                ended = coupling.run()
            lam, index_set = coupling.result()
            spent = coupling.spent()
        found = self.conclude(given, lam, index_set, Status.ITERATION_LIMIT, "", *spent)
        if not (ended and found.solved) and found.status is not Status.NON_FINITE:
            found = self.solve_whole(given, found, warm_start, coupling)
        found.coupling_iterations = coupling.iterations
        division = partition_of(given, self.partition, self.part_size)
        found.parts = division.count, division.interface
        return found

    def solve_whole(self, problem: Problem, found: MlcpSolution, warm_start: Start, coupling: Coupling) -> MlcpSolution:
        """Go on with all rows at once from where the coupling stands; from the start again if it was given up early."""
        whole = BlockPivoting().solve(problem, warm_start if coupling.given_up else found)
        whole.iterations += found.iterations
        whole.factorizations += found.factorizations
        if whole.solved:
            whole.message = (GIVEN_UP if coupling.given_up else NOT_ENDED).format(coupling.iterations)
        return whole


@dataclass(frozen=True)
class SubstructuringByPivots(Substructuring):
    """Substructuring with block pivoting at the interface.                                     [Peiret2019, Alg. 1]"""

    name: ClassVar[str] = "schur-bpp"
    summary: ClassVar[str] = "block pivoting part by part, coupled by Schur complements, block pivoting between parts"

    def solve_interface(
        self, problem: MlcpProblem, structure: IslandStructure, work: Workspace, start: WarmStart | None
    ) -> MlcpSolution:
        """Solve the problem of the interface by pivots, and the interior-point method where they do not end."""
        return pivot_or_search(BlockPivoting(), problem, structure, work, start)


def pivot_or_search(
    solver: BlockPivoting, problem: MlcpProblem, structure: IslandStructure, work: Workspace, start: WarmStart | None
) -> MlcpSolution:
    """Solve by pivots and, where they do not end soon, in every way that the solver knows.

    What pivots find is not judged here: the coupling measures the slack that it leads to.
    """
    found = pivot_on(solver, problem, work, start)
    return found if found.solved else solver.search(problem, structure, start)


def pivot_on(solver: BlockPivoting, problem: MlcpProblem, work: Workspace, start: WarmStart | None) -> MlcpSolution:
    """What pivots of a solver find, without a word on how good it is."""
    lam, index_set = np.empty(problem.size), np.empty(problem.size, np.int64)
    unsolved = solver.pivot(problem, work, start, lam, index_set)
    spent = np.maximum.reduce(work.tables.report[:, [PIVOTS, FACTORIZATIONS]], initial=0).tolist()
    status = Status.SOLVED if unsolved == 0 else Status.ITERATION_LIMIT
    return MlcpSolution(lam, problem.bias, index_set, status, np.nan, *spent)
