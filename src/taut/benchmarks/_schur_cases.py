"""Problems that substructuring is measured on, what the paper says of them, and who solves them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

from taut import checks, solvers
from taut.benchmarks._pardiso import PardisoPivoting, pardiso
from taut.benchmarks._sequences import Frame, Recorded, Sequence, of_scene
from taut.benchmarks._sparse_pivoting import SimplicialPivoting
from taut.solvers.base import PivotingSolver


class Paper(NamedTuple):
    """What [Peiret2019] says of a scene, in its Tables 2 and 3.

    Attributes:
        partition: how it was parted, by our names.
        part_size: bodies of a part; where it gives a range, the larger end.
        ms: mean time of a solve, by our names of its solvers; `bpp-simplicial` is its baseline.
        coupling: coupling iterations of a frame.
        at_limit: percentage of frames that had all 10 of them.
    """

    partition: str
    part_size: int
    ms: dict[str, float]
    coupling: float
    at_limit: float


def paper(partition: str, part_size: int, coupling: float, at_limit: float, *ms: float) -> Paper:
    """A line of its tables, times in the order of its columns."""
    names = ("bpp-simplicial", "pgs", "schur-bpp", "schur-pgs-sm", "fbic", "bpp-pardiso")
    return Paper(partition, part_size, dict(zip(names, ms, strict=True)), coupling, at_limit)


PAPER = {
    "log_tower": paper("minimum-degree", 16, 5.8, 39.2, 202.6, 302.4, 59.7, 51.4, 111.6, 113.4),
    "cable_spinner": paper("groups", 48, 2.1, 0.0, 141.3, 229.1, 8.7, 8.8, 93.2, 170.5),
    "chain_wrap": paper("groups", 16, 4.4, 1.9, 54.6, 198.5, 11.6, 12.3, 132.0, 27.6),
    "chain_drop": paper("groups", 32, 3.2, 2.1, 46.9, 150.5, 9.1, 8.7, 20.5, 20.4),
    "rock_pile": paper("minimum-degree", 16, 6.3, 10.2, 311.7, 284.4, 101.5, 98.6, 373.9, 102.5),
    "net_truck": paper("groups", 65, 2.6, 0.0, 252.3, 802.4, 11.9, 12.7, 632.0, 396.7),
    "tandem_cranes": paper("groups", 50, 2.4, 0.2, 180.6, 222.9, 12.9, 13.0, 134.3, 100.4),
}
"""By scene."""

SIZES_MS = {
    "log_tower": {8: 53.4, 16: 51.4, 32: 63.3, 64: 88.8},
    "rock_pile": {8: 169.1, 16: 98.6, 32: 129.7, 64: 142.7},
}
"""Mean time of a solve by bodies of a part, ms [Peiret2019, Table 4], and number of parts."""
SIZES_PARTS = {
    "log_tower": {8: 30.4, 16: 19.1, 32: 14.3, 64: 12.8},
    "rock_pile": {8: 21.2, 16: 12.1, 32: 6.8, 64: 4.9},
}

PARTITION_MS = {"log_tower": 0.2, "rock_pile": 0.1}
"""Time to part a scene, ms [Peiret2019, sec. 7.6]."""

RECORDED = {
    "log_tower": Recorded(6.5, every=13),
    "cable_spinner": Recorded(8.0, every=16),
    "chain_wrap": Recorded(4.0, every=8),
    "chain_drop": Recorded(5.0, every=10),
    "rock_pile": Recorded(8.0, every=16),
    "net_truck": Recorded(8.0, every=16),
    "tandem_cranes": Recorded(20.0, every=40),
    "plank_bridge": Recorded(10.0, every=20),
    "heavy_net": Recorded(0.5, every=3),
}
"""The scenes of the paper, its bridge, and a net of 40 x 40 knots with a ball of 500 kg: thirty frames over all that
happens, ten of the net."""

QUICK_RECORDED = {
    "chain_wrap": Recorded(1.0, {"links": 20}, every=10),
    "log_tower": Recorded(0.5, {"layers": 4, "arrival": 0.2}, every=5),
}
"""Small ones in a hurry."""

BASELINE, SPARSE, OWN = "bpp-dense", "bpp-simplicial", "bpp"
"""A dense and a sparse factor at every pivot, and what the engine solves with."""
COUPLED = ("schur-bpp", "schur-pgs-sm")
"""Solvers by substructuring."""
REGISTERED = (BASELINE, OWN, "linear-time", "ipm", "pgs", "fbic", *COUPLED)
"""Solvers of the registry that are compared."""

DENSE_ROWS = 4500
"""Rows above which a dense matrix is not tried: its factor takes a minute."""


@dataclass(frozen=True)
class Contender:
    """A solver with its options, under the name that tables have."""

    name: str
    solver: PivotingSolver

    def takes(self, rows: int) -> bool:
        """Whether a problem of so many rows is one for it."""
        return self.solver.name != BASELINE or rows <= DENSE_ROWS


def contenders(scene: str) -> list[Contender]:
    """All who solve a scene, in one thread; substructuring also in as many as there are cores, and parted as in the
    paper."""
    found = [Contender(SPARSE, SimplicialPivoting())]
    if pardiso() is not None:
        found.append(Contender(PardisoPivoting.name, PardisoPivoting()))
    for name in REGISTERED:
        options = {"threads": 1} if name in COUPLED else {}
        found.append(Contender(name, solvers.get(name, **options)))
    said = PAPER.get(scene)
    for name in COUPLED:
        if cores() > 1:
            found.append(Contender(f"{name}, {cores()} threads", solvers.get(name, threads=cores())))
        if said is not None:
            parted = solvers.get(name, threads=1, partition=said.partition, part_size=said.part_size)
            found.append(Contender(f"{name}, paper's parts", parted))
    return found


def missing_rows() -> list[dict[str, Any]]:
    """A line for who cannot be there."""
    name = PardisoPivoting.name
    return [] if pardiso() is not None else [{"scene": "all", "solver": f"{name}: not installed (extra 'pardiso')"}]


def cold_contenders(scene: str) -> list[Contender]:
    """Those of them that are compared from all rows free: baselines, the engine's own, and substructuring."""
    return [each for each in contenders(scene) if each.name in (SPARSE, BASELINE, OWN, *COUPLED)]


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chosen_cases(recorded: dict[str, Recorded], names: str | None) -> dict[str, Recorded]:
    """The scenes that were asked for, by names with commas; all without."""
    if names is None:
        return recorded
    wanted = [checks.known("bench substructuring", "scene", name.strip(), recorded) for name in names.split(",")]
    return {name: recorded[name] for name in wanted}


def recorded_frames(name: str, how: Recorded, most: int) -> Sequence:
    """The sequence of a scene with at most so many frames, evenly over those that have rows."""
    sequence = of_scene(name, how)
    frames = [frame for frame in sequence.frames if frame.problem.size]
    return Sequence(name, evenly(frames, most), sequence.mass_ratio)


def evenly(frames: list[Frame], most: int) -> list[Frame]:
    """At most so many of them, evenly."""
    count = min(most, len(frames))
    return [frames[(2 * number + 1) * len(frames) // (2 * count)] for number in range(count)]
