"""The recursion of Algorithm 4 against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_spd
from redmax_examples import moving_tree

from taut.stepping.redmax_dense import dense_matrix, jacobians
from taut.stepping.redmax_forces import Pairs
from taut.stepping.redmax_solve_kernels import factor_recursively, solve_recursively

NO_PAIRS = Pairs(np.zeros((0, 2), np.int64), np.zeros((0, 2, 2, 6, 6)))


@pytest.mark.parametrize("floats", [False, True], ids=["held", "floating"])
def test_recursion_solves_as_a_dense_factor_does(rng: np.random.Generator, floats: bool) -> None:
    step = moving_tree(rng, count=14, floats=floats)
    nodes, dofs = step.own.body.size, step.motion.q.size
    blocks = np.zeros((nodes, 6, 6))
    for node in range(nodes):
        root = np.hstack([random_spd(rng), rng.normal(size=(3, 3))])
        blocks[node] = root.T @ root + np.eye(6)
    reduced = np.zeros((dofs, dofs))
    for node in range(nodes):
        own = slice(step.own.tree.dof_start[node], step.own.tree.dof_start[node + 1])
        count = own.stop - own.start
        root = rng.normal(size=(count, count))
        reduced[own, own] = root.T @ root
        step.factor.reduced[own, :count] = reduced[own, own]
    step.factor.block[:] = blocks.reshape(-1, 36)
    jacobian, _ = jacobians(step.own.tree, step.motion)
    square = dense_matrix(jacobian, blocks, NO_PAIRS, reduced)
    load, found = rng.normal(size=dofs), np.zeros(dofs)
    assert factor_recursively(*step.handles) == 0
    solve_recursively(*step.handles, load, found)
    assert found == pytest.approx(np.linalg.solve(square, load), rel=1e-9, abs=1e-11)


def test_what_is_not_definite_is_found(rng: np.random.Generator) -> None:
    step = moving_tree(rng)
    step.factor.block[:] = np.eye(6).ravel()
    assert factor_recursively(*step.handles) == 0
    step.factor.block[4] = -100.0 * np.eye(6).ravel()
    assert factor_recursively(*step.handles) == 1
