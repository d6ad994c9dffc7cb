"""A mass on an implicit spring has the frequency and damping that were asked for, and is stable at any step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit
from verification.mechanisms import run

import taut
from taut.joints import Prismatic, Revolute
from taut.rows.softness import spring_constants

X = (1.0, 0.0, 0.0)
MASS, START = 3.0, 0.1


def oscillator(kind: str, frequency: float, ratio: float) -> taut.Scene:
    """3 kg (or 3 kg m^2) displaced by 0.1 m (rad) from where its spring is at rest; no gravity."""
    stiffness, damping = spring_constants(MASS, frequency, ratio)
    by_frequency = {"frequency": frequency, "damping_ratio": ratio}
    by_stiffness = {"stiffness": stiffness, "damping": damping}
    scene = taut.Scene(gravity=(0, 0, 0))
    mass = scene.add_body("mass", mass=MASS, inertia=(MASS, MASS, MASS), position=(START, 0, 0))
    if kind == "point spring":
        scene.add_spring("world", mass, rest_length=0.0, **by_frequency)
    elif kind == "long spring":
        scene.add_spring("world", mass, point_a=(-1, 0, 0), rest_length=1.0, **by_stiffness)
    elif kind == "slider":
        scene.connect("world", mass, Prismatic(axis=X, rest=-START, **by_frequency))
    elif kind == "slider, SI":
        scene.connect("world", mass, Prismatic(axis=X, rest=-START, **by_stiffness))
    else:
        scene.connect("world", mass, Revolute(axis=X, rest=-START, **by_frequency), name="hinge")
    return scene


def displacement(scene: taut.Scene, kind: str, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) over 2 s and displacement from rest (m or rad)."""
    recording = run(scene, 2.0, step)
    if kind == "hinge":
        return recording.time, recording.joint("hinge").position[:, 0] + START
    return recording.time, recording.body("mass").position[:, 0]


def decay(time, omega, ratio, amplitude, phase):
    return amplitude * np.exp(-ratio * omega * time) * np.cos(omega * np.sqrt(1.0 - ratio**2) * time + phase)


@pytest.mark.parametrize("kind", ["point spring", "long spring", "slider", "slider, SI", "hinge"])
@pytest.mark.parametrize(("frequency", "ratio"), [(1.0, 0.05), (2.0, 0.3)])
def test_frequency_and_damping_ratio_are_as_asked(kind, frequency, ratio):
    time, value = displacement(oscillator(kind, frequency, ratio), kind, step=1e-3)
    found, _ = curve_fit(decay, time, value, p0=(2 * np.pi * frequency, ratio, START, 0.0))
    assert found[0] == pytest.approx(2 * np.pi * frequency, rel=0.01)
    assert found[1] == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize("step", [1 / 1000, 1 / 240, 1 / 120, 1 / 60])
def test_slow_spring_keeps_its_meaning_when_the_step_changes(step):
    time, value = displacement(oscillator("slider", 1.0, 0.2), "slider", step)
    found, _ = curve_fit(decay, time, value, p0=(2 * np.pi, 0.2, START, 0.0))
    assert found[0] == pytest.approx(2 * np.pi, rel=0.02)
    assert found[1] == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("kind", ["point spring", "long spring", "slider", "hinge"])
@pytest.mark.parametrize("frequency", [1.0, 60.0, 1e4])
def test_never_unstable(kind, frequency, integrator):
    recording = run(oscillator(kind, frequency, 0.0), 2.0, step=1 / 60, integrator=integrator)
    assert recording.energy.max() <= recording.energy[0] * (1.0 + 1e-6)
    assert np.isfinite(recording.positions).all()
