"""Redundant hard rows: found at the start of every frame of a mechanism with loops, and kept from stressing it.

Two hinges on one door ask twice for the same thing. Where they agree only to rounding, or to the accuracy that drawings
have, rigid rows would answer the difference with any force at all, because no motion can close it: self-stress of
millions of newtons that turns with the bodies and feeds energy in. Such a row hardly moves once the others hold,

    A_ii after elimination  <=  REDUNDANT * A_ii      (a Cholesky pivot; REDUNDANT is an angle of 3e-5 rad, squared)

which is asked of bodies that all weigh 1 kg and turn alike about all axes: whether rows say the same is a matter of
where they are, not of masses that may differ by 1e9. It is given the compliance A_ii: it may give way, so it cannot
build up stress against the others. Its misfit stays and is reported as violation; it is no error of the step, since
nothing could close it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.linalg.skyline import SkylineCholesky
from taut.model.model import Model
from taut.rows.law import FOLLOW, HOLD
from taut.spatial import Array, Integers
from taut.structure.pattern import Pattern
from taut.structure.union import DisjointSets

REDUNDANT = 1e-9
"""Pivot over diagonal below which a hard row is redundant."""


class RedundantRows:
    """The hard rows of a model's loops; trees have none and cost nothing.

    Rows that can give way cannot stress. They are left out of the search, so what is found depends on where bodies are
    and on nothing else: companion rows, which follow the forces of a step, take no part.
    """

    def __init__(self, model: Model) -> None:
        """Look for loops."""
        laws = model.layout.laws
        unbounded = np.isneginf(laws.lower_force) & np.isposinf(laws.upper_force)
        self.hard = unbounded & np.isin(laws.kind, (HOLD, FOLLOW))
        self.factor: SkylineCholesky | None = None
        if has_loops(model, self.hard):
            self.rows = np.flatnonzero(self.hard)
            pattern, self.source = restricted(model.entries.incidence.pattern, self.hard)
            self.factor = SkylineCholesky(pattern)
            self.inertia = alike_inertia(model)

    def find(self, values: Array) -> Integers:
        """Rows (indices) that hard rows before them make redundant, for these values of A."""
        if self.factor is None:
            return np.zeros(0, np.int64)
        return self.rows[self.factor.dependent_rows(values[self.source], REDUNDANT)]


def alike_inertia(model: Model) -> Array:
    """Moments of inertia (n, 9) of bodies of 1 kg of the same size that turn alike about all axes, kg m^2."""
    bodies = model.bodies
    mean = bodies.inertia[:, [0, 4, 8]].mean(axis=1) / np.where(bodies.mass > 0.0, bodies.mass, 1.0)
    return mean[:, None] * np.eye(3).ravel()


def restricted(pattern: Pattern, chosen: NDArray[np.bool_]) -> tuple[Pattern, Integers]:
    """Pattern of the chosen rows and columns (rows,) alone, and which entries of the whole it has."""
    row = np.repeat(np.arange(pattern.size), np.diff(pattern.indptr))
    source = np.flatnonzero(chosen[row] & chosen[pattern.indices])
    number = np.cumsum(chosen) - 1
    indptr = np.searchsorted(number[row[source]], np.arange(np.count_nonzero(chosen) + 1))
    return Pattern(indptr.astype(np.int64), number[pattern.indices[source]].astype(np.int64)), source


def has_loops(model: Model, hard: NDArray[np.bool_]) -> bool:
    """Whether joints with hard rows close a loop, the world and fixed bodies being one."""
    sets = DisjointSets(model.bodies.count)
    for link in model.links:
        specs = [model.layout.specs[index] for index in link.specs if hard[model.layout.first_row[index]]]
        bodies = {body if model.bodies.moves[body] else 0 for spec in specs for body in spec.part.bodies}
        if not sets.join(bodies):
            return True
    return False
