"""Joint coordinates are read off bodies as they were written to them."""

from __future__ import annotations

import numpy as np
import pytest
from redmax_examples import random_tree, set_off, step_of


@pytest.mark.parametrize("floats", [False, True], ids=["held", "floating"])
@pytest.mark.parametrize("size", [0.0, 1e-7, 1.0, 1.7])
def test_what_was_written_is_read(rng: np.random.Generator, floats: bool, size: float) -> None:
    step, state = step_of(random_tree(rng, count=17, floats=floats))
    dofs = step.motion.q.size
    q, qdot = rng.uniform(-size, size, dofs), rng.normal(size=dofs)
    set_off(step, q, qdot)
    after = step.write(state, 1e-2, state.force)
    step.read(after)
    assert step.motion.q == pytest.approx(q, abs=1e-12)
    assert step.motion.qdot == pytest.approx(qdot, abs=1e-10)


def test_first_state_has_zero_coordinates(rng: np.random.Generator) -> None:
    step, state = step_of(random_tree(rng, count=17))
    step.read(state)
    assert step.motion.q == pytest.approx(np.zeros(step.motion.q.size), abs=1e-12)
    body = step.own.body
    assert step.motion.position == pytest.approx(state.position[body], abs=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_half_a_turn_of_a_ball_is_read(rng: np.random.Generator, axis: int) -> None:
    step, state = step_of(random_tree(rng, count=1, floats=True))
    q = np.zeros(6)
    q[3:] = 1e-7 * rng.normal(size=3)
    q[3 + axis] = np.pi - 1e-6
    set_off(step, q, np.zeros(6))
    step.read(step.write(state, 1e-2, state.force))
    assert step.motion.q == pytest.approx(q, abs=1e-9)
