"""Bodies that nothing holds turn as their angular momentum has it, however far they turn in a step."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.shapes import Box
from taut.stepping.flight_kernels import fly, turning_energy

INERTIA = np.array([2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 3.0])
SPIN = np.array([3.0, -1.0, 2.0])
START = np.array([0.5, 0.5, -0.5, 0.5])


def flown(time: float, start: np.ndarray = START) -> tuple[np.ndarray, np.ndarray]:
    """The orientation (4,) and rotation (3, 3) of a body after a time."""
    orientation, rotation = start[None].copy(), np.empty((1, 9))
    inverse = np.linalg.inv(INERTIA.reshape(3, 3)).reshape(1, 9)
    fly(inverse, SPIN[None].copy(), np.zeros((1, 3)), np.array([time]), orientation, rotation)
    return orientation[0], rotation.reshape(3, 3)


def energy_at(rotation: np.ndarray) -> float:
    """L I(R)^-1 L / 2, written out."""
    own = rotation.T @ SPIN
    return float(0.5 * own @ np.linalg.solve(INERTIA.reshape(3, 3), own))


def test_a_free_turn_keeps_energy_and_leads_back() -> None:
    end, rotation = flown(2.0)
    assert energy_at(rotation) == pytest.approx(energy_at(flown(0.0)[1]), rel=1e-6)
    assert abs(flown(-2.0, end)[0] @ START) == pytest.approx(1.0, abs=1e-9)
    assert abs(end @ START) < 0.9, "it must have turned"


def test_turning_energy_is_that_of_the_angular_momentum() -> None:
    end, rotation = flown(0.7)
    assert turning_energy(INERTIA, end, SPIN) == pytest.approx(energy_at(rotation), rel=1e-12)


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("speed", [20.0, 300.0])
def test_a_body_in_flight_keeps_its_energy_in_one_solve_a_frame(integrator: str, speed: float) -> None:
    """5 rad a frame: the formula of the scheme alone would be divided until the budget is spent."""
    scene = taut.Scene()
    turning = speed * np.array([0.3, 0.9, 0.2])
    scene.add_body("box", Box(0.3, 0.2, 0.1), mass=2.0, position=(0, 0, 9), angular_velocity=turning)
    simulation = taut.Simulation(scene, integrator=integrator)
    turns = [turning_of(simulation)]
    for frame in range(60):
        report = simulation.step()
        assert report.status == "solved" and (report.solves == 1 or frame == 0)
        turns.append(turning_of(simulation))
    assert np.ptp(turns) <= 1e-3 * turns[0]


def turning_of(simulation: taut.Simulation) -> float:
    """Energy of the rotation of all bodies, J."""
    return float(0.5 * (simulation.state.spin * simulation.state.velocity[:, 3:]).sum())


def test_a_body_that_was_struck_does_not_seem_to_gain_energy_in_flight() -> None:
    """A box that tumbles onto the ground and off it again: what contacts turned is judged where they did."""
    scene = taut.Scene(friction=0.6)
    scene.add_plane()
    scene.add_body(
        "box", Box(0.4, 0.25, 0.1), mass=1.0, position=(0, 0, 0.3), velocity=(0, 0, -3), angular_velocity=(30, 70, 20)
    )
    simulation = taut.Simulation(scene)
    assert {simulation.step().status for _ in range(150)} == {"solved"}
