"""Substructuring beside its rivals, on problems of scenes as they run [Peiret2019, sec. 7].

All solvers solve the same problems from the same starts in turn, which are those of the engine, and some of them from
all rows free (`cold times`); a time is the median
over rounds, and the mean over frames, as in the paper. `bpp-simplicial` is the paper's baseline, block pivoting with a
sparse Cholesky factor at every pivot; `bpp-dense` has a dense one and, where 6 pivots do not end it, a slow interior
point. `bpp` is what the engine solves with. Ratios are of processor times unless they begin with `wall`; `paper`
columns are what the paper measured of the same scene on its own build and machine. PARDISO needs the extra ``pardiso``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from taut import solvers
from taut.benchmarks import _schur_figures as figures
from taut.benchmarks._schur_cases import (
    COUPLED,
    QUICK_RECORDED,
    RECORDED,
    SPARSE,
    Contender,
    chosen_cases,
    cold_contenders,
    contenders,
    cores,
    missing_rows,
    recorded_frames,
)
from taut.benchmarks._schur_scaling import STRONG, WEAK, strong_rows, weak_rows
from taut.benchmarks._schur_sizes import partition_rows, size_rows
from taut.benchmarks._schur_times import Timed, answer_rows, time_frame, time_frames, time_rows
from taut.benchmarks._sequences import Recorded, Sequence
from taut.benchmarks._sparse_pivoting import SimplicialPivoting
from taut.benchmarks._tables import make_folder, write_table
from taut.errors import InputError

OUT = Path("build/bench/substructuring")
"""Where tables and figures go unless told otherwise."""
WARM_SCENES = ("log_tower",)
"""Scenes whose starts are compared [Peiret2019, Fig. 9]."""

TABLES = ("times", "cold times", "answers", "sizes", "partitions", "starts", "strong", "weak")
"""Tables that are printed, and names of their files."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Effort:
    """How much is measured: scenes, frames of each, repeats of a solve, sizes of parts, and how far scenes grow."""

    recorded: dict[str, Recorded]
    frames: int
    rounds: int
    sizes: tuple[int, ...]
    grown: tuple[int, ...]
    weak: tuple[str, ...] = field(default_factory=lambda: tuple(WEAK))


FULL = Effort(RECORDED, frames=30, rounds=3, sizes=(8, 16, 32, 64), grown=(1, 2, 4, 8, 16))
QUICK = Effort(QUICK_RECORDED, frames=3, rounds=1, sizes=(4, 8), grown=(1,), weak=())


def run(quick: bool = False, out: Path = OUT, scenes: str | None = None, frames: int | None = None) -> Rows:
    """Measure, and write tables and figures.

    Args:
        quick: everything once on small scenes, to see that it works.
        out: folder for CSV and PNG files.
        scenes: names of scenes with commas between them, to run only these.
        frames: of each scene, at most.
    """
    effort = QUICK if quick else FULL
    effort = replace(effort, recorded=chosen_cases(effort.recorded, scenes), frames=checked_frames(frames, effort))
    make_folder(out)  # now, not after minutes of measuring
    tables: dict[str, Rows] = {name: [] for name in TABLES}
    every: Rows = []
    for name, how in effort.recorded.items():
        sequence = recorded_frames(name, how, effort.frames)
        timed = time_frames(contenders(name), sequence.frames, effort.rounds)
        every += [each.row(name) for each in timed]
        tables["times"] += time_rows(name, timed)
        cold = time_frames(cold_contenders(name), sequence.frames, effort.rounds, cold=True)
        tables["cold times"] += time_rows(name, cold)
        tables["answers"] += answer_rows(name, timed)
        tables["sizes"] += size_rows(sequence, effort.sizes, effort.rounds)
        tables["partitions"] += partition_rows(sequence)
        if name in WARM_SCENES:
            tables["starts"] += start_rows(sequence, effort.rounds)
        if name in STRONG:
            tables["strong"] += strong_rows(sequence, effort.rounds)
        write(out, tables, every)  # as far as it is: a scene takes minutes
    for name in effort.weak:
        if name in effort.recorded:
            tables["weak"] += weak_rows(name, effort.grown, min(effort.frames, 5), effort.rounds)
    write(out, tables, every)
    draw(out, tables, every)
    tables["times"] += missing_rows()
    return [{"part": name} | row for name, rows in tables.items() for row in rows]


def checked_frames(frames: int | None, effort: Effort) -> int:
    """Frames of each scene."""
    if frames is not None and frames < 1:
        raise InputError(f"bench substructuring: frames is {frames}; it must be at least 1")
    return frames or effort.frames


def start_rows(sequence: Sequence, rounds: int) -> Rows:
    """A line a frame and way: in one thread, cold and warm, and warm on all cores.            [Peiret2019, Fig. 9]"""
    ways: list[tuple[str, Contender, bool]] = [("cold", Contender(SPARSE, SimplicialPivoting()), False)]
    for name in COUPLED:
        one = Contender(name, solvers.get(name, threads=1))
        ways += [("cold", one, False), ("warm", one, True)]
        ways.append((f"warm, {cores()} threads", Contender(name, solvers.get(name, threads=cores())), True))
    lines = []
    for number, frame in enumerate(sequence.frames):
        for start, contender, warm in ways:
            (own,) = time_frame([contender], frame, number, rounds, frame.start if warm else None)
            lines.append(start_row(sequence.name, start, own))
    return lines


def start_row(scene: str, start: str, own: Timed) -> dict[str, Any]:
    """The line of one frame and way."""
    return {
        "scene": scene, "solver": own.contender, "start": start, "frame": own.frame, "wall_ms": 1e3 * own.wall,
        "cpu_ms": 1e3 * own.cpu, "coupling": own.solution.coupling_iterations, "iterations": own.solution.iterations,
    }  # fmt: skip


def write(out: Path, tables: dict[str, Rows], every: Rows) -> None:
    """Write the tables that have lines, and every frame."""
    for name, rows in [*tables.items(), ("frames", every)]:
        if rows:
            write_table(out / f"{name.replace(' ', '-')}.csv", rows)


def draw(out: Path, tables: dict[str, Rows], every: Rows) -> None:
    """Draw the figures that there are lines for."""
    figures.draw_times(out / "times.png", tables["times"])
    figures.draw_residuals(out / "residuals.png", every)
    figures.draw_sizes(out / "sizes.png", tables["sizes"])
    if tables["starts"]:
        figures.draw_starts(out / "starts.png", tables["starts"])
    if tables["strong"]:
        figures.draw_strong(out / "strong.png", tables["strong"])
    if tables["weak"]:
        figures.draw_weak(out / "weak.png", tables["weak"])
