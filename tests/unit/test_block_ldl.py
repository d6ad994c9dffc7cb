"""The block-sparse LDL^T against dense NumPy: any block sizes, trees and loops, and what it says of singular blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.linalg.block_ldl import BlockLdl
from taut.structure.elimination import plan_elimination


def random_system(seed, bodies=8, loops=0, soft=False):
    """KKT matrix [[M, -J^T], [-J, -S]] of bodies of 1 to 6 dofs in a random graph, in blocks and dense."""
    rng = np.random.default_rng(seed)
    body_size = rng.integers(1, 7, bodies)
    pairs = [(body, int(rng.integers(0, body))) for body in range(1, bodies)]
    pairs += [tuple(int(each) for each in rng.choice(bodies, 2, replace=False)) for _ in range(loops)]
    # a joint has no more rows than the smaller body has dofs, and loops keep to one
    row_size = [int(rng.integers(1, min(body_size[a], body_size[b]) + 1)) if k < bodies - 1 else 1
                for k, (a, b) in enumerate(pairs)]  # fmt: skip
    sizes = [*body_size.tolist(), *row_size]
    edges = [(body, bodies + joint) for joint, pair in enumerate(pairs) for body in pair]
    plan = plan_elimination(sizes, [False] * bodies + [True] * len(pairs), edges)
    start = np.concatenate([[0], np.cumsum(sizes)])
    dense = np.zeros((start[-1], start[-1]))
    for body in range(bodies):
        block = rng.normal(size=(body_size[body], body_size[body]))
        here = slice(start[body], start[body + 1])
        dense[here, here] = block @ block.T + 0.1 * np.eye(body_size[body])
    for joint, pair in enumerate(pairs):
        rows = slice(start[bodies + joint], start[bodies + joint + 1])
        if soft:
            dense[rows, rows] = -np.diag(rng.uniform(0.0, 1.0, row_size[joint]))
        for body in pair:
            columns = slice(start[body], start[body + 1])
            dense[rows, columns] = rng.normal(size=(row_size[joint], body_size[body]))
            dense[columns, rows] = dense[rows, columns].T
    sign = np.empty(len(sizes))
    sign[plan.position] = [1.0] * bodies + [-1.0] * len(pairs)
    return sizes, edges, start, plan, sign, dense


def fill(sizes, edges, start, plan, sign, dense):
    factor = BlockLdl(plan, sign)
    factor.clear()
    for node, size in enumerate(sizes):
        here = slice(start[node], start[node + 1])
        factor.diagonal[plan.position[node], :size, :size] = dense[here, here]
    for a, b in edges:
        early, late = sorted((a, b), key=lambda node: plan.position[node])
        block = factor.block[plan.block(plan.position[late], plan.position[early])]
        block[: sizes[late], : sizes[early]] = dense[start[late] : start[late + 1], start[early] : start[early + 1]]
    return factor


def solve(factor, sizes, start, plan, rhs):
    x = np.zeros((plan.count, 6))
    for node, size in enumerate(sizes):
        x[plan.position[node], :size] = rhs[start[node] : start[node + 1]]
    factor.solve(x)
    return np.concatenate([x[plan.position[node], :size] for node, size in enumerate(sizes)])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(0, 2), st.booleans())
def test_solves_what_numpy_solves(seed, bodies, loops, soft):
    system = random_system(seed, bodies, loops if bodies > 4 else 0, soft)
    sizes, _, start, plan, _, dense = system
    if np.linalg.cond(dense) > 1e9:
        return
    factor = fill(*system)
    assert factor.factor() == -1
    rhs = np.random.default_rng(seed + 1).normal(size=start[-1])
    x = solve(factor, sizes, start, plan, rhs)
    scale = np.abs(dense) @ np.abs(x) + np.abs(rhs)
    assert np.abs(dense @ x - rhs).max() <= 1e-9 * scale.max()


def test_factor_is_that_of_the_dense_matrix():
    """D^-1 = s U U^T, L = X U^T-ish: multiplied out they give the matrix back."""
    system = random_system(3, bodies=7, loops=1, soft=True)
    sizes, _, start, plan, sign, dense = system
    factor = fill(*system)
    assert factor.factor() == -1
    offset = np.concatenate([[0], np.cumsum(plan.size)])
    lower, middle = np.eye(offset[-1]), np.zeros((offset[-1], offset[-1]))
    for node in range(plan.count):
        d, here = plan.size[node], slice(offset[node], offset[node + 1])
        root = factor.diagonal[node, :d, :d]
        middle[here, here] = sign[node] * np.linalg.inv(root @ root.T)
        for k in range(plan.below_start[node], plan.below_start[node + 1]):
            other = plan.below[k]
            there = slice(offset[other], offset[other + 1])
            lower[there, here] = factor.block[k, : plan.size[other], :d] @ root.T
    order = np.concatenate([np.arange(start[n], start[n + 1]) for n in np.argsort(plan.position)])
    np.testing.assert_allclose(lower @ middle @ lower.T, dense[np.ix_(order, order)], atol=1e-10)


def test_padding_stays_zero():
    """What lies beyond a block's size must never leak into its neighbours."""
    system = random_system(11, bodies=10, loops=1, soft=True)
    sizes, _, start, plan, _, _ = system
    factor = fill(*system)
    assert factor.factor() == -1
    for node in range(plan.count):
        d = plan.size[node]
        assert not factor.diagonal[node, d:].any() and not factor.diagonal[node, :, d:].any()
        for k in range(plan.below_start[node], plan.below_start[node + 1]):
            assert not factor.block[k, plan.size[plan.below[k]] :].any() and not factor.block[k, :, d:].any()


@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_a_heavy_end_costs_no_digits(ratio):
    """A chain of light bodies with a heavy one at its end: the residual stays at rounding."""
    bodies = 30
    sizes, edges = [6] * bodies + [3] * bodies, [(body, bodies + body) for body in range(bodies)]
    edges += [(body - 1, bodies + body) for body in range(1, bodies)]
    plan = plan_elimination(sizes, [False] * bodies + [True] * bodies, edges)
    start = np.concatenate([[0], np.cumsum(sizes)])
    dense = np.zeros((start[-1], start[-1]))
    rng = np.random.default_rng(0)
    for body in range(bodies):
        mass = ratio if body == bodies - 1 else 1.0
        here = start[body] + np.arange(6)
        dense[here, here] = mass * np.array([1, 1, 1, 1e-2, 1e-2, 1e-4])
    for body, joint in edges:
        rows, columns = slice(start[joint], start[joint + 1]), slice(start[body], start[body + 1])
        arm = rng.normal(size=3) * 0.1
        side = 1.0 if joint - bodies == body else -1.0
        cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        dense[rows, columns] = side * np.hstack([np.eye(3), -cross])
        dense[columns, rows] = dense[rows, columns].T
    sign = np.empty(plan.count)
    sign[plan.position] = [1.0] * bodies + [-1.0] * bodies
    factor = fill(sizes, edges, start, plan, sign, dense)
    assert factor.factor() == -1
    rhs = rng.normal(size=start[-1])
    x = solve(factor, sizes, start, plan, rhs)
    assert np.abs(dense @ x - rhs).max() <= 1e-11 * (np.abs(dense) @ np.abs(x)).max()


def test_says_which_block_is_not_definite():
    """Two rows that ask the same of one body: the second one's block is zero when its turn comes."""
    plan = plan_elimination([2, 2], [False, True], [(0, 1)])
    factor = BlockLdl(plan, np.array([1.0, -1.0]))
    factor.clear()
    factor.diagonal[0, :2, :2] = np.eye(2)
    factor.block[0, :2, :2] = [[1.0, 0.0], [1.0, 0.0]]
    assert factor.factor() == 1
    factor.diagonal[0] = np.nan
    assert factor.factor() == 0


def test_rows_given_as_roots_are_taken_as_they_are():
    """A body whose masses stand alone may bring their roots: the same factor, with less work."""
    plan = plan_elimination([6, 3], [False, True], [(0, 1)])
    block = np.random.default_rng(2).normal(size=(3, 6))
    inertia = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 0.5]])
    factors = []
    for given_rows in (0, 3):
        factor = BlockLdl(plan, np.array([1.0, -1.0]), np.array([given_rows, 0]))
        factor.clear()
        masses = 4.0 if given_rows == 0 else 0.5
        factor.diagonal[0, [0, 1, 2], [0, 1, 2]] = masses
        factor.diagonal[0, 3:, 3:] = inertia
        factor.block[0, :3] = block
        assert factor.factor() == -1
        factors.append(factor)
    np.testing.assert_allclose(factors[0].diagonal, factors[1].diagonal, atol=1e-14)
    np.testing.assert_allclose(factors[0].block, factors[1].block, atol=1e-14)
