"""Velocities to the last digit, where large impulses of light bodies cancel.

The velocity v+ = v_free + M~^-1 J^T lam of a body of 1e-8 kg between joints that carry 100 N is a small difference of
large numbers: joints are off by the rounding of lam / m, though the multipliers are exact. So where rows do not close
with the velocity that came out, they are solved once more from there, for what is missing in it:

        A d + (J v+ + S lam + b) = w,    lower - lam <= d <= upper - lam,    v+ <- v+ + M~^-1 J^T d

S of a hard row is there to keep redundant rows solvable, and is left out: it is what rounding is compared with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.spatial import Array
from taut.stepping.workspace import Workbench

ROUNDING = 0.1
"""Share of the tolerance by which rounding may leave a joint open."""


def refined(
    bench: Workbench, problem: KktProblem, solution: MlcpSolution, velocity: Array
) -> tuple[MlcpSolution, Array]:
    """The solution and its velocities (bodies, 6), corrected where hard rows do not close with them."""
    from taut.rows.law_kernels import worst_slack

    rows, layout = bench.rows, bench.model.layout
    closes = bench.closes
    if bench.response.redundant.size:
        closes = closes.copy()
        closes[bench.response.redundant] = 0
    worst = worst_slack(
        layout.entry_start, layout.entry_body, closes, rows.beta, rows.jacobian, rows.bias, velocity,
        solution.index_set,
    )  # fmt: skip
    if not solution.solved or worst <= ROUNDING * bench.settings.tolerance:
        return solution, velocity
    return corrected(bench, problem, solution, velocity, closes > 0)


def corrected(
    bench: Workbench, problem: KktProblem, solution: MlcpSolution, velocity: Array, closes: NDArray[np.bool_]
) -> tuple[MlcpSolution, Array]:
    """Solve for what is missing in the velocities; other rows than those that close go on with the slack they have."""
    rows, own = bench.rows, bench.row_body.size
    slack = solution.w.copy()
    slack[:own] = np.where(closes, row_rates(bench, velocity)[:own] + rows.bias[:own], slack[:own])
    missing = problem.with_bias(slack, problem.lower - solution.lam, problem.upper - solution.lam)
    start = WarmStart(solution.index_set, np.zeros_like(solution.lam))
    change = bench.settings.solver.solve(missing, start)
    if change.solved:
        velocity = velocity + problem.velocity_change(change.lam)
        solution = replace(
            solution, lam=solution.lam + change.lam, w=change.w, index_set=change.index_set,
            residual=max(solution.residual, change.residual),
        )  # fmt: skip
    return solution, velocity


def row_rates(bench: Workbench, velocity: Array) -> Array:
    """J v of every row, m/s or rad/s."""
    entries = bench.response.entries
    products = np.einsum("ei,ei->e", bench.rows.jacobian, velocity[entries.entry_body])
    return np.bincount(entries.entry_row, products, minlength=entries.row_count).astype(np.float64)
