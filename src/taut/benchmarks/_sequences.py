"""Sequences of problems that pivoting is measured on: of scenes as they run, and from folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from taut import scenes
from taut.benchmarks._boxes import falling_boxes
from taut.benchmarks._heavy_net import heavy_net
from taut.errors import InputError
from taut.problem.condition import condition_estimate, free_part
from taut.problem.dump import SolvedProblem
from taut.problem.kkt import KktProblem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart
from taut.scene.scene import Scene
from taut.simulation.simulation import Simulation


@dataclass(frozen=True)
class Published:
    """What the thesis says of a scene: its Tables 2.2 and 2.3.

    Attributes:
        rows, mass_ratio, condition: the largest of any frame.
        full_ms: mean time of a solve with a full factor at every pivot.
        downdate, skyline: how many times faster one factor with downdates is, dense and in a skyline.
    """

    rows: int
    mass_ratio: float
    condition: float
    full_ms: float
    downdate: float
    skyline: float


PUBLISHED = {
    "crane": Published(430, 6300.0, 1e9, 12.4, 2.7, 3.6),
    "winch": Published(370, 400.0, 1e8, 2.0, 0.9, 1.3),
    "parkour": Published(260, 20000.0, 1e19, 3.0, 1.4, 1.4),
    "offshore": Published(350, 4.4e6, 1e9, 6.7, 1.7, 2.3),
    "forklift": Published(300, 2700.0, 1e8, 1.2, 1.3, 1.5),
    "forwarder": Published(250, 6500.0, 1e11, 3.1, 1.2, 1.6),
}
"""By scene; `forklift` has 162 rows in the mean (Table 3.1)."""


class Recorded(NamedTuple):
    """A scene that is run for its problems.

    Attributes:
        seconds: simulated.
        parameters: of the scene.
        every: of so many frames one is kept: those of a whole story fill the memory.
    """

    seconds: float
    parameters: dict[str, Any] = {}
    every: int = 1


STORY = Recorded(20.0, every=10)
"""The whole story of a machine [Lefebvre2020, Table 2.2]."""

RECORDED: dict[str, Recorded] = {name: STORY for name in PUBLISHED if name in scenes.names()} | {
    "chain_wrap": Recorded(3.0),
    "chain_drop": Recorded(2.0, {"links": 100}),
    "log_tower": Recorded(1.5, {"layers": 12, "arrival": 0.5}),
    "dominoes": Recorded(1.5),
    "stack_of_boxes": Recorded(0.5),
    "falling_boxes": Recorded(2.0),
}
"""Scenes that are run for their problems."""

OWN_SCENES: dict[str, Callable[..., Scene]] = {"falling_boxes": falling_boxes, "heavy_net": heavy_net}
"""Those that only benchmarks have."""

QUICK_RECORDED = {"chain_wrap": Recorded(1.0, {"links": 20})}
"""The same in a hurry."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A problem, where a warm solve of it starts, the labels (rows,) of its solution, and the problem by its bodies."""

    problem: MlcpProblem
    start: WarmStart
    index_set: np.ndarray
    by_bodies: KktProblem | None = None

    @property
    def share(self) -> float:
        """Share of rows at a bound."""
        return np.count_nonzero(self.index_set) / max(self.problem.size, 1)


@dataclass(frozen=True, eq=False)
class Sequence:
    """Frames in a row.

    Attributes:
        name: of the scene or folder.
        frames: in order.
        mass_ratio: heaviest over lightest body, where it is known.
        published: what the thesis says of it, if it does.
    """

    name: str
    frames: list[Frame]
    mass_ratio: float | None = None
    published: Published | None = None

    def with_tight_rows(self, most: int) -> list[Frame]:
        """At most so many frames, evenly over those in which some row is at a bound: the others need no pivots."""
        tight = [frame for frame in self.frames if frame.index_set.any()]
        chosen = np.unique(np.linspace(0, len(tight) - 1, min(most, len(tight))).round().astype(int))
        return [tight[place] for place in chosen]

    @property
    def largest(self) -> MlcpProblem:
        """The problem with most rows."""
        return self.largest_frame.problem

    @property
    def largest_frame(self) -> Frame:
        """The frame with most rows."""
        return max(self.frames, key=lambda frame: frame.problem.size)

    def row(self) -> dict[str, Any]:
        """What it is like, as a line of a table."""
        rows = np.array([frame.problem.size for frame in self.frames])
        shares = np.array([frame.share for frame in self.frames])
        line: dict[str, Any] = {
            "sequence": self.name, "frames": len(self.frames), "with_tight": int(np.count_nonzero(shares)),
            "patterns": len({id(frame.problem.pattern) for frame in self.frames}),
            "rows": float(rows.mean()), "rows_max": int(rows.max()),
            "cond": finite(condition_estimate(free_part(self.largest, self.largest_frame.index_set))),
            "share": float(shares.mean()), "share_max": float(shares.max()),
        }  # fmt: skip
        if self.mass_ratio is not None:
            line["ratio"] = self.mass_ratio
        if self.published is not None:
            said = self.published
            line |= {"thesis_rows": said.rows, "thesis_ratio": said.mass_ratio, "thesis_cond": said.condition}
        return line


def finite(value: float) -> float | str:
    """A number as JSON and tables can show it."""
    return value if np.isfinite(value) else "singular"


def recorded_sequences(recorded: dict[str, Recorded]) -> list[Sequence]:
    """Those of scenes, run now: the last problem of a frame, started as the engine did."""
    return [of_scene(name, how) for name, how in recorded.items()]


def of_scene(name: str, how: Recorded) -> Sequence:
    """The sequence of a scene."""
    found: list[Frame] = []

    def keep(frame: int, solved: SolvedProblem) -> None:
        if frame % how.every == 0:
            found.append(Frame(solved.problem, solved.start, solved.index_set, solved.by_bodies))

    scene = OWN_SCENES[name](**how.parameters) if name in OWN_SCENES else scenes.build(name, **how.parameters)
    simulation = Simulation(scene, problems=keep)
    simulation.run(how.seconds, record=False)
    mass, moves = simulation.model.bodies.mass, simulation.model.bodies.moves > 0
    return Sequence(name, found, float(mass[moves].max() / mass[moves].min()), PUBLISHED.get(name))


def of_folder(folder: Path) -> Sequence:
    """The sequence of a folder that `taut run --dump-problems` wrote."""
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise InputError(f"folder '{folder}' holds no problems; `taut run SCENE --dump-problems {folder}` writes some")
    solved = [SolvedProblem.load(file) for file in files]
    return Sequence(folder.name, [Frame(each.problem, each.start, each.index_set) for each in solved])
