"""`machines/shaft.py`: a body on a bearing."""

from __future__ import annotations

import pytest
from dynos import run

import taut
from taut import machines


def test_its_inertia_is_that_of_a_cylinder_if_none_is_given() -> None:
    part = machines.Shaft(on="world", mass=30.0, radius=0.1)
    assert part.inertia == pytest.approx(0.15)
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add(part, name="it")
    simulation = taut.Simulation(scene, integrator="euler")
    simulation.body("it/rotor").apply(torque=(3.0, 0, 0))
    run(simulation, 1.0)
    assert simulation.part("it").speed == pytest.approx(20.0)


def test_its_speed_is_that_on_what_carries_it() -> None:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("hull", mass=100.0, inertia=(10.0,) * 3, velocity=(1, 0, 0), angular_velocity=(0.5, 0, 0))
    scene.add(machines.Shaft(on=("hull", (0, 2, 0)), axis=(1, 0, 0), mass=2.0), name="it")
    simulation = taut.Simulation(scene)
    assert simulation.part("it").speed == pytest.approx(0.0, abs=1e-12)
    assert simulation.state.velocity[2, :3] == pytest.approx([1.0, 0.0, 1.0])
    simulation.body("it/rotor").apply(torque=(1.0, 0, 0))
    run(simulation, 0.5)
    spin = simulation.state.velocity[:, 3]
    assert simulation.part("it").speed == pytest.approx(spin[2] - spin[1]) and spin[2] > 10.0
