"""Responses of rows on trees with springs against dense matrices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from articulated_examples import binary_tree, random_tree

from taut.linalg.articulated import ArticulatedBlocks
from taut.linalg.articulated_choice import METHODS, ArticulatedSolver
from taut.linalg.articulated_response import respond_linear
from taut.linalg.articulated_rows import ArticulatedRows, dense_response


def some_rows(blocks: ArticulatedBlocks, count: int, rng: np.random.Generator) -> ArticulatedRows:
    nodes = np.concatenate([rng.choice(blocks.nodes, 2, replace=False) for _ in range(count)])
    return ArticulatedRows.of(blocks.parent, 2 * np.arange(count + 1), nodes, rng.normal(size=(2 * count, 6)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("springs", [0, 10])
def test_responses_are_those_of_the_dense_matrix(rng: np.random.Generator, method: str, springs: int) -> None:
    blocks = random_tree(rng, 25, springs)
    rows = some_rows(blocks, 9, rng)
    response, outcome = respond_linear(ArticulatedSolver(blocks), rows, method)
    expected = np.triu(dense_response(blocks, rows))
    assert outcome.solved
    assert response == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS)
def test_bits_are_the_same_for_any_number_of_threads(rng: np.random.Generator, method: str) -> None:
    blocks = random_tree(rng, 40, 10)
    rows, solver = some_rows(blocks, 17, rng), ArticulatedSolver(blocks)
    alone, outcome = respond_linear(solver, rows, method)
    with ThreadPoolExecutor(3) as executor:
        for parts in (2, 3, 20):
            again, other = respond_linear(solver, rows, method, executor=executor, parts=parts)
            assert (again == alone).all() and other == outcome


def test_many_rows_are_worth_a_factor(rng: np.random.Generator) -> None:
    blocks = binary_tree(rng, 63, springs=True, weight=1000.0)
    rows, solver = some_rows(blocks, 30, rng), ArticulatedSolver(blocks)
    _, first = respond_linear(solver, rows)
    assert first.method == "direct" and first.solved
    _, again = respond_linear(solver, rows, expected_iterations=first.expected_iterations)
    assert again.method == "direct"


def test_one_row(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 10, 4)
    for method in METHODS:
        response, outcome = respond_linear(ArticulatedSolver(blocks), some_rows(blocks, 1, rng), method)
        assert response.shape == (1, 1) and outcome.solved


@pytest.mark.parametrize("method", METHODS)
def test_matrices_that_are_not_definite_have_no_response(rng: np.random.Generator, method: str) -> None:
    blocks = binary_tree(rng, 31, 1, springs=True)
    blocks.cross_weight[3] = -1e4
    _, outcome = respond_linear(ArticulatedSolver(blocks), some_rows(blocks, 3, rng), method)
    assert not outcome.solved
