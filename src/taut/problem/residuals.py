"""The judge: a residual computed from the problem alone, never by a solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import InputError
from taut.problem.condensed import Condensation, CondensedMlcp
from taut.problem.mlcp import MlcpProblem


class Verdict(NamedTuple):
    """What can be said of a candidate from the problem alone.

    Shapes: slack (n,); violation, scale, data (islands,), all in sqrt(J): the largest row residual of each island; the
    largest |b~| and |lam~|; the largest |b~| and |w~| with multipliers nearest to 0, the same for every candidate.
    """

    slack: np.ndarray
    residual: float
    violation: np.ndarray
    scale: np.ndarray
    data: np.ndarray


def judge(problem: MlcpProblem, lam: np.ndarray) -> Verdict:
    """Slack, scaled natural residual and its ingredients island by island; see `slack_and_residual`."""
    from taut.problem.residual_kernels import scaled_natural_residual
    from taut.structure.islands import find_islands

    pattern = problem.pattern
    if lam.shape != problem.bias.shape:
        raise InputError(f"lam has shape {lam.shape}; problem {problem.name!r} needs {problem.bias.shape}")
    count, island = find_islands(pattern)
    w, measures = np.empty(problem.bias.size), np.empty((3, count))
    residual = scaled_natural_residual(
        pattern.indptr, pattern.indices, problem.values, problem.bias, problem.lower, problem.upper, island, lam,
        w, measures,
    )  # fmt: skip
    return Verdict(w, residual, *measures)


def judge_rows(problem: CondensedMlcp, system: Condensation, lam: np.ndarray, w: np.ndarray) -> Verdict:
    """The same for a condensed problem, whose slack w (rows,) comes from the velocities that lam leads to."""
    from taut.problem.residual_kernels import scaled_residual_of_rows

    measures = np.empty((3, system.island_count))
    residual = scaled_residual_of_rows(
        system.weight, problem.bias, problem.lower, problem.upper, system.island, lam, w, measures
    )
    return Verdict(w, residual, *measures)


def slack_and_residual(problem: MlcpProblem, lam: np.ndarray) -> tuple[np.ndarray, float]:
    """Slack w = A lam + b and scaled natural residual of a candidate, from the problem alone.

    With d = diag(A) (1 where it is 0), lam~ = sqrt(d) lam and w~ = w / sqrt(d), both in sqrt(J), and I the rows of an
    island (rows that the pattern of A connects):

        residual = max_I max_{i in I} |lam~ - clip(lam~ - w~, lower~, upper~)|_i / max(|b~_I|_inf, |lam~_I|_inf)
                                                                                                   [Peiret2019, eq. 29]

    so that it means the same whatever the masses, units and step, and whatever else is in the problem. It is 0 for an
    empty problem and inf where anything is not a number.

    Shapes: lam (n,) float64. Units: w in m/s if lam is in N s; the residual has none.
    """
    verdict = judge(problem, lam)
    return verdict.slack, verdict.residual


def natural_residual(problem: MlcpProblem, lam: np.ndarray) -> float:
    """Scaled natural residual of a candidate; see `slack_and_residual`."""
    return slack_and_residual(problem, np.ascontiguousarray(lam, dtype=np.float64))[1]
