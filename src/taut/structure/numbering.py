"""New numbers for things of which some went: how values by number are carried over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, compress, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
T = TypeVar("T")

MOST_RUNS = 16
"""Above so many runs, values are carried over one by one."""


def runs_where(chosen: NDArray[np.bool_]) -> list[Any]:
    """Slices of neighbours that are chosen (n,); all places at once where that would be too many slices."""
    if chosen.all():
        return [slice(None)]
    padded = np.zeros(chosen.size + 2, bool)
    padded[1:-1] = chosen
    edges = (padded[1:] != padded[:-1]).nonzero()[0].tolist()
    if len(edges) > 2 * MOST_RUNS:
        return [np.flatnonzero(chosen)]
    return [slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)] or [slice(0)]


Runs = tuple[tuple[Any, Any], ...]
"""Where the values of things are and where they go, slice by slice, or all at once by number."""


def runs_of(number: Integers) -> Runs:
    """The runs of new numbers (before,)."""
    edges = (number[1:] - number[:-1] != 1).nonzero()[0].tolist()
    if len(edges) > 2 * MOST_RUNS:
        return runs_of_few(number)
    runs = []
    for start, stop in pairwise([0, *[each + 1 for each in edges], number.size]):
        first = int(number[start]) if start < stop else 0
        if first < 0:  # what goes on after -1 begins with 0
            start, first = start + 1, 0
        if start < stop:
            runs.append((slice(start, stop), slice(first, first + stop - start)))
    return tuple(runs)


def runs_of_few(number: Integers) -> Runs:
    """The same where many are gone, or many runs would be."""
    old = np.flatnonzero(number >= 0)
    new = number[old]
    last = np.flatnonzero((old[1:] - old[:-1] != 1) | (new[1:] - new[:-1] != 1)).tolist()
    if len(last) >= MOST_RUNS:
        return ((old, new),)
    start, stop = [0, *(each + 1 for each in last)], [*(each + 1 for each in last), old.size]
    return tuple(
        (slice(int(old[a]), int(old[a]) + b - a), slice(int(new[a]), int(new[a]) + b - a))
        for a, b in zip(start, stop, strict=True)
        if b > a
    )


class Numbering:
    """New numbers (before,) of things, -1 for those that are gone.

    What stays mostly keeps its neighbours, so that values move in a few long runs.

    Attributes:
        number: the numbers.
        runs: see `Runs`.
        left: how many stay.
        keeps_all: whether all things stay, with the numbers they have.
    """

    __slots__ = ("keeps_all", "left", "number", "runs")

    def __init__(self, number: Integers, runs: Runs | None = None) -> None:
        """`runs` are found in the numbers where they are not known."""
        self.number = number
        self.runs: Runs = runs_of(number) if runs is None else runs
        self.left = sum([old.stop - old.start if isinstance(old, slice) else old.size for old, _ in self.runs])
        whole, first = slice(0, number.size), self.runs[0] if self.runs else (None, None)
        self.keeps_all = not number.size or (isinstance(first[0], slice) and first == (whole, whole))

    def __getitem__(self, old: Any) -> Any:
        """New numbers of some of the things."""
        return self.number[old]

    def stay(self, things: Sequence[T]) -> Iterator[T]:
        """Those of the things (before,) that stay, in their old order."""
        if self.runs and not isinstance(self.runs[0][0], slice):
            return compress(things, (self.number >= 0).tolist())
        slices: list[slice] = [old for old, _ in self.runs]
        return chain.from_iterable(things[each] for each in slices)

    def known(self, count: int) -> NDArray[np.bool_]:
        """Which of `count` things now were there before."""
        there = np.zeros(count, bool)
        for _, new in self.runs:
            there[new] = True
        return there

    def carry(self, old: NDArray[Any], new: NDArray[Any]) -> None:
        """Put old values, by old number, where they belong by new number.

        Writes:  new
        """
        for source, target in self.runs:
            new[target] = old[source]

    def carried(self, old: NDArray[Any], count: int) -> NDArray[Any]:
        """Values of `count` things by new number, 0 for those that are new."""
        if self.left == count and self.keeps_all:
            return old.copy()
        values = (np.empty if self.left == count else np.zeros)((count, *old.shape[1:]), old.dtype)
        self.carry(old, values)
        return values

    def followed(self, old: Sequence[NDArray[Any]], new: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Values of the things that stay, then of new ones, column by column."""
        added = consecutive(self.left, len(new[0]))
        return [joined(values, self, more, added) for values, more in zip(old, new, strict=True)]


def consecutive(first: int, count: int) -> Numbering:
    """Numbers from the first on."""
    return Numbering(np.arange(first, first + count), ((slice(0, count), slice(first, first + count)),))


def joined(old: NDArray[Any], stays: Numbering, new: NDArray[Any], added: Numbering) -> NDArray[Any]:
    """Values by new number: those of what stays, and of what is added; the old ones themselves if that is all."""
    if not added.left and stays.keeps_all:
        return old
    values = np.empty((stays.left + added.left, *old.shape[1:]), old.dtype)
    stays.carry(old, values)
    added.carry(new, values)
    return values
