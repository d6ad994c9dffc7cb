"""A step in mode "impulse": what acts on bodies changes their velocities once, and nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.results.report import StepReport
from taut.stepping.energy import momentum_of

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def strike(simulation: Simulation) -> StepReport:
    """Apply what acts on bodies as impulses, and report on it."""
    from taut.stepping.impulse import apply_impulses

    stepper, before = simulation.stepper, simulation.state
    after, problem, solution = apply_impulses(stepper, before)
    lost, simulation.state = (None, after) if after.is_finite() else (after, before)
    simulation.refresh()
    state, contacts = simulation.state, simulation.contacts
    simulation.report = StepReport(
        index=state.steps, time=simulation.time, residual=solution.residual,
        violation=float(simulation.meter.violation.max(initial=0.0)), status=str(solution.status), rows=problem.size,
        tight=solution.tight_count, pivots=solution.iterations, solves=1, substeps=1, coupling_iterations=0,
        energy=state.energy, momentum=momentum_of(stepper.mechanism, state),
        solver=simulation.settings.solver.name, stage_seconds=stepper.watch.end(), unconverged=not solution.solved,
        contacts=len(contacts), penetration=float(np.max(-contacts.gap, initial=0.0)),
    )  # fmt: skip
    if lost is not None:
        simulation.stay(lost)
    return simulation.report
