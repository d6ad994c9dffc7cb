"""Proximal-point method: the last resort on singular problems that defeat pivoting and the interior point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import judge
from taut.problem.solution import AT_LOWER, AT_UPPER, MlcpSolution, Status, WarmStart
from taut.solvers.base import PivotingSolver, diagonal_roots, hides_violation
from taut.solvers.island_workspace import NO_SOLUTION

ROUNDS = 60
"""Most rounds; 1 to 4 are usual."""
FIRST_SHARE, LAST_SHARE, SHARE_FACTOR = 1e-7, 1e-10, 0.1
"""Share of the diagonal that is added: at first, at last, and how much less each round."""
RAISED, LARGEST_SHARE = 4.0, 1e-3
"""How much more is added where a round is indefinite, from then on for good, and the most that rounding of data asks
for."""
EXACT_ROUNDS = 4
"""Rounds after which labels may fit the problem itself, and pivoting on it is tried from there."""
PATIENCE = 5
"""Rounds without progress after which the method has stalled; an indefinite A may need more to pass a saddle."""
ENOUGH = 1e-12
"""Residual at which no further round is worth its cost."""


def finish_by_proximal_point(solver: PivotingSolver, problem: MlcpProblem, failed: MlcpSolution) -> MlcpSolution:
    """Solve a problem with A semidefinite, or nearly so, that all else failed on; `failed` if this fails too.

    With D = |diag A| each round solves a strictly convex problem for the step x from the last multipliers,

        (A + share D) x + (A lam + b) = w,   lower - lam <= x <= upper - lam,   lam <- lam + x,      [Rockafellar1976]

    whose fixed points are the solutions of the problem itself: the residual left is share D x. Rows that depend on
    others move as little as they can. As `share` does not matter to the limit it may be far above rounding, so that
    the matrix of each round is definite in floating point. Where A is slightly indefinite, as in data of a few digits,
    `share` is raised until it is: 1/2 lam' A lam + b' lam still falls from round to round, and ends where a minimum is,
    if there is one. Where LARGEST_SHARE is not enough A is indefinite.
    """
    from taut.solvers.block_pivoting import BlockPivoting

    inner = BlockPivoting()
    pattern = problem.pattern
    structure = inner.analyze(pattern)
    on_diagonal = pattern.indices == np.repeat(np.arange(problem.size), np.diff(pattern.indptr))
    d = diagonal_roots(problem) ** 2
    lam = np.clip(np.zeros(problem.size), problem.lower, problem.upper)
    w = judge(problem, lam).slack
    iterations, factorizations = failed.iterations, failed.factorizations
    best, share, least, idle, rounds = None, FIRST_SHARE, LAST_SHARE, 0, 0
    step: MlcpSolution | None = None
    for _ in range(ROUNDS):
        values = problem.values.copy()
        values[on_diagonal] += share * d
        stage = MlcpProblem(pattern, values, w, problem.lower - lam, problem.upper - lam)
        found = inner.search(stage, structure, step)
        iterations += found.iterations
        factorizations += found.factorizations
        if not found.solved and found.status is not Status.NON_FINITE and RAISED * share <= LARGEST_SHARE:
            share = least = max(RAISED * share, FIRST_SHARE)
            continue
        step = found
        if step.status in (Status.NON_FINITE, Status.NOT_POSITIVE_DEFINITE):
            break
        rounds += 1
        lam = np.clip(lam + step.lam, problem.lower, problem.upper)
        lam = np.where(step.index_set == AT_LOWER, problem.lower, lam)
        lam = np.where(step.index_set == AT_UPPER, problem.upper, lam)
        verdict = judge(problem, lam)
        w, residual = verdict.slack, verdict.residual
        better = best is None or residual < 0.5 * best.residual
        if better and not hides_violation(verdict):
            best = MlcpSolution(lam, w, step.index_set, Status.SOLVED, residual, iterations, factorizations)
            idle = 0
        else:
            idle += 1
        if best and (best.residual <= ENOUGH or idle and best.residual <= solver.accuracy):
            break
        if least > LAST_SHARE and rounds % EXACT_ROUNDS == 0:
            exact = inner.search(problem, structure, WarmStart(step.index_set, lam))
            iterations += exact.iterations
            factorizations += exact.factorizations
            if exact.solved:
                return replace(exact, iterations=iterations, factorizations=factorizations)
        elif idle == PATIENCE and least == LAST_SHARE:
            break
        share = max(SHARE_FACTOR * share, least)
    if best is not None and best.residual <= solver.accuracy:
        return best
    if best is None and least == LAST_SHARE and step is not None and step.solved:
        # every round could be solved, and lam runs off
        failed = replace(failed, status=Status.INFEASIBLE, message=NO_SOLUTION)
    return replace(failed, iterations=iterations, factorizations=factorizations)
