"""One linearised solve of a step, and what it achieved at the new configuration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.contact.friction import FRICTION_PASSES, settle_friction
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.spatial import Array
from taut.stepping.outcome import Outcome
from taut.stepping.refinement import ROUNDING, refined
from taut.stepping.stepper import RowMemory, Stepper
from taut.stepping.stopwatch import ACCEPT, ASSEMBLE, ROWS, SOLVE
from taut.stepping.tables import KINETIC, POTENTIAL, SPRINGS


@dataclass(eq=False)
class Start:
    """Where a linearisation is made and its solver starts: bodies are where the guess leads.

    Shapes: guess (n, 6); force (rows,) N or N m, for the geometric stiffness.
    """

    guess: Array
    force: Array
    warm: WarmStart | MlcpSolution
    contacts: ContactSet


def first_start(stepper: Stepper, state: State, h: float, contacts: ContactSet) -> Start:
    """Start from the state: forces and labels of the step before; bodies are where the prediction leads."""
    # a limit's impulse pushes whichever end it comes from
    lam = h * np.where(stepper.mechanism.laws.limits > 0, np.abs(state.force), state.force)
    guess = stepper.scratch.candidate.guess.copy()
    return with_contacts(guess, state.force, WarmStart(state.index_set, lam), contacts, h)


def with_contacts(guess: Array, force: Array, own: WarmStart, contacts: ContactSet, h: float) -> Start:
    """A start with these forces and multipliers of the model's own rows, and what contacts start with."""
    if not contacts.count:
        return Start(guess, force, own, contacts)
    force, index_set, lam = (
        np.concatenate([values, np.zeros(contacts.row_count, values.dtype)])
        for values in (force, own.index_set, own.lam)
    )
    contacts.scatter(contacts.table.force, force)
    contacts.scatter(contacts.table.label, index_set)
    contacts.scatter(h * contacts.table.force, lam)
    return Start(guess, force, WarmStart(index_set, lam), contacts)


def next_start(outcome: Outcome, contacts: ContactSet, own: int, h: float) -> Start:
    """Start from an outcome of the same step; contacts may have been looked for again since."""
    solution = outcome.solution
    if contacts is outcome.contacts:
        contacts.table.normal_impulse[:] = np.maximum(solution.lam[contacts.table.row], 0.0)
        return Start(outcome.velocity, outcome.force, solution, contacts)
    warm = WarmStart(solution.index_set[:own], solution.lam[:own])
    return with_contacts(outcome.velocity, outcome.force[:own], warm, contacts, h)


def leave_gaps(stepper: Stepper, state: State, h: float) -> None:
    """In a part of a frame, let rows leave that share of their gaps that is for the rest of a frame to close.

    A gap that is closed within a part as if it were a whole frame would be closed that much faster: halving would
    multiply speeds instead of calming them.
    """
    from taut.rows.law_kernels import gaps_to_leave

    share, laws, left = 1.0 - h / stepper.settings.step, stepper.mechanism.laws, stepper.scratch.left
    if share < 1e-9 or not stepper.settings.policy.accepts:
        left.fill(0.0)
        return
    gaps_to_leave(laws.kind, state.reached, laws.lower_limit, laws.upper_limit, share, state.measure, left)


def linearised_solve(stepper: Stepper, state: State, start: Start) -> Outcome:
    """Linearise where bodies are, reached with the guess; solve the KKT problem; move on with the new velocity."""
    from taut.stepping.judge_kernels import judge
    from taut.stepping.linearise_kernels import linearise, respond
    from taut.stepping.move_kernels import move, take_impulses

    m, s, w, watch, settings = stepper.m, stepper.s, stepper.w, stepper.watch, stepper.settings
    memory, contacts = stepper.rows_with(start.contacts), stepper.table_of(start.contacts)
    rows, kkt, answer = memory.handles
    memory.rows.force[:] = start.force
    stepper.scratch.candidate.guess[:] = start.guess
    linearise(m, s, w, rows, contacts)
    watch.lap(ROWS)
    respond(m, s, w, rows, kkt)
    problem = KktProblem(memory.entries, memory.kkt)
    watch.lap(ASSEMBLE)
    solution = settings.solver.solve(problem, start.warm)
    solves, pivots, friction_residual = 1, solution.iterations, 0.0
    if start.contacts.count and settings.policy.accepts:
        solution, friction_residual, passes = settle_friction(
            settings.friction, settings.solver, problem, start.contacts.table, solution,
            min(FRICTION_PASSES, stepper.friction_passes),
        )  # fmt: skip
        stepper.friction_passes -= passes
        # passes share the linearisation, so they are no solves: those would spend the budget that halving needs
        pivots += solution.iterations if passes else 0
    memory.take(solution)
    open_by = take_impulses(m, w, rows, kkt, answer)
    if settings.policy.accepts and solution.solved and open_by > ROUNDING * settings.tolerance:
        closed = refined(stepper, memory, problem, solution)
        solves, solution = solves + int(closed is not solution), closed
    watch.lap(SOLVE)
    move(m, s, w, rows, contacts, answer)
    judge(m, s, w, rows, kkt, contacts, answer)
    outcome = outcome_of(stepper, state, memory, start.contacts, solution)
    outcome.friction_residual, outcome.solves, outcome.pivots = friction_residual, solves, pivots
    if not solution.solved:
        outcome.problem = problem.matrix().copy()
    watch.lap(ACCEPT)
    return outcome


def outcome_of(
    stepper: Stepper, state: State, memory: RowMemory, contacts: ContactSet, solution: MlcpSolution
) -> Outcome:
    """What stages left in scratch, as a candidate of its own."""
    scratch, candidate, verdict = stepper.scratch, stepper.scratch.candidate, stepper.scratch.verdict
    force = memory.rows.sign * solution.lam / scratch.weights.h[0]
    left = ContactMemory.none() if state.contacts.contacts.count else state.contacts
    if stepper.collider is not None:
        left = contacts.remember(force, solution.index_set, candidate.velocity, scratch.base.position)
    balance = verdict.balance
    return Outcome(
        position=scratch.places.position.copy(), orientation=scratch.places.orientation.copy(),
        velocity=candidate.velocity.copy(), spin=candidate.spin.copy(), slim_spin=candidate.slim_spin.copy(),
        path=candidate.path.copy(), coordinate=scratch.there.coordinate.copy(), measure=scratch.there.value.copy(),
        force=force, solution=solution, problem=None, contacts=contacts, memory=left, group=verdict.group.copy(),
        table=verdict.table.copy(), away=candidate.away.copy(), shaken=candidate.shaken > 0,
        row_error=candidate.row_error.copy(),
        energy=float(balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS]),
        momentum=balance[2:8].reshape(2, 3).copy(), energy_group=verdict.energy_group.copy(),
        kinetic=verdict.kinetic.copy(), gain=verdict.gain.copy(), friction_residual=0.0, solves=1,
        pivots=solution.iterations,
    )  # fmt: skip


def move_places(stepper: Stepper, guess: Array, velocity: Array) -> None:
    """Put bodies where another velocity than the guess leads from where the linearisation was made."""
    from taut.integrators.motion_kernels import place

    scratch = stepper.scratch
    base, places, beta = scratch.base, scratch.places, scratch.weights.beta
    place(
        stepper.mechanism.bodies.moves, base.position, base.orientation, guess, velocity, -beta, beta,
        places.position, places.orientation, places.rotation,
    )  # fmt: skip
