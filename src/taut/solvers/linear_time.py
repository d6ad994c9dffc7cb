"""Linear-time Lagrange multipliers: joints in O(n) inside the response, pivoting on what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.problem.condensed import CondensedMlcp
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import judge_rows
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers.base import Start, hides_violation, start_arrays
from taut.solvers.block_pivoting import BlockPivoting


@dataclass(frozen=True)
class LinearTime(BlockPivoting):
    """Sparse LDL^T of bodies and joints, then block pivoting on the auxiliary rows.                   [Baraff1996, 8]

    The certificate is that of all rows, primary ones included. Where the sparse factor breaks down or leaves too much,
    the problem is written out and all its rows are pivoted on; so is a plain matrix, which has no bodies to eliminate.
    """

    name: ClassVar[str] = "linear-time"
    summary: ClassVar[str] = "joints by a sparse LDL^T in O(n), block pivoting on limits, contacts and cut loops"
    response: ClassVar[str] = "primary-tree"

    def solve(
        self, problem: MlcpProblem | CondensedMlcp, structure: object = None, warm_start: Start = None
    ) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        if not isinstance(problem, CondensedMlcp):
            return super().solve(problem, None, warm_start)
        system = problem.system
        if system.broken or problem.bias is not system.given_bias:
            return super().solve(problem.full(), None, warm_start)
        rows = system.auxiliary
        part, warm = None, None
        if rows.size:
            if warm_start is not None:
                index_set, lam = start_arrays(problem.size, warm_start)
                warm = WarmStart(index_set[rows], lam[rows])
            left = MlcpProblem(system.pattern, system.values, system.bias, problem.lower[rows], problem.upper[rows])
            part = super().solve(left, None, warm)
        solution = self.certify(problem, part)
        return solution if solution.solved else super().solve(problem.full(), None, warm_start)

    def certify(self, problem: CondensedMlcp, part: MlcpSolution | None) -> MlcpSolution:
        """The solution of all rows with a residual of its own, for that of the auxiliary rows (None without any)."""
        system, index_set = problem.system, np.zeros(problem.size, np.int64)
        iterations, factorizations, message = 1, 1, "the sparse factor of the joints is not accurate enough"
        status, lam_left = Status.NOT_POSITIVE_DEFINITE, np.zeros(0)
        if part is not None:
            index_set[system.auxiliary] = part.index_set
            iterations, factorizations, lam_left = part.iterations, part.factorizations + 1, part.lam
            if not part.solved:
                status, message = part.status, part.message
        lam, w = system.expand(lam_left)
        verdict = judge_rows(problem, system, lam, w)
        if verdict.residual <= self.accuracy and not hides_violation(verdict):
            status, message = Status.SOLVED, ""
        return MlcpSolution(lam, w, index_set, status, verdict.residual, iterations, factorizations, message)
