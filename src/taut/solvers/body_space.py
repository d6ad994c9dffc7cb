"""Pivoting and the interior-point method on problems with bodies, which are eliminated last, see `BodyFactor`."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from taut.linalg.body_factor import BodyFactor
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, Status
from taut.solvers.base import PivotingSolver, Start, start_arrays
from taut.solvers.division import solve_divided, start_of
from taut.solvers.island_workspace import (
    CODE,
    FACTORIZATIONS,
    FIRST,
    LIMIT,
    PIVOT_CAPACITY,
    PIVOTS,
    REPORT_COLUMNS,
    SOLVED,
    Search,
    Workspace,
    failure_of,
    lent_from,
    take_turns,
)
from taut.structure.body_plan import BodyPlan, plan_bodies
from taut.structure.incidence import RowEntries
from taut.tables import WholeRows


class BodyWork(NamedTuple):
    """An `IslandWork` whose factor eliminates contacts, not bodies: a table for kernels."""

    search: Search
    factor: BodyFactor
    seen: WholeRows
    report: WholeRows


BODY_SPACE = "body space"
"""Key of the structure among those that rows keep."""


@dataclass(frozen=True, eq=False)
class BodyStructure:
    """The plan of some rows, and workspaces that nobody uses at the moment; see `IslandStructure`."""

    plan: BodyPlan
    idle: list[Workspace] = field(default_factory=list)

    @classmethod
    def of(cls, entries: RowEntries) -> BodyStructure:
        """Plan the elimination for some rows, once for all solvers."""
        known: BodyStructure | None = entries.structures.get(BODY_SPACE)
        if known is None:
            known = entries.structures.setdefault(BODY_SPACE, cls(plan_bodies(entries)))
        return known

    def lent(self) -> AbstractContextManager[Workspace]:
        """A workspace for the time of one solve."""
        return lent_from(self.idle, self.work)

    def work(self) -> Workspace:
        """Room for a problem."""
        plan = self.plan
        report, seen = np.zeros((plan.islands, REPORT_COLUMNS), np.int64), np.zeros((2, PIVOT_CAPACITY), np.int64)
        return Workspace(BodyWork(Search.of_size(plan.order.size), BodyFactor.of(plan), seen, report))


def load_body_space() -> None:
    """Load the kernels now, so that the first contact costs what the others do."""
    for module in ("structure.body_plan_kernels", "solvers.body_space_kernels"):
        importlib.import_module(f"taut.{module}")


PIVOTED, ITERATED = 2.0, 0.0
"""Rows that give way for every one that does not above which islands are solved by bodies: by pivots, since hard rows
are nodes of their own there, and a mechanism of joints with few contacts has a small A; and by interior points."""


def suited_rows(problem: KktProblem, share: float) -> np.ndarray:
    """Whether rows (n,) are of islands that are solved by bodies: see PIVOTED and `choose_islands`."""
    entries, (islands, label) = problem.entries, problem.islands
    if entries.base is None:
        return np.zeros(problem.size, bool)
    from taut.solvers.body_space_kernels import choose_islands

    chosen = np.empty(islands, np.uint8)
    hard, count = entries.base.row_count, np.empty((2, islands), np.int64)
    found = choose_islands(problem.handle, label, hard, share, count, chosen)
    if found in (0, islands):
        return np.full(problem.size, found > 0)
    return np.asarray(chosen[label] > 0)


def solve_by_bodies(
    solver: PivotingSolver, problem: KktProblem, warm_start: Start, share: float, pivots: int
) -> MlcpSolution | None:
    """The solution where islands suit bodies, see PIVOTED; None where none does, or the search did not end.

    Where some islands suit and others do not, the solver is asked again for each kind.
    """
    suited = suited_rows(problem, share)
    if not suited.any():
        return None
    if not suited.all():
        parts = [(solver, np.flatnonzero(suited)), (solver, np.flatnonzero(~suited))]
        return solve_divided(solver, parts, problem, warm_start)
    found = search_bodies(solver, problem, warm_start, pivots)
    return found if found.solved or found.status is Status.NON_FINITE else None


def search_bodies(solver: PivotingSolver, problem: KktProblem, warm_start: Start, pivots: int) -> MlcpSolution:
    """Pivot from a start, at most so often, and go on with the interior-point method where that does not end."""
    from taut.solvers import body_space_kernels as kernels
    from taut.solvers.index_set_kernels import WARY

    start_set, start_lam = start_arrays(problem.size, warm_start)
    with BodyStructure.of(problem.entries).lent() as work:
        if not kernels.take_blocks(work.handle, problem.handle, start_set, start_lam):
            return solver.refuse(problem)
        report = work.tables.report
        if pivots == 0:
            report[:, CODE] = LIMIT
        if pivots == 0 or kernels.pivot_bodies(work.handle, FIRST, pivots, WARY, 0.0):
            run_stages(work, start_lam)
        lam, index_set = np.empty(problem.size), np.empty(problem.size, np.int64)
        kernels.store_rows(work.handle, problem.handle, lam, index_set)
        done, factors = np.maximum.reduce(report[:, [PIVOTS, FACTORIZATIONS]], initial=0).tolist()
        return solver.conclude(problem, lam, index_set, *failure_of(report), done, factors)


def iterate_by_bodies(solver: PivotingSolver, problem: KktProblem, work: Workspace, warm_start: Start) -> None:
    """Interior points by bodies for the islands of a workspace of rows that are not solved, where they suit.

    What is found is in the work afterwards: multipliers and labels, and the report.
    """
    search, symbolic, report = work.tables.search, work.tables.factor.symbolic, work.tables.report
    suited = suited_rows(problem, ITERATED)
    for island in np.flatnonzero(report[:, CODE] != SOLVED):
        place = slice(symbolic.island_start[island], symbolic.island_start[island + 1])
        rows = np.sort(symbolic.order[place])
        if not suited[rows].all():
            continue
        found = search_bodies(solver, problem.part(rows), start_of(warm_start, rows), pivots=0)
        report[island, PIVOTS] += found.iterations
        report[island, FACTORIZATIONS] += found.factorizations
        if found.solved:
            number = np.searchsorted(rows, symbolic.order[place])
            search.lam[place] = found.lam[number] / search.scale[place]
            search.index_set[place] = found.index_set[number]
            report[island, CODE] = SOLVED


def run_stages(work: Workspace, start_lam: np.ndarray) -> None:
    """Interior-point method, then crossover, on the islands that are not solved; see `interior_point.run_stages`.

    It starts near the multipliers (rows,) that a few sweeps lead to. Rows that give way leave no free rows dependent,
    so crossovers need no proximity.
    """
    from taut.solvers import body_space_kernels as kernels

    def pivot(stage: int, limit: int, patience: int, _: float) -> None:
        kernels.pivot_bodies(work.handle, stage, limit, patience, 0.0)

    swept = np.empty_like(start_lam)
    kernels.sweep_bodies(work.handle, start_lam, swept)
    left = kernels.start_bodies(swept, work.handle, work.inner, work.progress)
    take_turns(work, left, kernels.iterate_bodies, pivot, kernels.judge_bodies)
