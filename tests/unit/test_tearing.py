"""The torn pattern and the pattern of the interface, against the matrix that they are of."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, problem_of
from torn_examples import NAMES, random_parts

from taut.structure.tearing import Tearing, tear


def torn(name: str, parts: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, Tearing]:
    """Matrix, its entries in the order of the pattern, part of each row, and what tearing finds."""
    matrix = EXAMPLES[name]
    part, problem = random_parts(matrix, parts, seed), problem_of(matrix)
    return matrix, problem.values, part, tear(problem.pattern, part)


def dense(tearing: Tearing, values: np.ndarray) -> np.ndarray:
    """The torn matrix by position."""
    symbolic = tearing.symbolic
    matrix = np.zeros((symbolic.size, symbolic.size))
    rows = np.repeat(np.arange(symbolic.size), np.diff(symbolic.lower_start))
    matrix[rows, symbolic.lower_column] = matrix[symbolic.lower_column, rows] = values[symbolic.lower_source]
    return matrix


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parts", [1, 3, 8])
def test_every_part_has_its_rows_and_copies_of_what_they_meet(name, parts):
    matrix, values, part, tearing = torn(name, parts)
    row, copy, start = tearing.symbolic.order, tearing.interface.copy, tearing.symbolic.island_start
    np.testing.assert_array_equal(tearing.interface.row, np.flatnonzero(part < 0))
    np.testing.assert_array_equal(np.sort(row[copy < 0]), np.flatnonzero(part >= 0))
    expected = np.zeros((row.size, row.size))
    for island in range(start.size - 1):
        own = np.arange(start[island], start[island + 1])
        inner, border = own[copy[own] < 0], own[copy[own] >= 0]
        assert np.unique(part[row[inner]]).size == 1
        met = (matrix[row[inner]] != 0.0).any(axis=0) & (part < 0)
        np.testing.assert_array_equal(np.sort(row[border]), np.flatnonzero(met))
        np.testing.assert_array_equal(tearing.interface.row[copy[border]], row[border])
        expected[np.ix_(own, own)] = matrix[np.ix_(row[own], row[own])]
        expected[np.ix_(border, border)] = np.diag(np.diag(matrix)[row[border]])
    np.testing.assert_array_equal(dense(tearing, values), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parts", [2, 5])
def test_interface_couples_what_a_couples_and_what_shares_a_part(name, parts):
    matrix, values, part, tearing = torn(name, parts, seed=parts)
    interface, pattern = tearing.interface, tearing.pattern
    gamma, start = np.flatnonzero(part < 0), interface.border_start
    expected = matrix[np.ix_(gamma, gamma)] != 0.0
    for island in range(start.size - 1):
        border = interface.border[start[island] : start[island + 1]]
        expected[np.ix_(border, border)] = True
    found = np.zeros_like(expected)
    rows = np.repeat(np.arange(gamma.size), np.diff(pattern.indptr))
    found[rows, pattern.indices] = True
    np.testing.assert_array_equal(found, expected)
    for j in range(gamma.size):
        assert (np.diff(pattern.indices[pattern.indptr[j] : pattern.indptr[j + 1]]) > 0).all()
    own = np.where(interface.own >= 0, values[interface.own], 0.0) if values.size else np.zeros(0)
    np.testing.assert_array_equal(own, matrix[gamma[rows], gamma[pattern.indices]])


@pytest.mark.parametrize("name", NAMES)
def test_terms_go_to_their_places(name):
    _, _, part, tearing = torn(name, 4, seed=2)
    interface, pattern = tearing.interface, tearing.pattern
    rows = np.repeat(np.arange(np.count_nonzero(part < 0)), np.diff(pattern.indptr))
    for island in range(interface.border_start.size - 1):
        border = interface.border[slice(*interface.border_start[island : island + 2])]
        places = interface.term[:, slice(*interface.term_start[island : island + 2])]
        pairs = [(border[i], border[j]) for j in range(border.size) for i in range(j, border.size)]
        high, low = np.array(pairs, np.int64).reshape(-1, 2).T
        np.testing.assert_array_equal((rows[places[0]], pattern.indices[places[0]]), (high, low))
        np.testing.assert_array_equal((rows[places[1]], pattern.indices[places[1]]), (low, high))


def test_no_interface_and_nothing_but_interface():
    problem = problem_of(EXAMPLES["grid"])
    whole, none = tear(problem.pattern, np.zeros(64, np.int64)), tear(problem.pattern, np.full(64, -1))
    assert whole.pattern.size == 0 and whole.symbolic.island_count == 1
    assert none.symbolic.size == 0 and none.solve_cost.size == 0
    np.testing.assert_array_equal(none.pattern.indices, problem.pattern.indices)
    assert whole.factor_cost[0] > 0.0 and whole.solve_cost[0] > 0.0
