"""Cables against closed forms: catenary, stretch, beam, shaft, string, and light cables under heavy loads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import taut
from taut.machines import Cable


def solved(simulation: taut.Simulation, duration: float) -> list[taut.StepReport]:
    """Reports of a run in which every step is solved."""
    reports = [simulation.step() for _ in range(round(duration / simulation.settings.step))]
    assert {report.status for report in reports} == {"solved"}
    return reports


@pytest.mark.parametrize("stiffness", [math.inf, 1e7])
def test_a_cable_that_hangs_is_a_catenary_and_stays_one(stiffness: float) -> None:
    span, length, weight = 8.0, 10.0, 2.0
    scene = taut.Scene()
    scene.add(
        Cable(from_=("world", (0, 0, 5)), to=("world", (span, 0, 5)), length=length, segments=60,
              mass_per_length=weight, axial_stiffness=stiffness),
        name="line",
    )  # fmt: skip
    simulation = taut.Simulation(scene)
    solved(simulation, 2.0)
    view = simulation.part("line")
    a = brentq(lambda a: 2.0 * a * math.sinh(span / (2.0 * a)) - length, 1.0, 100.0)
    assert view.sag == pytest.approx(a * (math.cosh(span / (2.0 * a)) - 1.0), rel=2e-3)
    assert view.tensions.min() == pytest.approx(9.81 * weight * a, rel=2e-3)
    assert view.end_tensions == pytest.approx(9.81 * weight * a * math.cosh(span / (2.0 * a)), rel=1e-2)
    assert np.abs(simulation.state.velocity).max() < 1e-6


@pytest.mark.parametrize("segments", [1, 5, 40])
def test_a_load_stretches_a_cable_by_its_length_over_ea(segments: int) -> None:
    load, length, stiffness, weight = 1000.0, 10.0, 5e6, 1.5
    pull = 9.81 * (load + 0.5 * weight * length)
    scene = taut.Scene()
    place = -length * (1.0 + pull / stiffness)
    scene.add_body("load", taut.shapes.Box(0.5, 0.5, 0.5), mass=load, position=(0, 0, place - 0.25), linear_damping=2e4)
    cable = Cable(
        from_="world", to=("load", (0, 0, 0.25)), length=length, segments=segments, mass_per_length=weight,
        axial_stiffness=stiffness,
    )  # fmt: skip
    scene.add(cable, name="line")
    simulation = taut.Simulation(scene)
    solved(simulation, 3.0)
    view = simulation.part("line")
    assert view.stretched_length - length == pytest.approx(pull * length / stiffness, rel=1e-3)
    assert view.energy == pytest.approx(0.5 * pull**2 * length / stiffness, rel=1e-2)


@pytest.mark.parametrize("segments", [4, 16])
def test_a_cantilever_bends_by_ei(segments: int) -> None:
    length, stiffness, force = 1.0, 20.0, 0.06
    scene = taut.Scene(gravity=(0, 0, 0))
    cable = Cable(
        from_="world", end=(length, 0, 0), segments=segments, mass_per_length=1.0, bending_stiffness=stiffness,
        torsional_stiffness=stiffness, damping_ratio=0.5 * segments**2, clamped=(True, False),
    )  # fmt: skip
    scene.add(cable, name="beam")
    scene.add_load(f"beam/{segments}", force=(0, 0, -force), point=(0, 0, 0.5 * length / segments))
    simulation = taut.Simulation(scene)
    solved(simulation, 6.0)
    view = simulation.part("beam")
    beam = force * length**3 / (3.0 * stiffness)
    # springs at the ends of segments: the trapezoidal rule for the integral of the bending moment
    assert -view.ends()[1][-1, 2] == pytest.approx(beam * (1.0 + 0.5 / segments**2), rel=1e-4)
    moment = force * (length - np.arange(1, segments) * length / segments)
    np.testing.assert_allclose(view.curvature, moment / stiffness, rtol=1e-3)
    assert view.energy == pytest.approx(0.5 * force * beam, rel=1.0 / segments**2)


def test_a_cable_twists_by_gj() -> None:
    length, stiffness, torque, segments = 1.0, 5.0, 0.1, 8
    scene = taut.Scene(gravity=(0, 0, 0))
    cable = Cable(
        from_="world", end=(length, 0, 0), segments=segments, bending_stiffness=20.0, torsional_stiffness=stiffness,
        damping_ratio=5.0, clamped=(True, False),
    )  # fmt: skip
    scene.add(cable, name="shaft")
    scene.add_load(f"shaft/{segments}", torque=(torque, 0, 0))
    simulation = taut.Simulation(scene)
    first = simulation.body(f"shaft/{segments}").orientation
    solved(simulation, 4.0)
    now = simulation.body(f"shaft/{segments}").orientation
    turn = taut.spatial.logarithm(taut.spatial.multiply(now, taut.spatial.conjugate(first)))
    assert turn == pytest.approx([torque * length * (1.0 - 0.5 / segments) / stiffness, 0.0, 0.0], rel=1e-3, abs=1e-9)


def test_a_taut_string_has_its_frequency() -> None:
    length, tension, weight, stiffness = 10.0, 1000.0, 0.1, 1e6
    rest = length / (1.0 + tension / stiffness)
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    cable = Cable(
        from_="world", to=("world", (length, 0, 0)), length=rest, segments=20, diameter=0.01,
        mass_per_length=weight * length / rest, axial_stiffness=stiffness,
    )  # fmt: skip
    scene.add(cable, name="string")
    for body in scene.bodies[1:]:
        body.velocity[2] = 1e-2 * math.sin(math.pi * body.position[0] / length)
    simulation = taut.Simulation(scene, step=1 / 1000)
    heights = []
    for _ in range(1000):
        simulation.step()
        heights.append(simulation.body("string/10").position[2])
    z, t = np.array(heights), np.arange(1, 1001) / 1000
    cross = np.flatnonzero(z[:-1] * z[1:] < 0)
    zero = t[cross] - z[cross] / (z[cross + 1] - z[cross]) / 1000
    assert 0.5 / np.diff(zero).mean() == pytest.approx(math.sqrt(tension / weight) / (2.0 * length), rel=2e-3)
    assert np.abs(z[-250:]).max() == pytest.approx(np.abs(z[:250]).max(), rel=0.02), "it hardly decays"
    assert simulation.part("string").tensions == pytest.approx(tension, rel=1e-5)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("material", [{}, {"axial_stiffness": 5e6}, {"axial_stiffness": 5e6, "bending_stiffness": 5.0}])
def test_a_light_cable_swings_a_load_of_100000_segments(material: dict[str, float], coordinates: str) -> None:
    mass, length = 1e5 * 0.125, 5.0
    scene = taut.Scene(collisions=False)
    scene.add_body("load", taut.shapes.Box(0.5, 0.5, 0.5), mass=mass, position=(3.2, 0.0, -3.8))
    scene.add(Cable(from_="world", to="load", segments=20, mass_per_length=0.5, **material), name="line")
    simulation = taut.Simulation(scene, coordinates=coordinates)
    energy = simulation.state.energy
    reports = solved(simulation, 5.0)
    assert np.mean([report.solves for report in reports]) < 1.2
    assert abs(simulation.state.energy - energy) < 2e-3 * 9.81 * mass * length
    assert (simulation.part("line").tensions > 0.0).all()
