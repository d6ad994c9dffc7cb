"""The judge: a residual computed from the problem alone, never by a solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import InputError
from taut.problem.kkt import KktProblem, Problem
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


def judge(problem: Problem, lam: np.ndarray) -> Verdict:
    """Slack, scaled natural residual and its ingredients island by island; see `slack_and_residual`.

    The slack of a `KktProblem` comes from the velocities that lam leads to, J u + S lam + b: A is not asked for.
    """
    if lam.shape != problem.bias.shape:
        raise InputError(f"lam has shape {lam.shape}; problem {problem.name!r} needs {problem.bias.shape}")
    return judge_blocks(problem, lam) if isinstance(problem, KktProblem) else judge_matrix(problem, lam)


def judge_matrix(problem: MlcpProblem, lam: np.ndarray) -> Verdict:
    """The verdict on a candidate of a problem with its matrix."""
    from taut.problem.residual_kernels import scaled_natural_residual

    pattern, (count, island) = problem.pattern, problem.islands
    w, measures = np.empty(problem.bias.size), np.empty((3, count))
    residual = scaled_natural_residual(
        pattern.indptr, pattern.indices, problem.values, problem.bias, problem.lower, problem.upper, island, lam,
        w, measures,
    )  # fmt: skip
    return Verdict(w, residual, *measures)


def judge_blocks(problem: KktProblem, lam: np.ndarray) -> Verdict:
    """The verdict on a candidate of a problem without its matrix."""
    from taut.problem.kkt_kernels import find_slack, judge_slack

    count, island = problem.islands
    w, measures, change = np.empty(problem.size), np.empty((3, count)), np.empty((problem.entries.moves.size, 6))
    find_slack(problem.handle, lam, change, w)
    residual = judge_slack(problem.handle, island, lam, w, change, measures)
    return Verdict(w, residual, *measures)


def slack_and_residual(problem: Problem, lam: np.ndarray) -> tuple[np.ndarray, float]:
    """Slack w = A lam + b and scaled natural residual of a candidate, from the problem alone.

    With d = diag(A) (1 where it is 0), lam~ = sqrt(d) lam and w~ = w / sqrt(d), both in sqrt(J), and I the rows of an
    island (rows that A connects):

        residual = max_I max_{i in I} |lam~ - clip(lam~ - w~, lower~, upper~)|_i / max(|b~_I|_inf, |lam~_I|_inf)
                                                                                                   [Peiret2019, eq. 29]

    so that it means the same whatever the masses, units and step, and whatever else is in the problem. It is 0 for an
    empty problem and inf where anything is not a number.

    Shapes: lam (n,) float64. Units: w in m/s if lam is in N s; the residual has none.
    """
    verdict = judge(problem, lam)
    return verdict.slack, verdict.residual


def natural_residual(problem: Problem, lam: np.ndarray) -> float:
    """Scaled natural residual of a candidate; see `slack_and_residual`."""
    return slack_and_residual(problem, np.ascontiguousarray(lam, dtype=np.float64))[1]
