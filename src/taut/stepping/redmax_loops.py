"""Loops in the thesis' step: rows that no tree keeps, as constraints on the rates of joint coordinates.

[Baxter2019, eq. 2.42]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut.model.model import Model
from taut.model.redmax_tables import RedMaxMotion
from taut.model.redmax_tree import RedMaxModel
from taut.model.state import State
from taut.rows.law import HOLD
from taut.rows.table import RowTable
from taut.spatial import Array

LOOP_RATE = 5.0
"""Share of an open loop, 1/s, that a step closes: what the thesis' reference code takes."""

DEPENDENT = 1e-10
"""Share of a row's diagonal of G M~^-1 G^T that others leave, below which it says nothing new."""

Solve = Callable[[Array], Array]


def loop_wrenches(model: Model, own: RedMaxModel, motion: RedMaxMotion, rows: RowTable) -> Array:
    """What a unit force of each loop row does to bodies (rows, n, 6), in their own axes: the rows of G_m."""
    layout, result = model.layout, np.zeros((own.loops.size, own.body.size, 6))
    for k, row in enumerate(own.loops):
        for entry in range(layout.entry_start[row], layout.entry_start[row + 1]):
            node = own.node[layout.entry_body[entry]]
            if node >= 0:
                turn, block = motion.rotation[node].reshape(3, 3), rows.jacobian[entry]
                result[k, node] += np.concatenate([block[3:] @ turn, block[:3] @ turn])
    return result


def open_loops(model: Model, own: RedMaxModel, state: State, value: Array) -> Array:
    """How far loops (rows,) are open with these measures of all rows, m or rad; 0 for those that couple rates."""
    holds = model.layout.laws.kind[own.loops] == HOLD
    return np.where(holds, value[own.loops] - state.target[own.loops], 0.0)


def aims_of(model: Model, own: RedMaxModel, state: State, value: Array) -> Array:
    """Rates (rows,) that loops ask for: to close a share of the gap, or to couple rates as they should be."""
    holds = model.layout.laws.kind[own.loops] == HOLD
    return np.where(holds, -LOOP_RATE * open_loops(model, own, state, value), state.target[own.loops])


def constrained(solve: Solve, load: Array, loops: Array, aims: Array) -> tuple[Array, Array]:
    """Rates (dofs,) that loops (rows, dofs) keep at their aims (rows,), and their impulses (rows,).

    Rows that say what others do carry nothing.
    """
    rate = solve(load)
    if not len(loops):
        return rate, np.zeros(0)
    answer = np.stack([solve(row) for row in loops])
    square = loops @ answer.T
    if not np.isfinite(square).all():
        return rate, np.zeros(len(loops))
    force, chosen = np.zeros(len(loops)), independent(square)
    force[chosen] = np.linalg.solve(square[np.ix_(chosen, chosen)], (loops @ rate - aims)[chosen])
    return rate - force @ answer, force


def independent(square: Array) -> list[int]:
    """Rows of G M~^-1 G^T that say something new: the largest diagonal of what is left is eliminated next."""
    left, own, chosen = square.copy(), np.diag(square).copy(), list[int]()
    while True:
        rest = np.where(np.diag(left) > DEPENDENT * own, np.diag(left), 0.0)
        rest[chosen] = 0.0
        row = int(np.argmax(rest))
        if rest[row] == 0.0:
            return chosen
        chosen.append(row)
        left = left - np.outer(left[:, row], left[row] / left[row, row])
