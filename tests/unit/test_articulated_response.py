"""Responses of rows on trees with springs against dense matrices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from articulated_examples import binary_tree, random_tree

from taut.linalg.articulated import ArticulatedBlocks
from taut.linalg.articulated_choice import ArticulatedSolver
from taut.linalg.articulated_response import respond_part
from taut.linalg.articulated_rows import ArticulatedRows, dense_response
from taut.tables import held


def some_rows(blocks: ArticulatedBlocks, count: int, rng: np.random.Generator) -> ArticulatedRows:
    nodes = np.concatenate([rng.choice(blocks.nodes, 2, replace=False) for _ in range(count)])
    return ArticulatedRows.of(blocks.parent, 2 * np.arange(count + 1), nodes, rng.normal(size=(2 * count, 6)))


def response_of(
    solver: ArticulatedSolver, rows: ArticulatedRows, method: str, parts: int = 1
) -> tuple[np.ndarray, bool]:
    """Upper triangle of G H^-1 G^T of all rows, and whether all went well."""
    count, direct = rows.row_start.size - 1, method == "direct"
    if (solver.factor_direct() if direct else solver.factor_tree()) != 0:
        return np.zeros((count, count)), False
    response, ends = np.zeros((count, count)), np.linspace(0, count, parts + 1).astype(int).tolist()

    def work(part: int) -> int:
        return respond_part(solver, method, held(rows), (ends[part], ends[part + 1]), 200, response)

    with ThreadPoolExecutor(parts) as executor:
        return response, min(executor.map(work, range(parts))) >= 0


METHODS = ("pcg", "direct")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("springs", [1, 10])
def test_responses_are_those_of_the_dense_matrix(rng: np.random.Generator, method: str, springs: int) -> None:
    blocks = random_tree(rng, 25, springs)
    rows = some_rows(blocks, 9, rng)
    response, went_well = response_of(ArticulatedSolver(blocks), rows, method)
    expected = np.triu(dense_response(blocks, rows))
    assert went_well
    assert response == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS)
def test_bits_are_the_same_for_any_number_of_threads(rng: np.random.Generator, method: str) -> None:
    blocks = random_tree(rng, 40, 10)
    rows, solver = some_rows(blocks, 17, rng), ArticulatedSolver(blocks)
    alone, _ = response_of(solver, rows, method)
    for parts in (2, 3, 20):
        again, went_well = response_of(solver, rows, method, parts)
        assert (again == alone).all() and went_well


def test_many_rows_are_worth_a_factor(rng: np.random.Generator) -> None:
    solver = ArticulatedSolver(binary_tree(rng, 63, springs=True, weight=1000.0))
    assert solver.choose("auto", None, 30)[0] == "direct"


@pytest.mark.parametrize("method", METHODS)
def test_matrices_that_are_not_definite_have_no_response(rng: np.random.Generator, method: str) -> None:
    blocks = binary_tree(rng, 31, 1, springs=True)
    blocks.cross_weight[3] = -1e4
    assert not response_of(ArticulatedSolver(blocks), some_rows(blocks, 3, rng), method)[1]
