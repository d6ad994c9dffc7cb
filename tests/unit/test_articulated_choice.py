"""Solves of trees with springs by the method that is predicted to be the cheaper one."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.errors import InputError
from taut.linalg.articulated import ArticulatedBlocks, dense_jacobian, dense_matrix
from taut.linalg.articulated_choice import METHODS, ArticulatedSolver


def loads(blocks: ArticulatedBlocks, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rng.normal(size=(blocks.nodes, 6)), rng.normal(size=blocks.dofs), np.zeros(blocks.dofs)


def expected(blocks: ArticulatedBlocks, rhs: np.ndarray, reduced: np.ndarray) -> np.ndarray:
    return np.linalg.solve(dense_matrix(blocks), dense_jacobian(blocks).T @ rhs.ravel() + reduced)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("springs", [0, 10])
def test_all_methods_agree(rng: np.random.Generator, method: str, springs: int) -> None:
    blocks = random_tree(rng, 25, springs)
    rhs, reduced, y = loads(blocks, rng)
    outcome = ArticulatedSolver(blocks).solve(rhs, reduced, y, method)
    wanted = expected(blocks, rhs, reduced)
    assert outcome.solved and outcome.lost == 0
    assert y == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())


def test_a_tree_without_springs_across_is_solved_at_once(rng: np.random.Generator) -> None:
    blocks = make_blocks(np.arange(5) - 1, [1] * 5, masses(rng, 5), rng, [(4,), (2,)])
    rhs, reduced, y = loads(blocks, rng)
    outcome = ArticulatedSolver(blocks).solve(rhs, reduced, y)
    assert (outcome.method, outcome.iterations, outcome.solved) == ("tree", 0, True)
    assert y == pytest.approx(expected(blocks, rhs, reduced), rel=1e-9)


def tied(rng: np.random.Generator, links: int) -> ArticulatedBlocks:
    """A chain with a spring from end to end: two iterations or so."""
    blocks = chain(rng, links, 1)
    return blocks._replace(
        cross_start=np.array([0, 2]), cross_node=np.array([0, links - 1]), cross_jacobian=rng.normal(size=(2, 6)),
        cross_weight=np.array([10.0]),
    )  # fmt: skip


def test_few_iterations_are_taken_and_remembered_by_the_caller(rng: np.random.Generator) -> None:
    blocks = tied(rng, 200)
    solver, (rhs, reduced, y) = ArticulatedSolver(blocks), loads(blocks, rng)
    first = solver.solve(rhs, reduced, y)
    assert first.method == "pcg" and first.expected_iterations == first.iterations < 8
    again = solver.solve(rhs, reduced, np.zeros_like(y), expected_iterations=first.expected_iterations)
    assert again == first


def test_iterations_end_where_a_factor_is_cheaper(rng: np.random.Generator) -> None:
    blocks = binary_tree(rng, 63, 1, springs=True, weight=1000.0)
    solver, (rhs, reduced, y) = ArticulatedSolver(blocks), loads(blocks, rng)
    first = solver.solve(rhs, reduced, y)
    worth = solver.costs.worth()
    assert (first.method, first.iterations, first.expected_iterations) == ("direct", worth, worth + 1)
    again = solver.solve(rhs, reduced, np.zeros_like(y), expected_iterations=first.expected_iterations)
    assert (again.method, again.iterations, again.expected_iterations) == ("direct", 0, worth + 1)
    wanted = expected(blocks, rhs, reduced)
    assert y == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())


def test_what_was_solved_before_does_not_matter(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 25, 10)
    rhs, reduced, y = loads(blocks, rng)
    fresh, used = y.copy(), y.copy()
    solver = ArticulatedSolver(blocks)
    outcomes = []
    for method in METHODS:
        ArticulatedSolver(blocks).solve(rhs, reduced, fresh, method, 7)
        for other in METHODS:
            solver.solve(10.0 * rhs, reduced + 1.0, np.ones_like(y), other)
        used.fill(0.0), fresh.fill(0.0)
        outcomes.append(ArticulatedSolver(blocks).solve(rhs, reduced, fresh, method, 7))
        assert solver.solve(rhs, reduced, used, method, 7) == outcomes[-1]
        assert (used == fresh).all()


def test_numbers_may_change_between_solves(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 20, 8)
    solver, (rhs, reduced, y) = ArticulatedSolver(blocks), loads(blocks, rng)
    solver.solve(rhs, reduced, y)
    blocks.block[:] *= 2.0
    blocks.cross_weight[:] *= 3.0
    for method in METHODS:
        solver.solve(rhs, reduced, y, method)
        wanted = expected(blocks, rhs, reduced)
        assert y == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("method", METHODS)
def test_matrices_that_are_not_definite_are_not_solved(rng: np.random.Generator, method: str) -> None:
    blocks = binary_tree(rng, 31, 1, springs=True)
    blocks.cross_weight[3] = -1e4
    rhs, reduced, y = loads(blocks, rng)
    outcome = ArticulatedSolver(blocks).solve(rhs, reduced, y, method)
    assert not outcome.solved
    assert outcome.method == ("pcg" if method == "pcg" else "direct")


def test_methods_that_are_not_known_are_refused(rng: np.random.Generator) -> None:
    blocks = chain(rng, 3, 1)
    with pytest.raises(InputError, match="'fast' is not known: it must be one of pcg, direct, auto"):
        ArticulatedSolver(blocks).solve(*loads(blocks, rng), method="fast")
