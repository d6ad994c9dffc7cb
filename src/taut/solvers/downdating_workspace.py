"""Structure and workspaces of the solvers that take tight rows out of a factor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from taut.linalg.cached import CachedFactor
from taut.linalg.downdated import DowndatedFactor
from taut.solvers.island_workspace import PIVOT_CAPACITY, REPORT_COLUMNS, Search
from taut.structure.symbolic import SymbolicStructure
from taut.tables import Handle, WholeRows, held


class DowndatedWork(NamedTuple):
    """An `IslandWork` with a factor that rows are taken out of: a table for kernels."""

    search: Search
    factor: DowndatedFactor
    seen: WholeRows
    report: WholeRows


class CachedWork(NamedTuple):
    """An `IslandWork` with factors that are kept: a table for kernels."""

    search: Search
    factor: CachedFactor
    seen: WholeRows
    report: WholeRows


def room_of(symbolic: SymbolicStructure) -> dict[str, Any]:
    """What every `IslandWork` has beside its factor."""
    return {
        "search": Search.of_size(symbolic.size),
        "seen": np.zeros((2, PIVOT_CAPACITY), np.int64),
        "report": np.zeros((symbolic.island_count, REPORT_COLUMNS), np.int64),
    }


@dataclass(frozen=True, eq=False)
class DowndatingStructure:
    """What such a solver knows of a pattern, and handles of workspaces that nobody uses at the moment.

    A workspace belongs to one solve at a time, see `IslandStructure`.
    """

    symbolic: SymbolicStructure
    make: Callable[[SymbolicStructure], DowndatedWork | CachedWork]
    idle: list[Handle] = field(default_factory=list)

    def borrow(self) -> Handle:
        """A workspace for the time of one solve; put it back among the `idle` ones."""
        try:
            return self.idle.pop()  # in one go: another thread may take the last one between a test and this
        except IndexError:
            return held(self.make(self.symbolic))
