"""Smooth frames in a row with trees in joint coordinates, and block pivoting on the rows that they leave."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.problem.kkt_kernels import hides_violation
from taut.problem.solution import FREE
from taut.responses.articulated_impulse_kernels import recover
from taut.responses.articulated_kernels import reduce
from taut.responses.articulated_residual_kernels import certify
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING
from taut.solvers.block_pivoting_kernels import solve_islands
from taut.solvers.island_workspace import PIVOTS as REPORTED_PIVOTS
from taut.stepping.frame_kernels import run_frames, try_step
from taut.stepping.smooth import ReducedWork, ReducedWorld


@kernel(apart=True)
def pivot_on_kept(kkt: Kkt, work: ReducedWork, answer: KktAnswer) -> int:
    """Solve for the rows that trees leave.

    Writes:  lam of the table; pivots of the answer; the work
    Returns: 1 if they are solved
    """
    kept = work.table.kept
    for k in range(kept.shape[0]):
        row = kept[k]
        work.lower[k], work.upper[k] = kkt.lower[row], kkt.upper[row]
        work.start_set[k], work.start_lam[k] = answer.start_set[row], answer.start_lam[row]
    unsolved = solve_islands(
        work.skyline, work.table.values, work.table.bias, work.lower, work.upper, work.start_set, work.start_lam,
        work.pivots, work.table.lam, work.index_set,
    )  # fmt: skip
    if unsolved != 0:
        return 0
    pivots = 0
    for island in range(work.skyline.report.shape[0]):
        pivots = max(pivots, work.skyline.report[island, REPORTED_PIVOTS])
    answer.report[1] = pivots
    return 1


@kernel(inner=True)
def certify_answer(kkt: Kkt, work: ReducedWork, answer: KktAnswer) -> int:
    """Certify what was found; rows that were not pivoted on are free.

    Writes:  index_set, w, report of the answer
    Returns: 1 if it is solved
    """
    for row in range(answer.index_set.shape[0]):
        answer.index_set[row] = FREE
    for k in range(work.table.kept.shape[0]):
        answer.index_set[work.table.kept[k]] = work.index_set[k]
    answer.report[0] = certify(kkt, work.table, answer.lam, answer.w)
    if not answer.report[0] <= work.accuracy:
        return 0
    return 1 - hides_violation(work.table.measure, ROUNDING, HIDDEN_ABOVE, HIDDEN_FOR_SURE)


@kernel(apart=True)
def solve_reduced(kkt: Kkt, work: ReducedWork, answer: KktAnswer) -> int:
    """Eliminate trees, pivot on what they leave, and certify what was found for all rows.

    Writes:  the answer, the work
    Returns: 1 if it is solved
    """
    table = work.table
    answer.report[1] = 1.0
    if reduce(kkt, table) != 0:
        return 0
    if table.kept.shape[0] > 0 and pivot_on_kept(kkt, work, answer) == 0:
        return 0
    recover(kkt, table, answer.lam)
    return certify_answer(kkt, work, answer)


@kernel()
def run(world: ReducedWorld, count: int) -> int:
    """Up to so many smooth frames in a row, see `run_frames`.

    Writes:  state and course of the world
    Returns: SMOOTH, or how the frame after the last one ended
    """
    return run_frames(world.world, world.work, solve_reduced, count)


@kernel()
def try_part(world: ReducedWorld, h: float) -> int:
    """A step of length h up to the judge, see `try_step`.

    Writes:  scratch of the world
    Returns: 0 if it could not be solved or closed, else 1
    """
    return try_step(world.world, world.work, solve_reduced, h, 0)
