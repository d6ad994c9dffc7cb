"""Solves with trees in joint coordinates: any solver pivots on the rows that they leave, see `articulated.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.problem.kkt import KktProblem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.responses.articulated import ReducedRows
from taut.responses.crossing import DOUBTFUL, METHODS, CrossingSprings
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING, PivotingSolver, Start, start_arrays
from taut.spatial import Array, Integers

__all__ = ["METHODS", "REDUCED", "ReducedSolver"]

REDUCED = "reduced"
"""Key, among what problems keep, of those whose trees are eliminated already."""


@dataclass(eq=False)
class ReducedSolver:
    """A solver of the KKT problems of one linearisation, with the joints of trees eliminated.

    Attributes:
        rows: the elimination.
        springs: those across trees, None where there are none.
        solver: what pivots on the rows that are left.
        iterations: of springs across trees, what the last solves took, 0 where nothing is known.
        left_out: whether the last solution was found without eliminating trees.
        latest: the last solution.
    """

    rows: ReducedRows
    springs: CrossingSprings | None
    solver: PivotingSolver
    iterations: int = 0
    left_out: bool = False
    latest: MlcpSolution | None = None

    def solve(self, problem: KktProblem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; changes of the velocities of trees are left in the candidate.

        Where joint coordinates lose too much to rounding, at mass ratios of 1e9, the same problem is solved with the
        rows of all joints.
        """
        self.latest, self.left_out = self.solve_reduced(problem, warm_start), False
        if not self.latest.solved and self.solver.exact:
            whole = self.solver.solve(problem, warm_start)
            if whole.solved:
                self.latest, self.left_out = whole, True
        return self.latest

    def recall(self, problem: KktProblem, solution: MlcpSolution) -> None:
        """Leave the changes of an earlier solution of a problem in the candidate, if it is not the latest."""
        if solution is not self.latest and not self.left_out:
            self.rows.table.lam[:] = solution.lam[self.rows.table.kept]
            self.recover(problem, np.zeros(problem.size))

    def solve_reduced(self, problem: KktProblem, warm_start: Start) -> MlcpSolution:
        """Solve a problem with trees eliminated."""
        table, kept = self.rows.table, self.rows.table.kept
        lam, labels = np.zeros(problem.size), np.zeros(problem.size, np.int64)
        if REDUCED not in problem.kept:
            if not self.reduce(problem):
                table.change[:] = 0.0
                message = "H of trees in joint coordinates is not positive definite, or its iterations did not end"
                return self.conclude(problem, lam, labels, Status.NOT_POSITIVE_DEFINITE, message, (1, 1, 0, (0, 0)))
            problem.kept[REDUCED] = True
        status, message, counts = Status.SOLVED, "", (1, 1, 0, (0, 0))
        if kept.size:
            found = self.solve_kept(problem, warm_start)
            table.lam[:], labels[kept] = found.lam, found.index_set
            status, message = found.status, found.message
            counts = found.iterations, found.factorizations, found.coupling_iterations, found.parts
        self.recover(problem, lam)
        solution = self.conclude(problem, lam, labels, status, message, counts)
        if self.springs is not None and solution.residual > DOUBTFUL:
            self.springs.correct(problem.handle, lam)
            solution = self.conclude(problem, lam, labels, status, message, counts)
        return solution

    def reduce(self, problem: KktProblem) -> bool:
        """Eliminate trees; whether that went well."""
        if self.springs is None:
            return self.rows.reduce(problem.handle)
        went_well = self.springs.reduce(problem.handle, self.iterations)
        self.iterations = self.springs.expected
        return went_well

    def recover(self, problem: KktProblem, lam: Array) -> None:
        """Velocities and impulses of all from those of the rows that are left; whoever is off is found out later."""
        from taut.responses.articulated_impulse_kernels import recover

        if self.springs is None:
            recover(problem.handle, self.rows.handle, lam)
        else:
            self.springs.recover(problem.handle, lam)

    def conclude(
        self, problem: KktProblem, lam: Array, labels: Integers, status: Status, message: str,
        counts: tuple[int, int, int, tuple[int, int]],
    ) -> MlcpSolution:  # fmt: skip
        """Judge a candidate by its residual in the whole problem and wrap it up."""
        from taut.problem.kkt_kernels import hides_violation
        from taut.responses.articulated_residual_kernels import certify

        w = np.empty(problem.size)
        residual = float(certify(problem.handle, self.rows.handle, lam, w))
        hidden = hides_violation(self.rows.table.measure, ROUNDING, HIDDEN_ABOVE, HIDDEN_FOR_SURE)
        if residual == math.inf:
            return self.solver.refuse(problem)
        if residual > self.solver.accuracy or (self.solver.exact and hidden):
            if status is Status.SOLVED:
                status, message = Status.NOT_POSITIVE_DEFINITE, "trees in joint coordinates lost too much to rounding"
        return MlcpSolution(lam, w, labels, status, residual, *counts[:2], message, *counts[2:])

    def solve_kept(self, problem: KktProblem, warm_start: Start) -> MlcpSolution:
        """Solve for the rows that trees leave."""
        table, kept = self.rows.table, self.rows.table.kept
        own = MlcpProblem(
            self.rows.pattern, table.values, table.bias, problem.lower[kept], problem.upper[kept], problem.name
        )
        if warm_start is None:
            return self.solver.solve(own)
        labels, lam = start_arrays(problem.size, warm_start)
        return self.solver.solve(own, WarmStart(labels[kept], lam[kept]))
