"""Time of every solver on one problem: chains, random boxes and random contacts, by size.

Milliseconds are the median of repeated cold solves (all rows free at the start); the residual is the scaled natural
residual [Peiret2019, eq. 29]. `taut bench box-qp` has solvers of others beside ours.
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
