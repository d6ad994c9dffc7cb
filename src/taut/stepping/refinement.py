"""Velocities to the last digit, where large impulses of light bodies cancel.

The velocity v+ = v_free + M~^-1 J^T lam of a body of 1e-8 kg between joints that carry 100 N is a small difference of
large numbers: joints are off by the rounding of lam / m, though the multipliers are exact. So where rows do not close
with the velocity that came out, they are solved once more from there, for what is missing in it:

        A d + (J v+ + S lam + b) = w,    lower - lam <= d <= upper - lam,    v+ <- v+ + M~^-1 J^T d

S of a row without compliance is there to keep redundant rows solvable, and is left out: it is what rounding is
compared with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.model.articulation import ELIMINATED
from taut.problem.kkt import Kkt, KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.spatial import Array
from taut.stepping.stepper import RowMemory, Stepper


def refined(stepper: Stepper, memory: RowMemory, problem: KktProblem, solution: MlcpSolution) -> MlcpSolution:
    """The solution with velocities corrected where hard rows do not close with them, in scratch and in memory.

    Other rows than those that close go on with the slack they have.
    """
    own, velocity = stepper.mechanism.row_count, stepper.scratch.candidate.velocity
    redundant = stepper.scratch.redundant > 0
    closes = (stepper.mechanism.laws.closes > 0) & ~redundant
    if memory.reduced is None:
        closes |= stepper.mechanism.trees.role == ELIMINATED
    slack = solution.w.copy()
    rate = row_rates(memory.kkt, velocity)[:own]
    slack[:own] = np.where(closes, rate + memory.rows.bias[:own], slack[:own])
    missing = problem.with_bias(slack, problem.lower - solution.lam, problem.upper - solution.lam)
    start = WarmStart(solution.index_set, np.zeros_like(solution.lam))
    change = stepper.settings.solver.solve(missing, start)
    if not change.solved:
        return solution
    velocity += missing.velocity_change(change.lam)
    better = replace(
        solution, lam=solution.lam + change.lam, w=change.w, index_set=change.index_set,
        residual=max(solution.residual, change.residual),
    )  # fmt: skip
    memory.take(better)
    return better


def row_rates(blocks: Kkt, velocity: Array) -> Array:
    """J v of every row, m/s or rad/s."""
    products = np.einsum("ei,ei->e", blocks.jacobian, velocity[blocks.entry_body])
    return np.bincount(blocks.entry_row, products, minlength=blocks.bias.size).astype(np.float64)
