"""New numbers for things of which some went: how values by number are carried over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

MOST_RUNS = 16
"""Above so many runs, values are carried over one by one."""


def runs_where(chosen: NDArray[np.bool_]) -> list[Any]:
    """Slices of neighbours that are chosen (n,); all places at once where that would be too many slices."""
    if chosen.all():
        return [slice(None)]
    edges = np.flatnonzero(np.diff(chosen.view(np.int8), prepend=0, append=0)).tolist()
    if len(edges) > 2 * MOST_RUNS:
        return [np.flatnonzero(chosen)]
    return [slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)] or [slice(0)]


@dataclass(frozen=True, eq=False)
class Numbering:
    """New numbers (before,) of things, -1 for those that are gone.

    What stays mostly keeps its neighbours, so that values move in a few long runs.
    """

    number: Integers

    @cached_property
    def runs(self) -> tuple[tuple[Any, Any], ...]:
        """Where the values of things are and where they go, slice by slice."""
        old = np.flatnonzero(self.number >= 0)
        new = self.number[old]
        stop = np.append(np.flatnonzero((np.diff(old) != 1) | (np.diff(new) != 1)) + 1, old.size)
        if stop.size > MOST_RUNS:
            return ((old, new),)
        start = [0, *stop[:-1].tolist()]
        return tuple(
            (slice(old[a], old[b - 1] + 1), slice(new[a], new[b - 1] + 1))
            for a, b in zip(start, stop.tolist(), strict=True)
            if b > a
        )

    @cached_property
    def left(self) -> int:
        """How many stay."""
        return int(np.count_nonzero(self.number >= 0))

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
        values = (np.empty if self.left == count else np.zeros)((count, *old.shape[1:]), old.dtype)
        self.carry(old, values)
        return values


def joined(old: NDArray[Any], stays: Numbering, new: NDArray[Any], added: Numbering) -> NDArray[Any]:
    """Values by new number: those of what stays, and of what is added."""
    values = np.empty((stays.left + added.left, *old.shape[1:]), old.dtype)
    stays.carry(old, values)
    added.carry(new, values)
    return values
