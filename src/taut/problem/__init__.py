"""The KKT problem and the box MLCP that it is to those who see rows only: data, residual, named examples."""

from __future__ import annotations

from taut.problem.kkt import Kkt, KktAnswer, KktProblem, Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import natural_residual, slack_and_residual
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE, MlcpSolution, Status, WarmStart
from taut.structure.pattern import Pattern

__all__ = [
    "AT_LOWER",
    "AT_UPPER",
    "FREE",
    "Kkt",
    "KktAnswer",
    "KktProblem",
    "MlcpProblem",
    "MlcpSolution",
    "Pattern",
    "Problem",
    "Status",
    "WarmStart",
    "natural_residual",
    "slack_and_residual",
]
