"""Conjugate gradients over trees with springs, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor, dense_jacobian, dense_matrix
from taut.linalg.articulated_kernels import factor_tree
from taut.linalg.articulated_pcg import TOLERANCE, ConjugateGradients
from taut.linalg.articulated_pcg_kernels import pcg
from taut.tables import held

CASES = {
    "random": lambda rng: random_tree(rng, 25, springs=12),
    "many springs": lambda rng: random_tree(rng, 15, springs=60),
    "siblings": lambda rng: binary_tree(rng, 31, 1, springs=True, weight=100.0),
    "springs of one and three nodes": lambda rng: make_blocks(
        np.arange(8) - 1, [1, 2, 0, 3, 1, 1, 6, 1], masses(rng, 8), rng, [(3,), (1, 4, 7), (2, 5)]
    ),
    "no springs": lambda rng: random_tree(rng, 25),
}


@pytest.fixture(params=CASES, ids=str)
def blocks(request: pytest.FixtureRequest, rng: np.random.Generator) -> ArticulatedBlocks:
    return CASES[request.param](rng)


def loads(blocks: ArticulatedBlocks, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(blocks.nodes, 6)), rng.normal(size=blocks.dofs)


def iterate(
    blocks: ArticulatedBlocks, rhs: np.ndarray, reduced: np.ndarray, y: np.ndarray, most: int = 500,
    tolerance: float = TOLERANCE,
) -> int:  # fmt: skip
    factor, work = ArticulatedFactor.of(blocks.nodes, blocks.dofs), ConjugateGradients.of(blocks.nodes, blocks.dofs)
    for each in work:
        each.fill(np.nan)  # what was solved before must not matter
    factor_tree(held(blocks), held(factor))
    return pcg(held(blocks), held(factor), held(work), rhs, reduced, tolerance, most, y)


def expected(blocks: ArticulatedBlocks, rhs: np.ndarray, reduced: np.ndarray) -> np.ndarray:
    return np.linalg.solve(dense_matrix(blocks), dense_jacobian(blocks).T @ rhs.ravel() + reduced)


def test_solutions_are_those_of_the_dense_matrix(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    rhs, reduced = loads(blocks, rng)
    y = np.zeros(blocks.dofs)
    iterations = iterate(blocks, rhs, reduced, y)
    wanted = expected(blocks, rhs, reduced)
    assert 0 < iterations < 500
    assert y == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())
    assert iterations == 1 or blocks.cross_weight.size > 0


def test_a_good_guess_saves_iterations(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    rhs, reduced = loads(blocks, rng)
    y = np.zeros(blocks.dofs)
    cold = iterate(blocks, rhs, reduced, y)
    guess = (1.0 + 1e-9) * y
    warm = iterate(blocks, rhs, reduced, guess)
    assert 0 < warm < cold or cold == warm == 1
    assert guess == pytest.approx(y, abs=1e-9 * np.abs(y).max())


def test_the_solution_itself_takes_no_iteration(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    rhs, reduced = loads(blocks, rng)
    y = expected(blocks, rhs, reduced)
    assert iterate(blocks, rhs, reduced, y, tolerance=1e-9) == 0


@pytest.mark.parametrize("balanced", [1e3, 1e6, 1e9])
def test_loads_that_joints_balance_do_not_keep_iterations_going(rng: np.random.Generator, balanced: float) -> None:
    """Beside them what moves nodes is known to so many digits less, and no iteration will find more."""
    blocks = CASES["siblings"](rng)
    jacobian, (rhs, reduced) = dense_jacobian(blocks), loads(blocks, rng)
    alone = iterate(blocks, rhs, reduced, np.zeros(blocks.dofs))
    given = rng.normal(size=6 * blocks.nodes)
    given -= jacobian @ np.linalg.lstsq(jacobian, given, rcond=None)[0]
    rhs += balanced * given.reshape(-1, 6)
    y = np.zeros(blocks.dofs)
    assert 0 < iterate(blocks, rhs, reduced, y) <= alone + 10
    wanted = expected(blocks, rhs, reduced)
    assert y == pytest.approx(wanted, abs=max(1e-9, 1e-13 * balanced) * np.abs(wanted).max())


def test_nothing_moves_without_loads(blocks: ArticulatedBlocks) -> None:
    y = np.zeros(blocks.dofs)
    assert iterate(blocks, np.zeros((blocks.nodes, 6)), np.zeros(blocks.dofs), y) == 0
    assert (y == 0.0).all()


def test_iterations_that_were_too_few_are_said_to_be(rng: np.random.Generator) -> None:
    blocks = CASES["siblings"](rng)
    rhs, reduced = loads(blocks, rng)
    assert iterate(blocks, rhs, reduced, np.zeros(blocks.dofs), most=3) == -4


@pytest.mark.parametrize("weight", [-0.6, np.nan])
def test_matrices_that_are_not_definite_are_said_to_be(rng: np.random.Generator, weight: float) -> None:
    """Two bodies that slide, and what pushes them apart: either could take it alone, both together cannot."""
    blocks = make_blocks([-1, -1], [1, 1], np.tile(np.eye(6).ravel(), (2, 1)), rng, [(0, 1)])
    blocks.subspace[:] = np.eye(6)[:1]
    blocks.reduced[:] = 0.0
    blocks.cross_jacobian[:] = [[1.0, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0]]
    blocks.cross_weight[:] = weight
    assert iterate(blocks, np.eye(2, 6), np.zeros(2), np.zeros(2)) < 0
    factor = ArticulatedFactor.of(2, 2)
    assert factor_tree(held(blocks), held(factor)) == (0 if weight < 0.0 else 2)


def test_a_long_chain_with_a_spring_from_end_to_end(rng: np.random.Generator) -> None:
    links = chain(rng, 60, 3)
    blocks = links._replace(
        cross_start=np.array([0, 2]), cross_node=np.array([0, 59]), cross_jacobian=rng.normal(size=(2, 6)),
        cross_weight=np.array([10.0]),
    )  # fmt: skip
    rhs, reduced = loads(blocks, rng)
    y = np.zeros(blocks.dofs)
    # one spring is a change of rank two to what the tree is with its diagonal blocks
    assert 0 < iterate(blocks, rhs, reduced, y) <= 5
    wanted = expected(blocks, rhs, reduced)
    assert y == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())
