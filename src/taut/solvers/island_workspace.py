"""Structure and workspaces of the solvers that pivot island by island."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from taut.errors import InputError
from taut.linalg.chosen import ChosenFactor
from taut.linalg.kept import KeptFactor
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import Status
from taut.structure.front_tree import FrontTree, front_costs, plant_tree, weigh_islands
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern
from taut.tables import Flags, RealRows, Reals, WholeRows, Wholes, held

PIVOT_CAPACITY = 256
"""Index sets that a search for cycles can remember: twice the largest limit of pivots."""
CODE, STAGE, PIVOTS, FACTORIZATIONS, DEPENDENT, REPEATS, CHANGES = 0, 1, 2, 3, 4, 5, 6
"""Columns of the report of an island: how its last search ended, what comes next; all pivots and factorisations; of the
last search: dependent rows in its last factor, how often an index set came back, rows that asked to change at first."""
REPORT_COLUMNS = 7
FIRST, CLOSE, SHARPEN, EXACT, LAST, ITERATE, DONE, BORDER = 0, 1, 2, 3, 4, 5, 6, 7
"""Stages of the solve of an island: six that pivot, the iterations of the interior-point method, the end. FIRST: from
the start that is given; BORDER: from what was found for its border, see `condensing`; CLOSE: a crossover with
proximity; SHARPEN: its answer once more with the factor of A itself; EXACT: a crossover with that factor; LAST: what is
left when the iterations did not converge."""
SOLVED, LIMIT, CYCLE, INDEFINITE, STUCK = 0, 1, 2, 3, 4
"""How an island ended; STUCK: a dependent row has a slack that no bound can take, or lam ran off."""
INNER_ROWS = 25
"""Rows of the workspace of the interior-point method, see `interior_point_kernels`."""
PROGRESS = 6
"""Numbers that the interior-point method keeps of an island, see `crossover_kernels`."""

NO_SOLUTION = "A is singular and b asks for what no multipliers within the bounds can give"


class Search(NamedTuple):
    """A problem scaled to unit diagonal, and where the search for its index set stands: a table for kernels.

    x~ = sqrt(d) x for multipliers and x / sqrt(d) for slacks, d = |diag A|, so that tolerances mean the same in every
    scene. Rows are in the order of the factor; islands are disjoint in it, so threads may share a search.

    Shapes: all (n,).

    Attributes:
        bias, lower, upper: b~ and the bounds~.
        scale: 1 / sqrt(d).
        lam, w: Multipliers~ and slack~.
        step: Right-hand side and step of lam~.
        shift: Added to the diagonal of the factor.
        index_set: Labels.
        dependent: 1 at free rows that depend on others, see `Factor.factorise`.
    """

    bias: Reals
    lower: Reals
    upper: Reals
    scale: Reals
    lam: Reals
    w: Reals
    step: Reals
    shift: Reals
    index_set: Wholes
    dependent: Flags

    @classmethod
    def of_size(cls, size: int) -> Search:
        """Room for a problem."""
        bias, lower, upper, scale, lam, w, step, shift = np.zeros((8, size))
        index_set, dependent = np.zeros(size, np.int64), np.zeros(size, np.uint8)
        return cls(bias, lower, upper, scale, lam, w, step, shift, index_set, dependent)


class IslandWork(Protocol):
    """What pivoting island by island writes into: the same for every factor.

    Attributes:
        search: The scaled problem and the search.
        factor: Its matrix and factor, with the `symbolic` structure whose order and islands the search has.
        seen: (2, PIVOT_CAPACITY) hashes of the index sets of an island, and the changes at each pivot.
        report: (islands, REPORT_COLUMNS), see CODE.
    """

    search: Search
    factor: Any
    seen: WholeRows
    report: WholeRows


class SkylineWork(NamedTuple):
    """An `IslandWork` with a factor that chooses its way: a table for kernels.

    Attributes:
        cost: (2, islands) predicted nanoseconds of a pivot on all rows of each island, 0 if none is to have a border,
            and of planning fronts.
    """

    search: Search
    factor: ChosenFactor
    seen: WholeRows
    report: WholeRows
    cost: RealRows

    @classmethod
    def of(
        cls, symbolic: SymbolicStructure, tree: FrontTree | None = None, cost: np.ndarray | None = None
    ) -> SkylineWork:
        """Room for a problem of this structure, with fronts for the islands of the tree; without costs every pivot
        factors all free rows anew."""
        return cls(
            search=Search.of_size(symbolic.size),
            factor=ChosenFactor.of(symbolic, tree, exchanges=cost is not None),
            seen=np.zeros((2, PIVOT_CAPACITY), np.int64),
            report=np.zeros((symbolic.island_count, REPORT_COLUMNS), np.int64),
            cost=np.zeros((2, symbolic.island_count)) if cost is None else cost,
        )

    def beside(self) -> SkylineWork:
        """Room for another thread that solves other islands of the same problem."""
        return self._replace(factor=self.factor.beside(), seen=np.zeros_like(self.seen))


class ReusingWork(NamedTuple):
    """A `SkylineWork` whose last factor is kept for the next problem: a table for kernels."""

    search: Search
    factor: KeptFactor
    seen: WholeRows
    report: WholeRows
    cost: RealRows


class Workspace:
    """An `IslandWork` with the handle by which kernels take it."""

    def __init__(self, tables: Any) -> None:
        self.tables = tables
        self.handle: Any = held(tables)
        self.borders: dict[tuple[int, bytes], Any] = {}

    @cached_property
    def reusing(self) -> Any:
        """Handle of the same with a factor that is kept for the next problem."""
        tables = self.tables
        return held(ReusingWork(tables.search, KeptFactor.of(tables.factor), *tables[2:]))

    @cached_property
    def inner(self) -> np.ndarray:
        """Rows (INNER_ROWS, n) of the interior-point method, which few problems need."""
        return np.zeros((INNER_ROWS, self.tables.search.lam.size))

    @cached_property
    def kept(self) -> np.ndarray:
        """Labels (n,) that the interior-point method keeps."""
        return np.zeros(self.tables.search.lam.size, np.int64)

    @cached_property
    def progress(self) -> np.ndarray:
        """Numbers (islands, PROGRESS) of the interior-point method, see `crossover_kernels`."""
        return np.zeros((self.tables.report.shape[0], PROGRESS))


Lent = TypeVar("Lent")


@contextmanager
def lent_from(idle: list[Lent], make: Callable[[], Lent]) -> Iterator[Lent]:
    """A workspace for the time of one solve: one that is idle, or a new one."""
    try:
        work = idle.pop()  # in one go: another thread may take the last one between a test and this
    except IndexError:
        work = make()
    try:
        yield work
    finally:
        idle.append(work)


def take_turns(
    work: Workspace,
    left: int,
    iterate: Callable[..., int],
    pivot: Callable[[int, int, int, float], object],
    judge: Callable[..., int],
) -> None:
    """Iterate and cross over in turns while islands are `left`, by kernels for the factor of a workspace."""
    from taut.solvers.crossover_kernels import PIVOTING

    while left:
        stages = iterate(work.handle, work.inner, work.progress)
        for stage, limit, patience, proximity in PIVOTING:
            if stages & 1 << stage:
                pivot(stage, limit, patience, proximity)
        left = judge(work.handle, work.kept, work.inner, work.progress)


PLANNED_ABOVE = 4.0
"""An island gets fronts if a skyline factor of all its rows costs more than so many times planning them. Contacts that
come and go make new patterns, and most rows of a pile are tight, so that little of such a factor is ever done."""
USEFUL_SHARE = 1.5
"""An island keeps its fronts if they cost at most this many times the skyline, all of them: few change at a pivot."""


@dataclass(frozen=True, eq=False)
class IslandStructure:
    """What all solvers that pivot island by island know of a pattern, and workspaces that nobody uses at the moment.

    The structure is shared and never changes. A workspace belongs to one solve at a time, so problems of one pattern
    can be solved in any number of threads; a solve that finds an idle one allocates none. Which islands have fronts
    depends on the pattern alone, so what was solved before has no influence on the bits of a solution.
    """

    pattern: Pattern
    symbolic: SymbolicStructure
    plain: bool = False
    """Whether every pivot factors all free rows of an island anew."""
    exchanges: bool = True
    """Whether rows may leave a factor and come back, see `ChosenFactor`."""
    idle: list[Workspace] = field(default_factory=list)

    @classmethod
    def of(cls, pattern: Pattern, plain: bool = False, exchanges: bool = True) -> IslandStructure:
        """Analyse a pattern for one solver.

        What it keeps is a pattern of its own: the one given keeps the structure, and arrays that keep each other would
        stay until somebody collects garbage, while the next problem has to take fresh memory.
        """
        return cls(Pattern(pattern.indptr, pattern.indices), analyze_pattern(pattern), plain, exchanges)

    @classmethod
    def of_pattern(cls, pattern: Pattern) -> IslandStructure:
        """Analyse a pattern, once for all solvers."""
        known: IslandStructure | None = pattern.structures.get(cls)
        if known is None:
            known = pattern.structures.setdefault(cls, cls.of(pattern))
        return known

    @cached_property
    def cost(self) -> np.ndarray:
        """Predicted nanoseconds (3, islands), see `weigh_islands`."""
        return weigh_islands(self.symbolic)

    @cached_property
    def tree(self) -> FrontTree | None:
        """Fronts of the islands for which they are worth planning, and then turn out to be worth having."""
        islands = np.flatnonzero(self.cost[0] > PLANNED_ABOVE * self.cost[2])
        while islands.size:
            tree = plant_tree(self.pattern, self.symbolic, islands)
            useful = front_costs(self.symbolic, tree)[islands] < USEFUL_SHARE * self.cost[0][islands]
            if useful.all():
                return tree
            islands = islands[useful]
        return None

    def work(self) -> SkylineWork:
        """Room for a problem."""
        if self.plain:
            return SkylineWork.of(self.symbolic)
        return SkylineWork.of(self.symbolic, self.tree, self.cost[1:] if self.exchanges else None)

    def lent(self) -> AbstractContextManager[Workspace]:
        """A workspace for the time of one solve."""
        return lent_from(self.idle, lambda: Workspace(self.work()))


def check_sizes(problem: MlcpProblem) -> None:
    """Refuse a problem that was made on another pattern: its arrays would be read past their ends."""
    size, entries = problem.pattern.size, problem.pattern.entry_count
    for name, expected in (("values", entries), ("bias", size), ("lower", size), ("upper", size)):
        given = getattr(problem, name).size
        if given != expected:
            raise InputError(f"problem {problem.name!r} has {given} {name}; its pattern is for {expected}")


def failure_of(report: np.ndarray) -> tuple[Status, str]:
    """Status and message of a problem that was not solved, from the reports of its islands."""
    codes = report[:, CODE]
    if (codes == INDEFINITE).any():
        return Status.NOT_POSITIVE_DEFINITE, "A is not positive semidefinite"
    if (codes == STUCK).any():
        return Status.INFEASIBLE, NO_SOLUTION
    if (codes == CYCLE).any():
        return Status.CYCLING, "index sets repeat"
    return Status.ITERATION_LIMIT, "no index set fits within the pivots allowed"
