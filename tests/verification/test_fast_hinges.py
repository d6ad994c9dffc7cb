"""Bodies that turn fast on a hinge keep its axis."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Revolute


@pytest.mark.parametrize("integrator", ["bdf2", "low-damping"])
@pytest.mark.parametrize("across", [0.28, 0.5, 0.58, 2.0])
@pytest.mark.parametrize("spin", [20.0, 40.0, 80.0, 150.0])
def test_a_rotor_on_a_hinge_does_not_wobble(integrator: str, across: float, spin: float) -> None:
    """Up to 2.5 rad a step. By its momentum a body was led off its hinge, each frame by up to three times as much."""
    scene = taut.Scene(collisions=False)
    turned = taut.spatial.from_two_vectors(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    inertia = (across, across, 0.5)
    scene.add_body("rotor", mass=25.0, inertia=inertia, orientation=turned, angular_velocity=(spin, 0, 0))
    scene.connect("world", "rotor", Revolute(axis=(1, 0, 0)))
    simulation = taut.Simulation(scene, integrator=integrator)
    for _ in range(300):
        assert simulation.step().status == "solved"
    np.testing.assert_allclose(simulation.state.velocity[1, 3:], [spin, 0, 0], atol=1e-9 * spin)
