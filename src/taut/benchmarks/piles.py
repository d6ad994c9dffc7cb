"""Piles frame by frame: the log tower beside MuJoCo, pushed rocks, and bodies of mixed masses.

Times are processor times of whole frames at h = 1/60 s, without recording; engines have ten frames each in turn. Runs
repeat to the bit, so a frame counts as in the round in which it took least. Targets are what a frame should take on one
core. `failed` counts frames that were not solved, of MuJoCo those in which it found its motion unstable and started
again. The tower in MuJoCo has the same bodies, places and friction: with its default settings, and tuned: four or
sixteen substeps a frame, contacts as stiff as these allow. Overlap is that of the deepest contact after a frame, in all
engines. MuJoCo needs the extra ``bench``; without it our own figures are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut import scenes
from taut.benchmarks._mixed_masses import mixed_row
from taut.benchmarks._mujoco_scene import FRAME, Tuning, has_mujoco
from taut.benchmarks._pile_figures import draw_piles
from taut.benchmarks._pile_runs import FrameFigures, MujocoRun, OwnRun, Phase, Run, in_turn, least
from taut.benchmarks._tables import make_folder, write_table
from taut.results.report import STAGES

OUT = Path("build/bench/piles")
"""Where tables and the figure go unless told otherwise."""


def tuned(substeps: int) -> Tuning:
    """Contacts of MuJoCo with a time constant of two steps, the least it takes, and little give."""
    return Tuning(f"{substeps} substeps", substeps, solref=(2 * FRAME / substeps, 1.0), solimp=(0.99, 0.999, 0.001))


RIVALS = (Tuning("default"), tuned(4), tuned(16))

SETTLED = 5
"""First frames that do not count: bodies come to rest on each other, and code into the processor's caches."""
PUSHED = 60
"""Frames until rocks have fallen and the shovel has reached them."""
ROCKS = {64: 8.0, 200: 25.0, 500: 70.0}
"""Numbers of rocks, and what the median of a frame should be at most, ms."""


@dataclass(frozen=True)
class Effort:
    """How much is measured: the tower's parameters, frames of it and of rocks, rocks, rounds, mixed piles."""

    tower: dict[str, Any]
    tower_frames: int = 480
    rock_frames: int = 480
    rocks: tuple[int, ...] = tuple(ROCKS)
    rounds: int = 3
    seeds: int = 5
    mixed_frames: int = 300


FULL = Effort({})
QUICK = Effort(
    {"layers": 3, "arrival": 0.2}, tower_frames=20, rock_frames=62, rocks=(4,), rounds=1, seeds=1, mixed_frames=5
)

Frames = dict[str, list[FrameFigures]]
"""Frames by engine."""


def run(quick: bool = False, out: Path = OUT) -> list[dict[str, Any]]:
    """Measure, and write tables and the figure.

    Args:
        quick: everything once on small sizes, to see that it works.
        out: folder for CSV and PNG files.
    """
    make_folder(out)  # now, not after minutes of measuring
    effort = QUICK if quick else FULL
    runs = [(tower_phases(effort), tower_frames(effort))]
    runs += [(rock_phases(count, effort), rock_frames(count, effort)) for count in effort.rocks]
    tables: dict[str, list[dict[str, Any]]] = {
        "times": [
            phase.time_row(name, own) for phases, found in runs for phase in phases for name, own in found.items()
        ],
        "work": [phase.work_row(found[OwnRun.engine]) for phases, found in runs for phase in phases],
        "worst frame": [phase.worst_row(found[OwnRun.engine]) for phases, found in runs for phase in phases],
        "mixed masses": [mixed_row(seed, effort.mixed_frames) for seed in range(effort.seeds)],
    }
    if not has_mujoco():
        tables["times"].append({"case": "log_tower", "engine": "MuJoCo: not installed (extra 'bench')"})
    for name, rows in tables.items():
        write_table(out / f"{name.replace(' ', '-')}.csv", rows)
    named = {phases[-1].name.partition(",")[0]: found for phases, found in runs}
    write_table(out / "frames.csv", frame_rows(named))
    draw_piles(out / "piles.png", named)
    return [{"part": name} | row for name, rows in tables.items() for row in rows]


def tower_phases(effort: Effort) -> list[Phase]:
    """The tower before the ball comes, and after."""
    arrival = round((scenes.get("log_tower").parameters | effort.tower)["arrival"] / FRAME)
    return [
        Phase("log_tower, standing", SETTLED, arrival - SETTLED, (2.5, None, None)),
        Phase("log_tower, collapse", arrival, effort.tower_frames, (10.0, 25.0, 50.0)),
    ]


def tower_frames(effort: Effort) -> Frames:
    """The tower in all engines in turn."""
    scene = scenes.build("log_tower", **effort.tower)
    rounds: dict[str, list[list[FrameFigures]]] = {}
    for _ in range(effort.rounds):
        runs: list[Run] = [OwnRun(scene)]
        if has_mujoco():
            runs += [MujocoRun(scene, tuning) for tuning in RIVALS]
        for run, own in zip(runs, in_turn(runs, effort.tower_frames), strict=True):
            rounds.setdefault(run.engine, []).append(own)
    return {engine: least(found) for engine, found in rounds.items()}


def rock_phases(count: int, effort: Effort) -> list[Phase]:
    """Rocks that fall, and that are pushed."""
    name = f"rock_pile {count}"
    return [
        Phase(f"{name}, falling", SETTLED, PUSHED),
        Phase(f"{name}, pushed", PUSHED, effort.rock_frames, (ROCKS.get(count), None, None)),
    ]


def rock_frames(count: int, effort: Effort) -> Frames:
    """A pile of rocks."""
    scene = scenes.build("rock_pile", rocks=count)
    rounds = [in_turn([OwnRun(scene)], effort.rock_frames)[0] for _ in range(effort.rounds)]
    return {OwnRun.engine: least(rounds)}


def frame_rows(named: dict[str, Frames]) -> list[dict[str, Any]]:
    """Every frame of every run; too long to print."""
    return [
        {"case": case, "engine": engine, "frame": number, "cpu_ms": frame.cpu_ms, "penetration": frame.penetration}
        | ({} if frame.report is None else {"solves": frame.report.solves, "rows": frame.report.rows})
        | {"failed": frame.failed, "factorisations": sum(frame.factorizations)}
        | ({} if frame.report is None else {f"{stage}_ms": 1e3 * frame.report.seconds[stage] for stage in STAGES})
        for case, found in named.items()
        for engine, own in found.items()
        for number, frame in enumerate(own)
    ]
