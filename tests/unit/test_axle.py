"""The joint of a rigid axle: what is held, what is free, and springs on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Axle, Drive


def test_only_rise_and_roll_are_free() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=2.0, inertia=(0.3, 0.4, 0.5), velocity=(1, 2, 3), angular_velocity=(0.4, 0.5, 0.6))
    scene.connect("world", "b", Axle(), name="axle")
    sim = taut.Simulation(scene)
    for _ in range(60):
        assert sim.step().status == "solved"
    np.testing.assert_allclose(sim.joint("axle").position, (3.0 * sim.time, 0.4 * sim.time), rtol=1e-3)
    np.testing.assert_allclose(sim.state.velocity[1], (0, 0, 3, 0.4, 0, 0), atol=1e-3)


def test_springs_on_both_sides_hold_rise_and_roll() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=2.0, inertia=(0.3, 0.4, 0.5))
    side = Drive(stiffness=100.0, damping=20.0)
    scene.connect("world", "b", Axle(arm=0.5, left=side, right=side, roll=Drive(stiffness=30.0)), name="axle")
    scene.add_load("b", force=(0, 0, 4.0), torque=(1.0, 0, 0), name="push")
    sim = taut.Simulation(scene)
    sim.run(20.0)
    np.testing.assert_allclose(sim.joint("axle").position, (4.0 / 200.0, 1.0 / (2.0 * 100.0 * 0.25 + 30.0)), rtol=1e-6)


def test_axes_must_be_at_right_angles() -> None:
    with pytest.raises(InputError, match="Axle: axis is .* they must be at right angles"):
        Axle(axis=(1, 0, 1))
