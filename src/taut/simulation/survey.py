"""Figures of a run that its reports do not have: masses, how hard its problems are, and who solved them.

    survey = Survey(simulation)
    simulation.run(duration, progress=survey)
    survey.figures()["condition_estimate"]

Problems are looked at in a few places only, in a frame more that is not kept: the run has the same bits and times.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taut.errors import SimulationError
from taut.problem.condition import condition_estimate, free_part, largest_island
from taut.problem.kkt import KktProblem, Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.rows.layout import COMPANION
from taut.solvers.base import Start
from taut.stepping.sleep import next_frames

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Of a run: when its problems are looked at."""


class Survey:
    """What watches a run: to be called with the share done after every frame.

    Args:
        simulation: before the run.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        bodies = simulation.model.bodies
        masses = bodies.mass[bodies.moves > 0]
        self._masses: dict[str, Any] = {
            "bodies_moving": int(masses.size),
            "mass": float(masses.sum()),
            "mass_ratio": float(masses.max() / masses.min()) if masses.size else 1.0,
        }
        self._partition = getattr(simulation.settings.solver, "partition", None)
        self._conditions: list[float] = []
        self._companions: list[int] = []
        self._choices: Counter[tuple[str, str]] = Counter()
        self._left = list(SHARES)

    def __call__(self, share: float) -> None:
        """A frame is done."""
        if self._left and share >= self._left[0]:
            self._left = [each for each in self._left if each > share]
            found = next_problem(self._simulation)
            if found is not None and found.free.size:
                self._conditions.append(condition_estimate(largest_island(found.free)))
                self._choices[found.solver, found.reason] += 1
            kinds = self._simulation.model.layout.laws.kind
            self._companions.append(int(np.count_nonzero(kinds == COMPANION)))

    def figures(self) -> dict[str, Any]:
        """Figures by name.

        - bodies_moving, mass, mass_ratio: of bodies that move, at the start; kg, and heaviest over lightest.
        - condition_estimate: condition number of the matrix of the free rows, of their largest island, the largest of
          those that were looked at; None where it is singular or there were no rows.
        - partition: how a solver with parts makes them; None where it has none.
        - companion_rows: rows that only carry geometric stiffness, which count among `rows`; the mean.
        - solvers_chosen: which solver solved the problems that were looked at, why, and how many of them.
        """
        worst = max(self._conditions, default=math.inf)
        companions = float(np.mean(self._companions)) if self._companions else 0.0
        found = worst if math.isfinite(worst) else None
        chosen = [{"solver": name, "reason": why, "looks": count} for (name, why), count in self._choices.items()]
        return self._masses | {
            "condition_estimate": found, "partition": self._partition, "companion_rows": companions,
            "solvers_chosen": chosen,
        }  # fmt: skip


class Looked(NamedTuple):
    """The free rows of a problem, the solver that solved it, and why that one."""

    free: MlcpProblem
    solver: str
    reason: str


def next_problem(simulation: Simulation) -> Looked | None:
    """The last problem of the frame that comes next; the simulation stays where it is.

    None where there is no problem.
    """
    stepper, seen = simulation.stepper, list[Looked]()
    solver, before = stepper.settings.solver, stepper.witness

    def look(problem: Problem, start: Start, solution: MlcpSolution) -> None:
        entries = problem.entries if isinstance(problem, KktProblem) and stepper.own.reduced is None else None
        chosen, free = solver.chosen(entries), free_part(problem.matrix(), solution.index_set)
        seen.append(Looked(free, "several" if chosen is None else chosen.name, solver.reason(entries)))

    stepper.show(look)
    try:
        with suppress(SimulationError):
            next_frames(stepper, simulation.state.copy(), 1)
    finally:
        stepper.show(before)
    return seen[-1] if seen else None
