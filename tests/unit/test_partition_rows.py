"""Partitions of matrices: groups of rows against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrix_examples import EXAMPLES, problem_of
from partition_examples import chain, hyper_entries

from taut.structure.partition_rows import RowGroups
from taut.structure.pattern import Pattern


def dense(pattern: Pattern) -> np.ndarray:
    found = np.zeros((pattern.size, pattern.size), bool)
    found[np.repeat(np.arange(pattern.size), np.diff(pattern.indptr)), pattern.indices] = True
    return found


def check_groups(pattern: Pattern) -> None:
    matrix, rows = dense(pattern), RowGroups.of(pattern)
    count = rows.graph.label.size
    same = (matrix[:, None] == matrix[None]).all(axis=2)
    np.testing.assert_array_equal(rows.group[:, None] == rows.group[None], same)
    met = np.zeros((count, count), bool)
    met[np.repeat(np.arange(count), np.diff(rows.graph.start)), rows.graph.neighbour] = True
    assert met.sum() == rows.graph.neighbour.size, "each once"
    np.testing.assert_array_equal((met | np.eye(count, dtype=bool))[rows.group][:, rows.group], matrix)
    # rows meet where they touch one thing
    touched = np.zeros((pattern.size, rows.touched.moves.size), bool)
    touched[np.repeat(np.arange(pattern.size), np.diff(rows.touched.start)), rows.touched.body] = True
    np.testing.assert_array_equal((touched.astype(int) @ touched.T.astype(int)) > 0, matrix)


@pytest.mark.parametrize("name", EXAMPLES)
def test_groups_of_matrices_are_rows_that_meet_the_same_others(name: str) -> None:
    check_groups(problem_of(EXAMPLES[name]).pattern)


@given(st.integers(0, 10**6))
def test_the_same_of_matrices_of_bodies(seed: int) -> None:
    check_groups(hyper_entries(seed).incidence.pattern)


def test_rows_of_a_joint_are_never_divided() -> None:
    rows = RowGroups.of(chain(24, rows=3).incidence.pattern)
    found = rows.parted(6)
    assert found.count == 4
    assert all(len({*found.row[3 * joint : 3 * joint + 3]}) == 1 for joint in range(24))
    assert found.interface == 3 * 3, "of two joints that meet, one is between the parts"


def test_a_matrix_without_rows_has_no_parts() -> None:
    found = RowGroups.of(Pattern(np.zeros(1, np.int64), np.zeros(0, np.int64))).parted(8)
    assert (found.count, found.row.size) == (0, 0)
