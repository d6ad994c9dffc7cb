from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from taut.errors import InputError
from taut.problem import MlcpProblem, Pattern
from taut.problem.generators import chain, random_contacts
from taut.structure import analyze_pattern, find_islands, order_rows


def pattern_of(matrix):
    return MlcpProblem.from_matrix(matrix, np.zeros(matrix.shape[0])).pattern


def profile(matrix, order):
    """Entries under the closed envelope of the permuted matrix."""
    lower = np.tril(matrix[np.ix_(order, order)] != 0)
    first = np.minimum.accumulate(lower.argmax(1)[::-1])[::-1]
    return int((np.arange(len(order)) - first).sum())


def random_graph(rng, size, edges):
    matrix = np.eye(size)
    for i, j in rng.integers(0, size, (edges, 2)):
        matrix[i, j] = matrix[j, i] = 1.0
    return matrix


@pytest.mark.parametrize("edges", [0, 5, 30, 200])
def test_islands_are_the_connected_components(rng, edges):
    matrix = random_graph(rng, 50, edges)
    count, labels = find_islands(pattern_of(matrix))
    expected_count, expected = connected_components(scipy.sparse.csr_array(matrix))
    assert count == expected_count
    np.testing.assert_array_equal(labels, expected)


def test_islands_are_worked_out_once_a_pattern(rng):
    pattern = pattern_of(random_graph(rng, 20, 10))
    assert find_islands(pattern) is find_islands(pattern)


@pytest.mark.parametrize("edges", [0, 5, 30, 200])
def test_order_is_a_permutation_with_islands_together(rng, edges):
    pattern = pattern_of(random_graph(rng, 50, edges))
    order, start = order_rows(pattern)
    np.testing.assert_array_equal(np.sort(order), np.arange(50))
    count, labels = find_islands(pattern)
    assert start[0] == 0 and start[-1] == 50 and start.size == count + 1
    for island in range(count):
        assert set(labels[order[start[island] : start[island + 1]]]) == {island}


def test_a_chain_stays_as_it_is():
    pattern = chain(20).problem.pattern
    np.testing.assert_array_equal(order_rows(pattern)[0], np.arange(60))


def test_a_shuffled_chain_gets_its_envelope_back(rng):
    matrix = chain(40).problem.sparse.toarray()
    shuffled = rng.permutation(120)
    matrix_shuffled = matrix[np.ix_(shuffled, shuffled)]
    order, _ = order_rows(pattern_of(matrix_shuffled))
    assert profile(matrix_shuffled, order) <= 1.5 * profile(matrix, np.arange(120))


def test_the_envelope_is_never_larger_than_the_natural_one():
    for seed in range(10):
        matrix = random_contacts(25, seed).problem.sparse.toarray()
        order, _ = order_rows(pattern_of(matrix))
        assert profile(matrix, order) <= profile(matrix, np.arange(matrix.shape[0]))


def test_permuted_lower_triangle(rng):
    problem = random_contacts(12, 4).problem
    symbolic = analyze_pattern(problem.pattern)
    size = problem.size
    values = problem.values[symbolic.lower_source]
    lower = scipy.sparse.csr_array((values, symbolic.lower_column, symbolic.lower_start), shape=(size, size)).toarray()
    permuted = problem.sparse.toarray()[np.ix_(symbolic.order, symbolic.order)]
    np.testing.assert_array_equal(lower, np.tril(permuted))
    np.testing.assert_array_equal(symbolic.lower_column[symbolic.lower_start[1:] - 1], np.arange(size))


def test_analysis_of_nothing_and_of_a_broken_pattern():
    assert analyze_pattern(Pattern(np.zeros(1, np.int64), np.zeros(0, np.int64))).island_count == 0
    with pytest.raises(InputError, match="not symmetric"):
        analyze_pattern(Pattern(np.array([0, 2, 3]), np.array([0, 1, 1])))


def test_full_islands_keep_their_order_and_their_columns_sorted():
    """Products with full islands read the lower triangle without its pattern."""
    matrix = np.zeros((9, 9))
    for rows in ([0, 3, 4, 8], [1, 2, 7], [5, 6]):
        matrix[np.ix_(rows, rows)] = 1.0
    symbolic = analyze_pattern(pattern_of(matrix))
    np.testing.assert_array_equal(symbolic.order, [0, 3, 4, 8, 1, 2, 7, 5, 6])
    np.testing.assert_array_equal(symbolic.lower_column, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 4, 4, 5, 4, 5, 6, 7, 7, 8])
