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

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.spatial import Array
from taut.stepping.workspace import Workbench

ROUNDING = 0.1
"""Share of the tolerance by which rounding may leave a joint open."""


def refined(
    bench: Workbench, problem: MlcpProblem, solution: MlcpSolution, velocity: Array
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
    bench: Workbench, problem: MlcpProblem, solution: MlcpSolution, velocity: Array, closes: NDArray[np.bool_]
) -> tuple[MlcpSolution, Array]:
    """Solve for what is missing in the velocities; other rows than those that close go on with the slack they have."""
    rows, response, own = bench.rows, bench.response, bench.row_body.size
    given = rows.bias.copy(), rows.lower.copy(), rows.upper.copy(), rows.compliance.copy()
    rate = row_rates(bench, velocity)
    slack = solution.w.copy()
    slack[:own] = np.where(closes, rate[:own] + rows.bias[:own], slack[:own])
    rows.bias[: slack.size] = slack - rate
    rows.lower[: slack.size], rows.upper[: slack.size] = problem.lower - solution.lam, problem.upper - solution.lam
    rows.compliance[response.redundant] = -1.0
    response.free_velocity[:] = velocity
    start = WarmStart(solution.index_set, np.zeros_like(solution.lam))
    change = bench.settings.solver.solve(response.assemble(rows), None, start)
    if change.solved:
        velocity = response.velocity(change.lam)
        solution = replace(
            solution, lam=solution.lam + change.lam, w=change.w, index_set=change.index_set,
            residual=max(solution.residual, change.residual),
        )  # fmt: skip
    rows.bias[:], rows.lower[:], rows.upper[:], rows.compliance[:] = given
    return solution, velocity


def row_rates(bench: Workbench, velocity: Array) -> Array:
    """J v of every row, m/s or rad/s."""
    entries = bench.response.entries
    products = np.einsum("ei,ei->e", bench.rows.jacobian, velocity[entries.entry_body])
    return np.bincount(entries.entry_row, products, minlength=entries.row_count).astype(np.float64)
