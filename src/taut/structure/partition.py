"""Partitions: bodies in parts, and rows that lie within one part; the others are the interface that couples the parts.

A row is within a part if all its moving bodies are. Two rows meet in A = J M^-1 J^T where they share a moving body, so
no entry of A couples rows within two different parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count, takewhile
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern

Integers = NDArray[np.int64]

SMALLEST = 8
"""Bodies a part of the finest partition that is looked at where no size is given."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Nodes, which are bodies or rows, in parts, and what follows for rows.

    Attributes:
        node: (nodes,) part of each node, -1 for those in none.
        row: (rows,) part of each row, -1 for the interface.
        count: number of parts.
        size: nodes a part that it was made for.
        interface: number of rows in the interface.
        time: predicted time of one round of factors, ns, see `Rows.predicted`; a number of operations, not a clock's.
    """

    node: Integers
    row: Integers
    count: int
    size: int
    interface: int
    time: float


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes with their neighbours, in islands, and labels: no two labels share a part.

    Attributes:
        start, neighbour: node n has the neighbours neighbour[start[n] : start[n + 1]], each once.
        label: (nodes,) -1 for nodes that are in no part; neighbours have the same.
    """

    start: Integers
    neighbour: Integers
    label: Integers

    @cached_property
    def islands(self) -> tuple[Integers, Integers]:
        """Where the nodes of each island that is in parts begin (islands + 1,), and these nodes, island by island."""
        from taut.structure.ordering_kernels import label_islands

        island, queue = np.empty((2, self.label.size), np.int64)
        label_islands(self.start, self.neighbour, queue, island)
        member = np.flatnonzero(self.label >= 0)
        member = member[np.argsort(island[member], kind="stable")]
        begin = np.flatnonzero(np.diff(island[member], prepend=-1))
        return np.append(begin, member.size), member

    @property
    def largest(self) -> int:
        """Nodes of the largest island."""
        return int(np.diff(self.islands[0]).max(initial=0))

    def grown(self, size: int) -> tuple[int, Integers, Integers]:
        """Number of parts of at most `size` nodes, the part of each node, and the nodes in the order of the parts."""
        from taut.structure.partition_kernels import grow_parts

        start, member = self.islands
        nodes, label, large = self.label.size, self.label[member[start[:-1]]], np.diff(start) > size
        sequence = np.lexsort((~large, label)).astype(np.int64)
        held, heap = np.empty((3, nodes), np.int64), np.empty((2, nodes + self.neighbour.size), np.int64)
        part, order = np.empty((2, nodes), np.int64)
        count = grow_parts(
            self.start, self.neighbour, start, member, sequence, self.label, size, held, heap, part, order
        )
        return int(count), part, order[: member.size]


class Touched(NamedTuple):
    """Which things rows touch, bodies or pairs of rows, and whether a row may have bounds.

    Shapes: start (rows + 1,), body (entries,), moves (bodies,), bounded (rows,)
    """

    start: Integers
    body: Integers
    moves: NDArray[np.uint8]
    bounded: NDArray[np.float64]


def link(entries: RowEntries, label: Integers) -> Graph:
    """The graph of bodies that move, share a row and have one label (bodies,), which is not negative."""
    from taut.structure.partition_kernels import count_links, link_bodies

    rows = entries.entry_start, entries.entry_body, entries.moves, label
    start, work = np.empty(label.size + 1, np.int64), np.empty(label.size, np.int64)
    neighbour = np.empty(count_links(*rows, start), np.int64)
    link_bodies(*rows, work, start, neighbour)
    return Graph(start, neighbour[: start[-1]].copy(), label)


def in_rows(entries: RowEntries, label: Integers) -> Integers:
    """Labels (bodies,) of bodies that move and that rows touch, -1 of the others."""
    touched = np.zeros(label.size, bool)
    touched[entries.entry_body] = True
    return np.where(touched & (entries.moves > 0), label, -1)


def partition_bodies(entries: RowEntries, graph: Graph, size: int) -> Partition:
    """Bodies in parts of at most `size`, and the rows within them."""
    from taut.structure.partition_kernels import mark_rows, row_keys

    parts, part, order = graph.grown(size)
    row, key = np.empty((2, entries.row_count), np.int64)
    interface = mark_rows(entries.entry_start, entries.entry_body, entries.moves, part, row)
    rank = np.zeros(part.size, np.int64)
    rank[order] = np.arange(order.size)
    row_keys(entries.entry_start, entries.entry_body, entries.moves, rank, part, row, key)
    bounded = (~entries.unbounded).astype(float)
    touched = Touched(entries.entry_start, entries.entry_body, entries.moves, bounded)
    time = predicted(touched, part, row, key, parts)
    return Partition(part, row, parts, size, int(interface), time)


def rows_of_pattern(pattern: Pattern) -> tuple[Graph, Integers]:
    """The graph of rows that a matrix couples, and the number of the pair that each of its links is."""
    row = np.repeat(np.arange(pattern.size), np.diff(pattern.indptr))
    apart = row != pattern.indices
    row, column = row[apart], pattern.indices[apart]
    start = np.searchsorted(row, np.arange(pattern.size + 1)).astype(np.int64)
    _, pair = np.unique(np.minimum(row, column) * pattern.size + np.maximum(row, column), return_inverse=True)
    return Graph(start, column, np.zeros(pattern.size, np.int64)), pair.astype(np.int64)


def partition_rows(graph: Graph, pair: Integers, size: int) -> Partition:
    """Rows in parts of at most `size`; of two that are coupled and in different parts one goes to the interface."""
    from taut.structure.partition_kernels import cut_rows

    parts, part, order = graph.grown(size)
    row = np.empty(part.size, np.int64)
    interface = cut_rows(graph.start, graph.neighbour, order, part, row)
    key = np.empty(part.size, np.int64)
    key[order] = np.arange(order.size)
    # rows within parts keep their place; those of the interface come after them, by part
    key = np.where(row < 0, order.size + part, key)
    of_pair = np.full(int(pair.max(initial=-1)) + 1, -1)
    np.maximum.at(of_pair, pair, np.repeat(row, np.diff(graph.start)))
    touched = Touched(graph.start, pair, np.ones(of_pair.size, np.uint8), np.ones(row.size))
    time = predicted(touched, of_pair, row, key, parts)
    return Partition(part, row, parts, size, int(interface), time)


def predicted(rows: Touched, part: Integers, row: Integers, key: Integers, parts: int) -> float:
    """Time of what factors take until a problem is solved, ns: counted operations with the weights of `cost_kernels`.

        sum over parts  R_p (F(A_p) + forward solves L^-1 G^T + G A_p^-1 G^T),   and  R F(S)

    F is the time of a skyline factor with a solve. The forward solves reach from the first row that a row of the
    interface meets. Where no row of a part has bounds, its factor is made once: R_p = 1, else R = WARM_PIVOTS. S is
    that of the rows of the interface, which meet where they touch one part.

    Shapes: part (bodies,); row, key (rows,) part and place in the order of elimination
    """
    from taut.structure import partition_kernels as kernels
    from taut.structure.cost_kernels import PRODUCT, ROW, STORED, SUBSTITUTED, WARM_PIVOTS

    sequence, stored = np.empty(row.size, np.int64), np.empty(row.size + 1, np.int64)
    kernels.sort_rows(key, np.empty(int(key.max(initial=0)) + 2, np.int64), sequence)
    work, first = np.empty((6, parts + 1), np.int64), np.empty(part.size, np.int64)
    inner = kernels.count_inner(rows.start, rows.body, rows.moves, row, sequence, first, stored, work)
    interface, scratch = sequence[inner:], np.empty((2, parts), np.int64)
    kernels.count_met(rows.start, rows.body, part, interface, first, stored, np.cumsum(work[0, :-1]), scratch, work)
    kernels.count_between(rows.start, rows.body, part, interface, scratch[0], work)
    count, envelope, products, met, reached, solved = work.astype(float)
    once = ROW * count + (STORED + SUBSTITUTED) * envelope + PRODUCT * (products + solved + 0.5 * met * reached)
    bounded = np.bincount(row + 1, rows.bounded, parts + 1)[1:] > 0.0
    return float(once @ np.where(np.append(bounded, True), WARM_PIVOTS, 1.0))


def best_size(make: Callable[[int], Partition], largest: int) -> Partition:
    """The partition that is predicted to take least, of those of 8, 16, 32 ... nodes a part, and of islands as wholes.

    Of equals the coarser one.
    """
    sizes = [*takewhile(lambda size: size < largest, (SMALLEST << k for k in count())), max(largest, SMALLEST)]
    return min(map(make, reversed(sizes)), key=attrgetter("time"))


def set_hubs_apart(entries: RowEntries, graph: Graph, size: int) -> Integers | None:
    """Labels (bodies,) where bodies with more neighbours than a part holds have parts of their own; None without any.

    Rows at such a body cross parts whatever is done, and in a part with others each of these would meet all of them.
    What hangs on it alone, islands that fit into a part once it is gone, goes with it.
    """
    hub = np.diff(graph.start) > size
    if not hub.any():
        return None
    start, member = link(entries, np.where(hub, -1, graph.label)).islands
    island = np.repeat(np.arange(start.size - 1), np.diff(start))
    beside = np.zeros(hub.size)
    beside[graph.neighbour[np.repeat(hub, np.diff(graph.start))]] = 1.0
    hangs = (np.bincount(island, beside[member], start.size - 1) > 0.0) & (np.diff(start) <= size)
    hub[member] = hangs[island]
    return np.where(graph.label < 0, -1, 2 * graph.label + hub)
