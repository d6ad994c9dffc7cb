"""The judge of stress cases sees what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from stress.free_chains import swing, velocity
from stress.judge import run

import taut


def test_chain_without_geometric_stiffness_is_found_out() -> None:
    case = velocity(np.random.default_rng(1), 1e4, 10)
    complaints = run(case, 1 / 60, geometric_stiffness="off").complaints(case.touching)
    assert any("frames" in text for text in complaints) and any("violation" in text for text in complaints)


def test_energy_and_twist_from_nowhere_are_found_out() -> None:
    def cheat(sim: taut.Simulation, frame: int) -> None:
        if frame == 20:
            axis = taut.spatial.rotate(sim.state.orientation[3], (0.0, 0.0, 1.0))
            sim.state.velocity *= 1.2
            sim.state.spin *= 1.2
            sim.state.velocity[3, 3:] += 0.1 * axis
            sim.state.history[:] = 0

    case = replace(swing(np.random.default_rng(1), 1e2, 10), drive=cheat)
    verdict = run(case, 1 / 240, frames=25)
    assert verdict.gain > 1e-2 and verdict.twist > 1e-2
