"""Time of every solver on one problem: chains, random boxes and random contacts, by size.

Milliseconds are the median of repeated cold solves (all rows free at the start); the residual is the scaled natural
residual [Peiret2019, eq. 29]. If clarabel is installed (extra ``bench``), the same problem goes to it as a box QP.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from taut import solvers
from taut.problem.generators import chain, random_box, random_contacts
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import natural_residual

BUDGET = 0.3
"""Seconds spent on one figure, at least."""

REPEATS = 50
"""Solves for one figure, at most."""


def run() -> list[dict[str, Any]]:
    """One row a problem and solver."""
    rows = []
    for family, problem in problems():
        for solver in solvers.all():
            solution, milliseconds = timed(partial(solver.solve, problem))
            rows.append(
                _row(family, problem, solver.name, milliseconds, solution.residual, str(solution.status.value))
                | {"iterations": solution.iterations, "factorizations": solution.factorizations}
            )
        rows += peer_rows(family, problem)
    return rows


def problems() -> list[tuple[str, MlcpProblem]]:
    """The problems by family, small to large."""
    found = [("chain", chain(links).problem) for links in (33, 100, 333)]
    found += [("box", random_box(size).problem) for size in (30, 100, 300)]
    return found + [("contacts", random_contacts(bodies).problem) for bodies in (10, 50, 150)]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Result of a call and the median of its time in ms; the first call, which analyses the pattern, does not count."""
    result = call()
    samples: list[float] = []
    begin = time.perf_counter()
    while len(samples) < 3 or (len(samples) < REPEATS and time.perf_counter() - begin < BUDGET):
        start = time.perf_counter()
        result = call()
        samples.append(1e3 * (time.perf_counter() - start))
    return result, float(np.median(samples))


def peer_rows(family: str, problem: MlcpProblem) -> list[dict[str, Any]]:
    """The same problem as min 1/2 lam'A lam + b'lam in its box, by clarabel; nothing if that is not installed."""
    try:
        import clarabel
    except ImportError:
        return []
    import scipy.sparse as sparse

    above, below = np.isfinite(problem.upper), np.isfinite(problem.lower)
    identity = sparse.identity(problem.size, format="csr")
    rows = sparse.vstack([identity[above], -identity[below]]).tocsc()
    bounds = np.concatenate([problem.upper[above], -problem.lower[below]])
    upper_triangle = sparse.triu(problem.sparse).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose = False

    def solve() -> Any:
        cones = [clarabel.NonnegativeConeT(len(bounds))]
        return clarabel.DefaultSolver(upper_triangle, problem.bias, rows, bounds, cones, settings).solve()

    solution, milliseconds = timed(solve)
    lam = np.clip(np.asarray(solution.x), problem.lower, problem.upper)
    residual = natural_residual(problem, lam)
    return [_row(family, problem, "clarabel", milliseconds, residual, str(solution.status).lower())]


def _row(
    family: str, problem: MlcpProblem, solver: str, milliseconds: float, residual: float, status: str
) -> dict[str, Any]:
    return {
        "problem": family,
        "rows": problem.size,
        "entries": problem.pattern.entry_count,
        "solver": solver,
        "ms": milliseconds,
        "residual": residual,
        "status": status,
    }
