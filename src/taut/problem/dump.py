"""Keep problems: those that were not solved, to look at them and add them to the tests; or the last of every frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from taut.errors import InputError, SimulationError
from taut.problem.kkt import KktProblem, Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart


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


@dataclass(frozen=True, eq=False)
class SolvedProblem:
    """A problem, where its solver started, and what it found.

    Attributes:
        problem: with numbers of its own.
        start: labels and multipliers that the solver was given.
        index_set: (rows,) labels that it found.
        by_bodies: the same problem as a KKT system, if it was one; files do not keep it.
    """

    problem: MlcpProblem
    start: WarmStart
    index_set: np.ndarray
    by_bodies: KktProblem | None = None

    def save(self, path: str | Path) -> None:
        """Write all to an npz file: that of the problem, with `start_set`, `start_lam` and `index_set`."""
        self.problem.save(path, start_set=self.start.index_set, start_lam=self.start.lam, index_set=self.index_set)

    @classmethod
    def load(cls, path: str | Path) -> SolvedProblem:
        """Read what `save` wrote."""
        problem = MlcpProblem.load(path)
        with np.load(path, allow_pickle=False) as file:
            missing = [name for name in ("start_set", "start_lam", "index_set") if name not in file]
            if missing:
                raise InputError(f"problem file {path} has no {missing[0]}; `taut run --dump-problems` writes it")
            arrays = [file[name] for name in ("start_set", "start_lam", "index_set")]
        if any(array.shape != (problem.size,) for array in arrays):
            raise InputError(f"problem file {path}: its start does not have {problem.size} rows")
        return cls(problem, WarmStart(arrays[0], arrays[1]), arrays[2])


class ProblemFolder:
    """A folder that takes the problem of every frame, in files numbered by frame.

    Args:
        folder: it is made; one that holds anything is refused.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            full = any(self.folder.iterdir())
        except OSError as error:
            raise InputError(f"folder for problems '{folder}' cannot be made: {error.strerror}") from None
        if full:
            raise InputError(f"folder for problems '{folder}' is not empty; give one that is, or a new name")

    def __call__(self, frame: int, solved: SolvedProblem) -> None:
        """Write the problem of a frame."""
        path = self.folder / f"frame-{frame:06d}.npz"
        try:
            solved.save(path)
        except OSError as error:
            raise SimulationError(f"problem '{path}' cannot be written: {error.strerror}") from error
