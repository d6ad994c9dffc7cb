"""A problem solved as several that nothing couples, each by a solver of its own, and judged as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers.base import PivotingSolver, Start


def solve_divided(
    solver: PivotingSolver,
    parts: Sequence[tuple[PivotingSolver, np.ndarray]],
    problem: KktProblem,
    warm_start: Start,
) -> MlcpSolution:
    """Solve a problem island by island: each part is a solver and its rows, all of some islands, in rising order.

    What is found is judged by the `solver` that was asked.
    """
    found = [each.solve(problem.part(rows), start_of(warm_start, rows)) for each, rows in parts]
    lam, index_set = np.empty(problem.size), np.empty(problem.size, np.int64)
    for (_, rows), solution in zip(parts, found, strict=True):
        lam[rows], index_set[rows] = solution.lam, solution.index_set
    worst = next((each for each in found if not each.solved), None)
    status, message = (Status.ITERATION_LIMIT, "") if worst is None else (worst.status, worst.message)
    pivots, factors = (max(each.iterations for each in found), max(each.factorizations for each in found))
    return solver.conclude(problem, lam, index_set, status, message, pivots, factors)


def start_of(warm_start: Start, rows: np.ndarray) -> Start:
    """What some rows start from."""
    return None if warm_start is None else WarmStart(warm_start.index_set[rows], warm_start.lam[rows])
