"""Block pivoting, and islands whose rows never have bounds along their trees where that is predicted to be faster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from taut.problem.kkt import KktProblem, Problem
from taut.problem.solution import MlcpSolution
from taut.solvers.base import PivotingSolver, Start
from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.division import solve_divided
from taut.solvers.island_choice import choose
from taut.solvers.linear_time import LinearTime
from taut.structure.incidence import RowEntries


@dataclass(frozen=True)
class Automatic(BlockPivoting):
    """The fastest exact solver for each island, as its structure tells.

    Which that is depends on the rows alone, see `island_choice`, never on a clock: runs repeat to the bit. The
    interior-point method is not chosen: block pivoting goes over to it, island by island, where it does not end soon.
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "island by island what should be fastest: along trees, or block pivoting"

    @cached_property
    def pivoting(self) -> BlockPivoting:
        """What pivots."""
        return BlockPivoting(self.warm_pivots, self.cold_pivots, self.reuse)

    @cached_property
    def along_trees(self) -> LinearTime:
        """What goes along trees; loops are in their factor, so that no row is left to pivot on."""
        return LinearTime(self.warm_pivots, self.cold_pivots, self.reuse, cut_loops=False)

    def chosen(self, entries: RowEntries | None) -> PivotingSolver | None:
        """The solver of all these rows, or None where islands have different ones; plain matrices are pivoted on."""
        if entries is None:
            return self.pivoting
        choice = choose(entries, self.along_trees)
        if choice.along_trees.size and choice.others.size:
            return None
        return self.along_trees if choice.along_trees.size else self.pivoting

    def reason(self, entries: RowEntries | None) -> str:
        """Why, in one line."""
        return "no bodies are left to eliminate" if entries is None else choose(entries, self.along_trees).reason

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Choose, and have those who are chosen work out what the first problem would have to wait for."""
        chosen = self.chosen(entries)
        if chosen is not self.along_trees or contacts:
            self.pivoting.prepare(entries, contacts)
        if chosen is self.along_trees:
            self.along_trees.prepare(entries)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        if not isinstance(problem, KktProblem):
            return self.pivoting.solve(problem, warm_start)
        choice = choose(problem.entries, self.along_trees)
        if not choice.along_trees.size:
            return self.pivoting.solve(problem, warm_start)
        if not choice.others.size:
            return self.along_trees.solve(problem, warm_start)
        parts = [(self.along_trees, choice.along_trees), (self.pivoting, choice.others)]
        return solve_divided(self, parts, problem, warm_start)
