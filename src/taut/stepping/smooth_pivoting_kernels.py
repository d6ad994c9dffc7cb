"""Smooth frames in a row with block pivoting."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.problem.kkt_kernels import find_slack, hides_violation, judge_slack, multiply_blocks
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING
from taut.solvers.block_pivoting_kernels import solve_islands
from taut.solvers.island_workspace import PIVOTS as REPORTED_PIVOTS
from taut.stepping.frame_kernels import run_frames, try_step
from taut.stepping.smooth import PivotingWork, PivotingWorld


@kernel(apart=True)
def solve_by_pivoting(kkt: Kkt, work: PivotingWork, answer: KktAnswer) -> int:
    """Write A out, pivot on it, and certify what was found.

    Writes:  the answer, the work
    Returns: 1 if it is solved
    """
    values = work.values
    for i in range(values.shape[0]):
        values[i] = 0.0
    multiply_blocks(
        work.body_start, work.entry, work.target, work.mirror, work.diagonal, kkt.jacobian, kkt.response,
        kkt.compliance, values,
    )  # fmt: skip
    unsolved = solve_islands(
        work.skyline, values, kkt.bias, kkt.lower, kkt.upper, answer.start_set, answer.start_lam, work.pivots,
        answer.lam, answer.index_set,
    )  # fmt: skip
    if unsolved != 0:
        return 0
    find_slack(kkt, answer.lam, work.change, answer.w)
    answer.report[0] = judge_slack(kkt, work.island, answer.lam, answer.w, work.change, work.measure)
    if not answer.report[0] <= work.accuracy:
        return 0
    if hides_violation(work.measure, ROUNDING, HIDDEN_ABOVE, HIDDEN_FOR_SURE) == 1:
        return 0
    pivots = 0
    for island in range(work.skyline.report.shape[0]):
        pivots = max(pivots, work.skyline.report[island, REPORTED_PIVOTS])
    answer.report[1] = pivots
    return 1


@kernel()
def run(world: PivotingWorld, count: int) -> int:
    """Up to so many smooth frames in a row, see `run_frames`.

    Writes:  state and course of the world
    Returns: SMOOTH, or how the frame after the last one ended
    """
    return run_frames(world.world, world.work, solve_by_pivoting, count)


@kernel()
def try_part(world: PivotingWorld, h: float) -> int:
    """A step of length h up to the judge, see `try_step`.

    Writes:  scratch of the world
    Returns: 0 if it could not be solved or closed, else 1
    """
    return try_step(world.world, world.work, solve_by_pivoting, h, 0)
