"""A step in mode "impulse": what acts on bodies changes their velocities once, and nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.results.report import StepReport
from taut.simulation.reporting import report_of_impulses

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def strike(simulation: Simulation) -> StepReport:
    """Apply what acts on bodies as impulses, and report on it."""
    from taut.stepping.impulse import apply_impulses

    before = simulation.state
    after, problem, solution = apply_impulses(simulation.stepper, before)
    lost, simulation.state = (None, after) if after.is_finite() else (after, before)
    simulation.refresh()
    simulation.report = report_of_impulses(simulation, problem.size, solution)
    if lost is not None:
        simulation.stay(lost)
    return simulation.report
