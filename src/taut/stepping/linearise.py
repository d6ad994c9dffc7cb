"""One linearised solve of a step, and what it achieved at the new configuration."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.contact.friction import FRICTION_PASSES, settle_friction
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactRows
from taut.integrators.weights import Weights
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.responses.free_bodies import active_loads
from taut.rows.law import HOLD
from taut.spatial import Array, Integers
from taut.stepping.balance import carry_twist, find_imbalance
from taut.stepping.collide import strayed
from taut.stepping.energy import drive_work_of, judge_energy, load_work
from taut.stepping.refinement import refined
from taut.stepping.settings import TOUCHING_SLACK
from taut.stepping.workspace import Workbench

ITERATIVE_REPAIR = 0.2
"""Share of a violation that a step with an iterative solver takes back, as engines built on them do (Baumgarte): taking
back all of it with impulses that have not converged blows up at once, and would flatter the exact solvers."""

MOMENTUM_PASSES = 5
"""Passes of the momentum correction of floating groups, each of which leaves a fiftieth of the error: without them a
ring of light and heavy links is off by a tenth of its angular momentum after 3 s, with five by 4e-11."""


@dataclass(eq=False)
class Outcome:
    """A candidate for the next state, with the proof of its solve and its errors at the new configuration.

    `path` (bodies, 6) is the displacement of the step, m and rad. `force` and `coordinate` are those of the model's own
    rows, `contacts` and `memory` those of contacts. `depth` is how deep the deepest contact overlaps, m, and
    `contact_error` how much of that was not foreseen, over the thickness of the thinner body.
    `row_error` (rows,) is how far rows are off, or open though they can be closed, m or rad; of groups that contacts
    touch, flagged in `shaken` (bodies,), a tenth of it: contacts that jump make a step rough, and halving no better.
    So for `error`, the worst of what rows are off by, `drift`, the gap of the worst joint that can be closed, `left`,
    what is for the rest of the frame, and `opened`, by how much the worst redundant row opened. `misfit` is the gap of
    the worst redundant row, as it is.
    `away` (bodies,) is how far jointed bodies ended from where the solve was linearised, m or rad, `reach` the farthest
    of those that no contact touches, `turned` how far any turned on that way, rad, and `imbalance` by how much bodies
    under tension miss their balance, m or rad. By group of bodies (see `energy_groups`), J: `kinetic` energy, and
    `gain`, the energy that came from nowhere. `energy_rise` is what of it is more than a step resolves, relative to the
    energy that moved, in the worst group of jointed bodies that touch nothing, and `contact_energy_rise` in the worst
    other group.
    """

    velocity: Array
    path: Array
    position: Array
    orientation: Array
    spin: Array
    slim_spin: Array
    force: Array
    coordinate: Array
    problem: KktProblem
    solution: MlcpSolution
    contacts: ContactRows | None
    memory: ContactMemory
    violation: float
    error: float
    depth: float
    contact_error: float
    touching: int
    strayed: bool
    friction_residual: float
    solves: int
    pivots: int
    energy: float
    group: Integers
    kinetic: Array
    gain: Array
    energy_rise: float
    contact_energy_rise: float
    momentum: Array
    measure: Array
    row_error: Array
    drift: float
    left: float
    opened: float
    misfit: float
    shaken: NDArray[np.bool_]
    away: Array
    imbalance: float = 0.0
    reach: float = 0.0
    turned: float = 0.0


@dataclass(eq=False)
class Start:
    """Where a linearisation is made and its solver starts: guess (bodies, 6), rows' forces (rows,) and warm start."""

    guess: Array
    force: Array
    warm: WarmStart | MlcpSolution


def first_start(bench: Workbench, state: State, h: float, guess: Array) -> Start:
    """Start from the state: forces and labels of the step before."""
    # a limit's impulse pushes whichever end it comes from
    lam = h * np.where(bench.limits, np.abs(state.force), state.force)
    force, index_set = state.force, state.index_set
    rows = bench.contacts
    if rows is not None and rows.count:
        force, index_set, lam = (
            np.concatenate([own, np.zeros(rows.row_count, own.dtype)]) for own in (force, index_set, lam)
        )
        rows.scatter(rows.force, force)
        rows.scatter(rows.label, index_set)
        rows.scatter(h * rows.force, lam)
    return Start(guess, force, WarmStart(index_set, lam))


def next_start(bench: Workbench, outcome: Outcome, h: float) -> Start:
    """Start from an outcome of the same step; contacts may have been looked for again since."""
    rows, own = bench.contacts, outcome.force.size
    if rows is None or rows is outcome.contacts:
        force = bench.rows.sign * outcome.solution.lam / h
        if rows is not None:
            rows.normal_impulse[:] = np.maximum(outcome.solution.lam[rows.row], 0.0)
        return Start(outcome.velocity, force, outcome.solution)
    force, index_set, lam = (
        np.concatenate([values, np.zeros(rows.row_count, values.dtype)])
        for values in (outcome.force, outcome.solution.index_set[:own], outcome.solution.lam[:own])
    )
    rows.scatter(rows.force, force)
    rows.scatter(rows.label, index_set)
    rows.scatter(h * rows.force, lam)
    return Start(outcome.velocity, force, WarmStart(index_set, lam))


def leave_gaps(bench: Workbench, state: State, h: float) -> None:
    """In a part of a frame, let rows leave that share of their gaps that is for the rest of a frame to close.

    A gap that is closed within a part as if it were a whole frame would be closed that much faster: halving would
    multiply speeds instead of calming them.
    """
    from taut.rows.law_kernels import gaps_to_leave

    share, laws = 1.0 - h / bench.settings.step, bench.model.layout.laws
    if share < 1e-9 or not bench.settings.solver.exact:
        bench.rows.left.fill(0.0)
        return
    gaps_to_leave(laws.kind, state.reached, laws.lower_limit, laws.upper_limit, share, state.measure, bench.rows.left)


def predict(bench: Workbench, state: State, weights: Weights) -> Array:
    """Velocity (bodies, 6) to linearise at first; the bench is put where it leads, x + drift dX_prev + beta v_k."""
    from taut.integrators import motion_kernels

    bodies = bench.model.bodies
    guess = np.empty_like(state.velocity)
    motion_kernels.predict(
        bodies.moves, bench.slim, bodies.inertia, state.orientation, state.displacement,
        state.velocity, state.previous_velocity, state.spin, state.previous_spin,
        weights.guess_now, weights.guess_before, weights.drift, weights.beta, guess,
    )  # fmt: skip
    motion_kernels.place(
        bodies.moves, state.position, state.orientation, state.displacement, guess,
        weights.drift, weights.beta, bench.position, bench.orientation, bench.rotation,
    )  # fmt: skip
    return guess


def move(bench: Workbench, weights: Weights, guess: Array, velocity: Array) -> None:
    """Move the bench on from where it was linearised: x_k + beta (v+ - v_k).

    Rotations are composed, exp(beta (omega+ - omega_k)) R_k, so the Jacobian at x_k is exact to first order however far
    a body turns in a step; where the two velocities agree, it is the same configuration as before.
    """
    from taut.integrators.motion_kernels import place

    place(
        bench.model.bodies.moves, bench.base_position, bench.base_orientation, guess, velocity,
        -weights.beta, weights.beta, bench.position, bench.orientation, bench.rotation,
    )  # fmt: skip


def linearised_solve(bench: Workbench, state: State, weights: Weights, start: Start) -> Outcome:
    """Linearise at the bench's configuration, reached with the guess; solve the MLCP; move on with the new velocity."""
    rows, response, settings, contacts = bench.rows, bench.response, bench.settings, bench.contacts
    guess = start.guess
    linearise_rows(bench, state, weights, start)
    bench.lap(1)
    response.prepare(state, weights, guess, bench.rotation, rows, bench.slim)
    problem = response.assemble(rows)
    bench.lap(2)
    solution = settings.solver.solve(problem, start.warm)
    solves, pivots, friction_residual = 1, solution.iterations, 0.0
    if contacts is not None and settings.solver.exact:
        problem, solution, friction_residual, passes = settle_friction(
            settings.friction, settings.solver, problem, contacts, solution,
            min(FRICTION_PASSES, bench.friction_passes),
        )  # fmt: skip
        bench.friction_passes -= passes
        # passes share the linearisation, so they are no solves: those would spend the budget that halving needs
        pivots += solution.iterations if passes else 0
    bench.lap(3)
    velocity = response.velocity(solution.lam)
    if settings.solver.exact:
        closed, velocity = refined(bench, problem, solution, velocity)
        solves, solution = solves + int(closed is not solution), closed
    touched = np.zeros(0, np.int64) if contacts is None else contacts.touched(solution.lam)
    floating = bench.floating.untouched(touched)
    move(bench, weights, guess, velocity)
    carry_twist(bench, velocity, touched)
    for _ in range(MOMENTUM_PASSES if floating.exist else 0):
        floating.conserve(
            bench.model, state, weights, response.wrench, response.inertia, bench.position, bench.rotation,
            bench.slim, velocity,
        )  # fmt: skip
        move(bench, weights, guess, velocity)
    outcome = judge(bench, state, weights, guess, velocity, problem, solution)
    if bench.judges_balance:
        outcome.imbalance = find_imbalance(bench, weights, guess, problem.blocks.jacobian, velocity, solution, touched)
    outcome.solves, outcome.pivots, outcome.friction_residual = solves, pivots, friction_residual
    bench.lap(4)
    return outcome


def linearise_rows(bench: Workbench, state: State, weights: Weights, start: Start) -> None:
    """Measures, Jacobians and laws of all rows at the bench's configuration."""
    rows, settings, contacts = bench.rows, bench.settings, bench.contacts
    own = bench.row_body.size
    rows.step = weights.h
    rows.beta[:own] = weights.beta[bench.row_body]
    rows.force[:] = start.force if settings.geometric_stiffness else 0.0
    rows.count_from(state.coordinate, weights.h * start.guess)
    bench.base_position[:], bench.base_orientation[:] = bench.position, bench.orientation
    rows.evaluate(bench.position, bench.rotation)
    rows.apply_laws(state.target, start.guess, 1.0 if settings.solver.exact else ITERATIVE_REPAIR)
    if contacts is not None and contacts.count:
        moving = np.where(bench.model.bodies.moves[contacts.contacts.body_b] > 0, contacts.contacts.body_b, 0)
        moving = np.where(moving > 0, moving, contacts.contacts.body_a)
        rows.beta[own:] = np.repeat(weights.beta[moving], contacts.width)
        contacts.evaluate(bench.position, bench.rotation, rows)
        contacts.apply_laws(start.guess, rows)


def judge(
    bench: Workbench, state: State, weights: Weights, guess: Array, velocity: Array, problem: KktProblem,
    solution: MlcpSolution,
) -> Outcome:  # fmt: skip
    """Errors and energy at the new, nonlinear configuration."""
    from taut.integrators.motion_kernels import measure_path, mechanical_state, spins
    from taut.rows.law_kernels import judge_rows

    rows, response, bodies, laws = bench.rows, bench.response, bench.model.bodies, bench.model.layout.laws
    h, own = weights.h, bench.row_body.size
    path = np.empty_like(velocity)
    work, arm = measure_path(
        state.displacement, velocity, weights.drift, weights.beta, state.applied, state.applied_point, path
    )
    if arm > 0.0:
        work = 0.0  # of what is applied away from centres of mass, all is counted as a load below
    if bench.has_drives:
        work += drive_work_of(bench, h, path, solution.lam)
    force = rows.sign * solution.lam / h
    loads = active_loads(bench.model, state, arm > 0.0)
    if loads:
        work += load_work(bench, state, loads, path)
    rows.count_from(state.coordinate, h * velocity)
    rows.force[:] = force if bench.settings.geometric_stiffness else 0.0
    rows.evaluate(bench.position, bench.rotation)
    spin, slim_spin, row_error = np.empty_like(state.spin), np.empty_like(state.slim_spin), np.empty(own)
    spins(bench.slim, bodies.inertia, bodies.slim_axis, response.inertia, bench.rotation, velocity, spin, slim_spin)
    shaken = shaken_bodies(bench, solution)
    weight = np.where(shaken[bench.row_body], 1.0 / TOUCHING_SLACK, 1.0) * (bench.counts > 0)
    judge_rows(
        laws.kind, state.target, laws.stiffness, laws.damping, laws.lower_limit, laws.upper_limit,
        laws.lower_force, laws.upper_force, weight, rows.sign, rows.beta, rows.compliance, problem.diagonal,
        rows.bias, rows.left, solution.lam, solution.w, solution.index_set, rows.value, row_error, bench.verdict,
    )  # fmt: skip
    mechanical_state(bodies.moves, bodies.mass, bench.model.gravity, bench.position, velocity, spin, bench.mechanical)
    violation, error, spring_energy, drift = bench.verdict.tolist()
    gap = judge_contact_rows(bench, solution)
    depth, contact_error, touching = bench.contact_verdict.tolist()
    kinetic, potential = bench.mechanical[:2].tolist()
    energy = kinetic + potential + spring_energy
    group, by_group, gain, rise, contact_rise = judge_energy(
        bench, state, velocity, spin, path, work, energy - state.energy - work, solution.lam, h, gap, arm > 0.0
    )
    error, contacts = (error if math.isfinite(energy) else math.inf), bench.contacts
    memory = ContactMemory.none() if state.contacts.contacts.count else state.contacts
    if contacts is not None and gap is not None:
        contacts.locate(bench.base_position)
        memory = contacts.remember(force, solution.index_set, gap, velocity)
    way = np.where(bench.jointed[:, None], np.abs(weights.beta[:, None] * (velocity - guess)), 0.0)
    away = way.max(axis=1)
    opened, misfit = opened_by(bench, state, weight)
    return Outcome(
        velocity, path, bench.position.copy(), bench.orientation.copy(), spin, slim_spin, force[:own],
        rows.coordinate.copy(), problem, solution, contacts, memory, violation, error,
        depth, contact_error, int(touching), contacts is not None and strayed(bench, weights.beta, guess, velocity),
        0.0, 1, solution.iterations, energy, group, by_group, gain, rise, contact_rise,
        bench.mechanical[2:].reshape(2, 3).copy(), rows.value[:own].copy(),
        row_error, drift, float((weight * np.abs(rows.left[:own])).max(initial=0.0)), opened, misfit, shaken, away,
        reach=float(away[~shaken].max(initial=0.0)), turned=float(way[:, 3:].max()),
    )  # fmt: skip


def shaken_bodies(bench: Workbench, solution: MlcpSolution) -> NDArray[np.bool_]:
    """Flags (bodies,) of bodies that joints connect to one that a contact acts on."""
    acts = np.zeros(bench.joined.size, bool)
    if bench.contacts is not None and bench.contacts.count:
        acts[bench.joined[bench.contacts.touched(solution.lam)]] = True
        acts[0] = False  # what is fixed connects nothing
    return np.asarray(acts[bench.joined])


def opened_by(bench: Workbench, state: State, weight: Array) -> tuple[float, float]:
    """By how much the worst redundant row opened on the way, by weight (rows,), and how far it is open, m or rad."""
    row = bench.response.redundant
    row = row[(bench.model.layout.laws.kind[row] == HOLD) & (weight[row] > 0.0)]
    if not row.size:
        return 0.0, 0.0
    now, before = np.abs(bench.rows.value[row] - state.target[row]), np.abs(state.measure[row] - state.reached[row])
    return float((weight[row] * (now - before)).max()), float(now.max())


def judge_contact_rows(bench: Workbench, solution: MlcpSolution) -> Array | None:
    """Gaps of contacts at the bench's configuration; what they achieved goes to the bench's verdict."""
    from taut.contact.rows_kernels import judge_contacts

    contacts, rows = bench.contacts, bench.rows
    bench.contact_verdict.fill(0.0)
    if contacts is None or contacts.count == 0:
        return None
    gap = contacts.gaps(bench.position, bench.rotation)
    judge_contacts(
        contacts.row, contacts.thickness, rows.beta, rows.compliance, rows.bias, contacts.rate, contacts.old_value,
        solution.lam, solution.w, gap, contacts.unforeseen, bench.contact_verdict,
    )  # fmt: skip
    return gap


def return_to(bench: Workbench, outcome: Outcome) -> None:
    """Put the bench and its rows back to where an earlier outcome led."""
    from taut.spatial_kernels import rotation_matrices

    bench.position[:], bench.orientation[:] = outcome.position, outcome.orientation
    rotation_matrices(bench.orientation, bench.rotation)
    bench.rows.count_from(outcome.coordinate, 0.0)
    bench.rows.evaluate(bench.position, bench.rotation)
