"""A free body turning about its intermediate axis flips, and keeps energy and momentum."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from verification.mechanisms import run

import taut
from taut.results.record import Recording
from taut.spatial import matrix

FLIPS = (10.9169134942, 30.4697805929)
INERTIA = np.array([1.0, 2.0, 3.0])


@functools.cache
def flipping_body() -> Recording:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("body", mass=1.0, inertia=INERTIA, angular_velocity=(0.01, 1.0, 0.01), velocity=(1.0, 2.0, 3.0))
    return run(scene, 31.0, step=2e-3)


def test_flips_happen_when_they_should():
    recording = flipping_body()
    body = recording.body("body")
    middle = np.array([matrix(q)[:, 1] @ w for q, w in zip(body.orientation, body.angular_velocity, strict=True)])
    crossings = np.flatnonzero(np.diff(np.sign(middle)))
    assert recording.time[crossings] == pytest.approx(FLIPS, rel=0.01)


def test_energy_is_kept():
    energy = flipping_body().energy
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-6


@pytest.mark.parametrize("kind", ["linear", "angular"])
def test_momentum_is_kept(kind):
    momentum = flipping_body().momentum[:, ("linear", "angular").index(kind)]
    assert np.linalg.norm(momentum - momentum[0], axis=1).max() <= 1e-6 * np.linalg.norm(momentum[0])


def test_reported_angular_momentum_is_that_of_the_motion():
    recording = flipping_body()
    body = recording.body("body")
    rotation = matrix(body.orientation[-1])
    spin = rotation @ (INERTIA * (rotation.T @ body.angular_velocity[-1]))
    expected = spin + np.cross(body.position[-1], body.velocity[-1])
    np.testing.assert_allclose(recording.momentum[-1, 1], expected, rtol=1e-9, atol=1e-9)


def test_wobbling_plate_turns_twice_as_fast_as_it_wobbles():
    # a flat disc of moments (1, 1, 2) with a small tilt: the axis goes round L at L/I_1, twice the spin about its axis
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("disc", mass=1.0, inertia=(1.0, 1.0, 2.0), angular_velocity=(0.05, 0.0, 1.0))
    recording = run(scene, 20.0, step=1e-2)
    momentum = recording.momentum[0, 1]
    rate = np.linalg.norm(momentum)  # over I_1 = 1
    up = momentum / rate
    axes = np.array([matrix(q)[:, 2] for q in recording.body("disc").orientation])
    across = axes[0] - (axes[0] @ up) * up
    across /= np.linalg.norm(across)
    phase = np.unwrap(np.arctan2(axes @ np.cross(up, across), axes @ across))
    assert phase[-1] / recording.time[-1] == pytest.approx(rate, rel=1e-3)
