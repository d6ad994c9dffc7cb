"""Structure and workspace of the solvers that pivot island by island."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.errors import InputError
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import Status
from taut.structure.pattern import Pattern
from taut.structure.symbolic import SymbolicStructure, analyze_pattern

PIVOT_CAPACITY = 256
"""Index sets that a search for cycles can remember: twice the largest limit of pivots."""

NO_SOLUTION = "A is singular and b asks for what no multipliers within the bounds can give"


@dataclass(frozen=True, eq=False)
class IslandWorkspace:
    """Symbolic structure and the arrays that the kernels work in, allocated once a pattern.

    Shapes: entries (lower triangle,), real (rows of workspace, n + 16), whole (rows of workspace, n + 16),
    layout (5, n // 4 + 3), storage (symbolic.storage_size,), seen (2, PIVOT_CAPACITY).
    """

    symbolic: SymbolicStructure
    entries: np.ndarray
    real: np.ndarray
    whole: np.ndarray
    layout: np.ndarray
    storage: np.ndarray
    seen: np.ndarray

    @classmethod
    def of_pattern(cls, pattern: Pattern) -> IslandWorkspace:
        """Analyse a pattern and allocate for it."""
        from taut.solvers.island_kernels import REAL_ROWS, WHOLE_ROWS

        symbolic = analyze_pattern(pattern)
        size = symbolic.size
        return cls(
            symbolic,
            entries=np.empty(symbolic.lower_source.size),
            real=np.zeros((REAL_ROWS, size + 16)),
            whole=np.zeros((WHOLE_ROWS, size + 16), np.int64),
            layout=np.zeros((5, size // 4 + 3), np.int64),
            storage=np.empty(symbolic.storage_size),
            seen=np.zeros((2, PIVOT_CAPACITY), np.int64),
        )

    def check(self, problem: MlcpProblem) -> None:
        """Refuse a problem that was made on another pattern: its arrays would be read past their ends."""
        size, entries = self.symbolic.size, 2 * self.entries.size - self.symbolic.size
        for name, expected in (("values", entries), ("bias", size), ("lower", size), ("upper", size)):
            given = getattr(problem, name).size
            if given != expected:
                raise InputError(f"problem {problem.name!r} has {given} {name}; its structure is for {expected}")


def failure_of(report: np.ndarray) -> tuple[Status, str]:
    """Status and message of a problem that was not solved, from the reports of its islands."""
    from taut.solvers.block_pivoting_kernels import CODE, CYCLE, INDEFINITE, STUCK

    codes = report[:, CODE]
    if (codes == INDEFINITE).any():
        return Status.NOT_POSITIVE_DEFINITE, "A is not positive semidefinite"
    if (codes == STUCK).any():
        return Status.INFEASIBLE, NO_SOLUTION
    if (codes == CYCLE).any():
        return Status.CYCLING, "index sets repeat"
    return Status.ITERATION_LIMIT, "no index set fits within the pivots allowed"
