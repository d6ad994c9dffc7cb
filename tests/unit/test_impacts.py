"""Impacts with restitution against their closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.shapes import Capsule, Sphere


def collide(mass_a: float, mass_b: float, restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities along x of two balls before and after they hit head on, without gravity."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    scene.add_body("a", Sphere(0.1), mass=mass_a, position=(-0.5, 0, 0), velocity=(3.0, 0, 0), restitution=restitution)
    scene.add_body("b", Sphere(0.1), mass=mass_b, position=(0.2, 0, 0), velocity=(-1.0, 0, 0), restitution=restitution)
    simulation = taut.Simulation(scene)
    before = simulation.state.velocity[1:, 0].copy()
    for _ in range(30):
        simulation.step()
    return before, simulation.state.velocity[1:, 0]


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("mass", [1.0, 1000.0])
def test_two_balls(mass: float, restitution: float) -> None:
    before, after = collide(1.0, mass, restitution)
    assert after[1] - after[0] == pytest.approx(-restitution * (before[1] - before[0]), rel=1e-6)
    assert after @ [1.0, mass] == pytest.approx(before @ [1.0, mass], rel=1e-9)


def test_a_row_of_balls_hands_the_blow_on() -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for index in range(5):
        speed = 2.0 if index == 0 else 0.0
        place = (0.2 * index - (0.3 if index == 0 else 0.0), 0.0, 0.0)
        scene.add_body(f"ball-{index}", Sphere(0.1), mass=1.0, position=place, velocity=(speed, 0, 0), restitution=1.0)
    simulation = taut.Simulation(scene)
    for _ in range(20):
        simulation.step()
    assert simulation.state.velocity[1:, 0] == pytest.approx([0.0, 0.0, 0.0, 0.0, 2.0], abs=1e-6)


def test_without_restitution_nothing_leaves_the_ground() -> None:
    """Whatever the height and the first frames: the two-step formula must not throw a body back."""
    for height in (0.2, 0.31, 1.0):
        scene = taut.Scene()
        scene.add_plane()
        scene.add_body("ball", Sphere(0.01), mass=1.0, position=(0, 0, height), velocity=(0, 0, -10.0))
        simulation = taut.Simulation(scene)
        for _ in range(15):
            simulation.step()
            assert simulation.body("ball").velocity[2] < 1e-3


def test_a_spinning_rod_gains_no_energy() -> None:
    scene = taut.Scene(friction=0.8)
    scene.add_plane(restitution=0.5)
    scene.add_body(
        "rod", Capsule(0.05, 1.0), mass=5.0, position=(0, 0, 1.0), orientation=(0.9, 0.3, 0.2, 0.245),
        angular_velocity=(3.0, 5.0, 20.0),
    )  # fmt: skip
    simulation = taut.Simulation(scene)
    energy = simulation.state.energy
    for _ in range(120):
        simulation.step()
        assert simulation.state.energy <= energy * 1.01
        energy = max(simulation.state.energy, 1.0)
