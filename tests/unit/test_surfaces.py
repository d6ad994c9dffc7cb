"""Surfaces of bodies: soft ones sink in by load over stiffness, whatever they touch in however many points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Box, Cylinder, Shape, Sphere

WEIGHT = 100.0 * 9.81


def stand(shape: Shape, **options: Any) -> taut.Scene:
    """100 kg that just touch the ground."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("soft", shape, mass=100.0, position=(0, 0, 0.5), **({"contact_stiffness": 2e4} | options))
    return scene


@pytest.mark.parametrize("shape", [Box(1, 1, 1), Cylinder(0.5, 1.0), Sphere(0.5)])
def test_a_soft_body_sinks_by_its_load_over_its_stiffness(shape: Shape) -> None:
    sim = taut.Simulation(stand(shape, contact_damping=3000.0))
    for _ in range(240):
        assert sim.step().status == "solved"
    assert 0.5 - sim.body("soft").position[2] == pytest.approx(WEIGHT / 2e4, rel=1e-4)


def test_two_soft_bodies_are_springs_in_series() -> None:
    scene = stand(Box(1, 1, 1), contact_damping=3000.0)
    scene.bodies[1].fixed = True
    scene.add_body("upper", Box(1, 1, 1), mass=100.0, position=(0, 0, 1.5), contact_stiffness=5e4, contact_damping=6000)
    sim = taut.Simulation(scene)
    sim.run(4.0)
    assert 1.5 - sim.body("upper").position[2] == pytest.approx(WEIGHT / 2e4 + WEIGHT / 5e4, rel=1e-4)


def test_what_is_pressed_from_the_start_pushes_at_once() -> None:
    scene = stand(Sphere(0.5), contact_damping=100.0)
    scene.bodies[1].position = np.array([0, 0, 0.5 - WEIGHT / 2e4])
    sim = taut.Simulation(scene)
    for _ in range(30):
        sim.step()
        assert 0.5 - sim.body("soft").position[2] == pytest.approx(WEIGHT / 2e4, abs=2e-6)


def test_points_on_different_sides_do_not_share() -> None:
    scene = stand(Sphere(0.5), contact_damping=2000.0)
    scene.friction = 0.0
    scene.add_plane(normal=(1, 0, 0), offset=-0.5)
    scene.add_load("soft", force=(-500.0, 0, 0), name="push")
    sim = taut.Simulation(scene)
    sim.run(4.0)
    np.testing.assert_allclose(sim.body("soft").position, (-500.0 / 2e4, 0.0, 0.5 - WEIGHT / 2e4), atol=1e-5)


def test_damping_needs_stiffness() -> None:
    with pytest.raises(InputError, match="body 'b': contact_damping is 1 without contact_stiffness"):
        taut.Scene().add_body("b", Sphere(0.5), mass=1.0, contact_damping=1.0)
    with pytest.raises(InputError, match="contact_stiffness is -1"):
        taut.Scene().add_body("b", Sphere(0.5), mass=1.0, contact_stiffness=-1.0)
