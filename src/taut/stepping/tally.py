"""What a frame has spent, and how good its parts were."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array
from taut.stepping.outcome import Outcome
from taut.stepping.settings import CALM
from taut.stepping.tables import CONTACT_RISE, RISE


@dataclass
class Tally:
    """What a frame of some bodies has spent and how good its parts were.

    Attributes:
        solves, pivots, collisions, substeps, passes: counts; `passes` are those of blows.
        coupling: iterations between parts, of the solve that took most of them.
        residual, violation, depth, friction_residual, clipped: the worst of the parts that were taken.
        risen: (n,) sum of what energy rose by in its parts, relative to the energy that moved.
        status: "solved", or the first thing that went wrong.
        halved: whether it had to be divided.
        lost: (n,) bodies whose rows do not hold, where the frame cannot be solved.
        rough: (n,) bodies that moved roughly.
        rows, tight, touching, parts: of the last solve, see `MlcpSolution.parts`.
        momentum: (2, 3) at the end, where it is known.
        steady: solves beyond those of a smooth frame that each came much closer to its end, see `closes_in`.
        finite: whether its end is known to be somewhere.
        unsolved: the last problem that a solver could not solve, with where it ended.
    """

    risen: Array
    solves: int = 0
    substeps: int = 0
    pivots: int = 0
    coupling: int = 0
    residual: float = 0.0
    violation: float = 0.0
    depth: float = 0.0
    friction_residual: float = 0.0
    clipped: int = 0
    collisions: int = 0
    status: str = "solved"
    halved: bool = False
    lost: NDArray[np.bool_] | None = None
    passes: int = 0
    rows: int = 0
    tight: int = 0
    touching: int = 0
    parts: tuple[int, int] = (0, 0)
    drift: float = 0.0
    unsolved: tuple[MlcpProblem, MlcpSolution] | None = None
    momentum: Array | None = None
    steady: int = 0
    finite: bool = False
    rough: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.rough = np.zeros(self.risen.size, bool)

    @classmethod
    def of(cls, count: int) -> Tally:
        """Nothing spent yet, for so many bodies."""
        return cls(np.zeros(count))

    def count(self, outcome: Outcome) -> None:
        """Count a solve, whether its result is taken or not."""
        self.solves += outcome.solves
        self.pivots += outcome.pivots
        self.coupling = max(self.coupling, outcome.solution.coupling_iterations)

    def keep(self, outcome: Outcome, verdict: str) -> None:
        """Count a part of the frame that was taken."""
        self.substeps += 1
        self.residual = max(self.residual, outcome.solution.residual)
        self.violation = max(self.violation, outcome.violation)
        self.depth = max(self.depth, outcome.depth)
        self.friction_residual = max(self.friction_residual, outcome.friction_residual)
        self.clipped = max(self.clipped, outcome.clipped)
        self.risen = self.risen + np.maximum(np.maximum(outcome.table[RISE], outcome.table[CONTACT_RISE]), 0.0)
        self.see(outcome)
        if self.status == "solved":
            self.status = verdict

    def see(self, outcome: Outcome) -> None:
        """Note what the last solve was of."""
        self.rows, self.tight = outcome.solution.lam.size, outcome.solution.tight_count
        self.touching, self.drift, self.parts = outcome.touching, outcome.drift, outcome.solution.parts
        if outcome.problem is not None:
            self.unsolved = outcome.problem, outcome.solution

    def lose(self, outcome: Outcome, verdict: str, lost: NDArray[np.bool_]) -> None:
        """Count a part that could not be solved for lost bodies (n,)."""
        self.substeps, self.lost, self.halved = self.substeps + 1, lost, True
        self.see(outcome)
        if self.status == "solved":
            self.status = verdict

    def is_rough(self) -> bool:
        """Whether the bodies of this frame moved roughly."""
        return self.halved or self.solves - self.steady > CALM.smooth_solves * self.substeps

    def add(self, part: Tally) -> None:
        """Count what a part of the bodies cost, and how good it was; the frame is as long as its longest part."""
        self.solves, self.pivots = self.solves + part.solves, self.pivots + part.pivots
        self.substeps, self.collisions = max(self.substeps, part.substeps), self.collisions + part.collisions
        self.residual, self.depth = max(self.residual, part.residual), max(self.depth, part.depth)
        self.violation, self.drift = max(self.violation, part.violation), max(self.drift, part.drift)
        self.friction_residual = max(self.friction_residual, part.friction_residual)
        self.clipped += part.clipped
        self.coupling = max(self.coupling, part.coupling)
        self.rows, self.tight = max(self.rows, part.rows), max(self.tight, part.tight)
        self.parts = max(self.parts, part.parts)
        self.touching, self.unsolved = self.touching + part.touching, part.unsolved or self.unsolved
        if self.status == "solved":
            self.status = part.status
