"""Impulses: velocities jump, nothing moves.                                                    [Baraff1996, section 3]

    M (v+ - v) - J^T lam = j      J v+ = 0 on joints,  J v+ >= 0 on closed limits,
                                  J v+ >= -e J (v + M^-1 j) on closed contacts

What is applied to bodies counts as an impulse j in N s and N m s, and acts once. Gravity, springs and motors of limited
force are too slow to take part; motors of unlimited force hold their speeds. Forces in what is reported afterwards are
those that would give the same impulses over one step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.contact.friction import settle_friction
from taut.model.state import State
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.rows.law import FOLLOW
from taut.spatial import Array
from taut.stepping.energy import mechanical_of
from taut.stepping.instant import Instant, instant
from taut.stepping.refinement import row_rates
from taut.stepping.settings import INSTANTS
from taut.stepping.stepper import Stepper


def apply_impulses(stepper: Stepper, state: State) -> tuple[State, MlcpProblem, MlcpSolution]:
    """The state after what is applied to its bodies has struck them, with the problem that was solved for it."""
    mechanism, settings, scratch = stepper.mechanism, stepper.settings, stepper.scratch
    stepper.find_redundant(state)
    now = instant(stepper, state)
    pushed = now.bodies.apply(impulses_at_centres(stepper, state))
    set_laws(now, state, now.velocity + pushed)
    problem = now.problem(push=impulses_at_centres(stepper, state))
    solution = settings.solver.solve(problem)
    law = "box-refined" if settings.friction == "box" else settings.friction
    solution = settle_friction(law, settings.solver, problem, now.contacts.table, solution).solution
    velocity = now.velocity + pushed + problem.velocity_change(solution.lam)
    force, spin = now.memory.rows.sign * solution.lam / settings.step, now.bodies.spin(velocity)
    axes = np.einsum("bij,bj->bi", scratch.places.rotation.reshape(-1, 3, 3), mechanism.bodies.slim_axis)
    along = np.einsum("bi,bi->b", axes, spin)
    after = replace(
        state, steps=state.steps + 1, history=np.zeros_like(state.history), applied=np.zeros_like(state.applied),
        applied_point=np.zeros_like(state.applied_point), velocity=velocity, previous_velocity=velocity, spin=spin,
        previous_spin=spin, slim_spin=along, previous_slim_spin=along, force=force[: now.own],
        index_set=solution.index_set[: now.own],
    )  # fmt: skip
    if now.contacts.count:
        now.contacts.table.gap[:] = now.memory.rows.value[now.contacts.table.row]
        after.contacts = now.contacts.remember(force, solution.index_set, velocity, scratch.places.position)
    before, later = (mechanical_of(mechanism, each)[0] for each in (state, after))
    after.energy = state.energy + float(later - before)
    return after, problem.matrix(), solution


def impulses_at_centres(stepper: Stepper, state: State) -> Array:
    """Impulses (n, 6) about the centres of mass, N s and N m s."""
    impulse = state.applied.copy()
    rotation = stepper.scratch.places.rotation.reshape(-1, 3, 3)
    arms = np.einsum("bij,bj->bi", rotation, state.applied_point)
    impulse[:, 3:] += np.cross(arms, state.applied[:, :3])
    return impulse


def set_laws(now: Instant, state: State, pushed: Array) -> None:
    """Bias, compliance and bounds of all rows for an impulse that gives bodies velocities (n, 6) without them."""
    mechanism, rows, own = now.stepper.mechanism, now.memory.rows, now.own
    laws, limits = mechanism.laws, mechanism.laws.limits > 0
    now.begin_laws(state, state.velocity)
    rows.compliance[:own] = np.where(mechanism.hard | limits, 0.0, INSTANTS.idle)
    rows.bias[:own] = np.where(laws.kind == FOLLOW, -state.target, 0.0)
    width = state.limits[:, 1] - state.limits[:, 0]
    rows.lower[:own][limits & (width <= 2.0 * INSTANTS.closed)] = -np.inf  # closed at both ends
    open_ = limits & (rows.gap[:own] > INSTANTS.closed)
    rows.lower[:own][open_] = rows.upper[:own][open_] = 0.0
    table = now.contacts.table
    rows.compliance[own:], rows.bias[own:], rows.lower[own:], rows.upper[own:] = 0.0, 0.0, 0.0, 0.0
    rows.upper[table.row] = np.inf
    rate = row_rates(now.memory.kkt, pushed)
    bounce = table.restitution * np.minimum(rate[table.row], 0.0)
    rows.bias[table.row] = np.where(
        rows.value[table.row] > INSTANTS.closed, INSTANTS.open * np.abs(rate).max(initial=0.0), bounce
    )
