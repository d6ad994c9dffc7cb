"""The stages of a smooth frame in order, compiled; what is rare comes back to Python.

begin        weights, and where targets, slim bodies and rows start
predict      where the state leads
linearise    rows there
respond      how bodies respond
solve        the solver's own kernel, see `smooth_pivoting_kernels.py` and `smooth_tree_kernels.py`
move         the new velocity, and where it leads
judge        errors there
accept       whether that will do
settle       the new state

A frame whose rows are off is linearised once more where it led, and then comes back to Python too.
"""

from __future__ import annotations

import math

import numpy as np

from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.rows.law_kernels import FOLLOW, gaps_to_leave
from taut.rows.table import RowTable
from taut.stepping import tables as t
from taut.stepping.acceptance_kernels import THERE, find_errors, find_faults, way_on
from taut.stepping.collide_kernels import find_reach
from taut.stepping.history_kernels import calm_after, calm_level, choose_weights, far_frames, next_level, set_aside
from taut.stepping.judge_kernels import judge
from taut.stepping.linearise_kernels import copy, copy_rows, linearise, predict, respond
from taut.stepping.move_kernels import move, move_on, take_impulses
from taut.stepping.settings import CALM, DIVISION
from taut.stepping.stopwatch import ACCEPT, ASSEMBLE, ROWS, SOLVE
from taut.stepping.tables import AGAIN, ROUGH, SMOOTH, UNSOLVED, Course, Scratch, StateTable, StepModel
from taut.stepping.ticks_kernels import ticks
from taut.stepping.tree_kernels import head_for, leave_no_gaps
from taut.tables import Flags, RealRows, Reals, Wholes, generic


@generic
def carry(inwards, own, given):
    """Copy an array to where stages read it, or back; 1 if it is of another size, and then left alone."""
    source, target = (given, own) if inwards != 0 else (own, given)
    if source.size != target.size:
        return 1
    for i in range(source.size):
        target.flat[i] = source.flat[i]
    return 0


@kernel()
def carry_state(
    s: StateTable, inwards: int, history: Flags, calm: Wholes, position: RealRows, orientation: RealRows,
    velocity: RealRows, spin: RealRows, slim_spin: Reals, previous_velocity: RealRows, previous_spin: RealRows,
    previous_slim_spin: Reals, displacement: RealRows, older: RealRows, lent: Reals, force: Reals, index_set: Wholes,
    coordinate: Reals, reached: Reals, reached_limits: RealRows, measure: Reals, target: Reals, limits: RealRows,
    force_limits: RealRows, firmness: Reals, applied: RealRows, applied_point: RealRows,
) -> int:  # fmt: skip
    """Copy the arrays of a state to where stages read them, or what frames change of it back.

    Writes:  s, or all else
    Returns: number of arrays that are of another size, and left alone
    """
    wrong = carry(inwards, s.history, history)
    wrong += carry(inwards, s.calm, calm)
    wrong += carry(inwards, s.position, position)
    wrong += carry(inwards, s.orientation, orientation)
    wrong += carry(inwards, s.velocity, velocity)
    wrong += carry(inwards, s.spin, spin)
    wrong += carry(inwards, s.slim_spin, slim_spin)
    wrong += carry(inwards, s.previous_velocity, previous_velocity)
    wrong += carry(inwards, s.previous_spin, previous_spin)
    wrong += carry(inwards, s.previous_slim_spin, previous_slim_spin)
    wrong += carry(inwards, s.displacement, displacement)
    if s.older.size > 0:
        wrong += carry(inwards, s.older, older)
    wrong += carry(inwards, s.lent, lent)
    wrong += carry(inwards, s.force, force)
    wrong += carry(inwards, s.index_set, index_set)
    wrong += carry(inwards, s.coordinate, coordinate)
    wrong += carry(inwards, s.reached, reached)
    wrong += carry(inwards, s.reached_limits, reached_limits)
    wrong += carry(inwards, s.measure, measure)
    if inwards != 0:
        wrong += carry(inwards, s.target, target)
        wrong += carry(inwards, s.limits, limits)
        wrong += carry(inwards, s.force_limits, force_limits)
        wrong += carry(inwards, s.firmness, firmness)
        wrong += carry(inwards, s.applied, applied)
        wrong += carry(inwards, s.applied_point, applied_point)
    return wrong


@kernel(apart=True, allocates=True)
def begin(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course, h: float) -> None:
    """Where a step of length h begins: bodies that joints join look back together.

    In a frame servos set out from where they are. A part of one leaves gaps for the rest of it, see `leave_gaps`.

    Writes:  reached, history of the state; weights, group, slim, left; force of rows, start of the answer
    """
    laws, joined, history, rest = m.laws, m.links.joined, s.history, 1.0 - h / m.tolerances.step
    depth, missing = course.ladder.shape[0] - 1, np.zeros(history.shape[0], np.int64)
    for body in range(history.shape[0]):
        if m.bodies.moves[body] != 0:
            missing[joined[body]] = max(missing[joined[body]], depth - history[body])
    for body in range(history.shape[0]):
        history[body] = min(history[body], depth - missing[joined[body]])
        w.candidate.slim[body], w.verdict.group[body] = course.slim[body], joined[body]
    choose_weights(h, course.ladder, history, s, w)
    if rest >= DIVISION.whole:
        gaps_to_leave(laws.kind, s.reached, s.reached_limits, rest, s.measure, w.left)
        leave_no_gaps(m, w)
    for row in range(laws.kind.shape[0]):
        force = s.force[row]
        if rest < DIVISION.whole:
            w.left[row] = 0.0
            if laws.kind[row] == FOLLOW:
                s.reached[row] = s.target[row]
            elif course.servos[row] != 0:
                s.reached[row] = s.measure[row]
        # a limit's impulse pushes whichever end it comes from
        rows.force[row], answer.start_lam[row] = force, h * (abs(force) if laws.limits[row] != 0 else force)
        answer.start_set[row] = s.index_set[row]


@kernel()
def look_ahead(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course) -> None:
    """Where the state leads in a frame, and how far bodies may stray from there.

    Writes:  what `begin`, `predict` and `find_reach` write
    """
    h = m.tolerances.step
    begin(m, s, w, rows, answer, course, h)
    predict(m, s, w)
    find_reach(m, w, w.candidate.guess, h)


@kernel(apart=True)
def begin_again(m: StepModel, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """Linearise where the last solve led, with its forces and from its multipliers.

    Writes:  velocity, guess, places where velocities were corrected; force of rows, start of the answer
    """
    for row in range(rows.force.shape[0]):
        rows.force[row] = rows.sign[row] * answer.lam[row] / w.weights.h[0]
        answer.start_lam[row], answer.start_set[row] = answer.lam[row], answer.index_set[row]
    head_for(m, w, w.candidate.velocity)
    if m.tolerances.accelerates != 0:
        move_on(m, w)
        head_for(m, w, w.candidate.velocity)
    copy_rows(w.candidate.velocity, w.candidate.guess)


@kernel(apart=True)
def reach_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course, h: float, again: int,
) -> None:  # fmt: skip
    """The stages of a step before the solve, from the state or again from where the last solve led.

    Writes:  what they write
    """
    start = ticks()
    if again == 0:
        begin(m, s, w, rows, answer, course, h)
        predict(m, s, w)
    else:
        begin_again(m, w, rows, answer)
    linearise(m, s, w, rows, contacts)
    linearised = ticks()
    respond(m, s, w, rows, kkt)
    course.ticks[ROWS] += linearised - start
    course.ticks[ASSEMBLE] += ticks() - linearised


@kernel(inner=True)
def accept(m: StepModel, s: StateTable, w: Scratch, course: Course) -> int:
    """Whether what was judged will do for all groups.

    Writes:  watched, error, fault of the course
    Returns: SMOOTH if so; AGAIN if rows are off and bodies turned little, so that it says where to linearise again;
             else ROUGH
    """
    tolerances, table, balance = m.tolerances, w.verdict.table, w.verdict.balance
    for body in range(s.calm.shape[0]):
        course.watched[body] = 1 if s.calm[body] < CALM.rough_frames else 0
    error = find_errors(tolerances.limits, table, course.error)
    faults = find_faults(tolerances.limits, table, w.verdict.group, course.watched, course.risen, 0.0, course.fault)
    total, strayed = balance[t.KINETIC] + balance[t.POTENTIAL] + balance[t.SPRINGS], 0.0
    for body in range(s.calm.shape[0]):
        if w.candidate.struck[body] != 0:
            return ROUGH
        total += 0.0 * w.places.orientation[body, 0]  # a rotation that is no number makes all four so
        strayed += table[t.STRAYED, body]
    if error <= 1.0:
        return SMOOTH if faults == 0 and strayed == 0.0 and math.isfinite(total) else ROUGH
    # among many groups others may be good as they are, and contacts are looked for where bodies may touch
    alone = tolerances.parts == 0 and tolerances.collides == 0
    return AGAIN if alone and way_on(m, table) == THERE else ROUGH


@kernel(apart=True)
def settle(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course) -> None:
    """The candidate becomes the state; bodies whose rows reached or left a bound may not look back on it.

    Writes:  s, course
    """
    candidate, there, h, depth = w.candidate, w.there, w.weights.h[0], course.ladder.shape[0] - 1
    for body in range(s.calm.shape[0]):
        s.history[body] = next_level(m, w, body, depth)
        if depth > 1:
            set_aside(s, body, s.history[body])
    copy_rows(s.velocity, s.previous_velocity)
    copy_rows(s.spin, s.previous_spin)
    copy(s.slim_spin, s.previous_slim_spin)
    copy_rows(candidate.velocity, s.velocity)
    copy_rows(candidate.spin, s.spin)
    copy(candidate.slim_spin, s.slim_spin)
    copy_rows(w.places.position, s.position)
    copy_rows(w.places.orientation, s.orientation)
    copy_rows(candidate.path, s.displacement)
    copy(candidate.lent, s.lent)
    copy(there.coordinate, s.coordinate)
    copy(there.value, s.measure)
    copy(s.target, s.reached)
    copy_rows(s.limits, s.reached_limits)
    report, balance, violation, tight = course.report, w.verdict.balance, 0.0, 0.0
    far = far_frames(m.tolerances.step)
    for body in range(s.calm.shape[0]):
        s.calm[body] = calm_after(s.calm[body], candidate.taut[body])
        s.history[body] = calm_level(s.history[body], s.calm[body], far) if candidate.thrown[body] == 0 else 0
        violation = max(violation, w.verdict.table[t.VIOLATION, body])
    for row in range(s.force.shape[0]):
        label = answer.index_set[row]
        s.force[row] = rows.sign[row] * answer.lam[row] / h
        if s.index_set[row] != label:
            s.history[m.links.row_body[row]] = 0
        s.index_set[row] = label
        tight += 1.0 if label != 0 else 0.0
    report[t.FRAMES] += 1.0
    report[t.RESIDUAL], report[t.WORST], report[t.PIVOTS] = answer.report[0], violation, answer.report[1]
    report[t.ENERGY], report[t.TIGHT] = balance[t.KINETIC] + balance[t.POTENTIAL] + balance[t.SPRINGS], tight


@kernel(apart=True)
def leave_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course,
) -> int:  # fmt: skip
    """The stages of a step after the solve, up to the judge.

    Writes:  what they write
    Returns: 0 if rounding leaves joints open, else 1
    """
    start = ticks()
    if take_impulses(m, w, rows, kkt, answer) > course.rounding[0]:
        return 0
    move(m, s, w, rows, contacts, answer)
    judge(m, s, w, rows, kkt, contacts, answer)
    course.ticks[ACCEPT] += ticks() - start
    return 1


@kernel(apart=True)
def end_frame(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course, again: int
) -> int:
    """Settle what was judged, for the first time or again, if it is accepted.

    Writes:  s, course
    Returns: SMOOTH; else ROUGH, or AGAIN if it is worth another try or was the second one
    """
    start = ticks()
    if again != 0:
        for g in range(w.verdict.table.shape[1]):
            w.verdict.table[t.IMBALANCE, g] = 0.0  # it has been looked after once
    code = accept(m, s, w, course)
    if again == 0:
        course.report[t.EARLIER] = answer.report[1]
    if code == SMOOTH:
        settle(m, s, w, rows, answer, course)
        course.report[t.SOLVES] = 1.0 + again
        course.report[t.PIVOTS] += again * course.report[t.EARLIER]
    elif again != 0:
        code = AGAIN
    course.ticks[ACCEPT] += ticks() - start
    return code


@generic
def try_step(world, work, solve, h, again):
    """A step of length h up to the judge, with a solver's own work and its kernel.

    Writes:  scratch of the world
    Returns: 0 if it could not be solved or closed, else 1
    """
    m, s, w, rows, kkt = world.model, world.state, world.scratch, world.rows, world.kkt
    contacts, answer, course = world.contacts, world.answer, world.course
    reach_solve(m, s, w, rows, kkt, contacts, answer, course, h, again)
    start = ticks()
    solved = solve(kkt, work, answer)
    course.ticks[SOLVE] += ticks() - start
    return leave_solve(m, s, w, rows, kkt, contacts, answer, course) if solved != 0 else 0


@generic
def run_frames(world, work, solve, count):
    """Up to so many smooth frames in a row.

    Writes:  state and course of the world; a frame that was not smooth is left in scratch
    Returns: SMOOTH, or how the frame after the last one ended
    """
    m, course = world.model, world.course
    course.report[t.FRAMES] = 0.0
    for i in range(course.ticks.shape[0]):
        course.ticks[i] = 0
    for _ in range(count):
        code = AGAIN
        for again in range(2):
            if code == AGAIN:
                if try_step(world, work, solve, m.tolerances.step, again) == 0:
                    return UNSOLVED
                code = end_frame(m, world.state, world.scratch, world.rows, world.answer, course, again)
        if code != SMOOTH:
            return code
    return SMOOTH
