"""`taut.solve_mlcp` by interior points beside PIQP and Clarabel, on the same box QPs to the same accuracy.

Families: random friction, dense and sparse, of rank 0.6 n; problems of piles, run now; those of a folder. Every call
begins with matrix and vectors, so analysis and setup count for all; no call knows of one before. Times are processor
times, all solvers in turn, the median over problems of a size of the least over rounds. All must reach a scaled natural
residual [Peiret2019, eq. 29] of 1e-9: others get the loosest tolerance with which they do, problem by problem, and
`missed` counts the problems on which they do not with any. `over` is how many times longer than ours they take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from taut.benchmarks import _rivals
from taut.benchmarks._sequences import Recorded, of_scene
from taut.benchmarks._tables import make_folder, write_table
from taut.errors import InputError
from taut.problem.generators import random_friction
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import natural_residual
from taut.solvers.solve import solve_mlcp

OUT = Path("build/bench/box-qp")
"""Where the table goes unless told otherwise."""

OWN = "ipm"
ACCURACY = 1e-9
"""Scaled natural residual that all have to reach."""

FIRST_SEED = 1000
"""Of the random problems; thresholds of solvers were chosen on others, below."""

PILES: dict[str, tuple[dict[str, Any], float, float]] = {
    "rock_pile": ({}, 2.0, 3.0),
    "log_tower": ({"layers": 12, "arrival": 0.5}, 0.5, 1.5),
}
"""Scenes that are run for their problems: parameters, seconds before the first problem, seconds at the end."""


@dataclass(frozen=True)
class Effort:
    """How much is measured: sizes and problems of random families, piles, problems a pile, rounds."""

    dense: tuple[int, ...] = (50, 100, 200, 400, 800, 2000)
    sparse: tuple[int, ...] = (50, 100, 200, 400, 800, 2000)
    seeds: int = 3
    piles: tuple[str, ...] = tuple(PILES)
    frames: int = 8
    rounds: int = 2


QUICK = Effort(dense=(30,), sparse=(60,), seeds=1, piles=(), rounds=1)


@dataclass(frozen=True, eq=False)
class Case:
    """Problems that make one line of the table a solver."""

    family: str
    problems: list[MlcpProblem]
    dense: bool = False


def run(quick: bool = False, out: Path = OUT, problems: Path | None = None) -> list[dict[str, Any]]:
    """Measure, and write the table.

    Args:
        quick: everything once on small sizes, to see that it works.
        out: folder for the CSV file.
        problems: folder of problems to be measured as well.
    """
    make_folder(out)  # now, not after minutes of measuring
    effort = QUICK if quick else Effort()
    rows = [row for case in cases(effort, problems) for row in measure(case, effort.rounds)]
    write_table(out / "box-qp.csv", rows)
    return rows


def cases(effort: Effort, folder: Path | None) -> Iterable[Case]:
    """What is measured."""
    for dense, sizes in ((True, effort.dense), (False, effort.sparse)):
        for size in sizes:
            seeds = range(FIRST_SEED, FIRST_SEED + effort.seeds)
            made = [random_friction(size, seed, dense) for seed in seeds]
            yield Case("friction, dense" if dense else "friction, sparse", made, dense)
    for name in effort.piles:
        parameters, begin, end = PILES[name]
        frames = of_scene(name, Recorded(end, parameters)).frames
        found = [frame.problem.matrix() for frame in frames[int(len(frames) * begin / end) :]]
        yield Case(name, evenly(found, effort.frames))
    if folder is not None:
        files = sorted(folder.glob("*.npz"))
        if not files:
            raise InputError(f"folder '{folder}' holds no problems, files that end in .npz")
        yield Case(folder.name, evenly([MlcpProblem.load(file) for file in files], effort.frames))


def evenly(problems: list[MlcpProblem], most: int) -> list[MlcpProblem]:
    """At most so many of the problems, evenly over all."""
    return [problems[place] for place in np.unique(np.linspace(0, len(problems) - 1, most).round().astype(int))]


def measure(case: Case, rounds: int) -> list[dict[str, Any]]:
    """Lines of one case: ours, and those of all rivals."""
    found: dict[str, list[tuple[float, float, int]]] = {}
    for problem in case.problems:
        matrix = problem.sparse.toarray() if case.dense else problem.sparse
        calls: dict[str, Callable[[], tuple[np.ndarray, int]]] = {OWN: partial(solve_own, problem, matrix)}
        for name, solve in _rivals.available().items():
            if not (case.dense and name == "piqp-sparse"):  # 10 times slower there
                calls[name] = partial(solve, problem, matrix, loosest(problem, matrix, solve))
        for name, line in in_turn(problem, calls, rounds).items():
            found.setdefault(name, []).append(line)
    own = float(np.median([line[0] for line in found[OWN]]))
    return [row_of(case, name, np.array(lines), own) for name, lines in found.items()]


def row_of(case: Case, name: str, lines: np.ndarray, own: float) -> dict[str, Any]:
    """Line of one solver from (problems, 3) ms, residuals and factorisations."""
    milliseconds, residuals, iterations = lines.T
    return {
        "family": case.family, "rows": int(np.median([problem.size for problem in case.problems])),
        "problems": len(lines), "solver": name, "ms": float(np.median(milliseconds)),
        "ms_max": float(milliseconds.max()), "over": float(np.median(milliseconds) / own),
        "factorisations": float(iterations.mean()), "residual_max": float(residuals.max()),
        "missed": int(np.count_nonzero(~(residuals <= ACCURACY))),
    }  # fmt: skip


def solve_own(problem: MlcpProblem, matrix: Any) -> tuple[np.ndarray, int]:
    """Multipliers and factorisations of our interior points, from matrix and vectors."""
    solution = solve_mlcp(matrix, problem.bias, problem.lower, problem.upper, method=OWN)
    return solution.lam, solution.factorizations


def loosest(problem: MlcpProblem, matrix: Any, solve: _rivals.Solve) -> float:
    """The loosest tolerance with which a rival is accurate enough, else that of its best answer."""
    best, chosen = np.inf, _rivals.TOLERANCES[0]
    for tolerance in _rivals.TOLERANCES:
        residual = residual_of(problem, solve(problem, matrix, tolerance)[0])
        if residual < best:
            best, chosen = residual, tolerance
        if residual <= ACCURACY:
            break
    return chosen


def residual_of(problem: MlcpProblem, x: np.ndarray) -> float:
    """Scaled natural residual of an answer put within its bounds."""
    return natural_residual(problem, np.clip(x, problem.lower, problem.upper))


def in_turn(
    problem: MlcpProblem, calls: dict[str, Callable[[], tuple[np.ndarray, int]]], rounds: int
) -> dict[str, tuple[float, float, int]]:
    """Least processor time in ms over rounds in turn, residual and factorisations of each call."""
    found: dict[str, tuple[float, float, int]] = {}
    for _ in range(rounds):
        for name, call in calls.items():
            call()  # brings code and matrix into the processor's caches, which the one before has filled
            start = time.process_time()
            x, iterations = call()
            milliseconds = 1e3 * (time.process_time() - start)
            least = min(milliseconds, found[name][0]) if name in found else milliseconds
            found[name] = least, residual_of(problem, x), iterations
    return found
