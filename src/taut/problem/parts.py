"""Which part of a problem each row is in: how problems are divided for solvers that work part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.problem.kkt import KktProblem, Problem
from taut.structure.incidence import RowEntries
from taut.structure.partition import (
    Graph,
    Partition,
    best_size,
    extend,
    in_rows,
    link,
    partition_bodies,
    set_hubs_apart,
    set_pushed_apart,
)
from taut.structure.partition_rows import RowGroups
from taut.structure.pattern import Pattern

Integers = NDArray[np.int64]

CHOICES = ("auto", "groups", "minimum-degree", "chains", "rows")
"""Ways to divide a problem, see `partition_of`."""

LARGEST = 2**31
"""Bodies a part at most: more than there are."""


def row_parts(problem: Problem, choice: str = "auto", size: int = 0) -> Integers:
    """Part (rows,) of each row, -1 for the interface: see `partition_of`."""
    return partition_of(problem, choice, size).row


def partition_of(problem: Problem, choice: str = "auto", size: int = 0) -> Partition:
    """Divide a problem into parts; no entry of A couples rows within two different parts.

    What is found depends on the structure alone, so it is worked out once for all problems that share it.

    Args:
        problem: A problem; one without bodies is divided by rows, whatever the choice.
        choice: `minimum-degree`: bodies that share rows [Peiret2019, Alg. 2]; `groups`: the same within every group
            that the problem's labels name; `chains`: the same by rows that are always there, so that parts stay as
            they are while others come and go; `rows`: rows that A couples, those that meet the same others as one;
            `auto`: of the first three what is predicted to take least time, see also `set_pushed_apart`.
        size: Bodies a part, or such groups of rows; 0 = what is predicted to take least time.
    """
    check_choice("problem", choice, size)
    kept = problem.entries if isinstance(problem, KktProblem) else problem.pattern
    key = (Partition, choice, size)
    known: Partition | None = kept.structures.get(key)
    if known is None:
        known = kept.structures.setdefault(key, divide(problem, choice, size))
    return known


def parts_between(
    pairs: Integers, rows: Integers, bounded: NDArray[np.bool_], moves: NDArray[np.bool_], group: Integers
) -> Integers:
    """Part (bodies,) that "auto" puts each body in where so many rows touch pairs of bodies; -1 for those at none.

    Shapes: pairs (k, 2), rows, bounded (k,) how many rows touch a pair and whether they have bounds; moves, group
    (bodies,)
    """
    of_row = np.repeat(np.arange(len(pairs)), rows)
    entries = RowEntries(
        entry_start=2 * np.arange(of_row.size + 1), entry_row=np.repeat(np.arange(of_row.size), 2),
        entry_body=pairs[of_row].ravel().astype(np.int64), moves=moves.astype(np.uint8), unbounded=~bounded[of_row],
        owner=np.full(of_row.size, -1), group=group,
    )  # fmt: skip
    return kept_or_searched(entries, 0).node


def check_choice(owner: str, choice: Any, size: Any) -> None:
    """One line where there is no such choice or size."""
    if choice not in CHOICES:
        raise InputError(f"{owner}: partition is {choice!r:.80}; it must be one of: {', '.join(CHOICES)}")
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or not 0 <= size <= LARGEST:
        raise InputError(f"{owner}: part_size is {size!r:.80}; it must be a whole number of bodies, 0 for the best one")


def divide(problem: Problem, choice: str, size: int) -> Partition:
    """Work out a partition, see `partition_of`."""
    if choice == "rows" or not isinstance(problem, KktProblem):
        return divided_rows(problem.matrix().pattern, size)
    return divided(problem.entries, choice, size)


def divided(entries: RowEntries, choice: str, size: int) -> Partition:
    """The partition of bodies that a choice is, see `partition_of`."""
    if choice == "auto":
        return set_pushed_apart(entries, kept_or_searched(entries, size))
    if choice == "chains":
        return divided_bodies(entries, always_there(entries), size)
    one_group = np.zeros(entries.moves.size, np.int64)
    group = entries.group if choice == "groups" and entries.group is not None else one_group
    return divided_bodies(entries, link(entries, in_rows(entries, group)), size)


def kept_or_searched(entries: RowEntries, size: int) -> Partition:
    """The partition of the rows that are always there, extended, or the best one where a search for it may pay.

    More rows are more work, so no partition takes less than the best one of the rows that are always there; it can save
    no more than what the extended one takes longer. Both are counted, and depend on these rows alone.
    """
    from taut.structure.cost_kernels import PATTERN_USES, SEARCH, SEARCH_ROW

    base, found = entries.base, []
    if base is not None and base.row_count:
        key = (kept_or_searched, size)
        known = base.structures.get(key) or base.structures.setdefault(key, kept_or_searched(base, size))
        found = [extend(known, entries)]
        if PATTERN_USES * (found[0].time - known.time) < SEARCH + SEARCH_ROW * entries.row_count:
            return found[0]
    return quickest([*found, *(divided(entries, each, size) for each in worth_trying(entries))])


def worth_trying(entries: RowEntries) -> list[str]:
    """Choices that may give different partitions of these rows."""
    choices = ["minimum-degree"]
    if entries.group is not None and np.unique(entries.group[entries.moves > 0]).size > 1:
        choices.append("groups")
    if entries.base is not None and entries.base.row_count:
        choices.append("chains")
    return choices


def quickest(found: Sequence[Partition]) -> Partition:
    """The partition that is predicted to take least time, of equals the first."""
    return min(found, key=attrgetter("time"))


def divided_bodies(entries: RowEntries, graph: Graph, size: int) -> Partition:
    """Bodies in parts of this size, or of the best one; bodies with very many neighbours apart where that is better."""

    def made(wanted: int) -> Partition:
        plain = partition_bodies(entries, graph, wanted)
        label = set_hubs_apart(entries, graph, wanted)
        if label is None:
            return plain
        return quickest([plain, partition_bodies(entries, link(entries, label), wanted)])

    return chosen(made, graph, size)


def always_there(entries: RowEntries) -> Graph:
    """The graph of bodies by the rows that are always there; bodies that none of these touch go by all rows."""
    base, all_bodies = entries if entries.base is None else entries.base, np.zeros(entries.moves.size, np.int64)
    held, touched = in_rows(base, all_bodies), in_rows(entries, all_bodies)
    loose = np.where(held < 0, touched, -1)
    return link(base, touched).beside(link(entries, loose))


def divided_rows(pattern: Pattern, size: int) -> Partition:
    """Groups of rows in parts of this size, or of the best one."""
    rows = RowGroups.of(pattern)
    return chosen(rows.parted, rows.graph, size)


def chosen(made: Callable[[int], Partition], graph: Graph, size: int) -> Partition:
    """The partition of a size, or of the best one where that is 0."""
    return made(size) if size else best_size(made, graph.largest)
