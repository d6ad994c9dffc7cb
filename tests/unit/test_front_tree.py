"""Trees of fronts against plain elimination in the same order, for graphs of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, contacts, coupled, fill_of, problem_of, tree_pairs

from taut.structure import analyze_pattern
from taut.structure.cost_kernels import front_solve_time, front_time, plan_time, skyline_time
from taut.structure.front_tree import FrontTree, front_costs, no_tree, plant_tree, weigh_islands
from taut.structure.symbolic import SymbolicStructure


def planted(matrix: np.ndarray, late: np.ndarray | None = None) -> tuple[FrontTree, SymbolicStructure]:
    """The tree of all islands."""
    pattern = problem_of(matrix).pattern
    symbolic = analyze_pattern(pattern)
    return plant_tree(pattern, symbolic, np.arange(symbolic.island_count), late), symbolic


def some_late(size: int) -> np.ndarray:
    return (np.random.default_rng(size).random(size) < 0.2).astype(np.int64)


def front_rows(tree: FrontTree, k: int) -> np.ndarray:
    """Columns of the tree that the rows of a front are: its own, and those below."""
    return np.concatenate(
        [np.arange(tree.first[k], tree.first[k + 1]), tree.row[tree.row_start[k] : tree.row_start[k + 1]]]
    )


@pytest.fixture(params=[(name, border) for name in EXAMPLES for border in (False, True)], ids=str)
def case(request):
    """Matrix, which rows are late, tree, symbolic structure, order of elimination."""
    name, border = request.param
    matrix = EXAMPLES[name]
    late = some_late(len(matrix)) if border else np.zeros(len(matrix), np.int64)
    tree, symbolic = planted(matrix, late)
    return matrix, late, tree, symbolic, symbolic.order[tree.position]


def test_the_columns_are_the_rows_of_the_islands_one_after_the_other(case) -> None:
    _, _, tree, symbolic, _ = case
    np.testing.assert_array_equal(np.sort(tree.position), np.arange(symbolic.size))
    for begin, end in zip(symbolic.island_start[:-1], symbolic.island_start[1:], strict=True):
        columns = slice(tree.first[tree.node_begin[begin]], tree.first[tree.node_begin[end]])
        np.testing.assert_array_equal(np.sort(tree.position[columns]), np.arange(begin, end))
        assert np.count_nonzero(tree.parent[tree.node_begin[begin] : tree.node_begin[end]] < 0) == 1
        assert tree.parent[tree.node_begin[end] - 1] == -1, "the root is the last"
    assert tree.node_begin[-1] == tree.nodes
    assert (np.diff(tree.first) > 0).all() and tree.first[-1] == symbolic.size
    np.testing.assert_array_equal(tree.node, np.repeat(np.arange(tree.nodes), np.diff(tree.first)))


def test_rows_below_are_columns_of_ancestors_and_parents_come_after_children(case) -> None:
    _, _, tree, _, _ = case
    for k in range(tree.nodes):
        below = tree.row[tree.row_start[k] : tree.row_start[k + 1]]
        assert (np.diff(below) > 0).all()
        ancestors, p = [], tree.parent[k]
        while p >= 0:
            assert p > k
            ancestors.append(p)
            p = tree.parent[p]
        assert set(tree.node[below]) <= set(ancestors)
        assert (below.size > 0) == (tree.parent[k] >= 0)
        if below.size:
            assert tree.node[below[0]] == tree.parent[k], "the parent has the first of them"
    for k in range(tree.nodes):
        children = tree.child[tree.child_start[k] : tree.child_start[k + 1]]
        np.testing.assert_array_equal(children, np.flatnonzero(tree.parent == k))


def test_fronts_hold_what_plain_elimination_fills_and_no_other_rows(case) -> None:
    matrix, late, tree, _, order = case
    fill = fill_of(matrix[np.ix_(order, order)] != 0.0)
    for k in range(tree.nodes):
        begin, end = tree.first[k], tree.first[k + 1]
        below = tree.row[tree.row_start[k] : tree.row_start[k + 1]]
        filled = np.flatnonzero(fill[:, begin:end].any(1))
        np.testing.assert_array_equal(filled[filled >= end], below)


def test_late_rows_are_the_last_front_of_their_island(case) -> None:
    _, late, tree, symbolic, order = case
    for begin, end in zip(symbolic.island_start[:-1], symbolic.island_start[1:], strict=True):
        expected = late[symbolic.order[begin:end]].sum()
        if expected:
            last = tree.node_begin[end] - 1
            columns = order[tree.first[last] : tree.first[last + 1]]
            assert late[columns].all() and columns.size == expected


def test_the_rows_below_are_where_they_should_be_in_the_front_of_the_parent(case) -> None:
    _, _, tree, _, _ = case
    for k in range(tree.nodes):
        if tree.parent[k] >= 0:
            rows = slice(tree.row_start[k], tree.row_start[k + 1])
            np.testing.assert_array_equal(front_rows(tree, tree.parent[k])[tree.place[rows]], tree.row[rows])
            assert (np.diff(tree.place[rows]) > 0).all()


def test_entries_of_all_fronts_together_are_the_matrix(case) -> None:
    matrix, _, tree, symbolic, order = case
    values = problem_of(matrix).values[symbolic.lower_source]
    rebuilt, times = np.zeros_like(matrix), np.zeros(matrix.shape, int)
    for k in range(tree.nodes):
        place, row, column = tree.entry[:, tree.entry_start[k] : tree.entry_start[k + 1]]
        assert (column < tree.first[k + 1] - tree.first[k]).all() and (row >= column).all()
        rows, columns = front_rows(tree, k)[row], front_rows(tree, k)[column]
        rebuilt[rows, columns] = rebuilt[columns, rows] = values[place]
        np.add.at(times, (rows, columns), 1)
    np.testing.assert_array_equal(rebuilt, matrix[np.ix_(order, order)])
    assert times.max() == 1 and tree.entry_start[-1] == values.size


def test_storage_has_room_for_each_front_rounded_up_to_tiles(case) -> None:
    _, _, tree, _, _ = case
    for k in range(tree.nodes):
        wide, high = (-(-int(part[k + 1] - part[k]) // 4) * 4 for part in (tree.first, tree.row_start))
        assert tree.offset[k + 1] - tree.offset[k] == wide * (wide + high) + high * high
        assert tree.padded[k + 1] - tree.padded[k] == wide


def test_a_tree_of_some_islands_knows_those_only() -> None:
    matrix = EXAMPLES["islands"]
    pattern = problem_of(matrix).pattern
    symbolic = analyze_pattern(pattern)
    whole = plant_tree(pattern, symbolic, np.arange(symbolic.island_count))
    large = np.flatnonzero(np.diff(symbolic.island_start) > 11)
    assert 1 < large.size < symbolic.island_count
    tree = plant_tree(pattern, symbolic, large)
    for island in range(symbolic.island_count):
        begin, end = symbolic.island_start[island : island + 2]
        nodes = slice(tree.node_begin[begin], tree.node_begin[end])
        if island not in large:
            assert nodes.start == nodes.stop
            continue
        columns = slice(tree.first[nodes.start], tree.first[nodes.stop])
        others = slice(whole.node_begin[begin], whole.node_begin[end])
        expected = whole.position[whole.first[others.start] : whole.first[others.stop]]
        np.testing.assert_array_equal(tree.position[columns], expected)
        np.testing.assert_array_equal(np.diff(tree.first)[nodes], np.diff(whole.first)[others])


def test_trees_are_the_same_every_time() -> None:
    for matrix in EXAMPLES.values():
        late = some_late(len(matrix))
        for one, other in zip(planted(matrix, late)[0], planted(matrix, late)[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_fronts_are_joined_only_where_one_costs_less() -> None:
    """A fork of two wide groups stays; columns of a chain of single rows are joined, since a front has its price."""
    star = coupled(30, [(0, k) for k in range(1, 30)], block=12)
    tree, _ = planted(star)
    assert tree.nodes == 29, "the last leaf goes with the centre"
    chain, _ = planted(EXAMPLES["chain"])
    assert chain.nodes < 20
    dense, _ = planted(EXAMPLES["dense"])
    assert dense.nodes == 1


def test_no_tree_has_no_fronts() -> None:
    tree = no_tree()
    assert tree.nodes == 0 and (tree.node_begin == 0).all()


def test_costs_of_islands_are_those_of_their_envelopes_and_fronts() -> None:
    matrix = EXAMPLES["islands"]
    tree, symbolic = planted(matrix)
    skyline, _, plan = weigh_islands(symbolic)
    fronts = front_costs(symbolic, tree)
    for island in range(symbolic.island_count):
        begin, end = symbolic.island_start[island : island + 2]
        rows = symbolic.order[begin:end]
        lower = np.tril(matrix[np.ix_(rows, rows)] != 0.0)
        reach = np.minimum.accumulate(lower.argmax(1)[::-1])[::-1]
        width = np.arange(rows.size) - reach
        assert skyline[island] == pytest.approx(
            skyline_time(float(rows.size), float((width + 1).sum()), 0.5 * float((width**2).sum()))
        )
        assert plan[island] == plan_time(float(rows.size), float(lower.sum()))
        nodes = range(tree.node_begin[begin], tree.node_begin[end])
        sizes = [(int(np.diff(tree.first)[k]), int(np.diff(tree.row_start)[k])) for k in nodes]
        assert fronts[island] == pytest.approx(sum(front_time(*size) + front_solve_time(*size) for size in sizes))


@pytest.mark.parametrize("seed", range(6))
def test_large_patterns_are_planned_right(seed: int) -> None:
    """More than a word of groups, with rows that are late: fill and rows below as in a plain elimination."""
    matrix = contacts(60, seed) if seed % 2 else coupled(150, tree_pairs(150, seed), seed, block=2)
    late = some_late(len(matrix)) * (seed > 2)
    tree, symbolic = planted(matrix, late)
    order = symbolic.order[tree.position]
    fill = fill_of(matrix[np.ix_(order, order)] != 0.0)
    for k in range(tree.nodes):
        filled = np.flatnonzero(fill[:, tree.first[k] : tree.first[k + 1]].any(1))
        np.testing.assert_array_equal(
            filled[filled >= tree.first[k + 1]], tree.row[tree.row_start[k] : tree.row_start[k + 1]]
        )
