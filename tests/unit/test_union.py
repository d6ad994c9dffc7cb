"""Disjoint sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from taut.structure.union import DisjointSets


@given(st.integers(1, 20), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30))
def test_sets_are_the_components_of_the_graph_and_known_by_their_lowest_member(count, pairs):
    pairs = [(a % count, b % count) for a, b in pairs if a % count != b % count]
    sets = DisjointSets(count)
    for pair in pairs:
        before = [sets.find(member) for member in pair]
        assert sets.join(pair) == (before[0] != before[1])
    rows, columns = np.array(pairs, int).reshape(-1, 2).T
    _, label = connected_components(coo_array((np.ones(len(pairs)), (rows, columns)), shape=(count, count)))
    lowest = [int(np.flatnonzero(label == label[member])[0]) for member in range(count)]
    assert [sets.find(member) for member in range(count)] == lowest


def test_many_are_joined_at_once():
    sets = DisjointSets(6)
    assert sets.join([5, 3, 1])
    assert not sets.join([0, 3, 5])
    assert [sets.find(member) for member in range(6)] == [0, 0, 2, 0, 4, 0]
    assert sets.join([]) and sets.join([2])
