"""Friction bounds and the three ways in which they follow the normal impulse."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.rows.friction import FRICTION_TOLERANCE, MODES
from taut.rows.friction_kernels import CONE, REFINED, bound_friction, follow_normals
from taut.shapes import Box

ROW, WIDTH = np.array([0, 3, 4]), np.array([3, 1, 6])
"""Three contacts: with friction, without, and with rolling and twisting friction."""


def test_bounds_follow_the_normal_impulse() -> None:
    lower, upper = np.zeros(10), np.zeros(10)
    bound_friction(
        ROW, WIDTH, np.array([0.5, 0.0, 0.4]), np.array([0.0, 0.0, 0.01]), np.array([0.0, 0.0, 0.02]),
        np.array([2.0, 3.0, 10.0]), np.ones((3, 2)), lower, upper,
    )  # fmt: skip
    assert upper.tolist() == pytest.approx([np.inf, 1.0, 1.0, np.inf, np.inf, 4.0, 4.0, 0.1, 0.1, 0.2])
    assert lower[[0, 3, 4]].tolist() == [0.0, 0.0, 0.0]
    assert lower[[1, 2, 5, 6, 7, 8, 9]] == pytest.approx(-upper[[1, 2, 5, 6, 7, 8, 9]])


def test_refined_residual_is_the_change_of_the_bounds() -> None:
    normal = np.array([1.0])
    residual = follow_normals(
        REFINED, ROW[:1], WIDTH[:1], np.array([0.5]), np.array([4.0, 0.0, 0.0]), np.zeros(3), np.ones(3), normal,
        np.ones((1, 2)),
    )  # fmt: skip
    assert residual == pytest.approx(0.5 * 3.0 / (0.5 * 4.0))
    assert normal.tolist() == [4.0]


def test_cone_residual_vanishes_on_the_cone_and_only_there() -> None:
    friction, share, normal = np.array([0.5]), np.ones((1, 2)), np.zeros(1)
    direction = np.array([0.6, 0.8])
    sliding = np.array([4.0, *(-2.0 * direction)])

    def residual(lam: np.ndarray, slip: np.ndarray) -> float:
        return float(
            follow_normals(
                CONE, ROW[:1], WIDTH[:1], friction, lam, np.array([0.0, *slip]), np.ones(3), normal, share
            )
        )

    assert residual(sliding, 3.0 * direction) == pytest.approx(0.0, abs=1e-15)
    assert share[0] == pytest.approx(direction), "the box through the sliding force"
    assert residual(np.array([4.0, 0.3, -0.2]), np.zeros(2)) == pytest.approx(0.0, abs=1e-15), "sticking, inside"
    assert residual(np.array([4.0, 2.0, 2.0]), np.zeros(2)) > 0.1, "the corner of the box is outside"
    assert residual(sliding, 3.0 * np.array([0.8, -0.6])) > 0.1, "friction across the slip"


def test_the_cone_holds_as_much_in_every_direction() -> None:
    """Pushed along the diagonal, a box holds up to sqrt(2) mu m g in the box law and mu m g in the cone."""
    mu, mass = 0.5, 10.0
    for share, mode, holds in ((1.2, "box", True), (1.2, "cone", False), (0.95, "cone", True)):
        scene = taut.Scene(friction=mu)
        scene.add_plane()
        scene.add_body("block", Box(1.0, 1.0, 0.2), mass=mass, position=(0.0, 0.0, 0.1))
        simulation = taut.Simulation(scene, friction=mode)
        for _ in range(5):
            simulation.step()
        push = share * mu * mass * 9.81 / np.sqrt(2.0)
        simulation.body("block").apply(force=(push, push, 0.0))
        for _ in range(20):
            simulation.step()
        speed = float(np.linalg.norm(simulation.body("block").velocity))
        assert (speed < 1e-6) == holds, f"{mode} at {share}: {speed} m/s"


@pytest.mark.parametrize("mode", MODES)
def test_reported_residual_is_within_its_tolerance(mode: str) -> None:
    scene = taut.Scene(friction=0.4)
    scene.add_plane()
    scene.add_body("block", Box(1.0, 1.0, 0.5), mass=3.0, position=(0.0, 0.0, 0.25), velocity=(1.0, 0.7, 0.0))
    simulation = taut.Simulation(scene, friction=mode)
    worst = max(simulation.step().friction_residual for _ in range(30))
    assert worst <= FRICTION_TOLERANCE
