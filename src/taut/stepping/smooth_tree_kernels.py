"""Smooth frames in a row with joints eliminated along the tree."""

from __future__ import annotations

from taut.kernel import kernel
from taut.solvers.tree.tree_kernels import solve_tree
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
from taut.stepping.smooth import TreeWorld
from taut.stepping.stopwatch import SOLVE
from taut.stepping.tables import FRAMES
from taut.stepping.ticks_kernels import ticks
from taut.tables import Flags, RealRows, Reals, Wholes


@kernel(inner=True)
def run_frames(world: TreeWorld, count: int) -> int:
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
            solved = solve_tree(kkt, world.work, answer)
            course.ticks[SOLVE] += ticks() - start
            if solved == 0:
                return UNSOLVED
            code = leave_solve(m, s, w, rows, kkt, contacts, answer, course, again)
        if code != SMOOTH:
            return code
    return SMOOTH


@kernel()
def run(
    world: TreeWorld, count: int, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows,
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
