"""The energy of a step: what it should have become, group by group, and what came from nowhere."""

from __future__ import annotations

import numpy as np

from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.problem.kkt import KktAnswer
from taut.responses.load_kernels import work_of_load
from taut.rows.law_kernels import HOLD, LIMITS, SOFT, stored
from taut.rows.table import RowTable
from taut.spatial_kernels import rotation_matrices
from taut.stepping.tables import CONTACT_RISE, RISE, Scratch, StateTable, StepModel

TINY = 1e-300
"""Keeps a quotient of two zeros finite."""


@kernel(inner=True)
def merge_touching(m: StepModel, w: Scratch, contacts: ContactTable, answer: KktAnswer) -> None:
    """Groups of bodies that joints or contacts connect that carry a force, or did so a step ago; the lowest body leads.

    Writes:  energy_group of the verdict
    """
    group, moves, joined, lam = w.verdict.energy_group, m.bodies.moves, m.links.joined, answer.lam
    row, body_a, body_b, start_force = contacts.row, contacts.body_a, contacts.body_b, contacts.start_force
    for body in range(group.shape[0]):
        group[body] = joined[body] if moves[body] != 0 else body
    for i in range(row.shape[0]):
        a, b = body_a[i], body_b[i]
        touching = lam[row[i]] > 0.0 or start_force[i, 0] > 0.0
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
    bodies, v, way, step = m.bodies, w.verdict, m.tolerances.limits.tolerance, m.tolerances.step
    moves, masses, gravity, weight, jointed = bodies.moves, bodies.mass, bodies.gravity, m.links.weight, m.links.jointed
    group, kinetic, gain, at_rest, jointless = v.energy_group, v.kinetic, v.gain, v.at_rest, v.jointless
    velocity, spin, position, applied = s.velocity, s.spin, s.position, s.applied
    new_velocity, new_spin, new_position = w.candidate.velocity, w.candidate.spin, w.places.position
    path = w.candidate.path
    for body in range(masses.shape[0]):
        if moves[body] == 0:
            continue
        g, mass = group[body], masses[body]
        p, u, q, t = velocity[body], new_velocity[body], spin[body], new_spin[body]
        before = 0.5 * mass * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
        before += 0.5 * (q[0] * p[3] + q[1] * p[4] + q[2] * p[5])
        after = 0.5 * mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
        after += 0.5 * (t[0] * u[3] + t[1] * u[4] + t[2] * u[5])
        kinetic[g] += after
        gain[g] += after - before
        for i in range(3):
            gain[g] -= mass * gravity[i] * (new_position[body, i] - position[body, i])
        size = 0.0
        for i in range(6):
            gain[g] -= applied[body, i] * path[body, i]
            size += abs(applied[body, i])
        at_rest[g] += way * (weight[body] + size) + 0.5 * mass * (way / step) ** 2
        if jointed[body] != 0:
            jointless[g] = 0


@kernel(inner=True)
def add_rows(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, answer: KktAnswer) -> None:
    """Add what springs stored, and take off the work of motors, sum of lam_i / h (J dx)_i.

    Writes:  gain, work of the verdict
    """
    laws, links, v, h = m.laws, m.links, w.verdict, w.weights.h[0]
    kind, drives, stiffnesses, low, high = laws.kind, laws.drives, laws.stiffness, laws.lower_force, laws.upper_force
    group, gain, work, row_body = v.energy_group, v.gain, v.work, links.row_body
    start, bodies, jacobian, path = links.entry_start, links.entry_body, rows.jacobian, w.candidate.path
    value, target, measure, lam = w.there.value, s.target, s.measure, answer.lam
    for row in range(kind.shape[0]):
        g = group[row_body[row]]
        if kind[row] == SOFT:
            gain[g] += stored(value[row] - target[row], stiffnesses[row], low[row], high[row])
            gain[g] -= stored(measure[row] - target[row], stiffnesses[row], low[row], high[row])
        if drives[row] != 0:
            way = 0.0
            for entry in range(start[row], start[row + 1]):
                block, dx = jacobian[entry], path[bodies[entry]]
                for i in range(6):
                    way += block[i] * dx[i]
            done = lam[row] / h * way
            gain[g] -= done
            work[g] += done


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
    c, v, h, recovery = contacts, w.verdict, w.weights.h[0], m.tolerances.recovery
    row, carrier, start_force, stiffness, friction = c.row, c.carrier, c.start_force, c.stiffness, c.friction
    gap, start_gap, group, at_rest, lam = c.gap, c.start_gap, v.energy_group, v.at_rest, answer.lam
    if row.shape[0] == 0:
        return
    slackened, jointless = np.zeros(at_rest.shape[0], np.uint8), v.jointless
    for i in range(row.shape[0]):
        g = group[carrier[i]]
        if (lam[row[i]] > 0.0 or start_force[i, 0] > 0.0) and slackened[g] == 0:
            slackened[g] = 1
            jointless[g] = 1
            at_rest[g] *= m.tolerances.touching_slack
    for i in range(row.shape[0]):
        force = max(lam[row[i]], 0.0) / h
        kept = start_force[i, 0] * start_force[i, 0] / stiffness[i]
        opening = max(min(gap[i], 0.0) - min(start_gap[i], 0.0), 0.0)
        given = force * min(opening, recovery * h) + (1.0 + friction[i] * friction[i]) * kept
        at_rest[group[carrier[i]]] += given


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
    laws, links, v, h, gain, at_rest = m.laws, m.links, w.verdict, w.weights.h[0], w.verdict.gain, w.verdict.at_rest
    rose = False
    for g in range(gain.shape[0]):
        rose = rose or gain[g] > at_rest[g]
    if not rose:
        return
    count, limit = v.gain.shape[0], m.tolerances.limits.limit
    now, lasting, closing = np.zeros(count), np.zeros(count), np.zeros(count)
    for body in range(count):
        if m.bodies.moves[body] != 0:
            kinetic = 0.5 * m.bodies.mass[body] * (limit / m.tolerances.step) ** 2
            closing[v.energy_group[body]] += links.weight[body] * limit + kinetic
    for row in range(laws.kind.shape[0]):
        if (laws.kind[row] != HOLD and laws.kind[row] != LIMITS) or laws.moves[row] != 0:
            continue
        g, moved = v.energy_group[links.row_body[row]], rows.sign[row] * (w.there.value[row] - s.measure[row])
        force, before = answer.lam[row] / h, rows.sign[row] * s.force[row]
        kept = min(max(before, 0.0), force) if force > 0.0 else max(min(before, 0.0), force)
        now[g] += min(force * moved, limit * abs(force))
        lasting[g] += min(kept * moved, limit * abs(kept))
    for g in range(count):
        if v.gain[g] > v.at_rest[g]:
            v.at_rest[g] += max(lasting[g], min(now[g], closing[g]), 0.0)


@kernel(inner=True)
def judge_energy(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, contacts: ContactTable, answer: KktAnswer
) -> None:
    """Kinetic energy of every group, what its energy gained beyond the work put in, and how much of that is too much.

        gain = K+ - K + V+ - V - work of applied forces, loads and motors            V: gravity and springs
        rise = (gain - what a step does not resolve) / (K+ + |gain| + ...)

    Groups that touch are one. What of a rise joints explain that do not hold better than they do is counted where
    energy rose, see `explain_by_gaps`.

    Writes:  energy_group, kinetic, gain, at_rest, work, jointless of the verdict; RISE and CONTACT_RISE
    """
    v, table, moves, group = w.verdict, w.verdict.table, m.bodies.moves, w.verdict.group
    energy_group = w.verdict.energy_group
    kinetic, gain, at_rest, work, jointless = v.kinetic, v.gain, v.at_rest, v.work, v.jointless
    for g in range(gain.shape[0]):
        kinetic[g], gain[g], at_rest[g], work[g], jointless[g] = 0.0, 0.0, 0.0, 0.0, 1
    merge_touching(m, w, contacts, answer)
    add_bodies(m, s, w)
    add_rows(m, s, w, rows, answer)
    add_loads_work(m, s, w)
    allow_contacts(m, w, contacts, answer)
    explain_by_gaps(m, s, w, rows, answer)
    for body in range(energy_group.shape[0]):
        if moves[body] == 0 or energy_group[body] != body:
            continue
        done = abs(work[body])
        moved = kinetic[body] + abs(gain[body]) + at_rest[body] + done
        rise = (gain[body] - at_rest[body] - m.tolerances.work_error * done) / max(moved, TINY)
        column, g = CONTACT_RISE if jointless[body] != 0 else RISE, group[body]
        table[column, g] = max(table[column, g], rise)
