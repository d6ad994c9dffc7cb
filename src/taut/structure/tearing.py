"""A problem torn into parts: inner rows of each, copies of the interface rows that they meet, and the interface itself.

Interface rows are those whose bodies are of more than one part. A row of the interface has a copy in each part that it
is coupled to. So the torn problem falls into parts that nothing couples, and all that works on islands works on parts:
the copies of a part are its border, whose multipliers are given.                            [Peiret2019, eq. 13 to 15]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.structure.front_tree import FrontTree, front_costs, no_tree, plant_tree
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern
from taut.tables import WholeRows, Wholes

Integers = NDArray[np.int64]


class Interface(NamedTuple):
    """Where parts and interface meet: a table for kernels.

    Parts are the islands of the torn problem: a part whose inner rows nothing couples is more than one of them.

    Attributes:
        row: (interface rows,) rows of the problem.
        copy: (torn rows,) by position, the number of the interface row that it is a copy of, or -1.
        position: (copies,) positions of the copies, part by part in the order of their last front.
        border: (copies,) the interface rows that they are copies of.
        border_start: (parts + 1,) ranges of both.
        term_start: (parts + 1,) ranges of `term`: of each part the lower triangle of its border, column by column.
        term: (2, terms) place of each entry of these triangles in the matrix of the interface, and of its mirror image.
        own: (entries of the interface,) entry of A, or -1.
    """

    row: Wholes
    copy: Wholes
    position: Wholes
    border: Wholes
    border_start: Wholes
    term_start: Wholes
    term: WholeRows
    own: Wholes


@dataclass(frozen=True, eq=False)
class Tearing:
    """What is known of a pattern that is torn into parts.

    Attributes:
        symbolic: the torn problem; its order are rows of the problem, its sources entries of A.
        tree: fronts of every part, the last one its border.
        interface: where the parts meet.
        pattern: of the interface: rows that A couples, and rows that share a part.   [Peiret2019, eq. 24]
        factor_cost, solve_cost: (parts,) predicted nanoseconds of all fronts of a part, and of a pivot that does none.
    """

    symbolic: SymbolicStructure
    tree: FrontTree
    interface: Interface
    pattern: Pattern
    factor_cost: NDArray[np.float64]
    solve_cost: NDArray[np.float64]


def tear(pattern: Pattern, part: Integers) -> Tearing:
    """Tear a pattern into parts; `part` (rows,) is the part of each row, -1 for those of the interface."""
    torn, source, row, copy = tear_pattern(pattern, part)
    symbolic = analyze_pattern(torn)
    parts = symbolic.island_count
    tree = plant_tree(torn, symbolic, np.arange(parts), (copy >= 0).astype(np.int64)) if parts else no_tree()
    copy_at = copy[symbolic.order]
    position, start = list_borders(symbolic, tree, copy_at)
    interface, met = join_parts(pattern, np.flatnonzero(part < 0), copy_at, position, start)
    symbolic = symbolic._replace(order=row[symbolic.order], lower_source=source[symbolic.lower_source])
    solve_cost = pivot_costs(symbolic, tree)
    factor_cost = front_costs(symbolic, tree) if parts else solve_cost
    return Tearing(symbolic, tree, interface, met, factor_cost, solve_cost)


def pivot_costs(symbolic: SymbolicStructure, tree: FrontTree) -> NDArray[np.float64]:
    """Predicted nanoseconds (parts,) of a pivot that solves with fronts which are there."""
    from taut.structure.cost_kernels import FRONT_PASSED, FRONT_SUBSTITUTED, PIVOT_ENTRY, PIVOT_ROW

    width = np.diff(tree.first)
    front = FRONT_PASSED + FRONT_SUBSTITUTED * width * (width + np.diff(tree.row_start))
    until = np.concatenate([[0.0], np.cumsum(front)])[tree.node_begin[symbolic.island_start]]
    rows, entries = symbolic.island_start, symbolic.lower_start[symbolic.island_start]
    return np.diff(until) + PIVOT_ROW * np.diff(rows) + PIVOT_ENTRY * np.diff(entries)


def tear_pattern(pattern: Pattern, part: Integers) -> tuple[Pattern, Integers, Integers, Integers]:
    """The torn pattern, the entry of the given one that each of its entries is, and of each of its rows the row of the
    given one and the number of the interface row that it is a copy of, or -1."""
    from taut.structure.tearing_kernels import count_entries, number_rows, tear_rows

    number, copy_at = np.empty((2, pattern.size + 1), np.int64), np.empty(part.max(initial=-1) + 1, np.int64)
    copies = number_rows(pattern.indptr, pattern.indices, part, copy_at, number)
    size = int(np.count_nonzero(part >= 0)) + copies
    row, indptr = np.empty((3, size), np.int64), np.empty(size + 1, np.int64)
    given = pattern.indptr, pattern.indices, part, number, copies, copy_at
    copy_at.fill(-1)
    count_entries(*given, row, indptr)
    indices, source = np.empty((2, indptr[-1]), np.int64)
    tear_rows(*given, indptr[:-1].copy(), row, indices, source)
    return Pattern(indptr, indices), source, row[0].copy(), row[1].copy()


def list_borders(symbolic: SymbolicStructure, tree: FrontTree, copy: Integers) -> tuple[Integers, Integers]:
    """Positions of copies, part by part in the order of their last front, and where those of each part begin.

    Shapes: copy (torn rows,) by position, -1 for inner rows.
    """
    of_part = np.repeat(np.arange(symbolic.island_count), np.diff(symbolic.island_start))
    position = tree.position[copy[tree.position] >= 0]  # columns are in the order of parts, a border at the end of each
    count = np.bincount(of_part[position], minlength=symbolic.island_count)
    return position, np.concatenate([[0], np.cumsum(count)])


def join_parts(
    pattern: Pattern, row: Integers, copy: Integers, position: Integers, start: Integers
) -> tuple[Interface, Pattern]:
    """Where parts meet, and the pattern of the interface."""
    from taut.structure.tearing_kernels import meet_rows, place_terms, sort_rows

    number, border, parts = (
        np.full(pattern.size, -1),
        copy[position],
        np.repeat(np.arange(start.size - 1), np.diff(start)),
    )
    number[row] = np.arange(row.size)
    by_row = np.argsort(border, kind="stable")
    copy_start = np.concatenate([[0], np.cumsum(np.bincount(border, minlength=row.size))])
    work = np.empty((2, row.size + 1), np.int64)
    given = pattern.indptr, pattern.indices, number, row
    count = meet_rows(*given, start, border, copy_start, parts[by_row], work, np.empty(0, np.int64))
    unsorted, indices = np.empty((2, count), np.int64)
    meet_rows(*given, start, border, copy_start, parts[by_row], work, unsorted)
    indptr = work[0].copy()
    sort_rows(indptr, unsorted, work[1, : row.size].copy(), indices)
    size = np.diff(start)
    term_start = np.concatenate([[0], np.cumsum(size * (size + 1) // 2)])
    term, own = np.empty((2, term_start[-1]), np.int64), np.empty(count, np.int64)
    place_terms(*given, indptr, indices, start, border, term_start, np.empty(row.size, np.int64), term, own)
    return Interface(row, copy, position, border, start, term_start, term, own), Pattern(indptr, indices)
