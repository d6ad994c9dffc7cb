"""Minimum-degree elimination tree of a pattern, cut into fronts: for a factor that is changed a path at a time.

A front is a few columns of the factor that are eliminated together, with the rows below them. Those rows are columns of
its ancestors, so what changes in a front changes only those on its path to the root.           [Lefebvre2020, sec. 4.1]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure
from taut.tables import WholeRows, Wholes

Integers = NDArray[np.int64]


class FrontTree(NamedTuple):
    """The fronts of some islands, children before parents, island by island: a table for kernels.

    Columns are numbered in the order of elimination. The rows of a front, counted from 0, are its own columns and then
    the rows below.

    Attributes:
        position: (columns,) position of each column in the order of the islands, see `SymbolicStructure.order`.
        node_begin: (n + 1,) number of nodes before each position at which an island begins.
        first: (nodes + 1,) first column of each node.
        parent: (nodes,) parent of each node, or -1.
        row_start: (nodes + 1,) ranges of `row` and `place`.
        row: (rows of all nodes,) columns that are rows below the node.
        place: (rows of all nodes,) where those rows are in the front of the parent.
        child_start: (nodes + 1,) ranges of `child`.
        child: (nodes,) children of each node.
        entry_start: (nodes + 1,) ranges of `entry`.
        entry: (3, entries) of the lower triangle: its place there, row and column in the front.
        offset: (nodes + 1,) where the storage of each front begins.
        padded: (nodes + 1,) where its columns begin when each front has a multiple of four.
        node: (columns,) node of each column.
    """

    position: Wholes
    node_begin: Wholes
    first: Wholes
    parent: Wholes
    row_start: Wholes
    row: Wholes
    place: Wholes
    child_start: Wholes
    child: Wholes
    entry_start: Wholes
    entry: WholeRows
    offset: Wholes
    padded: Wholes
    node: Wholes

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.parent.size


def weigh_islands(symbolic: SymbolicStructure) -> NDArray[np.float64]:
    """Predicted nanoseconds (3, islands): a skyline factor of all rows of an island, a pivot, planning its fronts."""
    from taut.structure.front_tree_kernels import weigh

    cost = np.empty((3, symbolic.island_count))
    weigh(symbolic.island_start, symbolic.lower_start, symbolic.lower_column, cost)
    return cost


def front_costs(symbolic: SymbolicStructure, tree: FrontTree) -> NDArray[np.float64]:
    """Predicted nanoseconds (islands,) to do all fronts of each island, and to solve with them."""
    from taut.structure.front_tree_kernels import weigh_fronts

    cost = np.empty(symbolic.island_count)
    weigh_fronts(symbolic.island_start, tree.node_begin, tree.first, tree.row_start, cost)
    return cost


def no_tree() -> FrontTree:
    """A tree without fronts, of no island."""
    none, zero = np.zeros(0, np.int64), np.zeros(1, np.int64)
    return FrontTree(
        position=none, node_begin=zero, first=zero, parent=none, row_start=zero, row=none,
        place=none, child_start=zero, child=none, entry_start=zero, entry=np.zeros((3, 0), np.int64), offset=zero,
        padded=zero, node=none,
    )  # fmt: skip


def plant_tree(
    pattern: Pattern, symbolic: SymbolicStructure, islands: Integers, late: Integers | None = None
) -> FrontTree:
    """Fronts of these islands of a pattern, given in rising order.

    Rows that are `late` (n,) (1, others 0) are all in the last front of their island, its border.
    """
    from taut.structure.front_tree_kernels import list_rows, number_groups, place_entries, place_rows
    from taut.structure.minimum_degree_kernels import group_rows

    size = pattern.size
    table = np.empty(1 << (2 * size + 1).bit_length(), np.int64)
    group, leader = np.empty((2, size), np.int64)
    late = np.zeros(size, np.int64) if late is None else late
    count = group_rows(pattern.indptr, pattern.indices, late, table, group, leader)
    start, member, seen = np.empty(count + 1, np.int64), np.empty(size, np.int64), np.empty(size + 1, np.int64)
    number_groups(symbolic.order, np.empty(count, np.int64), group, leader, start, member, seen)
    weight = np.diff(start)
    parts: list[tuple[Integers, ...]] = []
    node_begin = np.zeros(size + 1, np.int64)
    nodes = columns = rows = 0
    for island in islands:
        begin, end = symbolic.island_start[island : island + 2]
        own = slice(seen[begin], seen[end])
        groups, bits, node_count, node = eliminate_island(pattern, group, leader[own], weight[own], late)
        total = int(node[2, :node_count].sum())
        first, row_start = np.empty((2, node_count + 1), np.int64)
        column, row = np.empty(groups.size, np.int64), np.empty(total, np.int64)
        parent = np.where(node[3, :node_count] >= 0, node[3, :node_count] + nodes, -1)
        list_rows(node_count, weight[own], groups, bits, node, first, column, row_start, row)
        lengths = weight[own][groups]
        ends = np.cumsum(lengths)
        position = member[np.repeat(start[own][groups] - ends + lengths, lengths) + np.arange(ends[-1])]
        parts.append((position, first[:-1] + columns, parent, row_start[:-1] + rows, row + columns))
        node_begin[begin:end] = nodes
        node_begin[end:] = nodes + node_count
        nodes, columns, rows = nodes + node_count, columns + position.size, rows + total
    position, first, parent, row_start, row = (np.concatenate(each) for each in zip(*parts, strict=True))
    first, row_start = np.append(first, columns), np.append(row_start, rows)
    widths, rests = np.diff(first), np.diff(row_start)
    node = np.repeat(np.arange(nodes), widths)
    local, place = np.empty(columns, np.int64), np.zeros(rows, np.int64)
    place_rows(first, parent, row_start, row, local, place)
    column = np.full(size, -1)
    column[position] = np.arange(columns)
    entries = int(np.diff(symbolic.lower_start)[column >= 0].sum())
    entry_start, entry = np.empty(nodes + 1, np.int64), np.empty((3, entries), np.int64)
    place_entries(
        symbolic.lower_start, symbolic.lower_column, column, first, row_start, row, node, local,
        np.empty(nodes, np.int64), entry_start, entry,
    )  # fmt: skip
    children = np.argsort(parent, kind="stable")[np.count_nonzero(parent < 0) :]
    child_start = np.concatenate([[0], np.cumsum(np.bincount(parent[parent >= 0], minlength=nodes))])
    wide, high = -(-widths // 4) * 4, -(-rests // 4) * 4
    return FrontTree(
        position=position, node_begin=node_begin, first=first, parent=parent, row_start=row_start, row=row, place=place,
        child_start=child_start, child=children, entry_start=entry_start, entry=entry,
        offset=np.concatenate([[0], np.cumsum(wide * (wide + high) + high * high)]),
        padded=np.concatenate([[0], np.cumsum(wide)]), node=node,
    )  # fmt: skip


def eliminate_island(
    pattern: Pattern, group: Integers, leader: Integers, weight: Integers, late: Integers
) -> tuple[Integers, Integers, int, Integers]:
    """Minimum-degree elimination of the groups of an island, given by their leaders (groups of the island,).

    Returns: groups in the order of elimination, counted from 0; rows of bits; number of nodes; what is known of each,
    see `join_fronts`.
    """
    from taut.structure.front_tree_kernels import join_fronts
    from taut.structure.minimum_degree_kernels import REMAINDERS, WORD, eliminate_groups, neighbour_bits

    count, late = weight.size, late[leader]
    bits = np.empty((count, -(-count // WORD)), np.int64)
    neighbour_bits(pattern.indptr, pattern.indices, group, leader, group[leader[0]], bits)
    front, following, first, order = np.empty((4, count), np.int64)
    work, node = np.empty((4, count + REMAINDERS), np.int64), np.empty((5, count), np.int64)
    fronts = eliminate_groups(weight, late, bits, work, front, following, first)
    border, work = fronts - 1 if late.any() else -1, np.empty((7, count), np.int64)
    nodes = join_fronts(fronts, border, weight, bits, front, first, following, work, order, node)
    return order, bits, nodes, node
