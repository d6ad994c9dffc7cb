"""A step with the whole geometric stiffness, up to the solve, for tests of its response and its solver."""

from __future__ import annotations

import taut
from taut.stepping.attempt import predict_and_collide
from taut.stepping.implicit import ImplicitSolver
from taut.stepping.linearise_kernels import linearise, respond
from taut.stepping.start import first_start
from taut.stepping.tally import Tally


def linearised(scene: taut.Scene, frames: int = 3, force: float = 1.0) -> ImplicitSolver:
    """The exact response of a step that starts after some frames, forces of rows times a factor."""
    simulation = taut.Simulation(scene, geometric_stiffness="exact")
    for _ in range(frames):
        simulation.step()
    stepper, state, h = simulation.stepper, simulation.state, simulation.settings.step
    contacts = predict_and_collide(stepper, state, h, Tally.of(stepper.mechanism.count))
    start, memory = first_start(stepper, state, h, contacts), stepper.rows_with(contacts)
    memory.rows.force[:] = force * start.force
    linearise(stepper.m, stepper.s, stepper.w, memory.handles[0], contacts.handle)
    respond(stepper.m, stepper.s, stepper.w, *memory.handles[:2])
    return ImplicitSolver(stepper, memory, contacts)
