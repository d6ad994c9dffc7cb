"""What a solver hands back, and what it may be started from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

FREE = 0
"""Index-set label of a row strictly between its bounds, where w = 0."""
AT_LOWER = -1
"""Index-set label of a row at its lower bound, where w >= 0."""
AT_UPPER = 1
"""Index-set label of a row at its upper bound, where w <= 0."""


class Status(StrEnum):
    """How a solve ended; anything but SOLVED leaves the best values that were reached."""

    SOLVED = "solved"
    ITERATION_LIMIT = "iteration-limit"
    CYCLING = "cycling"
    NOT_POSITIVE_DEFINITE = "not-positive-definite"
    INFEASIBLE = "infeasible"
    NON_FINITE = "non-finite"


@dataclass(slots=True, eq=False)
class WarmStart:
    """Where to start: labels (int64) and multipliers (float64) of a problem with the same rows.

    Shapes: index_set (rows,), lam (rows,).
    """

    index_set: np.ndarray
    lam: np.ndarray


@dataclass(slots=True, eq=False)
class MlcpSolution:
    """Solution of an `MlcpProblem`, with the scaled natural residual that proves it.

    Shapes: lam, w float64 (rows,); index_set int64 (rows,) of FREE, AT_LOWER, AT_UPPER.
    """

    lam: np.ndarray
    w: np.ndarray
    index_set: np.ndarray
    status: Status
    residual: float
    iterations: int
    """Pivoting steps, or sweeps of an iterative method."""
    factorizations: int
    """Matrix factorisations, those of the interior-point method included; with islands, those of the worst island."""
    message: str = ""
    coupling_iterations: int = 0
    """Iterations between parts that are solved on their own; 0 where nothing is."""
    parts: tuple[int, int] = (0, 0)
    """How many parts were solved on their own, and rows between them; none where all rows are solved at once."""

    @property
    def solved(self) -> bool:
        """Whether the residual met the solver's promise."""
        return self.status is Status.SOLVED

    @property
    def tight_count(self) -> int:
        """Number of rows at a bound."""
        return int(np.count_nonzero(self.index_set))
