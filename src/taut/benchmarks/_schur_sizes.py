"""Sizes of parts: what a solve takes with them, and what it takes to find them."""

from __future__ import annotations

from collections.abc import Sequence as Several
from statistics import fmean, median
from time import process_time
from typing import Any

from taut import solvers
from taut.benchmarks._schur_cases import COUPLED, PARTITION_MS, SIZES_MS, SIZES_PARTS, Contender
from taut.benchmarks._schur_times import known, problem_of, time_frame, unseen
from taut.benchmarks._sequences import Frame, Sequence
from taut.problem.parts import CHOICES, partition_of

REPEATS = 5
"""Times that a partition is made of each frame."""
CHOSEN = 0
"""Size of parts that leaves it to the solver."""


def size_rows(sequence: Sequence, sizes: Several[int], rounds: int) -> list[dict[str, Any]]:
    """A line a solver and size of parts, minimum-degree, in one thread; the last size is the one that solvers choose.

    [Peiret2019, Table 4]
    """
    wanted = [(name, size) for name in COUPLED for size in (*sizes, CHOSEN)]
    contenders = [
        Contender(f"{name} {size}", solvers.get(name, threads=1, partition="minimum-degree", part_size=size))
        for name, size in wanted
    ]
    taken = [time_frame(contenders, frame, number, rounds, frame.start) for number, frame in enumerate(sequence.frames)]
    return [
        size_row(sequence, name, size, [each[place] for each in taken]) for place, (name, size) in enumerate(wanted)
    ]


def size_row(sequence: Sequence, name: str, size: int, own: list[Any]) -> dict[str, Any]:
    """The line of one solver and size."""
    found = [partition_of(problem_of(frame), "minimum-degree", size) for frame in sequence.frames]
    line: dict[str, Any] = {
        "scene": sequence.name, "solver": name, "bodies": size or "chosen", "frames": len(own),
        "cpu_ms": 1e3 * fmean(each.cpu for each in own), "parts": fmean(each.count for each in found),
        "interface_rows": fmean(each.interface for each in found),
        "coupling": fmean(each.solution.coupling_iterations for each in own),
        "unsolved": sum(not each.solution.solved for each in own),
    }  # fmt: skip
    if size in SIZES_MS.get(sequence.name, {}):
        line["paper_ms"], line["paper_parts"] = SIZES_MS[sequence.name][size], SIZES_PARTS[sequence.name][size]
    return line


def partition_rows(sequence: Sequence) -> list[dict[str, Any]]:
    """A line a way to part: how long it takes anew and when it is known, and what it gives, in the mean.

    [Peiret2019, sec. 7.6]
    """
    return [partition_row(sequence, choice, size) for choice in CHOICES for size in (16, CHOSEN)]


def partition_row(sequence: Sequence, choice: str, size: int) -> dict[str, Any]:
    """The line of one way."""
    found = [partition_of(problem_of(frame), choice, size) for frame in sequence.frames]
    line: dict[str, Any] = {
        "scene": sequence.name, "choice": choice, "bodies": size or "chosen",
        "new_ms": 1e3 * fmean(part_seconds(frame, choice, size, True) for frame in sequence.frames),
        "known_ms": 1e3 * fmean(part_seconds(frame, choice, size, False) for frame in sequence.frames),
        "parts": fmean(each.count for each in found), "interface_rows": fmean(each.interface for each in found),
    }  # fmt: skip
    if choice == "minimum-degree" and size and sequence.name in PARTITION_MS:
        line["paper_ms"] = PARTITION_MS[sequence.name]
    return line


def part_seconds(frame: Frame, choice: str, size: int, new: bool) -> float:
    """Median processor time of parting a frame, of a structure that is new or known."""
    taken = []
    for _ in range(REPEATS):
        problem = unseen(problem_of(frame)) if new else known(problem_of(frame))
        if choice == "rows":
            problem.matrix()  # which solvers that need it have anyway
        start = process_time()
        partition_of(problem, choice, size)
        taken.append(process_time() - start)
    return median(taken)
