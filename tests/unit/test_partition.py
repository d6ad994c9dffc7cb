"""Partitions against Algorithm 2 in its own words, and what is done where it says nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from partition_examples import chain, hyper_entries, net_under_load, rows_over

from taut.structure.partition import (
    Graph,
    Partition,
    best_size,
    in_line,
    in_rows,
    link,
    partition_bodies,
    set_hubs_apart,
)


def graph_of(entries, labelled: bool = False) -> Graph:
    label = entries.group if labelled else np.zeros(entries.moves.size, np.int64)
    return link(entries, in_rows(entries, label))


def neighbours_of(graph: Graph) -> list[set[int]]:
    return [set(graph.neighbour[graph.start[k] : graph.start[k + 1]].tolist()) for k in range(graph.label.size)]


def minimum_degree_partitioning(graph: Graph, n_max: int) -> list[list[int]]:
    """Algorithm 2 of [Peiret2019], island after island: first those that are cut, then the others, several a group."""
    adjacent, groups, last = neighbours_of(graph), [], -1
    start, member = graph.islands
    islands = [member[a:b].tolist() for a, b in zip(start[:-1], start[1:], strict=True)]
    room = 0
    for island in sorted(islands, key=lambda bodies: (graph.label[bodies[0]], len(bodies) <= n_max)):
        default = set(island)

        def degree(body: int, default: set[int] = default) -> tuple[int, int]:
            return len(adjacent[body] & default), body

        if graph.label[island[0]] != last or len(island) > room:
            groups.append([])
            room, last = n_max, graph.label[island[0]]
        while default:
            if room == 0:
                groups.append([])
                room = n_max
            near = set().union(*(adjacent[body] for body in groups[-1]))
            chosen = min(near & default or default, key=degree)
            groups[-1].append(chosen)
            default.remove(chosen)
            room -= 1
            if room == 0:
                near |= adjacent[chosen]
                orphans = sorted(body for body in near & default if not adjacent[body] & default)
                groups[-1] += orphans
                default -= set(orphans)
    return groups


@given(st.integers(0, 10**6), st.integers(1, 9), st.booleans())
def test_parts_grow_as_algorithm_2_says(seed: int, size: int, labelled: bool) -> None:
    graph = graph_of(hyper_entries(seed), labelled)
    count, part, order = graph.grown(size)
    groups = minimum_degree_partitioning(graph, size)
    assert [order[part[order] == number].tolist() for number in range(count)] == groups
    assert (part >= 0).tolist() == (graph.label >= 0).tolist()


@given(st.integers(0, 10**6), st.booleans())
def test_bodies_are_linked_that_move_and_share_a_row_and_a_label(seed: int, labelled: bool) -> None:
    entries = hyper_entries(seed)
    graph = graph_of(entries, labelled)
    expected: list[set[int]] = [set() for _ in range(entries.moves.size)]
    for row in range(entries.row_count):
        bodies = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]].tolist()
        for a in bodies:
            expected[a] |= {
                b
                for b in bodies
                if a != b and entries.moves[a] and entries.moves[b] and graph.label[a] == graph.label[b]
            }
    assert neighbours_of(graph) == expected
    assert graph.neighbour.size == sum(map(len, expected)), "each once"


def test_a_chain_is_cut_every_n_bodies() -> None:
    _, part, _ = graph_of(chain(20)).grown(6)
    assert part.tolist() == [-1, *[0] * 6, *[1] * 6, *[2] * 6, *[3] * 2]


def test_small_islands_are_whole_and_share_parts() -> None:
    pairs = [(1 + 3 * k, 2 + 3 * k) for k in range(4)] + [(2 + 3 * k, 3 + 3 * k) for k in range(4)]
    moves = (np.arange(14) > 0).astype(np.uint8)
    found = partition_bodies(entries := rows_over([*pairs, (0, 13)], moves), graph_of(entries), 7)
    assert np.bincount(found.node[1:]).tolist() == [6, 7] and found.interface == 0
    assert all(len(set(found.node[1 + 3 * k : 4 + 3 * k])) == 1 for k in range(4))


def test_labels_share_no_part_and_rows_between_them_are_of_the_interface() -> None:
    entries = rows_over([(k, k + 1) for k in range(1, 6)], np.ones(7, np.uint8), group=np.array([9, 4, 4, 7, 7, 7, 7]))
    found = partition_bodies(entries, graph_of(entries, labelled=True), 100)
    assert found.count == 2 and found.row.tolist() == [0, -1, 1, 1, 1] and found.interface == 1


def test_leaves_of_a_star_go_with_the_part_that_would_leave_them_alone() -> None:
    entries = rows_over([(1, leaf) for leaf in range(2, 40)], (np.arange(40) > 0).astype(np.uint8))
    assert graph_of(entries).grown(8)[0] == 1


def test_rows_at_nothing_that_moves_are_within_a_part() -> None:
    entries = rows_over([(0,), (0, 1)], np.array([0, 1], np.uint8))
    assert partition_bodies(entries, graph_of(entries), 4).row.tolist() == [0, 0]


def test_a_row_over_very_many_bodies_does_not_hold_a_part_together() -> None:
    chained, rope = [(k, k + 1) for k in range(199)], tuple(range(200))
    entries = rows_over([*chained, rope], np.ones(200, np.uint8))
    graph = graph_of(entries)
    assert graph.neighbour.size == 2 * len(chained)
    found = partition_bodies(entries, graph, 50)
    assert (found.count, found.interface, found.row[-1]) == (4, 4, -1)
    assert partition_bodies(entries, graph, 200).interface == 0


def test_bodies_without_rows_are_in_no_part() -> None:
    entries = rows_over([(0, 1)], np.array([0, 1, 1], np.uint8))
    assert partition_bodies(entries, graph_of(entries), 4).node.tolist() == [-1, 0, -1]


def test_parts_are_numbered_along_their_interface() -> None:
    steps = [(0, 3), (3, 1), (1, 4), (4, 2), (-1, 2)]
    number = in_line(2 * np.arange(len(steps) + 1), np.array(steps).ravel(), 5)
    assert sorted(number) == [0, 1, 2, 3, 4]
    assert {abs(int(number[a]) - int(number[b])) for a, b in steps if a >= 0} == {1}


def test_a_body_with_very_many_neighbours_is_apart_with_what_hangs_on_it() -> None:
    entries = net_under_load(side=8, touched=20)
    load = entries.moves.size - 1
    more = rows_over(
        [*np.split(entries.entry_body, entries.entry_start[1:-1]), (load, load + 1)],
        np.append(entries.moves, 1).astype(np.uint8),
    )
    label = set_hubs_apart(more, graph_of(more), 16)
    assert label is not None
    assert set(label[1:load].tolist()) == {0} and label[load:].tolist() == [1, 1]
    assert set_hubs_apart(more, graph_of(more), 100) is None, "its neighbours are a small share of a part"


def made_up(time: dict[int, float]) -> tuple[list[int], Partition]:
    """Sizes that are asked for, and what is found, where partitions take this time by size."""
    asked = []
    none = np.zeros(0, np.int64)

    def make(size: int) -> Partition:
        asked.append(size)
        return Partition(none, none, 1, size, 0, time[size], none)

    return asked, best_size(make, max(time))


@pytest.mark.parametrize(
    ("time", "best", "asked"),
    [
        ({8: 1, 16: 2, 32: 3, 64: 4, 100: 5}, 8, [32, 64, 16, 8]),
        ({8: 9, 16: 8, 32: 3, 64: 2, 100: 1}, 100, [32, 64, 100]),
        ({8: 9, 16: 8, 32: 3, 64: 4, 100: 1}, 32, [32, 64, 16]),
        ({8: 1, 12: 2}, 8, [12, 8]),
        ({8: 1}, 8, [8]),
    ],
)
def test_sizes_are_doubled_or_halved_as_long_as_that_helps(time: dict[int, float], best: int, asked: list[int]) -> None:
    looked_at, found = made_up(time)
    assert found.size == best and looked_at == asked
