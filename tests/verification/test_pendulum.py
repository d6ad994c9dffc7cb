"""A pendulum from rest at the horizontal against its closed form."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import point_pendulum, run

PERIOD = 2.367841947576237
AFTER_1 = (-0.9862917511, 0.0, -0.1650108531)
AFTER_5 = (0.9423054350, 0.0, -0.3347543384)


def test_position_and_period_at_small_step():
    recording = run(point_pendulum("rod"), 5.0, step=1e-4)
    position = recording.body("bob").position
    np.testing.assert_allclose(position[10_000], AFTER_1, atol=1e-3)
    np.testing.assert_allclose(position[50_000], AFTER_5, atol=1e-3)
    # the bob is back at the start, at rest, where its speed along z changes sign upwards to downwards
    speed = recording.body("bob").velocity[:, 2]
    tops = np.flatnonzero((speed[1:-1] > 0.0) & (speed[2:] <= 0.0)) + 1
    assert np.diff(recording.time[tops]) == pytest.approx(0.5 * PERIOD, abs=1e-3)


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("joint", ["rod", "hinge", "ball"])
def test_all_joints_agree_with_the_closed_form(joint, integrator):
    recording = run(point_pendulum(joint), 1.0, step=1e-4, integrator=integrator)
    np.testing.assert_allclose(recording.body("bob").position[-1], AFTER_1, atol=1e-3)


def test_real_time_step_loses_little_energy():
    recording = run(point_pendulum("hinge"), 5.0, step=1 / 60)
    assert np.abs(recording.energy - recording.energy[0]).max() <= 0.01 * 9.81
