"""Substructuring whose interface is solved by projected Gauss-Seidel with subspace minimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.solvers.base import labels_of
from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.island_workspace import IslandStructure, Workspace
from taut.solvers.substructuring import Substructuring, pivot_on, pivot_or_search

SWEEPS = 10
"""Sweeps that guess an index set."""
ROUNDS = 50
"""Most guesses, each followed by a direct solve.                                           [Peiret2019, table 1]"""


@dataclass(frozen=True)
class SubstructuringBySweeps(Substructuring):
    """Substructuring with sweeps at the interface, followed by direct solves.            [Peiret2019, sec. 5.1]"""

    name: ClassVar[str] = "schur-pgs-sm"
    summary: ClassVar[str] = (
        "block pivoting part by part, coupled by Schur complements, sweeps and solves between parts"
    )

    def solve_interface(
        self, problem: MlcpProblem, structure: IslandStructure, work: Workspace, start: WarmStart | None
    ) -> MlcpSolution:
        """Solve the problem of the interface.

        Sweeps guess which rows are at bounds, and a direct solve gives the others, eq. 27. Multipliers that exceed
        bounds are put on these, and sweeps go on from there. Where no guess fits, pivots start from the last one.
        """
        from taut.solvers.projected_gauss_seidel_kernels import sweep

        pattern = problem.pattern
        lam = np.zeros(problem.size) if start is None else start.lam.copy()
        once, pivots, factorizations = BlockPivoting(warm_pivots=1, cold_pivots=1), 0, 0
        for _ in range(ROUNDS):
            pivots += sweep(
                pattern.indptr, pattern.indices, problem.values, problem.bias, problem.lower, problem.upper, SWEEPS,
                0.0, lam,
            )  # fmt: skip
            guess = WarmStart(labels_of(problem, lam), lam)
            found = pivot_on(once, problem, work, guess)
            pivots, factorizations = pivots + found.iterations, factorizations + found.factorizations
            if found.solved or not np.isfinite(found.lam).all():
                break
            lam = found.lam
        if not found.solved:
            found = pivot_or_search(BlockPivoting(), problem, structure, work, guess)
        found.iterations, found.factorizations = pivots, factorizations
        return found
