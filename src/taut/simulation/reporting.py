"""What a simulation reports of a frame: proof and cost of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taut.contact.memory import ContactMemory, changes
from taut.problem.dump import dump_problem
from taut.problem.solution import MlcpSolution
from taut.results.report import StepReport
from taut.simulation.start import deepest_overlap, start_contacts
from taut.stepping.energy import momentum_of
from taut.stepping.sleep import sleepers
from taut.stepping.tally import Tally

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def initial_report(simulation: Simulation) -> StepReport:
    """Report of the state before the first step."""
    state, stepper = simulation.state, simulation.stepper
    momentum = momentum_of(stepper.mechanism, state)
    simulation.read_joints()
    violation = float(simulation.meter.violation.max(initial=0.0))
    depth = deepest_overlap(start_contacts(stepper, state))
    name = simulation.settings.solver.name
    return StepReport.initial(state.energy, momentum, violation, name, state.time, depth)


def make_report(simulation: Simulation, tally: Tally, before: ContactMemory) -> StepReport:
    """What a frame cost and how good it is, `before` being the contacts it started with.

    Problems that were not solved are dumped.
    """
    state, stepper, settings = simulation.state, simulation.stepper, simulation.settings
    if simulation.dump is not None and tally.unsolved is not None:
        problem, solution = tally.unsolved
        name = f"{simulation.scene_name}-step{state.steps:06d}"
        dump_problem(replace(problem, name=name), solution, simulation.dump)
    if simulation.witness is not None:
        simulation.witness.hand_over(simulation.scene_name, state.steps)
    momentum = momentum_of(stepper.mechanism, state) if tally.momentum is None else tally.momentum
    _, flicker = changes(before, state.contacts, simulation.model.geoms.radius, state.velocity.shape[0])
    return StepReport(
        index=state.steps, time=state.time, residual=tally.residual, violation=tally.violation,
        status=tally.status, rows=tally.rows, tight=tally.tight, pivots=tally.pivots, solves=tally.solves,
        substeps=tally.substeps, coupling_iterations=tally.coupling, energy=state.energy, momentum=momentum,
        solver=settings.solver.name, stage_seconds=stepper.watch.end(),
        unconverged=tally.status != "solved", contacts=tally.touching, penetration=tally.depth,
        friction_residual=tally.friction_residual, flicker=flicker, clipped=tally.clipped,
        parts=tally.parts[0], interface_rows=tally.parts[1],
        sleeping=int(np.count_nonzero(sleepers(stepper, state))) if settings.sleeping else 0,
    )  # fmt: skip


def report_of_impulses(simulation: Simulation, rows: int, solution: MlcpSolution) -> StepReport:
    """What applying impulses cost and how good it is, with so many rows in its problem."""
    state, stepper, contacts = simulation.state, simulation.stepper, simulation.contacts
    simulation.read_joints()
    return StepReport(
        index=state.steps, time=state.time, residual=solution.residual,
        violation=float(simulation.meter.violation.max(initial=0.0)), status=str(solution.status), rows=rows,
        tight=solution.tight_count, pivots=solution.iterations, solves=1, substeps=1,
        coupling_iterations=solution.coupling_iterations, parts=solution.parts[0], interface_rows=solution.parts[1],
        energy=state.energy, momentum=momentum_of(stepper.mechanism, state),
        solver=simulation.settings.solver.name, stage_seconds=stepper.watch.end(), unconverged=not solution.solved,
        contacts=len(contacts), penetration=float(np.max(-contacts.gap, initial=0.0)),
    )  # fmt: skip
