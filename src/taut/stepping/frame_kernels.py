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
from taut.stepping.move_kernels import move, take_impulses
from taut.stepping.settings import CALM_FRAMES, ROUGH_FRAMES
from taut.stepping.stopwatch import ACCEPT, ASSEMBLE, ROWS, SOLVE
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
    SPRINGS,
    TIGHT,
    VIOLATION,
    WORST,
    Course,
    Scratch,
    StateTable,
    StepModel,
)
from taut.stepping.ticks_kernels import ticks
from taut.tables import Flags, RealRows, Reals, Wholes

SMOOTH, UNSOLVED, ROUGH = 0, 1, 2
"""How frames in a row ended: all were done; one could not be solved or closed; one was judged and not accepted."""


@kernel("void(int64[::1], int64[::1])", inner=True)
def copy_labels(source, target_out):
    """Copy labels.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        target_out[i] = source[i]


@kernel()
def take_state(
    s: StateTable, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows, slim_spin: Reals,
    previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals, displacement: RealRows,
    force: Reals, index_set: Wholes, coordinate: Reals, target: Reals, reached: Reals, measure: Reals,
    applied: RealRows, applied_point: RealRows,
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
    copy_rows(applied, s.applied)
    copy_rows(applied_point, s.applied_point)


@kernel()
def give_state(
    s: StateTable, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows, slim_spin: Reals,
    previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals, displacement: RealRows,
    force: Reals, index_set: Wholes, coordinate: Reals, reached: Reals, measure: Reals,
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


@kernel()
def choose_weights(scheme: Reals, restart: Reals, history: Flags, w: Scratch) -> None:
    """Weights (8,) of a scheme for bodies with history (n,), and of a restart for the others, see `Weights`.

    Writes:  weights
    """
    weights = w.weights
    weights.h[0] = scheme[0]
    for body in range(history.shape[0]):
        one = scheme if history[body] != 0 else restart
        weights.alpha[body], weights.beta[body] = one[1], one[2]
        weights.now[body], weights.before[body] = one[3], one[4]
        weights.drift[body] = one[5]
        weights.guess_now[body], weights.guess_before[body] = one[6], one[7]


@kernel()
def begin(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer, course: Course) -> None:
    """Where a frame begins: bodies that joints join look back together, servos set out from where they are.

    Writes:  reached of the state; weights, group, slim, left; force of rows, start of the answer; history of the course
    """
    links, laws, history, h = m.links, m.laws, course.history, course.scheme[0]
    restart = np.zeros(history.shape[0], np.uint8)
    for body in range(history.shape[0]):
        if history[body] == 0 and m.bodies.moves[body] != 0:
            restart[links.joined[body]] = 1
    for body in range(history.shape[0]):
        if restart[links.joined[body]] != 0:
            history[body] = 0
        w.candidate.slim[body] = course.slim[body]
        w.verdict.group[body] = links.joined[body]
    choose_weights(course.scheme, course.restart, history, w)
    for row in range(laws.kind.shape[0]):
        if laws.kind[row] == FOLLOW:
            s.reached[row] = s.target[row]
        elif course.servos[row] != 0:
            s.reached[row] = s.measure[row]
        w.left[row] = 0.0
        rows.force[row] = s.force[row]
        # a limit's impulse pushes whichever end it comes from
        answer.start_lam[row] = h * (abs(s.force[row]) if laws.limits[row] != 0 else s.force[row])
        answer.start_set[row] = s.index_set[row]


@kernel()
def reach_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course,
) -> None:  # fmt: skip
    """The stages of a smooth frame before the solve.

    Writes:  what they write
    """
    start = ticks()
    begin(m, s, w, rows, answer, course)
    predict(m, s, w)
    linearise(m, s, w, rows, contacts)
    linearised = ticks()
    respond(m, s, w, rows, kkt)
    course.ticks[ROWS] += linearised - start
    course.ticks[ASSEMBLE] += ticks() - linearised


@kernel()
def accept(m: StepModel, w: Scratch, course: Course) -> int:
    """Whether what was judged will do for all groups, as `taut.stepping.acceptance` has it, where nothing can touch.

    Returns: 1 if so
    """
    limits, table, balance = m.tolerances, w.verdict.table, w.verdict.balance
    if not math.isfinite(balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS]):
        return 0
    for g in range(table.shape[1]):
        balanced = max(10.0 * limits.tolerance, limits.balanced * table[REACH, g])
        if table[ERROR, g] > limits.tolerance or table[IMBALANCE, g] > balanced:
            return 0
        if max(table[DRIFT, g], table[OPENED, g]) > limits.limit or table[MISFIT, g] > limits.contradiction:
            return 0
        allowed = limits.energy_tolerance
        if course.calm[g] < ROUGH_FRAMES:
            allowed = min(allowed, limits.rough_energy_tolerance)
        if table[RISE, g] > allowed or table[CONTACT_RISE, g] > limits.energy_tolerance:
            return 0
    return 1


@kernel()
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
    for body in range(course.calm.shape[0]):
        course.calm[body] += 1
        course.history[body] = 1 if course.calm[body] >= CALM_FRAMES else 0
    tight = 0.0
    for row in range(s.force.shape[0]):
        s.force[row] = rows.sign[row] * answer.lam[row] / h
        if s.index_set[row] != answer.index_set[row]:
            course.history[m.links.row_body[row]] = 0
        s.index_set[row] = answer.index_set[row]
        if answer.index_set[row] != 0:
            tight += 1.0
    report, balance, violation = course.report, w.verdict.balance, 0.0
    for g in range(w.verdict.table.shape[1]):
        violation = max(violation, w.verdict.table[VIOLATION, g])
    report[FRAMES] += 1.0
    report[RESIDUAL], report[WORST], report[PIVOTS] = answer.report[0], violation, answer.report[1]
    report[ENERGY], report[TIGHT] = balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS], tight


@kernel()
def leave_solve(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course,
) -> int:  # fmt: skip
    """The stages of a smooth frame after the solve.

    Writes:  what they write
    Returns: SMOOTH; UNSOLVED if rounding leaves joints open; ROUGH if it is not accepted: then nothing is settled
    """
    start = ticks()
    if take_impulses(m, w, rows, kkt, answer) > course.rounding[0]:
        return UNSOLVED
    move(m, s, w, rows, contacts, answer)
    judge(m, s, w, rows, kkt, contacts, answer)
    code = ROUGH
    if accept(m, w, course) == 1:
        settle(m, s, w, rows, answer, course)
        code = SMOOTH
    course.ticks[ACCEPT] += ticks() - start
    return code


STAGE = SOLVE
"""What the kernels that solve charge their time to."""
