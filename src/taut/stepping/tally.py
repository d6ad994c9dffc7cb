"""What a frame has spent, and how good its parts were."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.model.state import State
from taut.stepping.energy import momentum_of
from taut.stepping.linearise import Outcome
from taut.stepping.recovery import open_gaps
from taut.stepping.workspace import Workbench


@dataclass
class Tally:
    """What a frame has spent and how good its parts were.

    `risen` is the sum of what energy rose by in its parts, relative to the energy that moved.
    """

    solves: int = 0
    substeps: int = 0
    pivots: int = 0
    residual: float = 0.0
    violation: float = 0.0
    depth: float = 0.0
    friction_residual: float = 0.0
    risen: float = 0.0
    collisions: int = 0
    status: str = "solved"
    halved: bool = False
    lost: NDArray[np.bool_] | None = None
    passes: int = 0
    last: Outcome | None = None

    def count(self, outcome: Outcome) -> None:
        """Count a solve, whether its result is taken or not."""
        self.solves += outcome.solves
        self.pivots += outcome.pivots

    def keep(self, outcome: Outcome, verdict: str) -> None:
        """Count a part of the frame that was taken."""
        self.substeps += 1
        self.residual = max(self.residual, outcome.solution.residual)
        self.violation = max(self.violation, outcome.violation)
        self.depth = max(self.depth, outcome.depth)
        self.friction_residual = max(self.friction_residual, outcome.friction_residual)
        self.risen += max(outcome.energy_rise, outcome.contact_energy_rise, 0.0)
        self.last = outcome
        if self.status == "solved":
            self.status = verdict

    @property
    def taken(self) -> Outcome:
        """The outcome that ended the frame."""
        assert self.last is not None
        return self.last

    def lose(self, outcome: Outcome, verdict: str, lost: NDArray[np.bool_]) -> None:
        """Count a part that could not be solved for lost bodies (n,), see `taut.stepping.loss`."""
        self.substeps, self.lost, self.halved, self.last = self.substeps + 1, lost, True, outcome
        if self.status == "solved":
            self.status = verdict

    def add(self, rest: Tally) -> None:
        """Count what the rest of a lost frame cost, and how good its parts were."""
        self.solves, self.pivots = self.solves + rest.solves, self.pivots + rest.pivots
        self.substeps, self.collisions = self.substeps + rest.substeps, self.collisions + rest.collisions
        self.residual, self.depth = max(self.residual, rest.residual), max(self.depth, rest.depth)

    def take(self, bench: Workbench, state: State) -> None:
        """Report what a lost frame left, at which the bench is, instead of what was tried."""
        contacts = bench.contacts
        self.violation = max(self.violation, float(open_gaps(bench, state).max(initial=0.0)))
        self.last = replace(self.taken, energy=state.energy, momentum=momentum_of(bench, state), touching=0)
        if contacts is not None and contacts.count:
            self.depth = max(self.depth, float(np.max(-bench.rows.value[contacts.row])))
