"""Figures of a run that its reports do not have: masses, and how hard its problems are.

    survey = Survey(simulation)
    simulation.run(duration, progress=survey)
    survey.figures()["condition_estimate"]

Problems are looked at in a few places only, in a frame more that is not kept: the run has the same bits and times.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import SimulationError
from taut.problem.condition import condition_estimate, free_part, largest_island
from taut.problem.mlcp import MlcpProblem
from taut.rows.layout import COMPANION
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
        self._left = list(SHARES)

    def __call__(self, share: float) -> None:
        """A frame is done."""
        if self._left and share >= self._left[0]:
            self._left = [each for each in self._left if each > share]
            problem = next_free_part(self._simulation)
            if problem is not None and problem.size:
                self._conditions.append(condition_estimate(largest_island(problem)))
            kinds = self._simulation.model.layout.laws.kind
            self._companions.append(int(np.count_nonzero(kinds == COMPANION)))

    def figures(self) -> dict[str, Any]:
        """Figures by name.

        - bodies_moving, mass, mass_ratio: of bodies that move, at the start; kg, and heaviest over lightest.
        - condition_estimate: condition number of the matrix of the free rows, of their largest island, the largest of
          those that were looked at; None where it is singular or there were no rows.
        - partition: how a solver with parts makes them; None where it has none.
        - companion_rows: rows that only carry geometric stiffness, which count among `rows`; the mean.
        """
        worst = max(self._conditions, default=math.inf)
        companions = float(np.mean(self._companions)) if self._companions else 0.0
        found = worst if math.isfinite(worst) else None
        figures = {"condition_estimate": found, "partition": self._partition, "companion_rows": companions}
        return self._masses | figures


def next_free_part(simulation: Simulation) -> MlcpProblem | None:
    """The free rows of the last problem of the frame that comes next; the simulation stays where it is.

    None where there is no problem.
    """
    stepper, seen = simulation.stepper, list[MlcpProblem]()
    before = stepper.witness
    stepper.show(lambda problem, start, solution: seen.append(free_part(problem.matrix(), solution.index_set)))
    try:
        with suppress(SimulationError):
            next_frames(stepper, simulation.state.copy(), 1)
    finally:
        stepper.show(before)
    return seen[-1] if seen else None
