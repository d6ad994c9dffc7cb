"""A pendulum from rest at the horizontal against its closed form."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import point_pendulum, run

PERIOD = 2.367841947576237
AFTER_1 = (-0.9862917511, 0.0, -0.1650108531)
AFTER_5 = (0.9423054350, 0.0, -0.3347543384)


@pytest.mark.parametrize("step", [1e-3, pytest.param(1e-4, marks=pytest.mark.slow)])
def test_position_and_period(step):
    recording = run(point_pendulum("rod"), 5.0, step=step)
    position = recording.body("bob").position
    np.testing.assert_allclose(position[round(1.0 / step)], AFTER_1, atol=1e-3)
    np.testing.assert_allclose(position[round(5.0 / step)], AFTER_5, atol=1e-3)
    # the bob is back at the start, at rest, where its speed along z changes sign upwards to downwards
    speed = recording.body("bob").velocity[:, 2]
    tops = np.flatnonzero((speed[1:-1] > 0.0) & (speed[2:] <= 0.0)) + 1
    assert len(tops) == 4
    assert np.diff(recording.time[tops]) == pytest.approx(0.5 * PERIOD, abs=1e-3 + step)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("joint", ["hinge", "ball"])
def test_other_joints_agree_with_the_closed_form(joint, coordinates):
    recording = run(point_pendulum(joint), 1.0, step=1e-3, coordinates=coordinates)
    np.testing.assert_allclose(recording.body("bob").position[-1], AFTER_1, atol=1e-3)


def test_period_in_joint_coordinates():
    recording = run(point_pendulum("hinge"), 5.0, step=1e-3, coordinates="reduced")
    np.testing.assert_allclose(recording.body("bob").position[-1], AFTER_5, atol=1e-3)
    speed = recording.body("bob").velocity[:, 2]
    tops = np.flatnonzero((speed[1:-1] > 0.0) & (speed[2:] <= 0.0)) + 1
    assert np.diff(recording.time[tops]) == pytest.approx(0.5 * PERIOD, abs=2e-3)
    assert np.abs(np.linalg.norm(recording.body("bob").position, axis=1) - 1.0).max() <= 1e-13, "nothing drifts"


@pytest.mark.slow
def test_implicit_euler_comes_near_too():
    # a first-order scheme: implicit Euler on a rod is 1.63 mm off at h = 1e-4, whoever computes it, so half that step
    recording = run(point_pendulum("rod"), 1.0, step=5e-5, integrator="euler")
    np.testing.assert_allclose(recording.body("bob").position[-1], AFTER_1, atol=1e-3)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("joint", ["rod", "hinge", "ball"])
def test_real_time_step_loses_little_energy(joint, coordinates):
    recording = run(point_pendulum(joint), 5.0, step=1 / 60, coordinates=coordinates)
    lost = recording.energy[0] - recording.energy
    assert lost.max() <= 0.02 * 9.81
    assert lost.min() >= -1e-3 * 9.81
