"""How long methods of pivoting take on the same problems from the same starts, in turn.

Ratios are of processor times: on a busy machine a long solve is interrupted more often than a short one. Factors by
LAPACK have to run in one thread for that, as `taut` sets it up.
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from functools import partial
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from taut import solvers
from taut.benchmarks._clock import Measurement, medians_in_turn
from taut.benchmarks._sequences import Frame, Sequence
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.solvers.base import PivotingSolver

METHODS = ("bpp-dense", "bpp-downdate", "bpp-skyline", "bpp-cached", "bpp-refactor", "bpp")
"""From the baseline of the thesis to the best that there is; those that exist are measured."""

BASELINE, REFACTOR = "bpp-dense", "bpp-refactor"
"""A full dense factor at every pivot, and one of the free rows in a skyline."""

STARTS = ("cold", "warm")
"""All rows free, as in the thesis; from the frame before, as the engine does."""

THESIS = {"bpp-downdate": "downdate", "bpp-skyline": "skyline"}
"""Methods whose speed-up over the baseline the thesis gives, and the field of `Published` that has it."""


def methods() -> list[PivotingSolver]:
    """The methods that exist."""
    return [solvers.get(name) for name in METHODS if name in solvers.names()]


def solve_once(solver: PivotingSolver, problem: MlcpProblem, start: WarmStart | None) -> dict[str, float]:
    """Seconds of a solve: by the clock, and of the processor; pivots, factorisations, and flags.

    The flags are 1 if it was not solved, and if pivots alone did not end, so that an interior point had to help.
    """
    wall, busy = perf_counter(), thread_time()
    solution: MlcpSolution = solver.solve(problem, start)
    busy, wall = thread_time() - busy, perf_counter() - wall
    return {
        "wall": wall, "cpu": busy, "pivots": float(solution.iterations),
        "factorizations": float(solution.factorizations), "unsolved": float(not solution.solved),
        "interior": float(solution.factorizations > solution.iterations),
    }  # fmt: skip


def time_frame(
    chosen: Several[PivotingSolver], problem: MlcpProblem, start: WarmStart | None, rounds: int
) -> list[dict[str, float]]:
    """Medians of `solve_once` for each solver, over rounds in turn.

    What solvers keep with the pattern is given back: caches of a hundred patterns would fill the memory.
    """
    measurements: list[Measurement] = [partial(solve_once, solver, problem, start) for solver in chosen]
    found = medians_in_turn(measurements, rounds)
    for solver in chosen:
        problem.pattern.structures.pop(solver, None)
    return found


def time_rows(sequence: Sequence, most: int, rounds: int) -> list[dict[str, Any]]:
    """One line a start and method: means over the same frames, those with tight rows."""
    frames = sequence.with_tight_rows(most)
    if not frames:
        return []
    found = []
    for start in STARTS:
        taken = [time_frame(methods(), each.problem, start_of(each, start), rounds) for each in frames]
        alone = [frame for frame in taken if not any(each["interior"] for each in frame)]
        means, unaided = mean_times(taken), mean_times(alone)
        found += [line_of(sequence, start, name, len(frames), means) | unaided_of(name, len(alone), unaided)
                  for name in means]  # fmt: skip
    return found


def mean_times(taken: list[list[dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Means over frames of what `time_frame` found, by method; nothing of no frames."""
    if not taken:
        return {}
    return {
        solver.name: {key: float(np.mean([each[place][key] for each in taken])) for key in taken[0][place]}
        for place, solver in enumerate(methods())
    }


def unaided_of(method: str, frames: int, means: dict[str, dict[str, float]]) -> dict[str, Any]:
    """One method in those frames in which pivots alone ended with all of them: like for like with the thesis."""
    line: dict[str, Any] = {"unaided": frames}
    if frames:
        line["unaided_over_dense"] = means[BASELINE]["cpu"] / means[method]["cpu"]
    return line


def start_of(frame: Frame, start: str) -> WarmStart | None:
    """Where a solve of a frame starts."""
    return frame.start if start == "warm" else None


def line_of(
    sequence: Sequence, start: str, method: str, frames: int, means: dict[str, dict[str, float]]
) -> dict[str, Any]:
    """One method on one sequence."""
    own = means[method]
    line: dict[str, Any] = {
        "sequence": sequence.name, "start": start, "method": method, "frames": frames, "ms": 1e3 * own["wall"],
        "cpu_ms": 1e3 * own["cpu"], "pivots": own["pivots"], "factors": own["factorizations"],
        "interior": round(own["interior"] * frames), "unsolved": round(own["unsolved"] * frames),
        "over_dense": means[BASELINE]["cpu"] / own["cpu"],
        "over_refactor": means[REFACTOR]["cpu"] / own["cpu"],
    }  # fmt: skip
    if sequence.published is not None and method in THESIS:
        line["thesis"] = getattr(sequence.published, THESIS[method])
    return line
