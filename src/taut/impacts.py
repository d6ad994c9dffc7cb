"""Impacts with restitution: velocities jump before the step, impact by impact, the way a shock travels.

A contact with restitution e that would close within the step and approaches faster than gravity accounts for bounces,

    J v' = -e J v,   lam >= 0,      joints held,   friction within mu lam

Only contacts that approach *now* take part in a pass; those they set in motion take part in the next, so a row of
touching balls hands the blow on to the last one, as Newton's cradle does. What is left after PASSES is stopped by the
step, without rebound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.bench import Workbench
from taut.integrators import EULER
from taut.integrators.weights import Weights
from taut.linearise import first_start, linearise_rows, predict
from taut.problem.mlcp import MlcpProblem
from taut.rows.contact import ContactRows
from taut.spatial import Array
from taut.state import State
from taut.touching import find_contacts

PASSES = 100
"""Most passes of impacts in a step."""

HARD = -1.0
"""Compliance of contact rows in an impact: none, see `RowWork`."""

RESTING = 1.5
"""Approach, as a multiple of what gravity adds to it in a step, below which a contact rests and does not bounce."""


def bounce(bench: Workbench, state: State, h: float) -> State:
    """The state with its impacts done; its velocities as they were where nothing bounces."""
    weights = Weights.of(EULER, h, np.zeros_like(state.history))
    guess = predict(bench, state, weights)
    find_contacts(bench, state, guess, h)
    contacts = bench.contacts
    assert contacts is not None
    threshold = RESTING * float(np.linalg.norm(bench.model.gravity)) * h + bench.settings.tolerance / h
    if not (contacts.restitution > 0.0).any():
        return state
    start = first_start(bench, state, h, guess)
    start.force = np.zeros_like(start.force)  # an impact is over before anything turns
    linearise_rows(bench, state, weights, start)
    # masses where the step starts: that is where velocities jump, and a slim body's inertia turns fast
    bench.response.prepare(state, weights, guess, bench.start_rotation, bench.rows, bench.slim)
    bench.rows.compliance[bench.row_body.size :] = HARD
    values, _ = bench.response.products(bench.rows)
    velocity = state.velocity.copy()
    for _ in range(PASSES):
        rate = row_rates(bench, velocity)
        approach = rate[contacts.row]
        closing = contacts.start_gap + h * approach <= 0.0
        hits = closing & (contacts.restitution > 0.0) & (approach < -threshold)
        if not hits.any():
            break
        velocity = hit(bench, contacts, values, rate, hits, velocity)
    return with_velocity(bench, state, velocity)


def row_rates(bench: Workbench, velocity: Array) -> Array:
    """J v of every row, m/s or rad/s."""
    incidence = bench.response.incidence
    products = np.einsum("ei,ei->e", bench.rows.jacobian, velocity[incidence.entry_body])
    return np.bincount(incidence.entry_row, products, minlength=incidence.pattern.size).astype(np.float64)


def hit(
    bench: Workbench, contacts: ContactRows, values: Array, rate: Array, hits: Array, velocity: Array
) -> Array:
    """Velocity after the contacts that hit have bounced: with friction, or without where that would raise energy.

    Newton's law of restitution says nothing of energy once there is friction, or contacts that bounce differently; a
    pass that would raise it is made without friction, and if need be without rebound.
    """
    own = bench.row_body.size
    lower, upper = np.zeros(rate.size), np.zeros(rate.size)
    hard = bench.response.redundancy.hard  # springs, limits and bounded motors are too slow to take part
    lower[:own][hard], upper[:own][hard] = -np.inf, np.inf
    upper[contacts.row[hits]] = np.inf
    bias = rate.copy()
    bias[contacts.row] *= 1.0 + contacts.restitution
    problem = MlcpProblem(bench.response.incidence.pattern, values, bias, lower, upper)
    plain = bench.settings.solver.solve(problem)
    impulse = np.where(hits, np.maximum(plain.lam[contacts.row], 0.0), 0.0)
    rubbing = replace(problem, lower=lower.copy(), upper=upper.copy())
    for k in (1, 2):
        rows = contacts.row[contacts.width > k] + k
        bound = (contacts.friction * impulse)[contacts.width > k]
        rubbing.lower[rows], rubbing.upper[rows] = -bound, bound
    most = kinetic_energy(bench, velocity)
    for lam in (bench.settings.solver.solve(rubbing, None, plain).lam, plain.lam):
        after = pushed(bench, velocity, lam)
        if kinetic_energy(bench, after) <= most:
            return after
    dead = replace(problem, bias=rate)
    return pushed(bench, velocity, bench.settings.solver.solve(dead, None, plain).lam)


def pushed(bench: Workbench, velocity: Array, lam: Array) -> Array:
    """Velocity (bodies, 6) after impulses (rows,)."""
    from taut.responses.free_bodies_kernels import add_response

    incidence, after = bench.response.incidence, velocity.copy()
    add_response(incidence.entry_row, incidence.entry_body, bench.response.response, lam, after)
    return after


def kinetic_energy(bench: Workbench, velocity: Array) -> float:
    """Kinetic energy of all bodies with the inertia that the impacts are balanced in, J."""
    bodies, inertia = bench.model.bodies, bench.response.inertia.reshape(-1, 3, 3)
    mass = np.where(bodies.moves > 0, bodies.mass, 0.0)
    turning = np.einsum("bi,bij,bj->", velocity[:, 3:], inertia, velocity[:, 3:])
    return float(0.5 * mass @ (velocity[:, :3] ** 2).sum(axis=1) + 0.5 * turning)


def with_velocity(bench: Workbench, state: State, velocity: Array) -> State:
    """The state with other velocities; bodies that changed theirs have no history."""
    bodies = bench.model.bodies
    changed = (velocity != state.velocity).any(axis=1)
    rotation = bench.start_rotation.reshape(-1, 3, 3)
    inertia = rotation @ bodies.inertia.reshape(-1, 3, 3) @ rotation.transpose(0, 2, 1)
    spin = np.where(changed[:, None], np.einsum("bij,bj->bi", inertia, velocity[:, 3:]), state.spin)
    slim_spin = np.where(changed, np.einsum("bi,bji,bj->b", bodies.slim_axis, rotation, spin), state.slim_spin)
    kinetic = 0.5 * bodies.mass @ (velocity[:, :3] ** 2 - state.velocity[:, :3] ** 2).sum(axis=1)
    kinetic += 0.5 * float(np.vdot(spin, velocity[:, 3:]) - np.vdot(state.spin, state.velocity[:, 3:]))
    return replace(
        state, velocity=velocity, spin=spin, slim_spin=slim_spin, energy=state.energy + float(kinetic),
        history=np.where(changed, 0, state.history).astype(np.uint8),
    )  # fmt: skip
