"""Projected Gauss-Seidel: what most engines do, kept to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import Problem
from taut.problem.solution import MlcpSolution, Status
from taut.solvers.base import PivotingSolver, Start, labels_of, start_arrays


@dataclass(frozen=True)
class ProjectedGaussSeidel(PivotingSolver):
    """Row by row projected Gauss-Seidel sweeps from the warm start's multipliers.             [Peiret2019, sec. 3]

    Convergence is slow at large mass ratios; the residual in the solution tells how far it got.
    """

    name: ClassVar[str] = "pgs"
    summary: ClassVar[str] = "projected Gauss-Seidel sweeps over the rows"
    exact: ClassVar[bool] = False
    accuracy: ClassVar[float] = 1e-6

    iterations: int = 1000
    """Most sweeps."""
    tolerance: float = 1e-9
    """Relative change in a sweep below which it stops."""

    def __post_init__(self) -> None:
        if self.iterations < 1 or not self.tolerance >= 0.0:
            given = f"iterations {self.iterations} and tolerance {self.tolerance}"
            raise InputError(f"solver 'pgs' got {given}; at least 1 and at least 0 are needed")

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        from taut.solvers.projected_gauss_seidel_kernels import sweep

        problem = problem.matrix()
        pattern = problem.pattern
        start = start_arrays(problem.size, warm_start)[1]
        lam = np.clip(np.where(np.isfinite(start), start, 0.0), problem.lower, problem.upper)
        sweeps = sweep(
            pattern.indptr, pattern.indices, problem.values, problem.bias, problem.lower, problem.upper,
            self.iterations, self.tolerance, lam,
        )  # fmt: skip
        if not np.isfinite(lam).all():
            return self.refuse(problem)
        message = f"not converged after {sweeps} sweeps"
        return self.conclude(problem, lam, labels_of(problem, lam), Status.ITERATION_LIMIT, message, sweeps, 0)
