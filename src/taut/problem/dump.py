"""Keep problems that were not solved, so that they can be looked at and added to the tests."""

from __future__ import annotations

import re
from pathlib import Path

from taut.problem.kkt import Problem
from taut.problem.solution import MlcpSolution


def dump_problem(problem: Problem, solution: MlcpSolution, folder: str | Path) -> Path:
    """Write a problem to an npz file named by the problem, how its solve ended and a number; return the path.

    Example: ``tower-frame-33-cycling-1.npz``. An existing file is never overwritten.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", problem.name).strip("-.") or "problem"
    number = 1
    while (path := folder / f"{name}-{solution.status}-{number}.npz").exists():
        number += 1
    problem.save(path)
    return path
