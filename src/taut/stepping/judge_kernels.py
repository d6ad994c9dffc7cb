"""The stage that judges a step: errors of rows, contacts and balance at the new configuration, group by group."""

from __future__ import annotations

from math import inf

import numpy as np

from taut.contact.rows_kernels import look
from taut.contact.table import ContactTable
from taut.integrators.motion_kernels import mechanical_state, spins
from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.rows.curve_kernels import miss, row_rate
from taut.rows.law_kernels import COMPANION, FOLLOW, HOLD, LIMITS, damper, stored_in_row
from taut.rows.parts_kernels import evaluate
from taut.rows.table import RowTable
from taut.stepping import tables as t
from taut.stepping.balance_kernels import change_of_wrench, imbalance, is_taut
from taut.stepping.energy_kernels import judge_energy
from taut.stepping.flight_kernels import add_free_turning
from taut.stepping.linearise_kernels import copy
from taut.stepping.settings import ACCEPTANCE, CALM, LINEARISATION
from taut.stepping.tables import Scratch, StateTable, StepModel


@kernel(apart=True)
def measure_there(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """The model's own rows at the new configuration, with the new forces.

    Writes:  there
    """
    there, velocity, h = w.there, w.candidate.velocity, w.weights.h[0]
    there.step[0] = h
    for row in range(there.force.shape[0]):
        there.force[row] = rows.sign[row] * answer.lam[row] / h if m.tolerances.stiff != 0 else 0.0
        there.beta[row] = rows.beta[row]
        if m.laws.companion[row] != 0:
            there.value[row] = 0.0  # they measure nothing
    copy(s.coordinate, there.coordinate_reference)
    for body in range(velocity.shape[0]):
        for i in range(6):
            there.coordinate_path[body, i] = h * velocity[body, i]
    evaluate(m.parts, w.places, there)


@kernel(inner=True, allocates=True)
def find_ways(m: StepModel, s: StateTable, w: Scratch) -> None:
    """How far bodies went, how far from where the solve was linearised, and whether contacts may be missing there.

    Writes:  path, away, shaken of the candidate; REACH, TURNED, STRAYED of the verdict
    """
    candidate, table, joined, bodies = w.candidate, w.verdict.table, m.links.joined, m.bodies
    acts = np.zeros(joined.shape[0], np.uint8)
    for body in range(joined.shape[0]):
        if candidate.touched[body] != 0 and joined[body] > 0:
            acts[joined[body]] = 1
    for body in range(joined.shape[0]):
        v, u, d, path = candidate.velocity[body], candidate.guess[body], w.past.displacement[body], candidate.path[body]
        moved = candidate.moved[body]
        drift, beta, g = w.weights.drift[body], w.weights.beta[body], w.verdict.group[body]
        shift, turn, away, turned = 0.0, 0.0, 0.0, 0.0
        for i in range(6):
            path[i] = drift * d[i] + beta * (v[i] + candidate.shift[body, i])
            way = abs(beta * (moved[i] - u[i]))
            away = max(away, way)
            if i < 3:
                shift += way * way
            else:
                turn += way * way
                turned = max(turned, way)
        candidate.shaken[body], candidate.away[body] = acts[joined[body]], 0.0
        if m.links.jointed[body] != 0:
            candidate.away[body] = away
            table[t.TURNED, g] = max(table[t.TURNED, g], turned)
            if candidate.shaken[body] == 0:
                table[t.REACH, g] = max(table[t.REACH, g], away)
        if m.tolerances.collides != 0 and bodies.moves[body] != 0:
            # half the angle squared, times the radius, is by how much the local surfaces bend away
            missed = np.sqrt(shift) + np.sqrt(turn) * bodies.extent[body] > w.reach[body] + bodies.slack[body]
            if missed or 0.5 * turn * bodies.extent[body] > LINEARISATION.curved:
                table[t.STRAYED, g] = 1.0


@kernel(inner=True)
def throw(m: StepModel, w: Scratch, row: int) -> None:
    """Mark the bodies of a row.

    Writes:  thrown of the candidate
    """
    for entry in range(m.links.entry_start[row], m.links.entry_start[row + 1]):
        w.candidate.thrown[m.links.entry_body[entry]] = 1


@kernel(inner=True)
def strike(m: StepModel, w: Scratch, row: int) -> None:
    """Mark the bodies of a row that look back.

    Writes:  struck of the candidate
    """
    for entry in range(m.links.entry_start[row], m.links.entry_start[row + 1]):
        body = m.links.entry_body[entry]
        if w.weights.drift[body] > 0.0 and m.bodies.moves[body] != 0:
            w.candidate.struck[body] = 1


@kernel(inner=True)
def rate_at_start(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, row: int) -> float:
    """Rate of a limit where the step starts, m/s or rad/s, positive where it opens.

    Its Jacobian is known where the step was linearised, and there a rope over a body that goes round it seems to close
    by v^2 h / L. From both measures, with d = x_k - x_0,

        q_k - q_0 = (J_0 + J_k) d / 2        h J_0 v = 2 (q_k - q_0 - J_k d) + h J_k v

    to the third order of the step.
    """
    way, h = 1.0 if rows.sign[row] > 0.0 else -1.0, w.weights.h[0]
    moved, rate = 0.0, 0.0
    for entry in range(m.links.entry_start[row], m.links.entry_start[row + 1]):
        body, block = m.links.entry_body[entry], rows.jacobian[entry]
        drift, beta = w.weights.drift[body], w.weights.beta[body]
        for i in range(3):
            turned = drift * w.past.displacement[body, 3 + i] + beta * w.candidate.guess[body, 3 + i]
            moved += block[i] * (w.base.position[body, i] - s.position[body, i]) + block[3 + i] * turned
        for i in range(6):
            rate += block[i] * s.velocity[body, i]
    return rate + 2.0 * (way * (rows.value[row] - s.measure[row]) - moved) / h


@kernel(inner=True)
def way_here(m: StepModel, s: StateTable, rows: RowTable, row: int) -> float:
    """By how much a row changed in the step before, J d, m or rad."""
    return row_rate(row, m.links.entry_start, m.links.entry_body, rows.jacobian, s.displacement)


@kernel(inner=True)
def catch(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, row: int) -> None:
    """Mark the bodies of a limit that catches them in this step: it carried nothing, and they come at some speed.

    Later steps may not look back on that speed. Nor may this one where it throws them back: the two-step formula
    carries a third of the last displacement on, so it puts what comes at the speed v at the limit with up to v/2 away
    from it. What is no faster than the limit itself goes, or than it takes to close the gap of the start, has only been
    pulled.

    Writes:  thrown, struck of the candidate
    """
    end, way, h = (0, 1.0, w.weights.h[0]) if rows.sign[row] > 0.0 else (1, -1.0, w.weights.h[0])
    gap = way * (s.measure[row] - s.limits[row, end])
    goes = way * (s.reached_limits[row, end] - s.limits[row, end]) / h
    before = goes + rate_at_start(m, s, w, rows, row)
    after = goes + row_rate(row, m.links.entry_start, m.links.entry_body, rows.jacobian, w.candidate.velocity)
    if -before * h > m.tolerances.limits.tolerance:
        throw(m, w, row)
        if after > max(goes - gap / h, 0.0):
            strike(m, w, row)


@kernel(inner=True)
def miss_of(m: StepModel, w: Scratch, rows: RowTable, answer: KktAnswer, row: int, gap: float) -> float:
    """By how much the force of a row with a curve differs from what that says where the row went.

    Returns: the impulse, N s or N m s
    """
    laws, links = m.laws, m.links
    rate = row_rate(row, links.entry_start, links.entry_body, w.there.jacobian, w.candidate.velocity)
    return rows.step[0] * miss(
        m.curves, laws.spring[row], laws.damper[row], laws.stiffness[row], laws.damping[row], gap, rate,
        answer.lam[row] / rows.step[0],
    )  # fmt: skip


@kernel(inner=True)
def yields(kkt: Kkt, row: int) -> float:
    """By how much an impulse that is missing moves a soft row: with a = J M~^-1 J^T, which its spring S holds back.

    Returns: a S / (a + S), 1/kg or 1/(kg m^2)
    """
    own = 0.0
    for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
        for i in range(6):
            own += kkt.jacobian[entry, i] * kkt.response[entry, i]
    return own / (own / kkt.compliance[row] + 1.0)


@kernel(inner=True)
def judge_spring(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer, row: int, gap: float,
    soft: float,
) -> float:  # fmt: skip
    """How far the gap of a linear spring of compliance `soft` is off; 0 at a bound.

    A one-sided spring that the step does not resolve lets go as a limit does; bodies that reach it do not look back.

    Writes:  thrown and struck of the candidate
    """
    laws, low, high = m.laws, s.force_limits[row, 0], s.force_limits[row, 1]
    share, lam = (kkt.diagonal[row] - soft) / kkt.diagonal[row], answer.lam[row]
    if lam == 0.0 and s.force[row] != 0.0 and (low == 0.0 or high == 0.0):
        if share > CALM.resolved:
            strike(m, w, row)
        return 0.0
    if answer.index_set[row] != 0:
        return 0.0
    stiffness, start, beta, bias = laws.stiffness[row] * s.firmness[row], s.measure[row], rows.beta[row], rows.bias[row]
    start -= s.target[row]
    held = damper(start, laws.damping[row] * s.firmness[row], low, high)
    expected = bias * (stiffness * beta + held) / stiffness + beta * (answer.w[row] - soft * lam - bias)
    if share > CALM.resolved and damper(start - way_here(m, s, rows, row), 1.0, low, high) == 0.0:
        throw(m, w, row)  # it was out of reach where the step before began
    return share * abs(gap - expected)


@kernel(inner=True)
def judge_rows(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> None:
    """Errors of the model's own rows at the new configuration.

    For a row that the linear solve closed, gap+ should be left + beta (w - S lam); the difference is the error of the
    linearisation and shrinks when the step is linearised again. A soft row counts by the share (A_ii - S) / A_ii of
    its compliance that comes from the bodies: 1 for a stiff spring, 0 for one too weak to matter. The drift is the gap
    of the worst hard row that can close it. A curve is off by how far bodies would go by the force that it misses,
    see `yields`. In groups that contacts touch errors count by a share.

    Writes:  row_error, thrown and struck of the candidate; VIOLATION to MISFIT and SPRINGS of the verdict
    """
    for body in range(w.candidate.thrown.shape[0]):
        w.candidate.thrown[body], w.candidate.struck[body] = 0, 0
    laws, table, energy, touching = m.laws, w.verdict.table, 0.0, 1.0 / ACCEPTANCE.touching_slack
    for row in range(laws.kind.shape[0]):
        law, body, beta, left = laws.kind[row], m.links.row_body[row], rows.beta[row], w.left[row]
        w.candidate.row_error[row], value = 0.0, w.there.value[row]
        if law == FOLLOW or law == COMPANION:
            continue
        g, weight = w.verdict.group[body], touching if w.candidate.shaken[body] != 0 else 1.0
        lam, slack, free, gap = answer.lam[row], answer.w[row], answer.index_set[row] == 0, value - s.target[row]
        broken, off, open_by = 0.0, 0.0, 0.0
        rigid, redundant = rows.compliance[row] == 0.0, w.redundant[row] != 0
        soft = kkt.compliance[row] if rows.compliance[row] > 0.0 or redundant else 0.0
        if law == LIMITS:
            low, high = value - s.limits[row, 0], s.limits[row, 1] - value
            gap, other = (low, high) if rows.sign[row] > 0.0 else (high, low)
            broken = max(-gap, -other)
            if lam > 0.0 and s.force[row] == 0.0:
                catch(m, s, w, rows, row)
            elif lam == 0.0 and s.force[row] != 0.0 and slack * w.weights.h[0] > m.tolerances.limits.tolerance:
                strike(m, w, row)  # it lets go: the two-step formula gives a third of its last impulse once more
            open_by = 0.0 if redundant else max(broken, 0.0)
            if redundant:
                table[t.MISFIT, g] = max(table[t.MISFIT, g], broken)
            expected = left + beta * (slack - soft * lam)
            off = max(left - other, abs(gap - expected) if lam > 0.0 else min(expected, 0.0) - gap)
        elif law == HOLD:
            if free:
                # a servo that had lagged behind is on its way; a joint is open
                lag = left if s.force_limits[row, 1] - s.force_limits[row, 0] < inf else 0.0
                broken = abs(gap - lag)
                if rigid and not redundant:
                    open_by = broken
                off = abs(gap - left - beta * (slack - soft * lam))
            if redundant:
                opened = abs(gap) - abs(s.measure[row] - s.reached[row])
                table[t.OPENED, g] = max(table[t.OPENED, g], weight * opened)
                table[t.MISFIT, g] = max(table[t.MISFIT, g], abs(gap))
        else:
            stiffness, low, high = laws.stiffness[row] * s.firmness[row], s.force_limits[row, 0], s.force_limits[row, 1]
            energy += stored_in_row(m.curves, laws.spring[row], gap, stiffness, low, high)
            if laws.spring[row] >= 0 or laws.damper[row] >= 0:
                off = beta * yields(kkt, row) * miss_of(m, w, rows, answer, row, gap)
            elif stiffness > 0.0:
                off = judge_spring(m, s, w, rows, kkt, answer, row, gap, soft)
        off, open_by = weight * off, weight * open_by
        w.candidate.row_error[row] = max(off, open_by)
        table[t.VIOLATION, g] = max(table[t.VIOLATION, g], broken)
        table[t.ERROR, g] = max(table[t.ERROR, g], off)
        table[t.DRIFT, g] = max(table[t.DRIFT, g], open_by)
        table[t.LEFT, g] = max(table[t.LEFT, g], weight * abs(left))
    w.verdict.balance[t.SPRINGS] = energy


@kernel(inner=True)
def judge_trees(m: StepModel, w: Scratch) -> None:
    """Errors of the linearisation of trees, whose rows are never off; see `find_bends`.

    Writes:  row_error of the candidate; ERROR of the verdict
    """
    table, candidate, touching = w.verdict.table, w.candidate, 1.0 / ACCEPTANCE.touching_slack
    for node in range(m.trees.body.shape[0]):
        if m.trees.row_count[node] > 0:
            body, row = m.trees.body[node], m.trees.first_row[node]
            g, off = w.verdict.group[body], candidate.bent[body] * (touching if candidate.shaken[body] != 0 else 1.0)
            candidate.row_error[row] = max(candidate.row_error[row], off)
            table[t.ERROR, g] = max(table[t.ERROR, g], off)


@kernel(inner=True, allocates=True)
def judge_contacts(w: Scratch, rows: RowTable, contacts: ContactTable, answer: KktAnswer) -> None:
    """What contacts achieved at the new configuration; only errors that make bodies overlap count, over thickness.

    Writes:  gap, unforeseen of contacts; DEPTH, CONTACT_ERROR, TOUCHING of the verdict
    """
    c, table, count = contacts, w.verdict.table, contacts.row.shape[0]
    look(c, w.places.position, w.places.rotation, c.gap, np.empty((count, 3)), np.empty((count, 3)))
    for i in range(count):
        r, g = c.row[i], w.verdict.group[c.carrier[i]]
        rate = answer.w[r] - rows.compliance[r] * answer.lam[r] - rows.bias[r] - c.rate[i]
        expected = c.value[i] + rows.beta[r] * rate
        c.unforeseen[i] = min(c.gap[i] - min(expected, 0.0), 0.0)
        table[t.DEPTH, g] = max(table[t.DEPTH, g], -c.gap[i])
        table[t.CONTACT_ERROR, g] = max(table[t.CONTACT_ERROR, g], -c.unforeseen[i] / c.thickness[i])
        if answer.lam[r] > 0.0:
            table[t.TOUCHING, g] += 1.0


@kernel(inner=True, allocates=True)
def judge_balance(m: StepModel, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> None:
    """By how much bodies under tension miss their balance at x+; those that contacts touch are left to the contacts.

    Writes:  error of the candidate, IMBALANCE of the verdict
    """
    links, candidate, weights, table, error = m.links, w.candidate, w.weights, w.verdict.table, w.candidate.error
    counts = np.empty(error.shape[0], np.uint8)
    for body in range(counts.shape[0]):
        counts[body] = m.bodies.moves[body] if candidate.touched[body] == 0 else 0
        for i in range(6):
            error[body, i] = 0.0
    change_of_wrench(
        links.entry_row, links.entry_body, m.laws.companion, rows.sign, answer.lam, rows.jacobian, w.there.jacobian,
        error,
    )  # fmt: skip
    imbalance(
        counts, weights.alpha, weights.beta, weights.h[0], candidate.guess, candidate.moved, kkt.inverse_mass,
        candidate.inertia, candidate.stiffness, w.there.stiffness, error,
    )  # fmt: skip
    for body in range(counts.shape[0]):
        g = w.verdict.group[body]
        for i in range(6):
            table[t.IMBALANCE, g] = max(table[t.IMBALANCE, g], abs(error[body, i]))


@kernel(inner=True)
def find_taut(s: StateTable, w: Scratch) -> None:
    """Mark bodies that tension holds, see `is_taut`, where a scheme looks back far.

    Their motion across the tension is none that a step resolves. A scheme of low damping would carry it on.

    Writes:  taut of the candidate
    """
    weights, taut, far = w.weights, w.candidate.taut, s.older.shape[0] > 0
    for body in range(taut.shape[0]):
        hb, n = weights.h[0] * weights.beta[body], w.there.stiffness[body]
        taut[body] = is_taut(weights.alpha[body], hb, w.candidate.inertia[body], n) if far else 0


@kernel(apart=True)
def judge(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer
) -> None:
    """What a candidate achieved at the new, nonlinear configuration.

    Writes:  there, path, spins, away, shaken, taut, row_error of the candidate, gaps of contacts, verdict
    """
    bodies, candidate, verdict = m.bodies, w.candidate, w.verdict
    for row in range(verdict.table.shape[0]):
        for g in range(verdict.table.shape[1]):
            verdict.table[row, g] = 0.0
    measure_there(m, s, w, rows, answer)
    spins(
        candidate.slim, bodies.inertia, bodies.slim_axis, candidate.inertia, w.places.rotation, candidate.moved,
        candidate.spin, candidate.slim_spin,
    )  # fmt: skip
    mechanical_state(
        bodies.moves, bodies.mass, bodies.gravity, w.places.position, candidate.velocity, candidate.spin,
        verdict.balance,
    )  # fmt: skip
    add_free_turning(
        bodies.moves, m.links.jointed, bodies.inertia, w.places.orientation, candidate.velocity, candidate.spin,
        verdict.balance,
    )  # fmt: skip
    find_ways(m, s, w)
    find_taut(s, w)
    judge_rows(m, s, w, rows, kkt, answer)
    judge_trees(m, w)
    judge_contacts(w, rows, contacts, answer)
    if m.tolerances.balances != 0:
        judge_balance(m, w, rows, kkt, answer)
    judge_energy(m, s, w, rows, contacts, answer)
