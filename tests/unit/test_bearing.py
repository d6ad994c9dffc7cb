"""`joints/bearing.py`: shafts that turn by radians a step."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Bearing, Revolute


@pytest.mark.parametrize("spin", [20.0, 80.0, 230.0, 1000.0])
def test_a_fast_shaft_does_not_wobble(spin: float) -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("rotor", mass=25.0, inertia=(0.5, 0.5, 0.5), angular_velocity=(spin, 0, 0))
    scene.connect("world", "rotor", Bearing(axis=(1, 0, 0)), name="bearing")
    simulation = taut.Simulation(scene)
    for _ in range(300):
        assert simulation.step().status == "solved"
    np.testing.assert_allclose(simulation.state.velocity[1], [0, 0, 0, spin, 0, 0], atol=1e-9 * spin)
    np.testing.assert_allclose(simulation.body("rotor").position, 0.0, atol=1e-12)


def test_what_carries_it_feels_the_gyroscope() -> None:
    """A table that turns at W about z with a rotor of spin w about x: the bearing turns it with I w W about y."""
    spin, turn, inertia = 100.0, 0.5, 0.2
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("table", mass=10.0, inertia=(5.0, 5.0, 5.0), angular_velocity=(0, 0, turn))
    scene.add_body("rotor", mass=5.0, inertia=(inertia,) * 3, angular_velocity=(spin, 0, turn))
    scene.connect("world", "table", Revolute(axis=(0, 0, 1)), name="hinge")
    scene.connect("table", "rotor", Bearing(axis=(1, 0, 0)), name="bearing")
    simulation = taut.Simulation(scene)
    for _ in range(120):
        assert simulation.step().status == "solved"
    velocity = simulation.state.velocity
    axis = taut.spatial.rotate(simulation.state.orientation[1], np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(velocity[2, 3:] - velocity[1, 3:], spin * axis, atol=2e-3 * spin)
    reaction = simulation.joint("bearing").reaction[3:]
    np.testing.assert_allclose(np.linalg.norm(reaction), inertia * spin * turn, rtol=5e-3)
