"""Direct factors of trees with springs against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor, dense_jacobian, dense_matrix
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct, solve_direct
from taut.linalg.articulated_plan import plan_direct
from taut.tables import held

CASES = {
    "random": lambda rng: random_tree(rng, 25, springs=12),
    "random again": lambda rng: random_tree(rng, 60, springs=20),
    "many springs": lambda rng: random_tree(rng, 15, springs=60),
    "siblings": lambda rng: binary_tree(rng, 63, 1, springs=True, weight=100.0),
    "siblings in ball joints": lambda rng: binary_tree(rng, 31, 3, springs=True, weight=100.0),
    "springs of one and three nodes": lambda rng: make_blocks(
        np.arange(8) - 1, [1, 2, 0, 3, 1, 1, 6, 1], masses(rng, 8), rng, [(3,), (1, 4, 7), (2, 5)]
    ),
    "springs to an ancestor": lambda rng: make_blocks(
        np.arange(12) - 1, [1] * 12, masses(rng, 12), rng, [(3, 9), (11, 0), (4, 8)]
    ),
    "springs between roots": lambda rng: make_blocks(
        [-1, -1, 0, 1, 2, 3, -1], [6, 6, 1, 2, 1, 2, 6], masses(rng, 7), rng, [(4, 5), (2, 5), (0, 6)]
    ),
    "a hub that cannot move": lambda rng: make_blocks(
        [-1, 0, 0, 0, 1, 2, 3], [0, 1, 1, 1, 2, 2, 2], masses(rng, 7), rng, [(4, 5), (5, 6), (6, 4)]
    ),
    "several springs at the same nodes": lambda rng: make_blocks(
        [-1, 0, 1, 0, 3], [1, 2, 3, 1, 2], masses(rng, 5), rng, [(2, 4)] * 5 + [(4, 2)] + [(1, 3)] * 2
    ),
    "springs at nodes that cannot move by themselves": lambda rng: make_blocks(
        [-1, 0, 1, 2, 0, 4, 5], [1, 2, 1, 0, 1, 1, 0], masses(rng, 7), rng, [(3, 6), (3, 5)]
    ),
    "no springs": lambda rng: random_tree(rng, 25),
    "a chain": lambda rng: chain(rng, 30, 2),
    "nothing moves": lambda rng: make_blocks([-1, 0], [0, 0], masses(rng, 2), rng, [(0, 1)]),
}


@pytest.fixture(params=CASES, ids=str)
def blocks(request: pytest.FixtureRequest, rng: np.random.Generator) -> ArticulatedBlocks:
    return CASES[request.param](rng)


def assembled(blocks: ArticulatedBlocks) -> DirectFactor:
    direct = DirectFactor.of(plan_direct(blocks), blocks.nodes)
    factor = ArticulatedFactor.of(blocks.nodes, blocks.dofs)
    for each in (
        direct.fronts.storage,
        direct.composite,
        direct.value,
        direct.axis,
        direct.load,
        direct.force,
        factor.pending,
    ):
        each.fill(np.nan)  # what was solved before must not matter
    assemble_direct(held(blocks), held(factor), held(direct))
    return direct


def entries(direct: DirectFactor) -> np.ndarray:
    """The matrix that was put together in the fronts."""
    tree, dofs = direct.plan.tree, direct.plan.column.size
    matrix = np.zeros((dofs, dofs))
    for k in range(tree.nodes):
        own = np.arange(tree.first[k], tree.first[k + 1])
        rows = tree.row[tree.row_start[k] : tree.row_start[k + 1]]
        wide, high = -(-own.size // 4) * 4, -(-rows.size // 4) * 4
        front = direct.fronts.storage[tree.offset[k] :][: wide * (wide + high)].reshape(wide, wide + high)
        matrix[np.ix_(own, own)] = front[: own.size, : own.size]
        matrix[np.ix_(own, rows)] = front[: own.size, wide : wide + rows.size]
    lower = np.triu(matrix)
    matrix = lower + np.triu(matrix, 1).T
    number = direct.plan.column
    return matrix[np.ix_(number, number)]


def test_the_matrix_is_the_dense_one(blocks: ArticulatedBlocks) -> None:
    expected = dense_matrix(blocks)
    assert entries(assembled(blocks)) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max(initial=1.0))


def test_solutions_are_those_of_the_dense_matrix(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    rhs, reduced = rng.normal(size=(blocks.nodes, 6)), rng.normal(size=blocks.dofs)
    expected = np.linalg.solve(dense_matrix(blocks), dense_jacobian(blocks).T @ rhs.ravel() + reduced)
    direct, y = assembled(blocks), np.full(blocks.dofs, np.nan)
    assert factor_direct(held(direct)) == 0
    for refinements in (0, 1):
        solve_direct(held(blocks), held(direct), rhs, reduced, refinements, y)
        assert y == pytest.approx(expected, abs=1e-9 * np.abs(expected).max(initial=1.0))


def test_matrices_that_are_not_definite_are_said_to_be(rng: np.random.Generator) -> None:
    blocks = binary_tree(rng, 31, 1, springs=True)
    blocks.cross_weight[3] = -1e4
    assert factor_direct(held(assembled(blocks))) == -1
