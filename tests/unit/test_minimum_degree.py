"""Minimum-degree elimination against plain elimination of a dense graph, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, coupled, fill_of, problem_of, random_pairs, tree_pairs

from taut.structure.minimum_degree_kernels import REMAINDERS, WORD, eliminate_groups, group_rows, neighbour_bits


def grouped(matrix: np.ndarray, late: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group of each row, and the first row of each group."""
    pattern, size = problem_of(matrix).pattern, len(matrix)
    group, leader = np.empty((2, size), np.int64)
    table = np.empty(1 << (2 * size + 1).bit_length(), np.int64)
    count = group_rows(pattern.indptr, pattern.indices, late, table, group, leader)
    return group, leader[:count].copy()


def eliminated(matrix: np.ndarray, late: np.ndarray) -> tuple[list[np.ndarray], list[set[int]]]:
    """Rows of each elimination, in its order, and the rows that it leaves coupled."""
    pattern = problem_of(matrix).pattern
    group, leader = grouped(matrix, late)
    count = leader.size
    bits = np.empty((count, -(-count // WORD)), np.int64)
    neighbour_bits(pattern.indptr, pattern.indices, group, leader, 0, bits)
    front, following, first = np.full((3, count), -99)
    work = np.full((4, count + REMAINDERS), -99)
    fronts = eliminate_groups(np.bincount(group), late[leader], bits, work, front, following, first)
    rows, left = [], []
    for f in range(fronts):
        members, g = [], int(first[f])
        while g >= 0:
            assert front[g] == f
            members.append(g)
            g = int(following[g])
        rows.append(np.concatenate([np.flatnonzero(group == g) for g in members]))
        set_bits = [g for g in range(count) if bits[first[f], g // WORD] >> (g % WORD) & 1]
        left.append({int(row) for g in set_bits for row in np.flatnonzero(group == g)})
    return rows, left


def some_late(size: int) -> np.ndarray:
    return (np.random.default_rng(size).random(size) < 0.2).astype(np.int64)


@pytest.mark.parametrize("with_border", [False, True])
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_eliminations_leave_is_what_plain_elimination_leaves(name: str, with_border: bool) -> None:
    matrix = EXAMPLES[name]
    late = some_late(len(matrix)) if with_border else np.zeros(len(matrix), np.int64)
    rows, left = eliminated(matrix, late)
    order = np.concatenate(rows)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(matrix)))
    fill = fill_of(matrix[np.ix_(order, order)] != 0.0)
    begin = 0
    for f, (own, below) in enumerate(zip(rows, left, strict=True)):
        if late[own].any():
            assert late[own].all() and f == len(rows) - 1 and not below, "late rows come last, all at once"
            assert late.sum() == own.size
            continue
        for k in range(begin, begin + own.size):
            expected = set(own[k + 1 - begin :].tolist()) | below
            assert set(order[np.flatnonzero(fill[:, k])].tolist()) - {int(order[k])} == expected
        begin += own.size


@pytest.mark.parametrize("with_border", [False, True])
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_elimination_begins_with_a_row_of_least_degree_and_takes_all_that_it_can(
    name: str, with_border: bool
) -> None:
    matrix = EXAMPLES[name]
    size = len(matrix)
    late = some_late(size) if with_border else np.zeros(size, np.int64)
    graph = matrix != 0.0
    np.fill_diagonal(graph, True)
    first_group, alive = grouped(matrix, late)[0], np.ones(size, bool)
    for own, _ in zip(*eliminated(matrix, late), strict=True):
        if late[own].any():
            break
        early = np.flatnonzero(alive & (late == 0))
        # the degree of a group does not count its own rows
        degree = {int(row): np.count_nonzero(graph[row] & alive & (first_group != first_group[row])) for row in early}
        assert degree[int(own[0])] == min(degree.values())
        clique = graph[own[0]] & alive
        with_it = {int(row) for row in early if clique[row] and not (graph[row] & alive & ~clique).any()}
        assert set(own.tolist()) == with_it, "all rows without other neighbours go with it"
        graph[np.ix_(clique, clique)] = True
        alive[own] = False


def test_trees_have_no_fill() -> None:
    for seed in range(12):
        matrix = coupled(90, tree_pairs(90, seed), seed)
        order = np.concatenate(eliminated(matrix, np.zeros(90, np.int64))[0])
        assert fill_of(matrix[np.ix_(order, order)] != 0.0).sum() == 90 + 89


def test_of_equal_degrees_the_one_that_waits_least_keeps_the_tree_low() -> None:
    ring = coupled(128, [(k, (k + 1) % 128) for k in range(128)])
    rows, left = eliminated(ring, np.zeros(128, np.int64))
    place = np.empty(128, np.int64)
    for f, own in enumerate(rows):
        place[own] = f
    height = np.zeros(len(rows), np.int64)
    for f, below in enumerate(left):
        if below:
            parent = min(place[list(below)])
            height[parent] = max(height[parent], height[f] + 1)
    assert height.max() <= 8, "every other row, then every other one that is left"


def test_groups_are_rows_with_equal_neighbours() -> None:
    for name, matrix in EXAMPLES.items():
        late = some_late(len(matrix))
        group, leader = grouped(matrix, late)
        graph = (matrix != 0.0) | np.eye(len(matrix), dtype=bool)
        known: dict[tuple[bytes, int], int] = {}
        for row in range(len(matrix)):
            number = known.setdefault((graph[row].tobytes(), int(late[row])), len(known))
            assert group[row] == number, name
            assert leader[number] <= row
        assert leader.size == len(known)


def test_rows_of_a_joint_are_one_group_and_apart_where_one_of_them_is_late() -> None:
    matrix, late = EXAMPLES["links"], np.zeros(60, np.int64)
    np.testing.assert_array_equal(grouped(matrix, late)[0], np.arange(60) // 3)
    late[[4, 30]] = 1
    group = grouped(matrix, late)[0]
    assert group[3] == group[5] != group[4]
    assert group[31] == group[32] != group[30]
    assert np.unique(group).size == 22


def test_groups_whose_hashes_meet_are_not_joined() -> None:
    """A table as small as it may be is full of collisions."""
    size = 120
    for seed in range(20):
        matrix = coupled(size // 3, random_pairs(size // 3, 150, seed), seed, block=3)
        late = (np.random.default_rng(seed).random(size) < 0.5).astype(np.int64)
        expected = np.unique(np.column_stack([matrix != 0.0, late]), axis=0).shape[0]
        pattern = problem_of(matrix).pattern
        group, leader = np.empty((2, size), np.int64)
        table = np.empty(1 << int(expected).bit_length(), np.int64)
        assert group_rows(pattern.indptr, pattern.indices, late, table, group, leader) == expected


def test_all_rows_late_are_one_front() -> None:
    for matrix in EXAMPLES.values():
        rows, left = eliminated(matrix, np.ones(len(matrix), np.int64))
        assert len(rows) == 1 and rows[0].size == len(matrix) and left == [set()]


def test_more_groups_than_bits_of_a_word() -> None:
    """Numbers of groups around multiples of the word: each bit is found again."""
    for size in (WORD - 1, WORD, WORD + 1, 2 * WORD, 2 * WORD + 1):
        rows, _ = eliminated(coupled(size, random_pairs(size, 2 * size, size)), np.zeros(size, np.int64))
        np.testing.assert_array_equal(np.sort(np.concatenate(rows)), np.arange(size))
