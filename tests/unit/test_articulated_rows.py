"""Responses of rows on trees against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_kernels import factor_tree
from taut.linalg.articulated_rows import ArticulatedRows, dense_response, row_response
from taut.tables import held


def make_rows(blocks: ArticulatedBlocks, nodes: list[tuple[int, ...]], rng: np.random.Generator) -> ArticulatedRows:
    lengths = [len(each) for each in nodes]
    return ArticulatedRows.of(
        blocks.parent, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([node for each in nodes for node in each], np.int64), rng.normal(size=(sum(lengths), 6)),
    )  # fmt: skip


def some_nodes(count: int, nodes: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    return [tuple(rng.choice(nodes, min(nodes, rng.integers(1, 4)), replace=False).tolist()) for _ in range(count)]


CASES = {
    "random": lambda rng: random_tree(rng, 30),
    "hinges": lambda rng: chain(rng, 15, 1),
    "bushy": lambda rng: binary_tree(rng, 31, 2),
    "free bodies": lambda rng: make_blocks(np.full(5, -1), np.full(5, 6), masses(rng, 5), rng),
    "nothing moves": lambda rng: make_blocks([-1, 0], [0, 0], masses(rng, 2), rng),
}


@pytest.fixture(params=CASES, ids=str)
def blocks(request: pytest.FixtureRequest, rng: np.random.Generator) -> ArticulatedBlocks:
    return CASES[request.param](rng)


def factored(blocks: ArticulatedBlocks) -> ArticulatedFactor:
    factor = ArticulatedFactor.of(blocks.nodes, blocks.dofs)
    assert factor_tree(held(blocks), held(factor)) == 0
    return factor


def response_of(blocks: ArticulatedBlocks, rows: ArticulatedRows, parts: int = 1) -> np.ndarray:
    """Upper triangle of G H^-1 G^T of all rows."""
    count, factor = rows.row_start.size - 1, factored(blocks)
    pattern = count * np.arange(count + 1), np.tile(np.arange(count), count)
    values = np.zeros(count * count)
    row_response(held(blocks), held(factor), rows, pattern, values, parts)
    return values.reshape(count, count)


def test_responses_are_those_of_the_dense_matrix(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    rows = make_rows(blocks, some_nodes(20, blocks.nodes, rng), rng)
    response, expected = response_of(blocks, rows), np.triu(dense_response(blocks, rows))
    assert response == pytest.approx(expected, abs=1e-11 * max(np.abs(expected).max(), 1.0))


def test_bits_are_the_same_for_any_number_of_threads(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 60)
    rows = make_rows(blocks, some_nodes(37, 60, rng), rng)
    alone = response_of(blocks, rows)
    for parts in (2, 3, 7, 50):
        assert (response_of(blocks, rows, parts) == alone).all()


def test_no_rows(rng: np.random.Generator) -> None:
    blocks = chain(rng, 3, 1)
    assert response_of(blocks, make_rows(blocks, [], rng)).shape == (0, 0)


def test_only_what_rows_touch_is_reached(rng: np.random.Generator) -> None:
    blocks = make_blocks([-1, 0, 0, 2, -1, 4, -1], [1] * 7, masses(rng, 7), rng)
    rows = make_rows(blocks, [(2,), (4, 2)], rng)
    assert rows.tree.tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert rows.reach.tolist() == [0, 2, 4]
    assert rows.reach_start.tolist() == [0, 2, 3, 3]


def test_rows_on_different_trees_do_not_meet(rng: np.random.Generator) -> None:
    blocks = make_blocks([-1, 0, -1, 2], [1] * 4, masses(rng, 4), rng)
    response = response_of(blocks, make_rows(blocks, [(1,), (3,), (1, 3)], rng))
    assert response[0, 1] == 0.0
    assert response[0, 2] != 0.0 and response[1, 2] != 0.0


def test_a_row_may_touch_a_node_twice(rng: np.random.Generator) -> None:
    blocks = chain(rng, 4, 2)
    rows = make_rows(blocks, [(3, 3, 1), (2,)], rng)
    expected = np.triu(dense_response(blocks, rows))
    assert response_of(blocks, rows) == pytest.approx(expected, rel=1e-11)


def test_rows_that_repeat_others_share_their_column(rng: np.random.Generator) -> None:
    """A motor and two limits of one joint: the same row, its opposite, and the same again."""
    blocks = chain(rng, 6, 1)
    one = rng.normal(size=(2, 6))
    rows = ArticulatedRows.of(
        blocks.parent, np.array([0, 2, 4, 6, 8]), np.array([2, 3, 2, 3, 2, 3, 2, 3]), np.vstack([one, -one, one, -one])
    )
    expected = np.triu(dense_response(blocks, rows))
    assert response_of(blocks, rows) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
