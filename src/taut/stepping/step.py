"""The step on one screen: linearise, respond, solve, move, judge.

        (alpha M - h beta K~) v+ - J^T lam = p + h f - h beta K~ v_k
        J v+ + S lam + b = w,   lower <= lam <= upper complementary to w           linearised at x_k = x(v_k)

Before it, `attempt.py` predicts and collides; after it, `acceptance.py` says whether the outcome will do, and
`advance.py` settles it, has it linearised again, or divides the step. Where nothing is near and the first outcome
or the second will do, all of that is one call of compiled code: `frame_kernels.py` lists the same stages.
"""

from __future__ import annotations

import numpy as np

from taut.contact.friction import Solves, settle_friction
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet
from taut.contact.settings import FRICTION
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.responses.crossing import to_expect
from taut.stepping.history import next_levels
from taut.stepping.implicit import ImplicitSolver
from taut.stepping.outcome import Outcome
from taut.stepping.policy import project
from taut.stepping.reduced import ReducedSolver
from taut.stepping.refinement import refined
from taut.stepping.settings import CORRECTION
from taut.stepping.start import Start
from taut.stepping.stepper import RowMemory, Stepper
from taut.stepping.stopwatch import ACCEPT, ASSEMBLE, ROWS, SOLVE
from taut.stepping.tables import KINETIC, POTENTIAL, SPRINGS


def step(stepper: Stepper, state: State, start: Start) -> Outcome:
    """The stages from where bodies are, reached with the guess of the start, to what a step with it achieves."""
    from taut.stepping.judge_kernels import judge
    from taut.stepping.linearise_kernels import linearise, respond
    from taut.stepping.move_kernels import move, take_impulses
    from taut.stepping.tree_kernels import leave_changes

    m, s, w, watch, settings = stepper.m, stepper.s, stepper.w, stepper.watch, stepper.settings
    memory, contacts = stepper.rows_with(start.contacts), start.contacts.handle
    rows, kkt, answer = memory.handles
    memory.rows.force[:] = start.force
    stepper.scratch.candidate.guess[:] = start.guess
    linearise(m, s, w, rows, contacts)
    watch.lap(ROWS)
    respond(m, s, w, rows, kkt)
    projected = None if settings.policy.projections is None else project(stepper, memory, state.time)
    problem = KktProblem(memory.entries, memory.kkt, given_handle=kkt)
    implicit = ImplicitSolver(stepper, memory, start.contacts) if stepper.is_exact else None
    watch.lap(ASSEMBLE)
    smooth = None if start.contacts.count else stepper.smooth
    quick = None if smooth is None else smooth.solve(state, start.warm)
    solver: Solves = solver_of(stepper, memory, state)
    if implicit is not None:
        solver, problem = implicit, implicit.problem
    solution = quick or solver.solve(problem, start.warm)
    solves, pivots, friction_residual = 1, solution.iterations, 0.0
    ropes = stepper.rubbing_ropes(memory)
    if (start.contacts.count or ropes) and settings.policy.accepts:
        solution, problem, friction_residual, passes = settle_friction(
            settings.friction, solver, problem, start.contacts.table, solution,
            min(FRICTION.passes, stepper.friction_passes), ropes,
        )  # fmt: skip
        stepper.friction_passes -= passes
        if isinstance(solver, ReducedSolver):
            solver.recall(problem, solution)
        # passes share the linearisation, so they are no solves: those would spend the budget that halving needs
        pivots += solution.iterations if passes else 0
    if stepper.witness is not None:
        stepper.witness(problem, start.warm, solution)
    if solution is not quick:
        memory.take(solution)
    left_out = memory.reduced is None and stepper.has_trees
    left_out |= isinstance(solver, ReducedSolver) and solver.left_out and not quick
    trees_open_by = leave_changes(m, w, rows, kkt, answer) if left_out else 0.0
    open_by = take_impulses(m, w, rows, kkt, answer) if implicit is None else implicit.take_impulses(solution)
    open_by = max(trees_open_by, open_by)
    if settings.policy.accepts and solution.solved and open_by > CORRECTION.rounding * settings.tolerance:
        closed = implicit.refined(solution) if implicit else refined(stepper, memory, problem, solution)
        solves, solution = solves + int(closed is not solution), closed
    watch.lap(SOLVE)
    move(m, s, w, rows, contacts, answer)
    judge(m, s, w, rows, kkt, contacts, answer)
    clipped = 0 if implicit is None else implicit.judge_balance()
    outcome = outcome_of(stepper, state, memory, start.contacts, solution)
    outcome.friction_residual, outcome.solves, outcome.pivots = friction_residual, solves, pivots
    if projected is not None:
        outcome.note_projected(projected)
    outcome.clipped = clipped
    outcome.iterations = state.iterations if memory.springs is None else memory.springs.expected
    if not solution.solved:
        outcome.problem = problem.matrix().copy()
    watch.lap(ACCEPT)
    return outcome


def solver_of(stepper: Stepper, memory: RowMemory, state: State) -> Solves:
    """Who solves for these rows: the solver of the settings, where trees are eliminated on what they leave."""
    solver = stepper.settings.solver
    if memory.reduced is None:
        return solver
    return ReducedSolver(memory.reduced, memory.springs, solver, to_expect(state.iterations, state.steps))


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
        velocity=candidate.velocity.copy(), heading=candidate.velocity + candidate.shift, spin=candidate.spin.copy(),
        slim_spin=candidate.slim_spin.copy(),
        path=candidate.path.copy(), coordinate=scratch.there.coordinate.copy(), measure=scratch.there.value.copy(),
        force=force, solution=solution, problem=None, contacts=contacts, memory=left, group=verdict.group.copy(),
        table=verdict.table.copy(), away=candidate.away.copy(), shaken=candidate.shaken > 0,
        row_error=candidate.row_error.copy(), thrown=candidate.thrown.copy(), struck=np.flatnonzero(candidate.struck),
        energy=float(balance[KINETIC] + balance[POTENTIAL] + balance[SPRINGS]),
        momentum=balance[2:8].reshape(2, 3).copy(), energy_group=verdict.energy_group.copy(),
        kinetic=verdict.kinetic.copy(), gain=verdict.gain.copy(), friction_residual=0.0, solves=1,
        pivots=solution.iterations,
        lent=candidate.lent.copy(), taut=candidate.taut.copy(),
        history=next_levels(scratch.weights.level, stepper.mechanism.links.jointed > 0, stepper.settings.scheme.depth),
    )  # fmt: skip
