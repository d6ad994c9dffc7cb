"""A light taut cable rings and dies out as its equation says where a step resolves it; where none does it is calm."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.scenes import plucked_cable as cable

LINKS, LOAD = 12, 1000.0
PLUCK = 0.001
"""m: the load is too heavy to follow a wide swing, whose tension would not be constant."""


def ring(stiffness: str, step: float, ratio: float, duration: float) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Times, amplitudes over the pluck, decay and frequency of a cable with this damping ratio."""
    mass, share, spring = cable.mode_constants(LINKS, LOAD)
    drag = 2.0 * ratio * np.sqrt(spring * mass) / share
    scene = taut.Scene(collisions=False)
    cable.add_cable(scene, cable.half_sine(LINKS, PLUCK), LOAD, float(drag))
    recording = taut.Simulation(scene, step=step, geometric_stiffness=stiffness).run(duration)
    assert not recording.column("unconverged").any()
    omega = cable.slowest_frequency(LINKS, LOAD)
    return recording.time, cable.amplitude(recording) / PLUCK, ratio * omega, omega * np.sqrt(1.0 - ratio**2)


@pytest.mark.parametrize("stiffness", ["auto", "exact"])
def test_a_resolved_cable_rings_as_its_equation_says(stiffness: str) -> None:
    """Three periods at 0.02 rad a step, 5 % of critical damping: a cos and a sin under their envelope."""
    omega = cable.slowest_frequency(LINKS, LOAD)
    time, found, decay, swing = ring(stiffness, 0.02 / omega, 0.05, 3 * 2.0 * np.pi / omega)
    expected = np.exp(-decay * time) * (np.cos(swing * time) + decay / swing * np.sin(swing * time))
    assert found == pytest.approx(expected, abs=0.02)
    peak = int(round(2.0 * np.pi / swing / (0.02 / omega)))
    rate = -np.log(found[2 * peak] / found[peak]) / (time[2 * peak] - time[peak])
    assert rate == pytest.approx(decay, rel=0.03), "the envelope is that of the drag"


@pytest.mark.parametrize("stiffness", ["auto", "exact"])
def test_a_cable_that_is_not_resolved_is_calm(stiffness: str) -> None:
    """Frames of 1/60 s are six radians of the slowest mode: it dies out at once, and nothing grows."""
    _, found, _, _ = ring(stiffness, 1.0 / 60.0, 0.05, 0.5)
    assert np.abs(found).max() <= 1.0 + 1e-9 and np.abs(found[10:]).max() < 0.05
