"""Where its momentum leads a body by the formula of a scheme: what it finds fulfils the equations, written out."""

from __future__ import annotations

import numpy as np
import pytest

from taut.spatial import exponential, matrix, multiply
from taut.stepping.turning_kernels import turn_by_momentum

START, DRIFT, BETA = np.array([0.5, 0.5, -0.5, 0.5]), np.array([0.02, -0.1, 0.05]), 1 / 120
TURNED = matrix([0.8, 0.0, 0.6, 0.0])
AXIS = np.array([0.0, 0.0, 1.0])


def led(inertia: np.ndarray, axis: np.ndarray, goal: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rate found from a guess, and the rotation (3, 3) that it leads to by the formula."""
    rate, orientation = rate.copy(), np.zeros((1, 4))
    assert turn_by_momentum(inertia.ravel().copy(), axis, START, DRIFT, BETA, goal, rate, orientation) == 1
    formula = multiply(exponential(DRIFT + BETA * rate), START)
    assert abs(formula @ orientation[0]) == pytest.approx(1.0, abs=1e-14)
    return rate, matrix(formula)


@pytest.mark.parametrize("speed", [3.0, 30.0, 60.0])
def test_the_momentum_is_that_of_where_the_body_ends(speed: float) -> None:
    inertia = TURNED @ np.diag([1.0, 2.0, 2.7]) @ TURNED.T
    momentum = speed * np.array([1.0, -0.5, 1.5])
    rate, rotation = led(inertia, np.zeros(3), np.append(momentum, [0.0, 0.0]), np.linalg.solve(inertia, momentum))
    assert rotation @ inertia @ rotation.T @ rate == pytest.approx(momentum, rel=1e-9)


@pytest.mark.parametrize("speed", [3.0, 30.0, 60.0])
def test_along_its_axis_a_slim_body_has_what_was_balanced_there(speed: float) -> None:
    inertia, share = np.diag([1.0, 0.9, 0.02]), 0.008
    axis = matrix(START) @ AXIS
    across = np.cross(axis, [1.0, 0.0, 0.0]) * speed * 0.3
    along = 0.02 * speed
    momentum = across + 0.5 * axis  # what it has along the axis does not count
    goal = np.concatenate([momentum, [along, share]])
    rate, rotation = led(inertia, AXIS, goal, across + speed * axis)
    own, end = rotation @ inertia @ rotation.T @ rate, rotation @ AXIS
    assert end @ own == pytest.approx(along + share * end @ np.cross(own, rate), rel=1e-9)
    assert own - (end @ own) * end == pytest.approx(momentum - (end @ momentum) * end, abs=1e-9 * speed)


def test_what_would_turn_by_more_than_it_can_tell_is_not_led() -> None:
    orientation, momentum = np.zeros((1, 4)), np.array([0.0, 0.0, 1e4, 0.0, 0.0])
    assert turn_by_momentum(np.eye(3).ravel(), np.zeros(3), START, DRIFT, BETA, momentum, np.zeros(3), orientation) == 0
