"""Where products of Jacobian blocks go in the Delassus matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.structure.incidence import RowEntries, find_incidence
from taut.structure.islands import find_islands


def starts(entry_row: np.ndarray, rows: int) -> np.ndarray:
    """First block of every row, (rows + 1,)."""
    return np.searchsorted(entry_row, np.arange(rows + 1)).astype(np.int64)


def random_rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Rows over one to four different bodies, some of which do not move."""
    rng = np.random.default_rng(seed)
    bodies, rows = int(rng.integers(1, 7)), int(rng.integers(0, 9))
    moves = (rng.random(bodies) < 0.7).astype(np.uint8)
    chosen = [rng.permutation(bodies)[: rng.integers(1, min(4, bodies) + 1)] for _ in range(rows)]
    entry_row = np.repeat(np.arange(rows), [len(each) for each in chosen]).astype(np.int64)
    entry_body = np.concatenate([*chosen, np.zeros(0, int)]).astype(np.int64)
    return entry_row, entry_body, moves, rows


@given(st.integers(0, 10**6))
def test_products_add_up_to_the_dense_matrix(seed: int) -> None:
    entry_row, entry_body, moves, rows = random_rows(seed)
    incidence = find_incidence(starts(entry_row, rows), entry_row, entry_body, moves)
    pattern, rng = incidence.pattern, np.random.default_rng(seed)
    block = rng.normal(size=entry_row.size)
    jacobian = np.zeros((rows, moves.size))
    np.add.at(jacobian, (entry_row, entry_body), block)
    expected = jacobian @ np.diag(moves.astype(float)) @ jacobian.T
    values, pair = np.zeros(pattern.entry_count), 0
    for body in range(moves.size):
        first, last = incidence.body_start[body], incidence.body_start[body + 1]
        assert (entry_body[incidence.entry[first:last]] == body).all()
        for i in range(first, last):
            for j in range(first, i + 1):
                product = block[incidence.entry[i]] * block[incidence.entry[j]]
                values[incidence.target[pair]] += product
                if incidence.mirror[pair] >= 0:
                    values[incidence.mirror[pair]] += product
                pair += 1
    assert pair == incidence.target.size
    dense = np.zeros((rows, rows))
    for row in range(rows):
        span = slice(pattern.indptr[row], pattern.indptr[row + 1])
        dense[row, pattern.indices[span]] = values[span]
    assert dense == pytest.approx(expected, abs=1e-13)


@given(st.integers(0, 10**6))
def test_pattern_is_sorted_symmetric_and_has_every_diagonal(seed: int) -> None:
    entry_row, entry_body, moves, rows = random_rows(seed)
    incidence = find_incidence(starts(entry_row, rows), entry_row, entry_body, moves)
    pattern = incidence.pattern
    places = {
        (row, int(column))
        for row in range(rows)
        for column in pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]]
    }
    assert places == {(column, row) for row, column in places}
    for row in range(rows):
        columns = pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]]
        assert (np.diff(columns) > 0).all()
        assert pattern.indices[incidence.diagonal[row]] == row
        assert pattern.indptr[row] <= incidence.diagonal[row] < pattern.indptr[row + 1]


def test_a_fixed_body_connects_nothing() -> None:
    entry_row, entry_body = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2])
    incidence = find_incidence(np.array([0, 2, 4]), entry_row, entry_body, np.array([0, 1, 1], np.uint8))
    assert incidence.pattern.indices.tolist() == [0, 1], "two pendulums on the world are two islands"


def test_no_rows_give_an_empty_pattern() -> None:
    incidence = find_incidence(np.zeros(1, np.int64), *np.zeros((2, 0), np.int64), np.ones(2, np.uint8))
    assert (incidence.pattern.size, incidence.pattern.entry_count) == (0, 0)


def rows_of(seed: int) -> RowEntries:
    """Random rows, none of which has an owner."""
    entry_row, entry_body, moves, rows = random_rows(seed)
    start = starts(entry_row, rows)
    return RowEntries(start, entry_row, entry_body, moves, unbounded=np.ones(rows, bool), owner=np.full(rows, -1))


@given(st.integers(0, 10**6))
def test_islands_of_rows_are_those_of_the_matrix(seed: int) -> None:
    entries = rows_of(seed)
    count, label = find_islands(entries.incidence.pattern)
    assert entries.islands[0] == count
    assert entries.islands[1].tolist() == label.tolist()


def test_rows_that_come_and_go_follow_those_that_stay() -> None:
    base = rows_of(3)
    more, end = base.row_count + np.array([0, 0, 1, 1]), base.entry_start[-1] + np.array([2, 4])
    every = base.with_rows(end, more, np.array([0, 1, 1, 0]))
    assert every.base is base and base.base is None
    assert every.row_count == base.row_count + 2
    assert every.entry_start[-3:].tolist() == (base.entry_start[-1] + np.array([0, 2, 4])).tolist()
    assert every.entry_row[-4:].tolist() == [base.row_count, base.row_count, base.row_count + 1, base.row_count + 1]
    assert every.entry_body[-4:].tolist() == [0, 1, 1, 0]
    assert every.unbounded.sum() == base.row_count and (every.owner[-2:] == -1).all()
