"""Dense J and dJ/dt of Algorithm 1: against finite differences, and against the products of Algorithms 2 and 3."""

from __future__ import annotations

import numpy as np
import pytest
from redmax_examples import moving_tree, set_off

from taut.stepping.redmax import RedMax
from taut.stepping.redmax_dense import dense_matrix, jacobians
from taut.stepping.redmax_forces import Pairs
from taut.stepping.redmax_kernels import times_jacobian, times_transposed

FLOATS = pytest.mark.parametrize("floats", [False, True], ids=["held", "floating"])


def body_twists(step: RedMax, h: float, before: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Mean twists (n, 6) in body axes between two places h apart, to second order around their middle."""
    turn = step.motion.rotation.reshape(-1, 3, 3)
    middle = 0.5 * (before[1] + turn)
    spin = np.einsum("nij,nik->njk", middle, turn - before[1]) / h
    linear = np.einsum("nij,ni->nj", middle, step.motion.position - before[0]) / h
    return np.hstack([np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), linear])


@FLOATS
def test_jacobian_gives_the_twists_of_moving_bodies(rng: np.random.Generator, floats: bool) -> None:
    step, h = moving_tree(rng, floats=floats), 1e-5
    q, qdot = step.motion.q.copy(), step.motion.qdot.copy()
    jacobian, _ = jacobians(step.own.tree, step.motion)
    assert np.einsum("nip,p->ni", jacobian, qdot) == pytest.approx(step.motion.twist, abs=1e-12)
    set_off(step, q - 0.5 * h * qdot, qdot)
    before = step.motion.position.copy(), step.motion.rotation.reshape(-1, 3, 3).copy()
    set_off(step, q + 0.5 * h * qdot, qdot)
    assert body_twists(step, h, before) == pytest.approx(np.einsum("nip,p->ni", jacobian, qdot), abs=1e-8)


@FLOATS
def test_rate_of_the_jacobian_is_its_derivative(rng: np.random.Generator, floats: bool) -> None:
    step, h = moving_tree(rng, floats=floats), 1e-5
    q, qdot = step.motion.q.copy(), step.motion.qdot.copy()
    _, rate = jacobians(step.own.tree, step.motion)
    found = []
    for sign in (-1.0, 1.0):
        set_off(step, q + 0.5 * sign * h * qdot, qdot)
        found.append(jacobians(step.own.tree, step.motion)[0])
    assert (found[1] - found[0]) / h == pytest.approx(rate, abs=1e-7 * max(1.0, np.abs(rate).max()))


def test_rate_of_balls_that_turned_little_or_far(rng: np.random.Generator) -> None:
    step = moving_tree(rng, count=2, floats=True)
    assert step.own.tree.kind.size >= 6
    for size in (0.0, 1e-9, 1e-3, 0.49, 0.51, 3.0, 4.5):
        q, qdot, h = step.motion.q.copy(), rng.normal(size=step.motion.q.size), 1e-5
        direction = rng.normal(size=3)
        q[3:6] = size * direction / np.linalg.norm(direction)
        set_off(step, q, qdot)
        rate = step.motion.subspace_rate.copy()
        found = []
        for sign in (-1.0, 1.0):
            set_off(step, q + 0.5 * sign * h * qdot, qdot)
            found.append(step.motion.subspace.copy())
        assert (found[1] - found[0]) / h == pytest.approx(rate, abs=1e-6)


@FLOATS
def test_products_are_those_of_the_dense_matrices(rng: np.random.Generator, floats: bool) -> None:
    step = moving_tree(rng, floats=floats)
    jacobian, rate = jacobians(step.own.tree, step.motion)
    nodes, dofs = step.own.body.size, step.motion.q.size
    x, y = rng.normal(size=dofs), rng.normal(size=(nodes, 6))
    forward, forward_rate, back = np.zeros((nodes, 6)), np.zeros((nodes, 6)), np.zeros(dofs)
    times_jacobian(*step.handles[:2], x, forward, forward_rate)
    times_transposed(*step.handles[:2], y, back)
    assert forward == pytest.approx(jacobian @ x, abs=1e-12)
    assert forward_rate == pytest.approx(rate @ x, abs=1e-11)
    assert back == pytest.approx(np.einsum("nip,ni->p", jacobian, y), abs=1e-12)


def test_dense_matrix_has_what_crosses_the_tree(rng: np.random.Generator) -> None:
    step = moving_tree(rng)
    jacobian, _ = jacobians(step.own.tree, step.motion)
    nodes, dofs = step.own.body.size, step.motion.q.size
    blocks, pair = rng.normal(size=(nodes, 6, 6)), rng.normal(size=(2, 2, 2, 6, 6))
    reduced = rng.normal(size=(dofs, dofs))
    whole = np.zeros((6 * nodes, 6 * nodes))
    for node in range(nodes):
        whole[6 * node : 6 * node + 6, 6 * node : 6 * node + 6] = blocks[node]
    whole[0:6, 18:24], whole[18:24, 0:6] = pair[0, 0, 1], pair[0, 1, 0]  # the second has one end fixed
    flat = jacobian.reshape(-1, dofs)
    found = dense_matrix(jacobian, blocks, Pairs(np.array([[0, 3], [-1, 2]]), pair), reduced)
    assert found == pytest.approx(flat.T @ whole @ flat + reduced, abs=1e-10)
