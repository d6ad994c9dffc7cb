"""The judge of stress cases sees what is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from stress.cases import leave_alone
from stress.free_chains import swing, velocity
from stress.judge import run

import taut
import taut.stepping.move_kernels
import taut.stepping.smooth


def test_chain_without_geometric_stiffness_is_found_out() -> None:
    case = velocity(np.random.default_rng(1), 1e4, 10)
    complaints = run(case, 1 / 60, geometric_stiffness="off").complaints(case.touching)
    assert any("frames" in text for text in complaints) and any("violation" in text for text in complaints)


def test_energy_and_twist_from_nowhere_are_found_out() -> None:
    """Velocities grow at once, and a link is given a twist: in all that a state knows of it, for that is what lasts."""

    def cheat(sim: taut.Simulation, frame: int) -> None:
        if frame == 20:
            sim.state.velocity *= 1.2
            sim.state.spin *= 1.2
            sim.state.slim_spin *= 1.2
            axis = taut.spatial.rotate(sim.state.orientation[3], (0.0, 0.0, 1.0))
            twist = 0.1 * sim.model.bodies.inertia[3, 8]
            sim.state.velocity[3, 3:] += 0.1 * axis
            sim.state.spin[3] += twist * axis
            sim.state.slim_spin[3] += twist * (sim.model.bodies.slim_axis[3] @ (0.0, 0.0, 1.0))
            sim.state.history[:] = 0

    case = replace(swing(np.random.default_rng(1), 1e2, 10), drive=cheat)
    verdict = run(case, 1 / 240, frames=25)
    assert verdict.gain > 1e-2 and verdict.twist > 1e-2
    complaints = verdict.complaints(case.touching)
    assert any("energy" in text for text in complaints) and any("twist" in text for text in complaints)
    honest = run(replace(case, drive=leave_alone), 1 / 240, frames=25)
    assert honest.complaints(case.touching) == []


def test_twist_that_is_not_carried_along_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links balanced about the axis that they had before they turned: every frame says that it is solved."""
    original = taut.stepping.move_kernels.move

    def move_without(m: Any, s: Any, w: Any, *others: Any) -> None:
        velocity = w.candidate.velocity.copy()
        original(m, s, w, *others)
        w.candidate.velocity[:] = velocity

    monkeypatch.setattr(taut.stepping.smooth, "can_be_smooth", lambda stepper: False)  # what is compiled stays as it is
    monkeypatch.setattr(taut.stepping.move_kernels, "move", move_without)
    case = swing(np.random.default_rng(1), 1e4, 10)
    assert any("twist" in text for text in run(case, 1 / 60, frames=25).complaints(case.touching))
