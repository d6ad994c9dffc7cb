"""Smooth frames in a row with trees in joint coordinates and springs across them."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.responses.crossing import DOUBTFUL
from taut.responses.crossing_kernels import correct_all, recover_all, reduce_first, reduce_rest
from taut.stepping.frame_kernels import run_frames, try_step
from taut.stepping.smooth import CrossingWork, CrossingWorld
from taut.stepping.smooth_reduced_kernels import certify_answer, pivot_on_kept


@kernel(apart=True)
def solve_crossing(kkt: Kkt, work: CrossingWork, answer: KktAnswer) -> int:
    """Eliminate trees by the method that was chosen, pivot on what they leave, and certify what was found for all rows.

    Writes:  the answer, the work
    Returns: 1 if it is solved
    """
    table, springs = work.reduced.table, work.springs
    answer.report[1] = 1.0
    if reduce_first(kkt, table, springs) != 0:
        return 0
    if table.kept.shape[0] > 0:
        if reduce_rest(kkt, table, springs) != 0 or pivot_on_kept(kkt, work.reduced, answer) == 0:
            return 0
    if recover_all(kkt, table, springs, answer.lam) != 0:
        return 0
    solved: int = certify_answer(kkt, work.reduced, answer)
    if answer.report[0] > DOUBTFUL:
        correct_all(kkt, table, springs, answer.lam)
        solved = certify_answer(kkt, work.reduced, answer)
    return solved


@kernel()
def run(world: CrossingWorld, count: int) -> int:
    """Up to so many smooth frames in a row, see `run_frames`.

    Writes:  state and course of the world
    Returns: SMOOTH, or how the frame after the last one ended
    """
    return run_frames(world.world, world.work, solve_crossing, count)


@kernel()
def try_part(world: CrossingWorld, h: float) -> int:
    """A step of length h up to the judge, see `try_step`.

    Writes:  scratch of the world
    Returns: 0 if it could not be solved or closed, else 1
    """
    return try_step(world.world, world.work, solve_crossing, h, 0)
