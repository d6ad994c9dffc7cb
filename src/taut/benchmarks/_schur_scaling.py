"""How time falls with threads, at one size and at sizes that grow with them, and what that would come to on more cores.

The model is that of work and span: T(p) = s + w makespan(p) / total. Parts are measured one by one; `makespan` is the
time of p threads that share them, longest first, and `total` is all of them. s, what no thread shares, and w are fitted
to the times that were measured on the cores there are; anything beyond these is extrapolated and says so. Times are by
the clock, so others who use the cores spoil them: `load` is the system's mean number of processes that want one, and
times of which two threads save more than half are no basis for anything.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence as Several
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut import solvers
from taut.benchmarks._schur_cases import Contender, cores, recorded_frames
from taut.benchmarks._schur_times import problem_of, time_frame
from taut.benchmarks._sequences import Frame, Recorded, Sequence
from taut.problem.parts import row_parts
from taut.solvers.force_coupling import blocks_of, load_block

MEASURED_SOLVER = "schur-bpp"
THREADS = (1, 2, 4, 8, 16)
"""What the model says something about: as many as the paper's machine had."""
REPEATS = 3
"""Times that a part is solved."""
ROUNDS = 7
"""Least rounds in turn: threads are compared by their least times, because others may use the cores too."""
SPOILED = 1.1
"""Times as fast as so many threads can be at best, above which others must have used the cores."""
STRONG = ("log_tower", "chain_wrap", "plank_bridge")
"""Scenes of one size [Peiret2019, Fig. 12]."""
WEAK = {
    "log_tower": ("layers", 8, Recorded(1.0, {"arrival": 100.0}, every=6)),
    "plank_bridge": ("planks", 16, Recorded(0.5, every=5)),
}
"""Scenes that grow: what grows, how much of it there is for each thread, and how they are run [Peiret2019, Fig. 13]."""


def strong_rows(sequence: Sequence, rounds: int) -> list[dict[str, Any]]:
    """Lines of a scene for 1, 2, 4, ... threads, measured as far as there are cores.      [Peiret2019, Fig. 12]"""
    measured = measure(sequence, measured_threads(THREADS), rounds)
    costs = [part_costs(frame) for frame in sequence.frames]
    shares = {threads: fmean(balance(each, threads) for each in costs) for threads in THREADS}
    serial, work = fit(measured, shares)
    first, alone = measured[1], serial + work
    lines = []
    for threads in THREADS:
        model = serial + work * shares[threads]
        line: dict[str, Any] = {
            "scene": sequence.name, "frames": len(sequence.frames), "threads": threads,
            "parts": fmean(each.size for each in costs), "serial_ms": 1e3 * serial, "shared_ms": 1e3 * work,
            "load": os.getloadavg()[0],
            "model_ms": 1e3 * model, "model_speed_up": alone / model,
        }  # fmt: skip
        if threads in measured:
            line |= {"measured_ms": 1e3 * measured[threads], "speed_up": first / measured[threads]}
        lines.append(line | {"basis": basis_of(threads, measured)})
    return lines


def basis_of(threads: int, measured: dict[int, float]) -> str:
    """What the model's time for so many threads rests on."""
    if any(measured[1] > SPOILED * count * seconds for count, seconds in measured.items()):
        return "spoiled by others"
    return "fitted" if threads in measured else "extrapolated"


def weak_rows(scene: str, factors: Several[int], frames: int, rounds: int) -> list[dict[str, Any]]:
    """Lines of a scene that grows with the threads; with more threads than cores, time in one thread and on all cores,
    and the model's for that many.                                                           [Peiret2019, Fig. 13]"""
    parameter, unit, how = WEAK[scene]
    lines = []
    for factor in factors:
        grown = how._replace(parameters=how.parameters | {parameter: unit * factor})
        sequence = recorded_frames(scene, grown, frames)
        strong = {row["threads"]: row for row in strong_rows(sequence, rounds)}
        own = strong[factor]
        line: dict[str, Any] = {
            "scene": scene, parameter: unit * factor, "threads": factor,
            "rows": fmean(frame.problem.size for frame in sequence.frames), "parts": own["parts"],
            "one_thread_ms": strong[1]["measured_ms"], "model_ms": own["model_ms"],
        }  # fmt: skip
        if "measured_ms" in own:
            line["measured_ms"] = own["measured_ms"]
        lines.append(line | {"basis": own["basis"]})
    return lines


def measured_threads(threads: Several[int]) -> list[int]:
    """Those that there are cores for."""
    return [each for each in threads if each <= cores()]


def measure(sequence: Sequence, threads: Several[int], rounds: int) -> dict[int, float]:
    """Mean over frames of the least time of a solve by the clock, s, by threads, in turn."""
    contenders = [Contender(str(each), solvers.get(MEASURED_SOLVER, threads=each)) for each in threads]
    taken = [
        time_frame(contenders, frame, number, max(rounds, ROUNDS), frame.start, long=math.inf)
        for number, frame in enumerate(sequence.frames)
    ]
    return {each: fmean(frame[place].least for frame in taken) for place, each in enumerate(threads)}


def part_costs(frame: Frame) -> NDArray[np.float64]:
    """Least seconds (parts,) to solve each part of a frame alone, with the impulses of its interface as they were."""
    problem = problem_of(frame)
    matrix, parts = problem.matrix(), row_parts(problem)
    blocks = blocks_of(matrix.pattern, parts)[: np.unique(parts[parts >= 0]).size]
    taken = []
    for block in blocks:
        own = []
        for _ in range(REPEATS):
            loaded = load_block(block, matrix)
            labels, lam = frame.start.index_set.copy(), frame.start.lam.copy()
            start = perf_counter()
            loaded.solve(labels, lam)
            own.append(perf_counter() - start)
        taken.append(min(own))
    return np.array(taken)


def balance(costs: NDArray[np.float64], threads: int) -> float:
    """Time of so many threads that share parts, longest first, over the time of one; 1 without parts."""
    load = np.zeros(threads)
    for cost in np.sort(costs)[::-1]:
        load[np.argmin(load)] += cost
    return float(load.max() / costs.sum()) if costs.size else 1.0


def fit(measured: dict[int, float], shares: dict[int, float]) -> tuple[float, float]:
    """s and w >= 0 with s + w share nearest to the measured times, in s; w is 0 if threads saved nothing."""
    from scipy.optimize import nnls

    matrix = np.array([[1.0, shares[threads]] for threads in measured])
    serial, work = nnls(matrix, np.array(list(measured.values())))[0].tolist()
    return serial, work
