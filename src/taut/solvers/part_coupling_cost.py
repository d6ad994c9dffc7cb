"""What a coupling of parts has taken so far, and what all rows at once would take: counted, so that runs repeat.

A coupling that takes more than `bpp` would from no start is left to that. So the detour costs about as much again at
most, and what comes close to that bound was not worth dividing. All is predicted with the weights of `cost_kernels`;
neither a clock nor what was solved before has a say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.problem.kkt import KktProblem, Problem
from taut.solvers.body_space import PIVOTED, BodyStructure, suited_rows
from taut.solvers.island_workspace import FACTORIZATIONS, PIVOTS, IslandStructure
from taut.structure.front_tree import weigh_islands
from taut.structure.tearing import Tearing

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CouplingCost:
    """Predicted nanoseconds of what a coupling does.

    Attributes:
        solve, factor: (parts,) a pivot that does no front of a part, and all its fronts.
        interior: (parts,) an iteration of the interior-point method on a part.
        measure: the slack of the interface once.
        sum: the matrix of the interface from the terms of the parts, once.
        interface, sweep: a pivot on all rows of the interface, and a product with its matrix.
    """

    solve: Array
    factor: Array
    interior: Array
    measure: float
    sum: float
    interface: float
    sweep: float

    @classmethod
    def of(cls, tearing: Tearing, interface: IslandStructure) -> CouplingCost:
        """Predict for a torn pattern."""
        from taut.structure.cost_kernels import PIVOT_ENTRY, PIVOT_ROW, STORED

        met = tearing.pattern
        return cls(
            solve=tearing.solve_cost,
            factor=tearing.factor_cost,
            interior=weigh_islands(tearing.symbolic)[1],
            measure=PIVOT_ROW * tearing.symbolic.size + PIVOT_ENTRY * met.entry_count,
            sum=STORED * (tearing.interface.term.shape[1] + met.entry_count),
            interface=float(interface.cost[1].sum()),
            sweep=PIVOT_ENTRY * met.entry_count,
        )

    @property
    def round(self) -> float:
        """A round in which all is done anew: about what a pivot on all rows takes with these fronts."""
        return float(self.solve.sum() + self.factor.sum()) + self.sum + self.interface

    def of_parts(self, report: NDArray[np.int64]) -> float:
        """What pivots in parts took, by the report (parts, REPORT_COLUMNS) of them; each factor counts as a whole."""
        return float(report[:, PIVOTS] @ self.solve + report[:, FACTORIZATIONS] @ self.factor)

    def of_interior(self, report: NDArray[np.int64]) -> float:
        """What interior points of parts took, by the report of them."""
        return float(report[:, FACTORIZATIONS] @ self.interior)

    def about_interior(self, stuck: NDArray[np.bool_]) -> float:
        """What interior points are going to take in these parts (parts,)."""
        from taut.structure.cost_kernels import COLD_PIVOTS

        return COLD_PIVOTS * float(self.interior[stuck].sum())

    def of_whole(self, problem: Problem) -> float:
        """What all rows at once take from no start: by bodies where these suit, if that is less than by rows."""
        from taut.structure.cost_kernels import BODY_PRODUCT, BODY_ROW, COLD_PIVOTS

        pivot = self.round
        if isinstance(problem, KktProblem) and suited_rows(problem, PIVOTED).all():
            plan = BodyStructure.of(problem.entries).plan
            pivot = min(pivot, BODY_ROW * problem.size + BODY_PRODUCT * plan.flops)
        return COLD_PIVOTS * pivot
