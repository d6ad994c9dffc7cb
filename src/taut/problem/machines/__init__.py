"""Sequences of problems as six machines of [Lefebvre2020] make them.

Masses, numbers of rows and mass ratios are those of the thesis within 15 %, condition numbers within a decade. Shapes,
dimensions and motion are ours; and so is how many rows are tight, of which the thesis gives a number for the forklift
only, and how many pivots a cold start takes, which is a parameter (`Machine.excess`) and no result.
Bodies follow given paths for a second or so in which contacts come and go, see `parts`; nothing is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.problem.machines.crane import crane
from taut.problem.machines.forklift import forklift
from taut.problem.machines.forwarder import forwarder
from taut.problem.machines.offshore import offshore
from taut.problem.machines.parkour import parkour
from taut.problem.machines.winch import winch
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart

BUILDERS = {
    "crane": crane, "winch": winch, "parkour": parkour, "offshore": offshore, "forklift": forklift,
    "forwarder": forwarder,
}  # fmt: skip
"""Machines by name: random numbers -> machine."""


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


@dataclass(frozen=True, eq=False)
class MachineProblems:
    """The problems of a machine, frame by frame, one step of 1/60 s apart.

    Attributes:
        name: of the machine.
        problems: one a frame; frames with the same rows have one `Pattern`.
        numbers: (rows,) of each frame: what a row is known by in other frames.
        mass_ratio: heaviest over lightest body.
        published: what the thesis says of it.
    """

    name: str
    problems: list[MlcpProblem]
    numbers: list[NDArray[np.int64]]
    mass_ratio: float
    published: Published

    def warm_start(self, frame: int, before: MlcpSolution) -> WarmStart:
        """Where a frame starts from the solution of the one before: rows that are new start free at 0."""
        return carried(self.numbers[frame - 1], before, self.numbers[frame])


def carried(old: NDArray[np.int64], solution: MlcpSolution, new: NDArray[np.int64]) -> WarmStart:
    """A solution of rows with the `old` numbers, as a start for rows with the `new` ones; both are sorted."""
    place = np.minimum(np.searchsorted(old, new), old.size - 1)
    known = old[place] == new
    return WarmStart(np.where(known, solution.index_set[place], 0), np.where(known, solution.lam[place], 0.0))


def names() -> list[str]:
    """Names of all machines."""
    return list(BUILDERS)


def build(name: str, frames: int = 60, seed: int = 0) -> MachineProblems:
    """The problems of a machine by name.

    Args:
        name: see `names`.
        frames: how many; the same story is told faster in fewer.
        seed: of loads and gaps, which are a little uneven.
    """
    if name not in BUILDERS:
        raise InputError(f"unknown machine {name!r}; valid are: {', '.join(names())}")
    machine = BUILDERS[name](np.random.default_rng(seed))
    problems, numbers = machine.problems(frames)
    return MachineProblems(name, problems, numbers, machine.mass_ratio, PUBLISHED[name])
