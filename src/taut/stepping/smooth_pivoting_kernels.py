"""Smooth frames in a row with block pivoting."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.problem.kkt_kernels import find_slack, hides_violation, judge_slack, multiply_blocks
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING
from taut.solvers.block_pivoting_kernels import solve_islands
from taut.solvers.island_workspace import PIVOTS as REPORTED_PIVOTS
from taut.stepping.frame_kernels import (
    ROUGH,
    SMOOTH,
    UNSOLVED,
    give_state,
    leads_on,
    leave_solve,
    reach_solve,
    take_state,
)
from taut.stepping.smooth import PivotingWork, PivotingWorld
from taut.stepping.stopwatch import SOLVE
from taut.stepping.tables import FRAMES
from taut.stepping.ticks_kernels import ticks
from taut.tables import Flags, RealRows, Reals, Wholes


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


@kernel(inner=True)
def run_frames(world: PivotingWorld, count: int) -> int:
    """Up to so many smooth frames in a row.

    Writes:  state and course of the world; a frame that was not smooth is left in scratch
    Returns: SMOOTH, or how the frame after the last one ended
    """
    m, s, w, rows, kkt = world.model, world.state, world.scratch, world.rows, world.kkt
    contacts, answer, course = world.contacts, world.answer, world.course
    course.report[FRAMES] = 0.0
    for i in range(course.ticks.shape[0]):
        course.ticks[i] = 0
    for _ in range(count):
        code = ROUGH
        for again in range(2):
            if code == SMOOTH or (again == 1 and leads_on(m, w) == 0):
                break
            reach_solve(m, s, w, rows, kkt, contacts, answer, course, again)
            start = ticks()
            solved = solve_by_pivoting(kkt, world.work, answer)
            course.ticks[SOLVE] += ticks() - start
            if solved == 0:
                return UNSOLVED
            code = leave_solve(m, s, w, rows, kkt, contacts, answer, course, again)
        if code != SMOOTH:
            return code
    return SMOOTH


@kernel()
def run(
    world: PivotingWorld, count: int, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows,
    slim_spin: Reals, previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals,
    displacement: RealRows, force: Reals, index_set: Wholes, coordinate: Reals, target: Reals, reached: Reals,
    measure: Reals, history: Flags, calm: Wholes, applied: RealRows, applied_point: RealRows, position_out: RealRows,
    orientation_out: RealRows, velocity_out: RealRows, spin_out: RealRows, slim_spin_out: Reals,
    previous_velocity_out: RealRows, previous_spin_out: RealRows, previous_slim_spin_out: Reals,
    displacement_out: RealRows, force_out: Reals, index_set_out: Wholes, coordinate_out: Reals, reached_out: Reals,
    measure_out: Reals, history_out: Flags, calm_out: Wholes,
) -> int:  # fmt: skip
    """Up to so many smooth frames in a row, from one state to another.

    Writes:  the arrays of the new state; a frame that was not smooth is left in scratch
    Returns: SMOOTH, or how the frame after the last one ended
    """
    s = world.state
    take_state(
        s, position, orientation, velocity, spin, slim_spin, previous_velocity, previous_spin, previous_slim_spin,
        displacement, force, index_set, coordinate, target, reached, measure, history, calm, applied, applied_point,
    )  # fmt: skip
    code = run_frames(world, count)
    if world.course.report[FRAMES] > 0.0:
        give_state(
            s, position_out, orientation_out, velocity_out, spin_out, slim_spin_out, previous_velocity_out,
            previous_spin_out, previous_slim_spin_out, displacement_out, force_out, index_set_out, coordinate_out,
            reached_out, measure_out, history_out, calm_out,
        )  # fmt: skip
    return code
