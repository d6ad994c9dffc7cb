"""The energy of a step: what it should have become, group by group, and what came from nowhere."""

from __future__ import annotations

from math import inf

import numpy as np

from taut.contact.settings import CONTACT
from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.problem.kkt import KktAnswer
from taut.responses.load_kernels import work_of_load
from taut.rows.law_kernels import HOLD, LIMITS, SOFT, stored_in_row
from taut.rows.table import RowTable
from taut.spatial_kernels import rotation_matrices
from taut.stepping.flight_kernels import turning_energy
from taut.stepping.settings import ACCEPTANCE, CALM
from taut.stepping.tables import CONTACT_RISE, RISE, Scratch, StateTable, StepModel

TINY = 1e-300
"""Keeps a quotient of two zeros finite."""


@kernel(inner=True)
def merge_touching(m: StepModel, w: Scratch, contacts: ContactTable, answer: KktAnswer) -> None:
    """Groups of bodies that joints or contacts connect that carry a force, or did so a step ago; the lowest body leads.

    Writes:  energy_group of the verdict
    """
    group, moves, c = w.verdict.energy_group, m.bodies.moves, contacts
    for body in range(group.shape[0]):
        group[body] = m.links.joined[body] if moves[body] != 0 else body
    for i in range(c.row.shape[0]):
        a, b = c.body_a[i], c.body_b[i]
        touching = answer.lam[c.row[i]] > 0.0 or c.start_force[i, 0] > 0.0
        if not touching or moves[a] == 0 or moves[b] == 0:
            continue
        while group[a] != a:
            a = group[a]
        while group[b] != b:
            b = group[b]
        group[max(a, b)] = min(a, b)
    for body in range(group.shape[0]):
        group[body] = group[group[body]]  # leaders are lower, so theirs are final already


@kernel(inner=True)
def add_bodies(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Add what bodies gained, beyond the work of what is applied at their centres of mass, and what is unresolved.

    Writes:  kinetic, gain, at_rest, jointless of the verdict
    """
    v, candidate, way, step = w.verdict, w.candidate, m.tolerances.limits.tolerance, m.tolerances.step
    for body in range(m.bodies.mass.shape[0]):
        if m.bodies.moves[body] == 0:
            continue
        g, mass = v.energy_group[body], m.bodies.mass[body]
        p, u, q, t = s.velocity[body], candidate.velocity[body], s.spin[body], candidate.spin[body]
        before = 0.5 * mass * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
        after = 0.5 * mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
        if m.links.jointed[body] != 0:
            before += 0.5 * (q[0] * p[3] + q[1] * p[4] + q[2] * p[5])
            after += 0.5 * (t[0] * u[3] + t[1] * u[4] + t[2] * u[5])
        else:
            before += turning_energy(m.bodies.inertia[body], s.orientation[body], q)
            after += turning_energy(m.bodies.inertia[body], w.places.orientation[body], t)
        v.kinetic[g] += after
        v.gain[g] += after - before
        for i in range(3):
            v.gain[g] -= mass * m.bodies.gravity[i] * (w.places.position[body, i] - s.position[body, i])
        size = 0.0
        for i in range(6):
            v.gain[g] -= s.applied[body, i] * candidate.path[body, i]
            size += abs(s.applied[body, i])
        v.at_rest[g] += way * (m.links.weight[body] + size) + 0.5 * mass * (way / step) ** 2
        if m.links.jointed[body] != 0:
            v.jointless[g] = 0


@kernel(inner=True)
def goal_moved(m: StepModel, s: StateTable, rows: RowTable, row: int) -> float:
    """How far the length or limit that a joint keeps was moved since the last step, m or rad, along its force.

    Returns: the way, 0 for motors, and where an end was or is infinite
    """
    way = 0.0
    if m.laws.moves[row] == 0 and m.laws.kind[row] == HOLD:
        way = s.target[row] - s.reached[row]
    elif m.laws.kind[row] == LIMITS:
        end = 0 if rows.sign[row] > 0.0 else 1
        way = rows.sign[row] * (s.limits[row, end] - s.reached_limits[row, end])
    return way if abs(way) < inf else 0.0


@kernel(inner=True)
def add_rows(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """Add what springs stored, and take off the work of motors, sum of f_i (J dx)_i, and of goals that move.

    A joint whose length or limit is changed does the work of its force on that way.

    With f = lam / h, which is of first order, or where the scheme looks back and that does more, the mean of f and the
    force of the step before, which is of second order as the scheme is: a servo that comes to a stop smoothly would
    seem to gain more than 1 % of its energy in each of the last 14 steps. A force that jumped has no such mean.

    Writes:  gain, work of the verdict
    """
    laws, links, v, h = m.laws, m.links, w.verdict, w.weights.h[0]
    for row in range(laws.kind.shape[0]):
        g = v.energy_group[links.row_body[row]]
        if laws.kind[row] == SOFT:
            target, stiffness = s.target[row], laws.stiffness[row] * s.firmness[row]
            low, high = s.force_limits[row, 0], s.force_limits[row, 1]
            v.gain[g] += stored_in_row(m.curves, laws.spring[row], w.there.value[row] - target, stiffness, low, high)
            v.gain[g] -= stored_in_row(m.curves, laws.spring[row], s.measure[row] - target, stiffness, low, high)
        way = goal_moved(m, s, rows, row)
        if laws.drives[row] != 0:
            way = 0.0
            for entry in range(links.entry_start[row], links.entry_start[row + 1]):
                block, dx = rows.jacobian[entry], w.candidate.path[links.entry_body[entry]]
                for i in range(6):
                    way += block[i] * dx[i]
        if way != 0.0:
            force = answer.lam[row] / h
            done, more = force * way, 0.5 * (rows.sign[row] * s.force[row] - force) * way
            looks_back = w.weights.before[links.row_body[row]] != 0.0
            if looks_back and 0.0 < more <= ACCEPTANCE.steady * v.kinetic[g]:
                done += more
            v.gain[g] -= done
            v.work[g] += done


@kernel(inner=True, allocates=True)
def add_loads_work(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Take off the work of loads, and of what is applied away from centres of mass beyond that of their forces there.

    Writes:  gain, work of the verdict
    """
    loads, v, point = m.loads, w.verdict, s.applied_point
    away = False
    for body in range(point.shape[0]):
        away = away or point[body, 0] != 0.0 or point[body, 1] != 0.0 or point[body, 2] != 0.0
    if loads.body.shape[0] == 0 and not away:
        return
    rotation, after = np.empty(w.places.rotation.shape), w.places.rotation
    rotation_matrices(s.orientation, rotation)
    for load in range(loads.body.shape[0]):
        body = loads.body[load]
        done = work_of_load(
            loads.force[load], loads.point[load], loads.torque[load], loads.follows[load], s.position[body],
            rotation[body], w.places.position[body], after[body], w.candidate.path[body],
        )  # fmt: skip
        v.gain[v.energy_group[body]] -= done
        v.work[v.energy_group[body]] += done
    for body in range(point.shape[0]):
        if m.bodies.moves[body] != 0:
            g, done = v.energy_group[body], 0.0
            for i in range(3):
                for j in range(3):
                    turned = after[body, 3 * i + j] - rotation[body, 3 * i + j]
                    done += s.applied[body, i] * turned * point[body, j]
            v.gain[g] -= done
            v.work[g] += done


@kernel(inner=True, allocates=True)
def allow_contacts(m: StepModel, w: Scratch, contacts: ContactTable, answer: KktAnswer) -> None:
    """Energy that springs of contacts may give back in a step.

    A force does work on the way an overlap opens, no faster than contacts are taken back, and the force of the step
    before has stored up to F^2 C. What a step does not resolve is more in groups that touch; work that is known is not.

    Writes:  at_rest, jointless of the verdict
    """
    c, v, h = contacts, w.verdict, w.weights.h[0]
    if c.row.shape[0] == 0:
        return
    slackened = np.zeros(v.at_rest.shape[0], np.uint8)
    for i in range(c.row.shape[0]):
        g = v.energy_group[c.carrier[i]]
        if (answer.lam[c.row[i]] > 0.0 or c.start_force[i, 0] > 0.0) and slackened[g] == 0:
            slackened[g], v.jointless[g] = 1, 1
            v.at_rest[g] *= ACCEPTANCE.touching_slack
    for i in range(c.row.shape[0]):
        force = max(answer.lam[c.row[i]], 0.0) / h
        kept = c.start_force[i, 0] * c.start_force[i, 0] / c.stiffness[i]
        opening = max(min(c.gap[i], 0.0) - min(c.start_gap[i], 0.0), 0.0)
        given = force * min(opening, CONTACT.recovery * h) + (1.0 + c.friction[i] * c.friction[i]) * kept
        v.at_rest[v.energy_group[c.carrier[i]]] += given


@kernel(inner=True)
def allow_return(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Energy that the formulas of a scheme of low damping may give back because they took it in the last frames.

    They take energy where bodies turn sharply and give most of it back within some frames. Only taking it would be a
    ratchet: two whirling bars would lose 56 % of their energy in half a minute, and a swinging chain that was rough
    once 23 % in ten seconds. So what a jointed group that touches nothing lost is remembered, and fades over as many
    frames as its energy is watched. Energy still never gets above what it was in these. What is lost otherwise, to
    dampers, counts as well; what Euler takes away does not, for that is meant to be gone.

        lent+ = max((1 - h / (rough_frames step)) lent - gain, 0)

    Writes:  at_rest of the verdict; lent of the candidate
    """
    v, lent, far = w.verdict, w.candidate.lent, s.older.shape[0] > 0
    kept = 1.0 - w.weights.h[0] / (m.tolerances.step * CALM.rough_frames)
    for body in range(lent.shape[0]):
        lent[body] = 0.0
    for body in range(lent.shape[0]):
        if m.bodies.moves[body] != 0 and far and v.jointless[v.energy_group[body]] == 0:
            lent[v.energy_group[body]] += s.lent[body]
    for body in range(lent.shape[0]):
        v.at_rest[body] += lent[body]
        if m.bodies.moves[body] != 0 and far and v.jointless[body] == 0 and v.energy_group[body] == body:
            taken = -v.gain[body] if w.weights.level[body] > 0 else min(-v.gain[body], 0.0)
            lent[body] = max(kept * lent[body] + taken, 0.0)


@kernel(inner=True, allocates=True)
def explain_by_gaps(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """Work that joints and limits did because they do not hold better than they do: sum of f (q+ - q).

    A gap that an earlier step was allowed to leave is closed against the tension, and that is no error of this step.
    Where they took energy instead, as a rope does that goes taut, they explain no rise. A gap that is larger than a
    step may leave explains no more either: it was there from the start, and nobody put that work in. Forces that were
    not there before explain no more than it takes to move bodies by such a gap in a frame: what blows up has large
    forces, and would explain itself.

    Writes:  at_rest of the verdict, in groups whose energy rose
    """
    laws, links, v, h, limit = m.laws, m.links, w.verdict, w.weights.h[0], m.tolerances.limits.limit
    rose, count = False, v.gain.shape[0]
    for g in range(count):
        rose = rose or v.gain[g] > v.at_rest[g]
    if not rose:
        return
    now, lasting, closing = np.zeros(count), np.zeros(count), np.zeros(count)
    for body in range(count):
        if m.bodies.moves[body] != 0:
            kinetic = 0.5 * m.bodies.mass[body] * (limit / m.tolerances.step) ** 2
            closing[v.energy_group[body]] += links.weight[body] * limit + kinetic
    for row in range(laws.kind.shape[0]):
        if (laws.kind[row] != HOLD and laws.kind[row] != LIMITS) or laws.moves[row] != 0:
            continue
        g, moved = v.energy_group[links.row_body[row]], rows.sign[row] * (w.there.value[row] - s.measure[row])
        moved -= goal_moved(m, s, rows, row)  # whose work is counted
        force, before = answer.lam[row] / h, rows.sign[row] * s.force[row]
        kept = min(max(before, 0.0), force) if force > 0.0 else max(min(before, 0.0), force)
        now[g] += min(force * moved, limit * abs(force))
        lasting[g] += min(kept * moved, limit * abs(kept))
    for g in range(count):
        if v.gain[g] > v.at_rest[g]:
            v.at_rest[g] += max(lasting[g], min(now[g], closing[g]), 0.0)


@kernel()
def rate_energy(m: StepModel, w: Scratch) -> None:
    """How much of what groups gained is too much, relative to the energy that moved, see `judge_energy`.

    Writes:  RISE and CONTACT_RISE of the verdict
    """
    v = w.verdict
    for g in range(v.gain.shape[0]):
        v.table[RISE, g], v.table[CONTACT_RISE, g] = -1.0, -1.0
    for body in range(v.gain.shape[0]):
        if m.bodies.moves[body] == 0 or v.energy_group[body] != body:
            continue
        done, gain, at_rest = abs(v.work[body]), v.gain[body], v.at_rest[body]
        moved = v.kinetic[body] + abs(gain) + at_rest + done
        rise = (gain - at_rest - ACCEPTANCE.work_error * done) / max(moved, TINY)
        row, g = CONTACT_RISE if v.jointless[body] != 0 else RISE, v.group[body]
        v.table[row, g] = max(v.table[row, g], rise)


@kernel(apart=True)
def judge_energy(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, contacts: ContactTable, answer: KktAnswer
) -> None:
    """Kinetic energy of every group, what its energy gained beyond the work put in, and how much of that is too much.

        gain = K+ - K + V+ - V - work of applied forces, loads and motors            V: gravity and springs
        rise = (gain - what a step does not resolve) / (K+ + |gain| + ...)

    Groups that touch are one. What of a rise joints explain that do not hold better than they do is counted where
    energy rose, see `explain_by_gaps`.

    Writes:  energy_group, kinetic, gain, at_rest, work, jointless of the verdict; RISE and CONTACT_RISE; lent of the
             candidate
    """
    v = w.verdict
    for g in range(v.gain.shape[0]):
        v.kinetic[g], v.gain[g], v.at_rest[g], v.work[g], v.jointless[g] = 0.0, 0.0, 0.0, 0.0, 1
    merge_touching(m, w, contacts, answer)
    add_bodies(m, s, w)
    add_rows(m, s, w, rows, answer)
    add_loads_work(m, s, w)
    allow_contacts(m, w, contacts, answer)
    allow_return(m, s, w)
    explain_by_gaps(m, s, w, rows, answer)
    rate_energy(m, w)
