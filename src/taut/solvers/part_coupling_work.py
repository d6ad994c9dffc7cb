"""What solving part by part writes into."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from taut.linalg.chosen import ChosenFactor
from taut.linalg.torn import TornFactor
from taut.problem.kkt import Problem
from taut.problem.parts import row_parts
from taut.solvers.island_workspace import (
    PIVOT_CAPACITY,
    REPORT_COLUMNS,
    IslandStructure,
    Search,
    SkylineWork,
    Workspace,
    lent_from,
)
from taut.solvers.part_coupling_cost import CouplingCost
from taut.structure.pattern import Pattern
from taut.structure.tearing import Interface, Tearing, tear
from taut.tables import WholeRows, Wholes, held

DISPATCH = 100e3
"""Nanoseconds that it takes to hand work to a thread and to wait for it."""


class CouplingWork(NamedTuple):
    """An `IslandWork` whose islands are the parts of a torn problem: a table for kernels.

    Attributes:
        search, factor, seen, report: see `IslandWork`.
        interface: where the parts meet.
        kept: (torn rows,) labels of the Schur complements that the matrix of the interface was summed from.
    """

    search: Search
    factor: TornFactor
    seen: WholeRows
    report: WholeRows
    interface: Interface
    kept: Wholes

    @classmethod
    def of(cls, tearing: Tearing) -> CouplingWork:
        """Room for a torn problem."""
        size, parts = tearing.symbolic.size, tearing.symbolic.island_count
        return cls(
            search=Search.of_size(size),
            factor=TornFactor.of(tearing.symbolic, tearing.tree, tearing.interface.copy),
            seen=np.zeros((2, PIVOT_CAPACITY), np.int64),
            report=np.zeros((parts, REPORT_COLUMNS), np.int64),
            interface=tearing.interface,
            kept=np.zeros(size, np.int64),
        )

    def beside(self) -> CouplingWork:
        """The same work for a thread that works on other parts."""
        return self._replace(factor=self.factor.beside(), seen=np.zeros_like(self.seen))


class CouplingWorkspace:
    """A `CouplingWork` with handles for the threads that share it, and what the interface is solved with."""

    def __init__(self, tearing: Tearing) -> None:
        self.tables = CouplingWork.of(tearing)
        self.handles: list[Any] = [held(self.tables)]
        self.matrix = np.zeros(tearing.pattern.entry_count)

    def handle(self, thread: int) -> Any:
        """Handle for a thread; the first one has the work itself."""
        while len(self.handles) <= thread:
            self.handles.append(held(self.tables.beside()))
        return self.handles[thread]

    @cached_property
    def rows(self) -> Workspace:
        """The same search with another factor, for parts that need the interior-point method."""
        tables = self.tables
        factor = ChosenFactor.of(tables.factor.symbolic, None, tables.factor.plain.entries, exchanges=False)
        report = np.zeros_like(tables.report)
        return Workspace(SkylineWork(tables.search, factor, tables.seen, report, np.zeros((2, report.shape[0]))))


@dataclass(frozen=True, eq=False)
class CouplingStructure:
    """What is known of a problem that is solved part by part, and workspaces that nobody uses at the moment."""

    tearing: Tearing
    interface: IslandStructure
    idle: list[CouplingWorkspace] = field(default_factory=list)

    @classmethod
    def of(cls, problem: Problem, pattern: Pattern, partition: str, part_size: int) -> CouplingStructure:
        """Tear a pattern of A; worked out once for all solvers and kept with it."""
        key = (cls, partition, part_size)
        known: CouplingStructure | None = pattern.structures.get(key)
        if known is None:
            tearing = tear(pattern, row_parts(problem, partition, part_size))
            known = pattern.structures.setdefault(
                key, cls(tearing, IslandStructure.of(tearing.pattern, exchanges=False))
            )
        return known

    @cached_property
    def cost(self) -> CouplingCost:
        """What is predicted for it."""
        return CouplingCost.of(self.tearing, self.interface)

    def ranges(self, threads: int, costs: np.ndarray) -> list[tuple[int, int]]:
        """Ranges of parts of about the same cost (parts,), one for each thread that is worth handing work to."""
        if threads == 1:
            return [(0, costs.size)]
        cost = np.cumsum(costs)
        count = min(threads, cost.size, int(cost[-1] // DISPATCH) if cost.size else 1)
        if count <= 1:
            return [(0, cost.size)]
        cuts = np.searchsorted(cost, cost[-1] * np.arange(1, count) / count).tolist()
        return list(zip([0, *cuts], [*cuts, cost.size], strict=True))

    def lent(self) -> AbstractContextManager[CouplingWorkspace]:
        """A workspace for the time of one solve: one that is idle, or a new one."""
        return lent_from(self.idle, lambda: CouplingWorkspace(self.tearing))
