"""In which order to eliminate the nodes of a block matrix, and where its factor keeps its blocks.

A tree whose every node comes before its parent is factored without fill [Baraff1996, section 7.1]. Picking the node of
least degree finds such an order wherever there is one, and little fill where there are loops.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EliminationPlan:
    """Order and storage of the factor H = L D L^T of a symmetric block matrix.

    Positions count nodes in the order of elimination, children before parents, each subtree in one piece. Column k of L
    has blocks below its diagonal block in the rows `below[below_start[k]:below_start[k + 1]]`, in rising order.

    Attributes:
        position: (nodes,) position of each node.
        size: (nodes,) rows of the block at each position.
        parent: (nodes,) first row below each column: its parent in the elimination tree; -1 at roots.
        below_start: (nodes + 1,) ranges of `below`.
        below: (blocks,) row positions of the blocks below the diagonal.
        target: for each column, for each pair a > b of its blocks, the block that their product updates.
        flops: multiplications of a factorisation, about.
    """

    position: Integers
    size: Integers
    parent: Integers
    below_start: Integers
    below: Integers
    target: Integers
    flops: int

    @property
    def count(self) -> int:
        """Number of nodes."""
        return self.size.size

    def block(self, row: int, column: int) -> int:
        """Index of the block at these positions, row > column."""
        first, last = self.below_start[column : column + 2]
        return int(first + np.searchsorted(self.below[first:last], row))


EARLY_DEGREE = 3
"""Most neighbours of a node that is eliminated before all that wait for it."""


def plan_elimination(sizes: Sequence[int], waits: Sequence[bool], edges: Iterable[tuple[int, int]]) -> EliminationPlan:
    """Order of little fill for nodes of these sizes; nodes that wait meet only nodes that do not.

    Nodes that do not wait and have few neighbours come first: their blocks are as they were given, so nothing is lost
    by cancellation, however much heavier a neighbour is. The others follow in order of least degree: a hub after all
    its spokes, so that they need not meet each other.

    Args:
        sizes: rows of each node's block.
        waits: whether a node's own block may be zero, as that of a joint is: it becomes definite once a neighbour is
            eliminated, so a node that waits needs one of its own, eliminated before it, that no other has used, or
            all of its neighbours.
        edges: pairs of nodes whose blocks meet.

    Cost:    O((nodes + fill) log nodes)
    """
    neighbours: list[set[int]] = [set() for _ in sizes]
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    order, below = eliminate(sizes, waits, neighbours)
    return lay_out(sizes, *in_postorder(order, below))


def eliminate(
    sizes: Sequence[int], waits: Sequence[bool], neighbours: list[set[int]]
) -> tuple[list[int], list[set[int]]]:
    """Nodes in order, and what each still met when it was eliminated; uses up `neighbours`."""
    order = [node for node, near in enumerate(neighbours) if not waits[node] and len(near) <= EARLY_DEGREE]
    partners = [list(near) if wait else [] for wait, near in zip(waits, neighbours, strict=True)]
    gone, used = [False] * len(sizes), [False] * len(sizes)
    for node in order:
        gone[node] = True
        connect_neighbours(node, neighbours)
    heap = [(len(near), sizes[node], node) for node, near in enumerate(neighbours) if not gone[node]]
    heapq.heapify(heap)
    while heap:
        degree, _, node = heapq.heappop(heap)
        met = neighbours[node]
        if gone[node] or degree != len(met):
            continue
        if waits[node] and not all(gone[each] for each in partners[node]):
            partner = next((each for each in partners[node] if gone[each] and not used[each]), None)
            if partner is None:
                continue  # until another neighbour is gone
            used[partner] = True
        gone[node] = True
        order.append(node)
        connect_neighbours(node, neighbours)
        for other in met:
            heapq.heappush(heap, (len(neighbours[other]), sizes[other], other))
    return order, neighbours


def connect_neighbours(node: int, neighbours: list[set[int]]) -> None:
    """Eliminate a node: all that it meets now meet each other."""
    met = neighbours[node]
    for other in met:
        near = neighbours[other]
        near.discard(node)
        near |= met
        near.discard(other)


def in_postorder(order: list[int], below: list[set[int]]) -> tuple[list[int], list[list[int]]]:
    """The same elimination with every subtree in one piece: the nodes, and the positions below each of them.

    Of the subtrees at a node the largest comes first: a body that only its joint waits for is next to it.
    """
    place = {node: index for index, node in enumerate(order)}
    children: list[list[int]] = [[] for _ in order]
    roots, within = [], [1] * len(order)
    for index, node in enumerate(order):
        children[index].sort(key=lambda child: -within[child])
        if below[node]:
            parent = min(place[other] for other in below[node])
            children[parent].append(index)
            within[parent] += within[index]
        else:
            roots.append(index)
    nodes: list[int] = []
    stack = roots[::-1]
    while stack:  # parents before children, turned around below
        index = stack.pop()
        nodes.append(order[index])
        stack += children[index]
    nodes.reverse()
    place = {node: index for index, node in enumerate(nodes)}
    return nodes, [sorted(place[other] for other in below[node]) for node in nodes]


def lay_out(sizes: Sequence[int], nodes: list[int], below: list[list[int]]) -> EliminationPlan:
    """Number the blocks of the factor."""
    position = np.empty(len(nodes), np.int64)
    position[nodes] = np.arange(len(nodes))
    size = np.array([sizes[node] for node in nodes], np.int64)
    below_start = np.concatenate([[0], np.cumsum([len(rows) for rows in below])]).astype(np.int64)
    number = {
        (row, column): int(below_start[column]) + index
        for column, rows in enumerate(below)
        for index, row in enumerate(rows)
    }
    target, flops = [], 0
    for column, rows in enumerate(below):
        width = int(size[column])
        flops += width**3
        for a, row in enumerate(rows):
            flops += int(size[row]) * width * (width + int(size[row]))
            for other in rows[:a]:
                target.append(number[row, other])
                flops += int(size[row] * size[other]) * width
    return EliminationPlan(
        position, size, np.array([rows[0] if rows else -1 for rows in below], np.int64), below_start,
        np.array([row for rows in below for row in rows], np.int64), np.array(target, np.int64), flops,
    )  # fmt: skip
