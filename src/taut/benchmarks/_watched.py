"""The loop of pivoting as Python runs it, with a factor that tells which index sets it was asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut.linalg.factor import Factor
from taut.problem.mlcp import MlcpProblem
from taut.solvers.base import diagonal_roots
from taut.solvers.block_pivoting_dense import scaled_search
from taut.solvers.island_workspace import PIVOT_CAPACITY, REPORT_COLUMNS
from taut.structure.symbolic import SymbolicStructure
from taut.tables import held

COLD_PIVOTS = 12
"""Pivots of an island at most (twice that if few rows still change), as the solvers have it from cold starts."""

Watch = Callable[[int, int, np.ndarray], None]
"""Called after each factor with the part that it is of, begin and end, and the labels (n,) of all rows."""


class WatchedFactor:
    """A `Factor` as the loop sees it; what watches is told of each factor. Products are left to SciPy, in one call."""

    def __init__(self, factor: Factor, problem: MlcpProblem, symbolic: SymbolicStructure, watch: Watch) -> None:
        order, scale = symbolic.order, scale_of(problem, symbolic)
        matrix = problem.sparse.tocsr()[order][:, order]
        self.factor, self.watch, self.solve = factor, watch, factor.solve
        self.rows = matrix.multiply(scale[:, None]).multiply(scale[None, :]).tocsr()

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        return self.factor.load(values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        w_out[begin:end] = self.rows[begin:end] @ lam + bias[begin:end]

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        found = self.factor.factorise(begin, end, index_set, shift, dependent_out)
        if shift.size == 0:
            self.watch(begin, end, index_set)
        return found


def scale_of(problem: MlcpProblem, symbolic: SymbolicStructure) -> np.ndarray:
    """What scales the rows (n,) of a structure to unit diagonal."""
    scale: np.ndarray = 1.0 / diagonal_roots(problem)[symbolic.order]
    return scale


def scaled_entries(problem: MlcpProblem, symbolic: SymbolicStructure) -> np.ndarray:
    """Lower triangle (entries,) of the scaled matrix, as factors hold it."""
    scale = scale_of(problem, symbolic)
    rows = np.repeat(np.arange(symbolic.size), np.diff(symbolic.lower_start))
    entries: np.ndarray = problem.values[symbolic.lower_source] * scale[rows] * scale[symbolic.lower_column]
    return entries


def pivot_watched(
    problem: MlcpProblem, symbolic: SymbolicStructure, factor: Factor, watch: Watch, after: Callable[[], None]
) -> None:
    """Pivot island by island from all rows free; `after` is called after each island.

    The factor holds the matrix, see `scaled_entries`.
    """
    from taut.solvers.block_pivoting_kernels import pivot_island
    from taut.solvers.index_set_kernels import HASTY

    order = symbolic.order
    fixed = problem.lower == problem.upper
    search = held(scaled_search(problem, order, np.zeros(problem.size), np.where(fixed, -1, 0)[order]))
    watched = WatchedFactor(factor, problem, symbolic, watch)
    for begin, end in zip(symbolic.island_start[:-1].tolist(), symbolic.island_start[1:].tolist(), strict=True):
        seen, report = np.zeros((2, PIVOT_CAPACITY), np.int64), np.zeros(REPORT_COLUMNS, np.int64)
        pivot_island(begin, end, COLD_PIVOTS, HASTY, 0.0, search, watched, seen, report)
        after()
