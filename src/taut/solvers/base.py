"""What every solver of box MLCPs offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import Verdict, judge
from taut.problem.solution import AT_LOWER, AT_UPPER, MlcpSolution, Status, WarmStart
from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern

Start = WarmStart | MlcpSolution | None

ROUNDING = 1e-13
"""Scaled residual that may be rounding, however large the multipliers."""
HIDDEN_ABOVE, HIDDEN_FOR_SURE = 1e-6, 1e-2
"""Violation, relative to the data alone, above which a small residual only means that the multipliers are too large:
in general, and where the residual may be rounding."""


class PivotingSolver(ABC):
    """A solver of KKT problems, or of  A lam + b = w,  lower <= lam <= upper.  One file a solver, found by its `name`.

    Solvers are frozen dataclasses: they are equal, and share what they worked out, if their options are. A solver that
    sees rows only asks the problem for its `matrix()`. Numerical trouble is a `Status` in the solution, never an
    exception. Any number of threads may solve problems of one structure at
    the same time, unless a solver says otherwise.
    """

    name: ClassVar[str]
    """Name in the registry and on the command line."""
    summary: ClassVar[str]
    """One line for lists."""
    exact: ClassVar[bool]
    """Whether the residual is at rounding level, as pivoting gives, or as good as the iterations allow."""
    accuracy: ClassVar[float]
    """Scaled natural residual up to which a solution counts as solved."""

    def analyze(self, pattern: Pattern) -> Any:
        """What this solver needs to know of a pattern; worked out once and kept with the pattern."""
        structure = pattern.structures.get(self)
        if structure is None:
            structure = pattern.structures.setdefault(self, self.make_structure(pattern))
        return structure

    def make_structure(self, pattern: Pattern) -> Any:
        """Work out the structure that `analyze` keeps; solvers without structure return the pattern itself."""
        return pattern

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Work out now what the first problem with these rows, or with contacts after them, would have to wait for."""
        self.analyze(entries.incidence.pattern)

    def chosen(self, entries: RowEntries | None) -> PivotingSolver | None:
        """Who solves for these rows, or plain matrices: itself, unless it stands for others; None if several."""
        return self

    def reason(self, entries: RowEntries | None) -> str:
        """Why it is who is `chosen`, in one line."""
        return "asked for"

    @abstractmethod
    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem.

        Args:
            problem: The problem; its arrays are not changed.
            warm_start: Labels and multipliers to start from, or None to start with all rows free at 0.
        """

    def conclude(
        self,
        problem: Problem,
        lam: np.ndarray,
        index_set: np.ndarray,
        failure: Status,
        message: str,
        iterations: int,
        factorizations: int,
    ) -> MlcpSolution:
        """Judge a candidate by its residual and wrap it up: solved if that keeps the promise, else `failure`."""
        verdict = judge(problem, lam)
        w, residual = verdict.slack, verdict.residual
        if residual == np.inf:
            return self.refuse(problem)
        if residual <= self.accuracy and not (self.exact and hides_violation(verdict)):
            return MlcpSolution(lam, w, index_set, Status.SOLVED, residual, iterations, factorizations)
        return MlcpSolution(lam, w, index_set, failure, residual, iterations, factorizations, message)

    def solve_unsymmetric(self, problem: MlcpProblem, warm_start: Start) -> MlcpSolution:
        """Solve a problem whose matrix is not symmetric by dense pivoting, whatever the method."""
        from taut.solvers.block_pivoting_dense import solve_dense

        return solve_dense(self, problem, warm_start)

    def refuse(self, problem: Problem) -> MlcpSolution:
        """Solution of a problem that holds a value that is not a number: zeros and the status that says so."""
        size = problem.size
        w = np.full(size, np.nan)
        message = "the problem holds a value that is NaN or infinite, or a lower bound above its upper bound"
        labels = np.zeros(size, np.int64)
        return MlcpSolution(np.zeros(size), w, labels, Status.NON_FINITE, np.inf, 0, 0, message)


def start_arrays(size: int, warm_start: Start) -> tuple[np.ndarray, np.ndarray]:
    """Labels (int64) and multipliers (float64) to start from; all rows free at 0 without a warm start."""
    if warm_start is None:
        return np.zeros(size, np.int64), np.zeros(size)
    index_set = np.ascontiguousarray(warm_start.index_set, np.int64)
    lam = np.ascontiguousarray(warm_start.lam, np.float64)
    if index_set.shape != (size,) or lam.shape != (size,):
        given = f"{index_set.size} labels and {lam.size} multipliers"
        raise InputError(f"warm start has {given}; the problem has {size} rows")
    return index_set, lam


def labels_of(problem: Problem, lam: np.ndarray) -> np.ndarray:
    """Index set of multipliers that lie within their bounds: tight where they equal a bound."""
    index_set = np.zeros(lam.size, np.int64)
    index_set[lam >= problem.upper] = AT_UPPER
    index_set[lam <= problem.lower] = AT_LOWER
    return index_set


def diagonal_roots(problem: MlcpProblem) -> np.ndarray:
    """sqrt(|diag A|), 1 where it is 0: what multipliers are multiplied with in the scaled residual."""
    pattern = problem.pattern
    rows = np.repeat(np.arange(problem.size), np.diff(pattern.indptr))
    d = np.abs(problem.values[pattern.indices == rows])
    return np.sqrt(np.where(d > 0.0, d, 1.0))


def hides_violation(verdict: Verdict) -> bool:
    """Whether a residual is small only because multipliers ran off along a direction that A hardly sees.

    The residual is relative to the larger of b~ and lam~; here the violation of each island is held against its b~ and
    the slack of the multipliers nearest to 0, which are the same for every candidate.
    """
    allowed = np.where(verdict.violation > ROUNDING * verdict.scale, HIDDEN_ABOVE, HIDDEN_FOR_SURE)
    return bool((verdict.violation > allowed * verdict.data).any())
