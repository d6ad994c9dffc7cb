"""Chains and beams that have come to rest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from verification.mechanisms import Y, rods, run

import taut
from taut.joints import Link, Revolute, Spherical
from taut.spatial import rotate

SAG = {10: 0.3655450363, 20: 0.3634526161, 40: 0.3629487104}


def arc(count: int, length: float, span: float) -> np.ndarray:
    """Points (count + 1, 3) of equal chords on a circle below the x axis, `span` apart at the ends."""
    half = brentq(lambda a: np.sin(a) / (count * np.sin(a / count)) - span / length, 1e-3, 3.0)
    radius = 0.5 * span / np.sin(half)
    angle = np.linspace(-half, half, count + 1)
    x, z = 0.5 * span + radius * np.sin(angle), radius * (np.cos(half) - np.cos(angle))
    return np.stack([x, np.zeros_like(x), z], axis=1)


@pytest.mark.parametrize("count", SAG)
def test_hanging_chain_sags_like_a_polygon_of_rods(count):
    scene = taut.Scene()
    points = arc(count, 1.0, 0.6)
    mass = 1.0 / count
    names = rods(scene, points, mass, linear_damping=10.0 * mass)
    for name_a, name_b, point in zip(["world", *names], [*names, "world"], points, strict=True):
        scene.connect(name_a, name_b, Spherical(), at=point)
    recording = run(scene, 8.0, step=1 / 60)
    middle = recording.body(names[count // 2 - 1])
    lowest = middle.position[-1] + rotate(middle.orientation[-1], (0.0, 0.0, 0.5 / count))
    assert np.abs(recording.velocities[-1]).max() <= 1e-6
    assert lowest[0] == pytest.approx(0.3, abs=1e-4)
    assert -lowest[2] == pytest.approx(SAG[count], abs=1e-4)


@pytest.mark.parametrize("joint", ["hinge", "link"])
@pytest.mark.parametrize("count", [1, 4, 16])
def test_cantilever_of_rods_bends_like_a_beam(count, joint):
    length, stiffness, force = 1.0, 20.0, 0.06  # m, EI in N m^2, N: tip at L/1000
    scene = taut.Scene(gravity=(0, 0, 0))
    springs = (np.arange(count) + 0.5) * length / count
    points = np.zeros((count + 1, 3))
    points[:, 0] = [*springs, length]
    names = rods(scene, points, mass=1.0 / count, radius=0.02)
    bend = stiffness * count / length
    damping = 0.1 * bend
    kind = (
        Revolute(axis=Y, stiffness=bend, damping=damping)
        if joint == "hinge"
        else Link(bend=bend, twist=bend, bend_damping=damping, twist_damping=damping)
    )
    for name_a, name_b, point in zip(["world", *names[:-1]], names, points[:-1], strict=True):
        scene.connect(name_a, name_b, kind, at=point)
    last = 0.5 * (points[-1] - points[-2])[0]
    scene.add_load(names[-1], force=(0.0, 0.0, -force), point=(0.0, 0.0, last))
    recording = run(scene, 4.0, step=1 / 60)
    tip = recording.body(names[-1])
    place = tip.position[-1] + rotate(tip.orientation[-1], (0.0, 0.0, last))
    beam = force * length**3 / (3.0 * stiffness) * (1.0 - 1.0 / (4.0 * count**2))
    assert np.abs(recording.velocities[-1]).max() <= 1e-7
    assert -place[2] == pytest.approx(beam, rel=1e-4)


def test_reactions_carry_the_weight():
    scene = taut.Scene()
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -0.5], [0.0, 0.0, -1.0]])
    names = rods(scene, points, mass=2.0)
    scene.connect("world", names[0], Spherical(), at=points[0], name="top")
    scene.connect(names[0], names[1], Revolute(axis=Y), at=points[1], name="middle")
    simulation = taut.Simulation(scene)
    simulation.run(0.5)
    np.testing.assert_allclose(simulation.joint("top").reaction[:3], (0.0, 0.0, 4.0 * 9.81), atol=1e-6)
    np.testing.assert_allclose(simulation.joint("middle").reaction[:3], (0.0, 0.0, 2.0 * 9.81), atol=1e-6)
