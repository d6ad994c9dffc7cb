"""The stage that judges a step: errors of rows, contacts and balance at the new configuration, group by group."""

from __future__ import annotations

from math import inf

import numpy as np

from taut.contact.rows_kernels import look
from taut.contact.table import ContactTable
from taut.integrators.motion_kernels import mechanical_state, spins
from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.rows.law_kernels import COMPANION, FOLLOW, HOLD, LIMITS, stored
from taut.rows.parts_kernels import evaluate
from taut.rows.table import RowTable
from taut.stepping.balance_kernels import change_of_wrench, imbalance
from taut.stepping.energy_kernels import judge_energy
from taut.stepping.linearise_kernels import copy
from taut.stepping.tables import (
    CONTACT_ERROR,
    CONTACT_RISE,
    DEPTH,
    DRIFT,
    ERROR,
    IMBALANCE,
    LEFT,
    MISFIT,
    OPENED,
    REACH,
    RISE,
    SPRINGS,
    STRAYED,
    TOUCHING,
    TURNED,
    VIOLATION,
    Scratch,
    StateTable,
    StepModel,
)


@kernel(inner=True)
def measure_there(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """The model's own rows at the new configuration, with the new forces.

    Writes:  there
    """
    there, velocity, h, stiff = w.there, w.candidate.velocity, w.weights.h[0], m.tolerances.stiff
    force, beta, sign, row_beta, lam = there.force, there.beta, rows.sign, rows.beta, answer.lam
    path = there.coordinate_path
    there.step[0] = h
    value, companion = there.value, m.laws.companion
    for row in range(force.shape[0]):
        force[row] = sign[row] * lam[row] / h if stiff != 0 else 0.0
        beta[row] = row_beta[row]
        if companion[row] != 0:
            value[row] = 0.0  # they measure nothing
    copy(s.coordinate, there.coordinate_reference)
    for body in range(velocity.shape[0]):
        for i in range(6):
            path[body, i] = h * velocity[body, i]
    evaluate(m.parts, w.places, there)


@kernel(inner=True, allocates=True)
def find_ways(m: StepModel, s: StateTable, w: Scratch) -> None:
    """How far bodies went, how far from where the solve was linearised, and whether contacts may be missing there.

    Writes:  path, away, shaken of the candidate; REACH, TURNED, STRAYED of the verdict
    """
    candidate, table, group, joined = w.candidate, w.verdict.table, w.verdict.group, m.links.joined
    jointed = m.links.jointed
    touched, shaken, far, path = candidate.touched, candidate.shaken, candidate.away, candidate.path
    displacement = s.displacement
    velocity, guess, drifts, betas = candidate.velocity, candidate.guess, w.weights.drift, w.weights.beta
    moves, extent, slack, reach = m.bodies.moves, m.bodies.extent, m.bodies.slack, w.reach
    collides, curved = m.tolerances.collides, m.tolerances.curved
    acts = np.zeros(joined.shape[0], np.uint8)
    for body in range(joined.shape[0]):
        if touched[body] != 0 and joined[body] > 0:
            acts[joined[body]] = 1
    for body in range(joined.shape[0]):
        v, u, beta, g = velocity[body], guess[body], betas[body], group[body]
        shift, turn, away, turned = 0.0, 0.0, 0.0, 0.0
        for i in range(6):
            path[body, i] = drifts[body] * displacement[body, i] + beta * v[i]
            way = abs(beta * (v[i] - u[i]))
            away = max(away, way)
            if i < 3:
                shift += way * way
            else:
                turn += way * way
                turned = max(turned, way)
        shaken[body] = acts[joined[body]]
        far[body] = away if jointed[body] != 0 else 0.0
        if jointed[body] != 0:
            table[TURNED, g] = max(table[TURNED, g], turned)
            if shaken[body] == 0:
                table[REACH, g] = max(table[REACH, g], away)
        if collides != 0 and moves[body] != 0:
            # half the angle squared, times the radius, is by how much the local surfaces bend away
            missed = np.sqrt(shift) + np.sqrt(turn) * extent[body] > reach[body] + slack[body]
            if missed or 0.5 * turn * extent[body] > curved:
                table[STRAYED, g] = 1.0


@kernel(inner=True)
def judge_rows(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> None:
    """Errors of the model's own rows at the new configuration.

    For a row that the linear solve closed, gap+ should be left + beta (w - S lam); the difference is the error of the
    linearisation and shrinks when the step is linearised again. A soft row counts by the share (A_ii - S) / A_ii of
    its compliance that comes from the bodies: 1 for a stiff spring, 0 for one too weak to matter. The drift is the gap
    of the worst hard row that can close it. In groups that contacts touch errors count by a share.

    Writes:  row_error of the candidate; VIOLATION to MISFIT and SPRINGS of the verdict
    """
    laws, table, group, shaken = m.laws, w.verdict.table, w.verdict.group, w.candidate.shaken
    kind, stiffnesses, damping, low_force = laws.kind, laws.stiffness, laws.damping, laws.lower_force
    high_force = laws.upper_force
    low_limit, high_limit, row_body = laws.lower_limit, laws.upper_limit, m.links.row_body
    row_error = w.candidate.row_error
    sign, betas, given, bias = rows.sign, rows.beta, rows.compliance, rows.bias
    compliance, diagonal, redundant = kkt.compliance, kkt.diagonal, w.redundant
    lams, slacks, index_set = answer.lam, answer.w, answer.index_set
    target, reached, measure = s.target, s.reached, s.measure
    value, left, energy = w.there.value, w.left, 0.0
    touching = 1.0 / m.tolerances.touching_slack
    for row in range(kind.shape[0]):
        law, beta, body = kind[row], betas[row], row_body[row]
        row_error[row] = 0.0
        if law == FOLLOW or law == COMPANION:
            continue
        g, weight = group[body], touching if shaken[body] != 0 else 1.0
        lam, slack, gap = lams[row], slacks[row], value[row] - target[row]
        broken, off, open_by = 0.0, 0.0, 0.0
        soft = compliance[row] if given[row] > 0.0 or redundant[row] != 0 else 0.0
        if law == LIMITS:
            low, high = value[row] - low_limit[row], high_limit[row] - value[row]
            gap, other = (low, high) if sign[row] > 0.0 else (high, low)
            broken = max(-gap, -other)
            open_by = max(broken, 0.0)
            expected = left[row] + beta * (slack - soft * lam)
            off = max(left[row] - other, abs(gap - expected) if lam > 0.0 else min(expected, 0.0) - gap)
        elif law == HOLD:
            if index_set[row] == 0:
                # a servo that had lagged behind is on its way; a joint is open
                lag = left[row] if high_force[row] - low_force[row] < inf else 0.0
                broken = abs(gap - lag)
                if given[row] == 0.0 and redundant[row] == 0:
                    open_by = broken
                off = abs(gap - left[row] - beta * (slack - soft * lam))
            if redundant[row] != 0:
                opened = abs(gap) - abs(measure[row] - reached[row])
                table[OPENED, g] = max(table[OPENED, g], weight * opened)
                table[MISFIT, g] = max(table[MISFIT, g], abs(gap))
        else:
            stiffness = stiffnesses[row]
            energy += stored(gap, stiffness, low_force[row], high_force[row])
            if stiffness > 0.0 and index_set[row] == 0:
                delay = (stiffness * beta + damping[row]) / stiffness
                expected = bias[row] * delay + beta * (slack - soft * lam - bias[row])
                off = (diagonal[row] - soft) / diagonal[row] * abs(gap - expected)
        off, open_by = weight * off, weight * open_by
        row_error[row] = max(off, open_by)
        table[VIOLATION, g] = max(table[VIOLATION, g], broken)
        table[ERROR, g] = max(table[ERROR, g], off)
        table[DRIFT, g] = max(table[DRIFT, g], open_by)
        table[LEFT, g] = max(table[LEFT, g], weight * abs(left[row]))
    w.verdict.balance[SPRINGS] = energy


@kernel(inner=True, allocates=True)
def judge_contacts(w: Scratch, rows: RowTable, contacts: ContactTable, answer: KktAnswer) -> None:
    """What contacts achieved at the new configuration; only errors that make bodies overlap count, over thickness.

    Writes:  gap, unforeseen of contacts; DEPTH, CONTACT_ERROR, TOUCHING of the verdict
    """
    c, table, places, group, lams, slacks = contacts, w.verdict.table, w.places, w.verdict.group, answer.lam, answer.w
    count, row, carrier, value, rate = c.row.shape[0], c.row, c.carrier, c.value, c.rate
    gap, unforeseen, thickness = c.gap, c.unforeseen, c.thickness
    beta, compliance, bias = rows.beta, rows.compliance, rows.bias
    look(c, places.position, places.rotation, gap, np.empty((count, 3)), np.empty((count, 3)))
    for i in range(count):
        r, g = row[i], group[carrier[i]]
        expected = value[i] + beta[r] * (slacks[r] - compliance[r] * lams[r] - bias[r] - rate[i])
        unforeseen[i] = min(gap[i] - min(expected, 0.0), 0.0)
        table[DEPTH, g] = max(table[DEPTH, g], -gap[i])
        table[CONTACT_ERROR, g] = max(table[CONTACT_ERROR, g], -unforeseen[i] / thickness[i])
        if lams[r] > 0.0:
            table[TOUCHING, g] += 1.0


@kernel(inner=True, allocates=True)
def judge_balance(m: StepModel, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> None:
    """By how much bodies under tension miss their balance at x+; those that contacts touch are left to the contacts.

    Writes:  error of the candidate, IMBALANCE of the verdict
    """
    links, candidate, weights, table, group = m.links, w.candidate, w.weights, w.verdict.table, w.verdict.group
    touched, moves, error = candidate.touched, m.bodies.moves, candidate.error
    counts = np.empty(touched.shape[0], np.uint8)
    for body in range(counts.shape[0]):
        counts[body] = moves[body] if touched[body] == 0 else 0
        for i in range(6):
            error[body, i] = 0.0
    change_of_wrench(
        links.entry_row, links.entry_body, m.laws.companion, rows.sign, answer.lam, rows.jacobian, w.there.jacobian,
        error,
    )  # fmt: skip
    imbalance(
        counts, weights.alpha, weights.beta, weights.h[0], candidate.guess, candidate.velocity, kkt.inverse_mass,
        candidate.inertia, candidate.stiffness, w.there.stiffness, error,
    )  # fmt: skip
    for body in range(counts.shape[0]):
        g = group[body]
        for i in range(6):
            table[IMBALANCE, g] = max(table[IMBALANCE, g], abs(error[body, i]))


@kernel(apart=True)
def judge(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer
) -> None:
    """What a candidate achieved at the new, nonlinear configuration.

    Writes:  there, path, spins, away, shaken, row_error of the candidate, gaps of contacts, verdict
    """
    bodies, candidate, verdict = m.bodies, w.candidate, w.verdict
    table = verdict.table
    for column in range(table.shape[0]):
        first = -1.0 if column == RISE or column == CONTACT_RISE else 0.0
        for g in range(table.shape[1]):
            table[column, g] = first
    measure_there(m, s, w, rows, answer)
    spins(
        candidate.slim, bodies.inertia, bodies.slim_axis, candidate.inertia, w.places.rotation, candidate.velocity,
        candidate.spin, candidate.slim_spin,
    )  # fmt: skip
    mechanical_state(
        bodies.moves, bodies.mass, bodies.gravity, w.places.position, candidate.velocity, candidate.spin,
        verdict.balance,
    )  # fmt: skip
    find_ways(m, s, w)
    judge_rows(m, s, w, rows, kkt, answer)
    judge_contacts(w, rows, contacts, answer)
    if m.tolerances.balances != 0:
        judge_balance(m, w, rows, kkt, answer)
    judge_energy(m, s, w, rows, contacts, answer)
