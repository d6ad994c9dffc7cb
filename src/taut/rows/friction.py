"""Friction: three ways in which tangential bounds follow the normal impulse.

    box            |lam_t1|, |lam_t2| <= mu N with N the normal impulse of the step before   [Lefebvre2020; Peiret2019]
    box-refined    the same with N the normal impulse of this step: solved again until they agree
    cone           |(lam_t1, lam_t2)| <= mu N and, where a contact slides, against the slip (Coulomb)

Each pass is a box MLCP with the same matrix, so the solver starts warm. The first tangent points along the slip where
there is any, so that a box holds a sliding contact back as much as the cone does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.rows.contact import ContactRows
    from taut.solvers.base import PivotingSolver

MODES = ("box", "box-refined", "cone")
"""Names of the three laws, in the order of the kernel's constants."""

FRICTION_TOLERANCE = 1e-4
"""Residual of the friction law, relative to the largest bound, with which the passes end."""

FRICTION_PASSES = 20
"""Most passes; the residual that is left is reported."""


def settle_friction(
    mode: str, solver: PivotingSolver, problem: MlcpProblem, diagonal: Array, rows: ContactRows, solution: MlcpSolution
) -> tuple[MlcpProblem, MlcpSolution, float, int]:
    """Solve again, with bounds that follow the normal impulses, until the friction law holds.

    Returns: the problem with its last bounds, its solution, the residual of the friction law (0 for "box", which has
    none) and the passes.
    """
    from taut.rows.friction_kernels import follow_normals

    number = MODES.index(mode)
    if number == 0:
        return problem, solution, 0.0, 0
    share = np.ones((rows.count, 2))
    best, least = (problem, solution), np.inf
    for count in range(FRICTION_PASSES):
        residual = follow_normals(
            number, rows.row, rows.width, rows.friction, solution.lam, solution.w, diagonal, rows.normal_impulse, share
        )
        if residual < least:
            best, least = (problem, solution), residual
        if residual <= FRICTION_TOLERANCE or not solution.solved:
            return *best, least, count
        problem = replace(problem, lower=problem.lower.copy(), upper=problem.upper.copy())
        rows.bound(problem.lower, problem.upper, share)
        solution = solver.solve(problem, None, solution)
    return *best, least, FRICTION_PASSES
