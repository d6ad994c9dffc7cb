"""The box-constrained mixed linear complementarity problem: data, residual, named examples. Nothing physical."""

from __future__ import annotations

from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import natural_residual, slack_and_residual
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE, MlcpSolution, Status, WarmStart
from taut.structure.pattern import Pattern

__all__ = [
    "AT_LOWER",
    "AT_UPPER",
    "FREE",
    "MlcpProblem",
    "MlcpSolution",
    "Pattern",
    "Status",
    "WarmStart",
    "natural_residual",
    "slack_and_residual",
]
