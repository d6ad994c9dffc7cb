"""Friction of impacts: tangential impulses within what the normal impulses of the same impact allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.contact.friction import (
    FRICTION_PASSES,
    FRICTION_TOLERANCE,
    MODES,
    History,
    cost_of,
    shares_of_normal,
    wanted_bounds,
)
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array
from taut.stepping.workspace import Workbench


def with_friction(bench: Workbench, problem: KktProblem, plain: MlcpSolution, closed: NDArray[np.bool_]) -> Array:
    """Impulses (rows,) of an impact with friction within its bounds, from those of the `plain` one without.

    The bounds follow the normal impulses of the impact itself, as in `taut.contact.friction`: a box, or the cone if
    that is asked for. What passes leave over is cut off.
    """
    rows, settings = bench.contacts, bench.settings
    assert rows is not None
    if not (closed & (rows.friction > 0.0)).any():
        return plain.lam
    mode, kept = max(MODES.index(settings.friction), 1), rows.normal_impulse.copy()
    best, least, solution = plain, np.inf, plain
    bounds, _ = wanted_bounds(mode, problem, rows, plain.lam, plain.w)
    history = History(rows, problem.diagonal)
    for _ in range(min(FRICTION_PASSES, bench.friction_passes)):
        lower, upper = problem.lower.copy(), problem.upper.copy()
        rows.normal_impulse[:] = bounds[:, 0]
        rows.bound(lower, upper, shares_of_normal(bounds))
        upper[rows.row] = problem.upper[rows.row]
        rubbing = problem.with_bounds(lower, upper)
        solution = settings.solver.solve(rubbing, solution)
        bench.friction_passes -= cost_of(solution)
        wanted, residual = wanted_bounds(mode, rubbing, rows, solution.lam, solution.w)
        if residual < least:
            best, least = solution, residual
        if residual <= FRICTION_TOLERANCE or not solution.solved:
            break
        bounds = history.extrapolate(bounds, wanted)
    rows.normal_impulse[:] = kept
    table = rows.gather(best.lam)
    radius, across = rows.friction * np.maximum(table[:, 0], 0.0), table[:, 1:3]
    if mode == MODES.index("cone"):
        size = np.sqrt((across**2).sum(axis=1))
        across *= np.divide(radius, size, out=np.ones_like(size), where=size > radius)[:, None]
    table[:, 1:3] = np.clip(across, -radius[:, None], radius[:, None])
    lam = best.lam.copy()
    rows.scatter(table, lam)
    return lam
