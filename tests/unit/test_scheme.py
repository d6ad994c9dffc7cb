"""Weights body by body: bodies with history follow the scheme, the others restart with Euler."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import Weights

from taut.integrators import BDF2, EULER

H = 0.02


def test_bodies_with_history_follow_the_scheme_and_the_others_euler() -> None:
    weights = Weights.of(BDF2, H, np.array([1, 0, 1], np.uint8))
    for body, scheme in enumerate((BDF2, EULER, BDF2)):
        assert weights.alpha[body] == scheme.alpha
        assert weights.beta[body] == pytest.approx(H * scheme.position)
        assert (weights.now[body], weights.before[body]) == scheme.momentum
        assert weights.drift[body] == scheme.drift
        assert (weights.guess_now[body], weights.guess_before[body]) == scheme.guess
    assert weights.h == H


def test_euler_needs_no_history() -> None:
    looking_back, restarted = (Weights.of(EULER, H, np.full(4, flag, np.uint8)) for flag in (1, 0))
    for name, values in vars(looking_back).items():
        assert np.array_equal(values, getattr(restarted, name)), name


@pytest.mark.parametrize("history", [0, 1])
def test_path_is_exact_for_uniform_motion(history: int, rng: np.random.Generator) -> None:
    """Whether a body looks back or not: x+ - x = h v if the step before went as far."""
    velocity = rng.normal(size=(3, 6))
    weights = Weights.of(BDF2, H, np.full(3, history, np.uint8))
    assert weights.path(H * velocity, velocity) == pytest.approx(H * velocity)
    assert weights.now + weights.before == pytest.approx(weights.alpha)


def test_path_of_a_restarted_body_forgets_the_step_before(rng: np.random.Generator) -> None:
    weights = Weights.of(BDF2, H, np.array([0, 1], np.uint8))
    velocity, displacement = rng.normal(size=(2, 6)), rng.normal(size=(2, 6))
    moved = weights.path(displacement, velocity)
    assert moved[0] == pytest.approx(H * velocity[0])
    assert moved[1] == pytest.approx(displacement[1] / 3 + 2 / 3 * H * velocity[1])
