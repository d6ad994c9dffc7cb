"""Impulses: velocities jump, nothing moves.                                                    [Baraff1996, section 3]

    M (v+ - v) - J^T lam = j      J v+ = 0 on joints,  J v+ >= 0 on closed limits,
                                  J v+ >= -e J (v + M^-1 j) on closed contacts

What is applied to bodies counts as an impulse j in N s and N m s, and acts once. Gravity, springs and motors of limited
force are too slow to take part; motors of unlimited force hold their speeds. Forces in what is reported afterwards are
those that would give the same impulses over one step.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from taut.contact.friction import settle_friction
from taut.integrators import EULER
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.rows.law import FOLLOW, LIMITS
from taut.spatial import Array
from taut.stepping.collide import find_contacts
from taut.stepping.impacts import HARD
from taut.stepping.refinement import row_rates
from taut.stepping.workspace import Workbench

CLOSED = 1e-5
"""Gap, m or rad, up to which a limit or contact is closed."""

OPEN = 1e3
"""Multiple of the fastest rate of any row at which an open contact would have to close to take part."""

IDLE = 1e12
"""Compliance of a row that takes no part, s^2/kg."""


def apply_impulses(bench: Workbench, state: State) -> tuple[State, KktProblem, MlcpSolution]:
    """The state after what is applied to its bodies has struck them, with the problem that was solved for it."""
    from taut.integrators.motion_kernels import mechanical_state

    bodies, response, solver = bench.model.bodies, bench.response, bench.settings.solver
    hold_still(bench, state)
    response.push(impulses_at_centres(bench, state))
    set_laws(bench, state)
    problem = response.assemble(bench.rows)
    solution = solver.solve(problem)
    contacts = bench.contacts
    own, after = bench.row_body.size, copy(state)
    if contacts is not None and contacts.count:
        law = "box-refined" if bench.settings.friction == "box" else bench.settings.friction
        problem, solution, _, _ = settle_friction(law, solver, problem, contacts, solution)
    after.steps, after.history = state.steps + 1, np.zeros_like(state.history)
    after.applied, after.applied_point = np.zeros_like(state.applied), np.zeros_like(state.applied_point)
    after.velocity = after.previous_velocity = response.velocity(solution.lam)
    force = bench.rows.sign * solution.lam / bench.settings.step
    after.force, after.index_set = force[:own], solution.index_set[:own]
    if contacts is not None and contacts.count:
        contacts.locate(bench.position)
        after.contacts = contacts.remember(force, solution.index_set, bench.rows.value[contacts.row], after.velocity)
    after.spin = after.previous_spin = response.spin(after.velocity)
    axes = np.einsum("bij,bj->bi", bench.rotation.reshape(-1, 3, 3), bodies.slim_axis)
    after.slim_spin = after.previous_slim_spin = np.einsum("bi,bi->b", axes, after.spin)
    before = bench.mechanical[0]
    mechanical_state(
        bodies.moves, bodies.mass, bench.model.gravity, after.position, after.velocity, after.spin, bench.mechanical
    )
    after.energy = state.energy + float(bench.mechanical[0] - before)
    return after, problem, solution


def hold_still(bench: Workbench, state: State) -> None:
    """Put the bench where the state is, with contacts, Jacobians and masses there; v_free is the state's velocity."""
    from taut.integrators.motion_kernels import mechanical_state
    from taut.spatial_kernels import rotation_matrices

    bodies, rows = bench.model.bodies, bench.rows
    bench.position[:], bench.orientation[:] = state.position, state.orientation
    rotation_matrices(bench.orientation, bench.rotation)
    if bench.collider is not None:
        find_contacts(bench, state, np.zeros_like(state.velocity), bench.settings.step)
    rows.force.fill(0.0)
    rows.count_from(state.coordinate, 0.0)
    rows.evaluate(bench.position, bench.rotation)
    if bench.contacts is not None:
        bench.contacts.evaluate(bench.position, bench.rotation, rows)
    instant = bench.weights(EULER, 0.0, np.zeros_like(state.history))
    unloaded = replace(state, applied=np.zeros_like(state.applied), applied_point=np.zeros_like(state.applied_point))
    bench.response.prepare(unloaded, instant, state.velocity, bench.rotation, rows, bench.slim)
    mechanical_state(
        bodies.moves, bodies.mass, bench.model.gravity, state.position, state.velocity, state.spin, bench.mechanical
    )


def impulses_at_centres(bench: Workbench, state: State) -> Array:
    """Impulses (bodies, 6) about the centres of mass, N s and N m s."""
    impulse = state.applied.copy()
    arms = np.einsum("bij,bj->bi", bench.rotation.reshape(-1, 3, 3), state.applied_point)
    impulse[:, 3:] += np.cross(arms, state.applied[:, :3])
    return impulse


def set_laws(bench: Workbench, state: State) -> None:
    """Bias, compliance and bounds of all rows for an impulse."""
    rows, laws, own = bench.rows, bench.model.layout.laws, bench.row_body.size
    rows.step = 1.0
    rows.beta.fill(1.0)
    rows.apply_laws(state.target, state.velocity)
    limits = laws.kind == LIMITS
    rows.compliance[:own] = np.where(bench.response.redundancy.hard | limits, HARD, IDLE)
    rows.bias[:own] = np.where(laws.kind == FOLLOW, -state.target, 0.0)
    width = laws.upper_limit - laws.lower_limit
    rows.lower[:own][limits & (width <= 2.0 * CLOSED)] = -np.inf  # closed at both ends
    open_ = limits & (rows.gap[:own] > CLOSED)
    rows.lower[:own][open_] = rows.upper[:own][open_] = 0.0
    contacts = bench.contacts
    if contacts is None or not contacts.count:
        return
    contacts.apply_laws(state.velocity, rows)
    contacts.normal_impulse.fill(0.0)
    contacts.bound(rows.lower, rows.upper, np.ones((contacts.count, 2)))
    rows.compliance[own:], rows.bias[own:] = HARD, 0.0
    rate = row_rates(bench, bench.response.free_velocity)
    bounce = contacts.restitution * np.minimum(rate[contacts.row], 0.0)
    rows.bias[contacts.row] = np.where(rows.value[contacts.row] > CLOSED, OPEN * np.abs(rate).max(), bounce)
