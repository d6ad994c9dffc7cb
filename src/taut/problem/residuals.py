"""The judge: a residual computed from the problem alone, never by a solver."""

from __future__ import annotations

import numpy as np

from taut.errors import InputError
from taut.problem.mlcp import MlcpProblem


def slack_and_residual(problem: MlcpProblem, lam: np.ndarray) -> tuple[np.ndarray, float]:
    """Slack w = A lam + b and scaled natural residual of a candidate, from the problem alone.

    With d = diag(A) (1 where it is 0), lam~ = sqrt(d) lam and w~ = w / sqrt(d), both in sqrt(J):

        residual = max_i |lam~ - clip(lam~ - w~, lower~, upper~)|_i / max(|b~|_inf, |lam~|_inf)   [Peiret2019, eq. 29]

    so that it means the same whatever the masses, units and step. It is 0 for an empty problem and inf where anything
    is not a number.

    Shapes: lam (n,) float64. Units: w in m/s if lam is in N s; the residual has none.
    """
    from taut.problem.residual_kernels import scaled_natural_residual

    pattern = problem.pattern
    if lam.shape != problem.bias.shape:
        raise InputError(f"lam has shape {lam.shape}; problem {problem.name!r} needs {problem.bias.shape}")
    w = np.empty(problem.bias.size)
    residual = scaled_natural_residual(
        pattern.indptr, pattern.indices, problem.values, problem.bias, problem.lower, problem.upper, lam, w
    )
    return w, residual


def natural_residual(problem: MlcpProblem, lam: np.ndarray) -> float:
    """Scaled natural residual of a candidate; see `slack_and_residual`."""
    return slack_and_residual(problem, np.ascontiguousarray(lam, dtype=np.float64))[1]
