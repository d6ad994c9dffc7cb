"""Partitions of matrices without bodies: nodes are groups of rows that meet the same others, as those of a joint do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.structure.partition import Graph, Partition, in_line
from taut.structure.partition_work import Touched, predicted
from taut.structure.pattern import Pattern

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Rows in groups that meet the same others, and what groups meet.

    Attributes:
        graph: groups that meet.
        group: (rows,) group of each row.
        pair: (links,) number of the pair that each link of the graph is.
        touched: rows and what they touch: first the pairs that their groups are in, then their groups.
    """

    graph: Graph
    group: Integers
    pair: Integers
    touched: Touched

    @classmethod
    def of(cls, pattern: Pattern) -> RowGroups:
        """Find the groups of a pattern."""
        from taut.structure.minimum_degree_kernels import group_rows

        rows = pattern.size
        group, leader = np.empty((2, rows), np.int64)
        table = np.empty(1 << (2 * rows + 1).bit_length(), np.int64)
        count = group_rows(pattern.indptr, pattern.indices, np.zeros(rows, np.int64), table, group, leader)
        graph = group_graph(pattern, group, leader[:count])
        links = np.diff(graph.start)
        one, other = np.repeat(np.arange(count), links), graph.neighbour
        keys, pair = np.unique(np.minimum(one, other) * count + np.maximum(one, other), return_inverse=True)
        # of each row the pairs of its group, and the group itself
        start = np.concatenate([[0], np.cumsum(links[group] + 1)])
        place = np.arange(start[-1]) - np.repeat(start[:-1], links[group] + 1)
        of_group = np.repeat(group, links[group] + 1)
        own = place == links[of_group]
        things = np.where(own, keys.size + of_group, 0)
        things[~own] = pair[(graph.start[of_group] + place)[~own]]
        moves, bounded = np.ones(keys.size + count, np.uint8), np.ones(rows)
        return cls(graph, group, pair.astype(np.int64), Touched(start, things, moves, bounded))

    def parted(self, size: int) -> Partition:
        """Groups in parts of at most `size`; of two that meet and are in different parts one goes to the interface."""
        from taut.structure.partition_kernels import cut_nodes

        graph = self.graph
        parts, part, order = graph.grown(size)
        one, other = np.repeat(part, np.diff(graph.start)), part[graph.neighbour]
        across = np.column_stack([one, other])[one < other]
        number = in_line(2 * np.arange(len(across) + 1), across.ravel(), parts)
        part, order = number[part], order[np.argsort(number[part[order]], kind="stable")]
        kept = np.empty(part.size, np.int64)
        cut_nodes(graph.start, graph.neighbour, order, part, kept)
        rank = np.empty(part.size, np.int64)
        rank[order] = np.arange(order.size)
        # groups within parts keep their place; those of the interface come after them, by part
        key = np.where(kept < 0, order.size + part, rank)
        meets = np.full(int(self.pair.max(initial=-1)) + 1, -1)
        np.maximum.at(meets, self.pair, np.repeat(kept, np.diff(graph.start)))
        row = kept[self.group]
        place = key[self.group]
        time = predicted(self.touched, np.concatenate([meets, kept]), row, place, parts)
        taken = np.argsort(rank[self.group], kind="stable")
        return Partition(part[self.group], row, parts, size, int(np.count_nonzero(row < 0)), time, taken)


def group_graph(pattern: Pattern, group: Integers, leader: Integers) -> Graph:
    """Groups that meet, seen from a row of each, its leader: all rows of a group meet the same."""
    counts = np.diff(pattern.indptr)[leader]
    first = np.concatenate([[0], np.cumsum(counts)])
    entry = np.arange(first[-1]) + np.repeat(pattern.indptr[leader] - first[:-1], counts)
    own, column = np.repeat(np.arange(leader.size), counts), pattern.indices[entry]
    met = group[column]
    apart = (met != own) & (leader[met] == column)  # each group once
    start = np.concatenate([[0], np.cumsum(np.bincount(own[apart], minlength=leader.size))])
    return Graph(start.astype(np.int64), met[apart], np.zeros(leader.size, np.int64))
