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
from taut.rows.law_kernels import FOLLOW
from taut.rows.table import RowTable
from taut.stepping.judge_kernels import judge
from taut.stepping.linearise_kernels import copy, copy_rows, linearise, predict, respond
from taut.stepping.move_kernels import move, move_on, take_impulses
from taut.stepping.settings import CALM_FRAMES, FORCES_WRONG, ROUGH_FRAMES, TURN
from taut.stepping.stopwatch import ACCEPT, ASSEMBLE, ROWS
from taut.stepping.tables import (
    CONTACT_RISE,
    DRIFT,
    ENERGY,
    ERROR,
    FRAMES,
    IMBALANCE,
    KINETIC,
    MISFIT,
    OPENED,
    PIVOTS,
    POTENTIAL,
    REACH,
    RESIDUAL,
    RISE,
    SOLVES,
    SPRINGS,
    TIGHT,
    TURNED,
    VIOLATION,
    WORST,
    Course,
    Scratch,
    StateTable,
    StepModel,
)
from taut.stepping.ticks_kernels import ticks
from taut.tables import Flags, RealRows, Reals, Wholes

SMOOTH, UNSOLVED, ROUGH, ROUGH_AGAIN = 0, 1, 2, 3
"""How frames in a row ended: all were done; one could not be solved or closed; one was judged and not accepted, and was
so once more where it led."""


@kernel("void(int64[::1], int64[::1])", inner=True)
def copy_labels(source, target_out):
    """Copy labels.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        target_out[i] = source[i]


@kernel(apart=True)
def take_state(
    s: StateTable, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows, slim_spin: Reals,
    previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals, displacement: RealRows,
    force: Reals, index_set: Wholes, coordinate: Reals, target: Reals, reached: Reals, measure: Reals,
    history: Flags, calm: Wholes, applied: RealRows, applied_point: RealRows,
) -> None:  # fmt: skip
    """Copy the arrays of a state to where stages read them.

    Writes:  s
    """
    copy_rows(position, s.position)
    copy_rows(orientation, s.orientation)
    copy_rows(velocity, s.velocity)
    copy_rows(spin, s.spin)
    copy(slim_spin, s.slim_spin)
    copy_rows(previous_velocity, s.previous_velocity)
    copy_rows(previous_spin, s.previous_spin)
    copy(previous_slim_spin, s.previous_slim_spin)
    copy_rows(displacement, s.displacement)
    copy(force, s.force)
    copy_labels(index_set, s.index_set)
    copy(coordinate, s.coordinate)
    copy(target, s.target)
    copy(reached, s.reached)
    copy(measure, s.measure)
    own, frames = s.history, s.calm
    for body in range(history.shape[0]):
        own[body], frames[body] = history[body], calm[body]
    copy_rows(applied, s.applied)
    copy_rows(applied_point, s.applied_point)


@kernel(apart=True)
def give_state(
    s: StateTable, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows, slim_spin: Reals,
    previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals, displacement: RealRows,
    force: Reals, index_set: Wholes, coordinate: Reals, reached: Reals, measure: Reals, history: Flags, calm: Wholes,
) -> None:  # fmt: skip
    """Copy what frames change of a state to arrays of its own.

    Writes:  all but s
    """
    copy_rows(s.position, position)
    copy_rows(s.orientation, orientation)
    copy_rows(s.velocity, velocity)
    copy_rows(s.spin, spin)
    copy(s.slim_spin, slim_spin)
    copy_rows(s.previous_velocity, previous_velocity)
    copy_rows(s.previous_spin, previous_spin)
    copy(s.previous_slim_spin, previous_slim_spin)
    copy_rows(s.displacement, displacement)
    copy(s.force, force)
    copy_labels(s.index_set, index_set)
    copy(s.coordinate, coordinate)
    copy(s.reached, reached)
    copy(s.measure, measure)
    own, frames = s.history, s.calm
    for body in range(history.shape[0]):
        history[body], calm[body] = own[body], frames[body]


@kernel()
def choose_weights(scheme: Reals, restart: Reals, history: Flags, w: Scratch) -> None:
    """Weights (8,) of a scheme for bodies with history (n,), and of a restart for the others, see `Weights`.

    Writes:  weights
    """
    weights = w.weights
    weights.h[0] = scheme[0]
    alpha, beta, now, before, drift = weights.alpha, weights.beta, weights.now, weights.before, weights.drift
    guess_now, guess_before = weights.guess_now, weights.guess_before
    for body in range(history.shape[0]):
        one = scheme if history[body] != 0 else restart
        alpha[body], beta[body], now[body], before[body], drift[body] = one[1], one[2], one[3], one[4], one[5]
        guess_now[body], guess_before[body] = one[6], one[7]


@kernel(apart=True, allocates=True)
def begin(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course) -> None:
    """Where a frame begins: bodies that joints join look back together, servos set out from where they are.

    Writes:  reached, history of the state; weights, group, slim, left; force of rows, start of the answer
    """
    joined, history, h, looks_back = m.links.joined, s.history, course.scheme[0], course.looks_back[0]
    moves, slim, given_slim, group = m.bodies.moves, w.candidate.slim, course.slim, w.verdict.group
    restart = np.zeros(history.shape[0], np.uint8)
    for body in range(history.shape[0]):
        history[body] *= looks_back
        if history[body] == 0 and moves[body] != 0:
            restart[joined[body]] = 1
    for body in range(history.shape[0]):
        if restart[joined[body]] != 0:
            history[body] = 0
        slim[body], group[body] = given_slim[body], joined[body]
    choose_weights(course.scheme, course.restart, history, w)
    kind, limits, servos, left = m.laws.kind, m.laws.limits, course.servos, w.left
    reached, target, measure, force, index_set = s.reached, s.target, s.measure, s.force, s.index_set
    row_force, start_lam, start_set = rows.force, answer.start_lam, answer.start_set
    for row in range(kind.shape[0]):
        if kind[row] == FOLLOW:
            reached[row] = target[row]
        elif servos[row] != 0:
            reached[row] = measure[row]
        left[row] = 0.0
        row_force[row] = force[row]
        # a limit's impulse pushes whichever end it comes from
        start_lam[row] = h * (abs(force[row]) if limits[row] != 0 else force[row])
        start_set[row] = index_set[row]


@kernel(apart=True)
def leads_on(m: StepModel, w: Scratch) -> int:
    """Whether a solve that was not accepted says where to linearise again: its rows are off, bodies turned little.

    Returns: 1 if so
    """
    limits, table = m.tolerances, w.verdict.table
    off, missed, turned, wrong = False, 0.0, 0.0, False
    for g in range(table.shape[1]):
        balanced = max(10.0 * limits.tolerance, limits.balanced * table[REACH, g])
        off = off or table[ERROR, g] > limits.tolerance or table[CONTACT_RISE, g] > limits.energy_tolerance
        wrong = wrong or table[IMBALANCE, g] > balanced
        missed, turned = max(missed, table[IMBALANCE, g]), max(turned, table[TURNED, g])
    if limits.parts != 0:
        return 0  # other groups may be good as they are
    if limits.balances != 0 and (turned > TURN or (wrong and missed > FORCES_WRONG * turned)):
        return 0
    return 1 if off or wrong else 0


@kernel(apart=True)
def begin_again(m: StepModel, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """Linearise where the last solve led, with its forces and from its multipliers.

    Writes:  guess, places where velocities were corrected; force of rows, start of the answer
    """
    sign, lam, index_set, h = rows.sign, answer.lam, answer.index_set, w.weights.h[0]
    force, start_lam, start_set = rows.force, answer.start_lam, answer.start_set
    for row in range(force.shape[0]):
        force[row] = sign[row] * lam[row] / h
        start_lam[row], start_set[row] = lam[row], index_set[row]
    if m.tolerances.accelerates != 0:
        move_on(m, w)
    copy_rows(w.candidate.velocity, w.candidate.guess)


@kernel(apart=True)
def reach_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course, again: int,
) -> None:  # fmt: skip
    """The stages of a smooth frame before the solve, from the state or again from where the last solve led.

    Writes:  what they write
    """
    start = ticks()
    if again == 0:
        begin(m, s, w, rows, answer, course)
        predict(m, s, w)
    else:
        begin_again(m, w, rows, answer)
    linearise(m, s, w, rows, contacts)
    linearised = ticks()
    respond(m, s, w, rows, kkt)
    course.ticks[ROWS] += linearised - start
    course.ticks[ASSEMBLE] += ticks() - linearised


@kernel(apart=True, allocates=True)
def accept(m: StepModel, s: StateTable, w: Scratch) -> int:
    """Whether what was judged will do for all groups, as `taut.stepping.acceptance` has it, where nothing can touch.

    Returns: 1 if so
    """
    limits, table, balance, calm = m.tolerances, w.verdict.table, w.verdict.balance, s.calm
    if not math.isfinite(balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS]):
        return 0
    watched, group = np.zeros(table.shape[1], np.uint8), w.verdict.group
    for body in range(group.shape[0]):
        if calm[body] < ROUGH_FRAMES:
            watched[group[body]] = 1
    for g in range(table.shape[1]):
        balanced = max(10.0 * limits.tolerance, limits.balanced * table[REACH, g])
        if table[ERROR, g] > limits.tolerance or table[IMBALANCE, g] > balanced:
            return 0
        if max(table[DRIFT, g], table[OPENED, g]) > limits.limit or table[MISFIT, g] > limits.contradiction:
            return 0
        allowed = limits.energy_tolerance
        if watched[g] != 0:
            allowed = min(allowed, limits.rough_energy_tolerance)
        if table[RISE, g] > allowed or table[CONTACT_RISE, g] > limits.energy_tolerance:
            return 0
    return 1


@kernel(apart=True)
def settle(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course) -> None:
    """The candidate becomes the state; bodies whose rows reached or left a bound may not look back on it.

    Writes:  s, course
    """
    candidate, there, h = w.candidate, w.there, w.weights.h[0]
    copy_rows(s.velocity, s.previous_velocity)
    copy_rows(s.spin, s.previous_spin)
    copy(s.slim_spin, s.previous_slim_spin)
    copy_rows(candidate.velocity, s.velocity)
    copy_rows(candidate.spin, s.spin)
    copy(candidate.slim_spin, s.slim_spin)
    copy_rows(w.places.position, s.position)
    copy_rows(w.places.orientation, s.orientation)
    copy_rows(candidate.path, s.displacement)
    copy(there.coordinate, s.coordinate)
    copy(there.value, s.measure)
    copy(s.target, s.reached)
    calm, history, row_body, force, index_set = s.calm, s.history, m.links.row_body, s.force, s.index_set
    sign, lam, new_set, table = rows.sign, answer.lam, answer.index_set, w.verdict.table
    for body in range(calm.shape[0]):
        calm[body] += 1
        history[body] = 1 if calm[body] >= CALM_FRAMES else 0
    tight = 0.0
    for row in range(force.shape[0]):
        force[row] = sign[row] * lam[row] / h
        if index_set[row] != new_set[row]:
            history[row_body[row]] = 0
        index_set[row] = new_set[row]
        if new_set[row] != 0:
            tight += 1.0
    report, balance, violation = course.report, w.verdict.balance, 0.0
    for g in range(table.shape[1]):
        violation = max(violation, table[VIOLATION, g])
    report[FRAMES] += 1.0
    report[RESIDUAL], report[WORST], report[PIVOTS] = answer.report[0], violation, answer.report[1]
    report[ENERGY], report[TIGHT] = balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS], tight


@kernel(apart=True)
def leave_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course, again: int,
) -> int:  # fmt: skip
    """The stages of a smooth frame after the solve, for the first time or again.

    Writes:  what they write
    Returns: SMOOTH; UNSOLVED if rounding leaves joints open; ROUGH or ROUGH_AGAIN if it is not accepted and so nothing
             is settled
    """
    start = ticks()
    if take_impulses(m, w, rows, kkt, answer) > course.rounding[0]:
        return UNSOLVED
    move(m, s, w, rows, contacts, answer)
    judge(m, s, w, rows, kkt, contacts, answer)
    code, table = ROUGH if again == 0 else ROUGH_AGAIN, w.verdict.table
    if again != 0:
        for g in range(table.shape[1]):
            table[IMBALANCE, g] = 0.0  # it has been looked after once
    if accept(m, s, w) == 1:
        settle(m, s, w, rows, answer, course)
        course.report[SOLVES] = 1.0 + again
        code = SMOOTH
    course.ticks[ACCEPT] += ticks() - start
    return code
