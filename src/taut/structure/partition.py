"""Partitions: bodies in parts, and rows that lie within one part; the others are the interface that couples the parts.

A row is within a part if all its moving bodies are. Two rows meet in A = J M^-1 J^T where they share a moving body, so
no entry of A couples rows within two different parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray

from taut.structure.incidence import RowEntries
from taut.structure.orderings import order_rows
from taut.structure.partition_work import Touched, predicted
from taut.structure.pattern import Pattern

Integers = NDArray[np.int64]

SMALLEST = 8
"""Bodies a part of the finest partition that is looked at where no size is given."""

CROWDED = 4
"""A body has very many neighbours if they are more than this share of a part, one in so many."""

MIDDLE = 2
"""Doublings of it to the first one that is looked at."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Nodes, which are bodies or rows, in parts, and what follows for rows.

    Attributes:
        node: (nodes,) part of each node, -1 for those in none.
        row: (rows,) part of each row, -1 for the interface.
        count: number of parts.
        size: nodes a part that it was made for.
        interface: number of rows in the interface.
        time: predicted time of one round of factors, ns, see `predicted`; a number of operations, not a clock's.
        order: (nodes in parts,) nodes in the order in which parts took them, part by part.
    """

    node: Integers
    row: Integers
    count: int
    size: int
    interface: int
    time: float
    order: Integers


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

    def beside(self, other: Graph) -> Graph:
        """This graph with the links of another of the same nodes, none of which has links in both."""
        node = np.concatenate([np.repeat(np.arange(self.label.size), np.diff(each.start)) for each in (self, other)])
        neighbour = np.concatenate([self.neighbour, other.neighbour])[np.argsort(node, kind="stable")]
        return Graph(self.start + other.start, neighbour, self.label)

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


def link(entries: RowEntries, label: Integers) -> Graph:
    """The graph of bodies that move, share a row and have one label (bodies,), which is not negative."""
    return link_nodes(entries.entry_start, entries.entry_body, entries.moves, label)


def link_nodes(row_start: Integers, entry: Integers, moves: NDArray[np.uint8], label: Integers) -> Graph:
    """The same of any nodes that rows touch.

    Shapes: row_start (rows + 1,) into entry (entries,), nodes that each row touches; moves, label (nodes,)
    """
    from taut.structure.partition_kernels import count_links, link_bodies

    start, work = np.empty(label.size + 1, np.int64), np.empty(label.size, np.int64)
    neighbour = np.empty(count_links(row_start, entry, moves, label, start), np.int64)
    link_bodies(row_start, entry, moves, label, work, start, neighbour)
    return Graph(start, neighbour[: start[-1]].copy(), label)


def in_line(row_start: Integers, entry: Integers, parts: int) -> Integers:
    """New numbers (parts,) with which parts that rows couple are near each other, so that their interface is a band.

    Shapes: row_start (rows + 1,) into entry (entries,), parts that each row touches, -1 for none
    """
    label = np.append(np.zeros(parts, np.int64), -1)  # one more node, for what is in no part
    graph = link_nodes(row_start, entry % (parts + 1), np.ones(parts + 1, np.uint8), label)
    order, _ = order_rows(Pattern(graph.start, graph.neighbour))
    number = np.empty(parts, np.int64)
    number[order[order < parts]] = np.arange(parts)
    return number


def in_rows(entries: RowEntries, label: Integers) -> Integers:
    """Labels (bodies,) of bodies that move and that rows touch, -1 of the others."""
    touched = np.zeros(label.size, bool)
    touched[entries.entry_body] = True
    return np.where(touched & (entries.moves > 0), label, -1)


def partition_bodies(entries: RowEntries, graph: Graph, size: int) -> Partition:
    """Bodies in parts of at most `size`, and the rows within them."""
    parts, part, order = graph.grown(size)
    number = np.append(in_line(entries.entry_start, part[entries.entry_body], parts), -1)
    part = number[part]
    return sort_rows(entries, parts, part, order[np.argsort(part[order], kind="stable")], size)


def extend(known: Partition, entries: RowEntries) -> Partition:
    """A partition of the rows that are always there, with rows that come and go: their bodies stay where they are.

    Bodies that only rows that come and go touch are in parts of their own, of the same size.
    """
    loose = link(entries, in_rows(entries, np.where(known.node < 0, 0, -1)))
    more, part, order = loose.grown(known.size)
    part = np.where(part < 0, known.node, known.count + part)
    return sort_rows(entries, known.count + more, part, np.concatenate([known.order, order]), known.size)


def set_pushed_apart(entries: RowEntries, found: Partition) -> Partition:
    """The same bodies in the same parts, and rows with bounds in the interface where bodies push each other.

    Whether such a row is at a bound follows from both bodies and all that pushes them. Within parts each side would
    take the other's impulses for given, and change its rows once an iteration: in piles and cables that rub, ten to
    thirty times. At the interface these rows are found together, and what stays in a part is linear, or is between one
    body and what does not move.
    """
    from taut.structure.partition_kernels import mark_pushed

    apart = np.empty(entries.row_count, bool)
    work = np.empty(entries.moves.size, np.uint8)
    if not mark_pushed(entries.entry_start, entries.entry_body, entries.moves, entries.unbounded, work, apart):
        return found
    return sort_rows(entries, found.count, found.node, found.order, found.size, apart)


def sort_rows(
    entries: RowEntries,
    parts: int,
    part: Integers,
    order: Integers,
    size: int,
    apart: NDArray[np.bool_] | None = None,
) -> Partition:
    """The rows within parts, and those between them or set `apart` (rows,).

    Shapes: part (bodies,) part of each, -1 for none; order (bodies in parts,) in which parts took them, part by part
    """
    from taut.structure.partition_kernels import mark_rows, row_keys

    row, key = np.empty((2, entries.row_count), np.int64)
    interface = mark_rows(entries.entry_start, entries.entry_body, entries.moves, part, row)
    if apart is not None:
        row[apart] = -1
        interface = np.count_nonzero(row < 0)
    rank = np.zeros(part.size, np.int64)
    rank[order] = np.arange(order.size)
    row_keys(entries.entry_start, entries.entry_body, entries.moves, rank, part, row, key)
    bounded = (~entries.unbounded).astype(float)
    touched = Touched(entries.entry_start, entries.entry_body, entries.moves, bounded)
    time = predicted(touched, part, row, key, parts)
    return Partition(part, row, parts, size, int(interface), time, order)


def best_size(make: Callable[[int], Partition], largest: int) -> Partition:
    """The partition that is predicted to take least, of those of 8, 16, 32 ... nodes a part, and of islands as wholes.

    From 32 on sizes are doubled as long as that helps; where it does not, they are halved.
    """
    top = max(largest, SMALLEST)
    sizes = [*takewhile(lambda size: size < top, (SMALLEST << k for k in count())), top]
    middle = min(MIDDLE, len(sizes) - 1)
    best = make(sizes[middle])
    for others in (sizes[middle + 1 :], sizes[:middle][::-1]):
        for other in map(make, others):
            if other.time >= best.time:
                break
            best = other
        if best.size > sizes[middle]:
            break
    return best


def set_hubs_apart(entries: RowEntries, graph: Graph, size: int) -> Integers | None:
    """Labels (bodies,) where bodies with very many neighbours have parts of their own; None without any.

    All rows at a body meet each other. In a part with others it makes each of its rows there meet all that cross, which
    costs that part more than it saves between parts. What hangs on it alone, islands that fit into a part once it is
    gone, goes with it.
    """
    hub = np.diff(graph.start) > max(size // CROWDED, SMALLEST)
    if not hub.any():
        return None
    start, member = link(entries, np.where(hub, -1, graph.label)).islands
    island = np.repeat(np.arange(start.size - 1), np.diff(start))
    beside = np.zeros(hub.size)
    beside[graph.neighbour[np.repeat(hub, np.diff(graph.start))]] = 1.0
    hangs = (np.bincount(island, beside[member], start.size - 1) > 0.0) & (np.diff(start) <= size)
    hub[member] = hangs[island]
    return np.where(graph.label < 0, -1, 2 * graph.label + hub)
