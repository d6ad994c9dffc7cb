"""Block pivoting as papers do it with a sparse library: all rows as one matrix, a new factor at every pivot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.solvers.base import PivotingSolver, Start
from taut.solvers.block_pivoting_dense import solve_by_pivots
from taut.solvers.island_workspace import REPORT_COLUMNS, Search
from taut.structure.front_tree import plant_tree
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern, permute_pattern
from taut.tables import held

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

PIVOTS = 50
"""Most pivots [Peiret2019, Table 1]."""


class SparseFactor:
    """What is the same in all factors of free rows: the matrix of the rows that a search is about."""

    rows: scipy.sparse.csr_array
    """A~ (n, n)."""

    def take(self, problem: MlcpProblem, kept: Integers, scale: Reals) -> None:
        """Take the rows of a problem that are kept, scaled."""
        part = problem.sparse[kept][:, kept]
        self.rows = scipy.sparse.csr_array(part.multiply(scale[:, None]).multiply(scale[None, :]))

    def multiply(self, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
        """w = A~ lam + b; see `Factor.multiply`."""
        w_out[begin:end] = self.rows @ lam + bias


@dataclass(frozen=True, eq=False)
class SimplicialStructure:
    """What a pattern is analysed for: minimum-degree order, lower triangle in it, room for the columns of a factor."""

    symbolic: SymbolicStructure
    column_start: Integers

    @classmethod
    def of(cls, pattern: Pattern) -> SimplicialStructure:
        """Order a pattern."""
        from taut.benchmarks._simplicial_kernels import count_columns

        found = analyze_pattern(pattern)
        tree = plant_tree(pattern, found, np.arange(found.island_count))
        symbolic = permute_pattern(pattern, found.order[tree.position], found.island_start)
        column_start = np.empty(pattern.size + 1, np.int64)
        work = np.empty((5, pattern.size), np.int64)
        count_columns(symbolic.lower_start, symbolic.lower_column, work, column_start)
        return cls(symbolic, column_start)

    @property
    def fill(self) -> int:
        """Entries of the factor of all rows below its diagonal."""
        return int(self.column_start[-1])

    @cached_property
    def position(self) -> Integers:
        """Position (n,) of each row."""
        return np.argsort(self.symbolic.order)


class SimplicialFactor(SparseFactor):
    """A `Factor` made row by row, in the order of the whole pattern."""

    def __init__(self, structure: SimplicialStructure, problem: MlcpProblem, kept: Integers, scale: Reals) -> None:
        """Take a problem."""
        self.take(problem, kept, scale)
        self.symbolic, self.column_start = structure.symbolic, structure.column_start
        self.kept = structure.position[kept]
        size, symbolic = problem.size, structure.symbolic
        whole = np.ones(size)
        whole[self.kept] = scale
        row = np.repeat(np.arange(size), np.diff(symbolic.lower_start))
        self.entries = problem.values[symbolic.lower_source] * whole[row] * whole[symbolic.lower_column]
        self.work, self.x, self.inverse = np.zeros((5, size), np.int64), np.zeros(size), np.zeros(size)
        self.column_end = np.zeros(size, np.int64)
        self.row, self.value = np.zeros(structure.fill, np.int64), np.zeros(structure.fill)

    def factorise(self, begin: int, end: int, index_set: Integers, shift: Reals, dependent_out: NDArray[Any]) -> int:
        """Factor the free rows; see `Factor.factorise`."""
        from taut.benchmarks._simplicial_kernels import factor_up_looking

        self.work[0].fill(0)
        self.work[0, self.kept] = index_set == 0
        whole = np.zeros(0)
        if shift.size:
            whole = np.zeros(self.x.size)
            whole[self.kept] = shift
        self.x.fill(0.0)
        found: int = factor_up_looking(
            self.symbolic.lower_start, self.symbolic.lower_column, self.entries, whole, self.column_start, self.work,
            self.x, self.inverse, self.column_end, self.row, self.value,
        )  # fmt: skip
        dependent_out[:] = (index_set == 0) & (self.inverse[self.kept] == 0.0)
        return found

    def solve(self, rhs: Reals, x_out: Reals) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.benchmarks._simplicial_kernels import solve_up_looking

        self.x.fill(0.0)
        self.x[self.kept] = rhs
        solve_up_looking(self.column_start, self.column_end, self.row, self.value, self.inverse, self.x)
        free = self.work[0, self.kept] == 1
        x_out[free] = self.x[self.kept][free]


@dataclass(frozen=True)
class SimplicialPivoting(PivotingSolver):
    """Block pivoting with a simplicial sparse Cholesky factor at every pivot: the baseline of [Peiret2019].

    Order and room for the factor are worked out once a pattern; no islands, and no help where pivots do not end.
    """

    name: ClassVar[str] = "bpp-simplicial"
    summary: ClassVar[str] = "block pivoting, full simplicial sparse Cholesky at every pivot (baseline)"
    exact: ClassVar[bool] = True
    accuracy: ClassVar[float] = 1e-9

    def make_structure(self, pattern: Pattern) -> SimplicialStructure:
        """Order of a pattern, and room for factors."""
        return SimplicialStructure.of(pattern)

    def make_factor(self, problem: MlcpProblem, kept: Integers, scale: Reals) -> Any:
        """The factor of a problem's rows that are kept."""
        return SimplicialFactor(self.analyze(problem.pattern), problem, kept, scale)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        return solve_by_pivots(self, problem.matrix(), warm_start, self.pivot).solution

    def pivot(self, problem: MlcpProblem, kept: Integers, search: Search) -> tuple[NDArray[np.int64], int]:
        """Pivot on the rows that are kept: the report (REPORT_COLUMNS,) of the search, and no other factorisations."""
        from taut.solvers.block_pivoting_kernels import pivot_island
        from taut.solvers.index_set_kernels import FIRM

        factor = self.make_factor(problem, kept, search.scale)
        seen, report = np.zeros((2, 2 * PIVOTS), np.int64), np.zeros(REPORT_COLUMNS, np.int64)
        pivot_island(0, kept.size, PIVOTS, FIRM, 0.0, held(search), factor, seen, report)
        return report, 0
