"""Friction of ropes on what they run over: bounds of their slips follow the tension.

    T_out = T_in - f,    T_in e^(-mu theta) <= T_out <= T_in e^(mu theta)                                    [capstan]

with f the force along the slip at a stop, theta the wrap there, and T_in what the rows before it leave. Slips stick, or
are at a bound; tensions and bounds are found together in the passes of `taut.contact.friction`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.contact.settings import FRICTION
from taut.problem.kkt import KktProblem
from taut.rows.route_table import Routes
from taut.rows.table import RowTable
from taut.spatial import Array, Integers


class CapstanFriction(NamedTuple):
    """The law of all stops that rub, where ropes were linearised; bounds are the tensions before them, N s.

    Attributes:
        row, slip: (stops,) row of the rope's length and of the slip.
        first: (stops,) whether a stop is the first of its rope that rubs.
        pulls: (stops,) what turns a multiplier of the length into a tension, 1 or -1.
        grip: (stops,) e^(mu theta).
    """

    row: Integers
    slip: Integers
    first: Integers
    pulls: Array
    grip: Array

    @classmethod
    def of(cls, routes: Routes, rows: RowTable) -> CapstanFriction:
        """The law for rows as they are linearised."""
        stops = np.flatnonzero(routes.slip >= 0)
        row, wrap = routes.row[stops], np.maximum(rows.coordinate[routes.slot[stops]], 0.0)
        first = np.diff(row, prepend=-1) != 0
        return cls(row, routes.slip[stops], first, -rows.sign[row], np.exp(routes.friction[stops] * wrap))

    def tensions(self, lam: Array) -> Array:
        """Tensions (stops,) before every stop with these multipliers (rows,), N s; none is negative."""
        tension, now = np.empty(self.slip.size), 0.0
        for stop, slip in enumerate(self.slip):
            now = self.pulls[stop] * lam[self.row[stop]] if self.first[stop] else now
            tension[stop] = max(now, 0.0)
            now -= lam[slip]
        return tension

    def weight(self, problem: KktProblem) -> Array:
        """See `Follows`."""
        return (self.grip - 1.0) * np.sqrt(problem.diagonal[self.slip])

    def wanted(self, problem: KktProblem, lam: Array, w: Array) -> tuple[Array, float]:
        """See `Follows`; errors count relative to the tension, and to what it would take to stop a slip."""
        tension, diagonal = self.tensions(lam), problem.diagonal[self.slip]
        lower, upper = self.ends(tension)
        force = lam[self.slip]
        error = np.abs(force - np.clip(force - over(w[self.slip], diagonal), lower, upper))
        scale = np.maximum(tension, FRICTION.barely * over(np.abs(problem.bias[self.slip]), diagonal))
        residual = float((error / np.maximum(scale, 1e-300)).max(initial=0.0))
        return tension, residual * (FRICTION.tolerance / FRICTION.rope_tolerance)

    def ends(self, tension: Array) -> tuple[Array, Array]:
        """Least and greatest force (stops,) along every slip with these tensions before it, N s."""
        return -(self.grip - 1.0) * tension, (1.0 - 1.0 / self.grip) * tension

    def bound(self, problem: KktProblem, bounds: Array, lower: Array, upper: Array) -> None:
        """See `Follows`."""
        lower[self.slip], upper[self.slip] = self.ends(bounds)

    def swept(self, problem: KktProblem, start: Array) -> None:
        """See `Follows`: tensions settle by themselves."""


def over(rate: Array, diagonal: Array) -> Array:
    """What it takes (stops,) to change slips at these rates; nothing where no body moves after a stop."""
    return np.divide(rate, diagonal, out=np.zeros(rate.size), where=diagonal > 0.0)
