"""Friction: three ways in which tangential bounds follow the normal impulse.

    box            |lam_t1|, |lam_t2| <= mu N with N the normal impulse of the step before   [Lefebvre2020; Peiret2019]
    box-refined    the same with N the normal impulse of this step: solved again until they agree
    cone           |(lam_t1, lam_t2)| <= mu N and, where a contact slides, against the slip (Coulomb)

Each pass is a box MLCP with the same matrix, so the solver starts warm. The first tangent points along the slip where
there is any, so that a box holds a sliding contact back as much as the cone does.

The bounds of "box" are a step old, as in the papers: a contact that opens in this step, but was not predicted to open
by more than g h^2, may still drag with the friction of the step before, for this one step. The others do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.contact.rows import ContactRows
    from taut.solvers.base import PivotingSolver

MODES = ("box", "box-refined", "cone")
"""Names of the three laws, in the order of the kernel's constants."""

FRICTION_TOLERANCE = 1e-4
"""Residual of the friction law, see `follow_normals`, with which the passes end."""

FRICTION_PASSES = 20
"""Most passes; the residual that is left is reported."""

FRAME_PASSES = 300
"""Most passes in a frame, those of blows included: 15 solves with as many as there may be."""

FACTORIZATIONS = 10
"""A pass counts as one more in a frame for every so many factorisations that it takes, because that is its cost."""

PLAIN_PASSES = 3
"""Passes before the bounds are extrapolated: most steps end sooner."""

PASSES_LOOKED_BACK = 5
"""Passes that the extrapolation looks back on."""

SWEPT_PASSES, SWEEPS = (7, 13), 300
"""Passes that start anew from Gauss-Seidel sweeps, which get out of a circle or a jam, and the number of sweeps."""

LEAST_SINGULAR, SMALLEST = 1e-8, 1e-200
"""Relative size below which the least squares take passes as dependent; and what stands for no impulse at all, N s."""


def settle_friction(
    mode: str, solver: PivotingSolver, problem: KktProblem, rows: ContactRows, solution: MlcpSolution,
    most: int = FRICTION_PASSES,
) -> tuple[KktProblem, MlcpSolution, float, int]:  # fmt: skip
    """Solve again, with bounds that follow the normal impulses, until the friction law holds; at most so often.

    Returns: the problem with the bounds that fit best, its solution, the residual of the friction law (0 for "box",
    which has none) and the passes as they count in a frame.
    """
    number = MODES.index(mode)
    if number == 0 or rows.count == 0:
        return problem, solution, 0.0, 0
    best, least = (problem, solution), np.inf
    wanted, residual = wanted_bounds(number, problem, rows, solution.lam, solution.w)
    bounds, history, cost = wanted, History(rows, problem.diagonal), 0
    for count in range(most + 1):
        if residual < least:
            best, least = (problem, solution), residual
        if residual <= FRICTION_TOLERANCE or not solution.solved or count == most:
            break
        if count in SWEPT_PASSES:
            lam, w = swept(number, problem, rows, best[1].lam)
            bounds, _ = wanted_bounds(number, problem, rows, lam, w)
            history = History(rows, problem.diagonal)
        elif count > 0:
            bounds = history.extrapolate(bounds, wanted)
        lower, upper = problem.lower.copy(), problem.upper.copy()
        rows.normal_impulse[:] = bounds[:, 0]
        rows.bound(lower, upper, shares_of_normal(bounds))
        problem = problem.with_bounds(lower, upper)
        solution = solver.solve(problem, solution)
        cost += cost_of(solution)
        wanted, residual = wanted_bounds(number, problem, rows, solution.lam, solution.w)
    return *best, least, cost


def cost_of(solution: MlcpSolution) -> int:
    """Passes that a pass with this solution counts as."""
    return 1 + solution.factorizations // FACTORIZATIONS


def shares_of_normal(bounds: Array) -> Array:
    """Shares (contacts, 2) of the normal impulse that bounds (contacts, 3) stand for, 0 where it is next to nothing."""
    normal, along = bounds[:, :1], bounds[:, 1:]
    return np.divide(along, normal, out=np.zeros_like(along), where=normal > SMALLEST * np.maximum(along, 1.0))


def wanted_bounds(number: int, problem: KktProblem, rows: ContactRows, lam: Array, w: Array) -> tuple[Array, float]:
    """Bounds (contacts, 3) that the law asks for at a solution, as normal impulses, N s, and its residual.

    The columns are the normal impulse and its share that counts along each tangent.
    """
    from taut.contact.friction_kernels import follow_normals

    islands, island = problem.islands
    normal, share = np.empty(rows.count), np.empty((rows.count, 2))
    residual = follow_normals(
        number, rows.row, rows.width, rows.friction, rows.rolling, rows.torsional, island, problem.diagonal,
        problem.bias, lam, w, normal, share, np.empty((2, islands)),
    )  # fmt: skip
    return np.column_stack([normal, normal[:, None] * share]), residual


def swept(number: int, problem: KktProblem, rows: ContactRows, start: Array) -> tuple[Array, Array]:
    """Multipliers and slacks after some Gauss-Seidel sweeps over rows and friction law together."""
    from taut.contact.friction_kernels import sweep_friction

    whole = problem.matrix()
    lam, w, pattern = start.copy(), np.empty(start.size), whole.pattern
    sweep_friction(
        number, SWEEPS, rows.row, rows.width, rows.friction, rows.rolling, rows.torsional, pattern.indptr,
        pattern.indices, whole.values, problem.bias, problem.diagonal, problem.lower, problem.upper, lam, w,
    )  # fmt: skip
    return lam, w


class History:
    """Bounds of the last passes and what their solutions asked for: a quasi-Newton step (Anderson's) on the difference.

    Following the normal impulses as they are circles where friction unloads its own contact, and creeps or runs away
    where it loads it, as in a jam. The difference of the two is nearly linear while no contact changes sides, so it is
    set to zero by least squares over the last passes, each contact weighted by the root of the energy its friction has.
    """

    def __init__(self, rows: ContactRows, diagonal: Array) -> None:
        """Start with no passes; `diagonal` (rows,) is A_ii."""
        last = np.minimum(rows.row + 1, diagonal.size - 1)
        energy = rows.friction * np.sqrt(diagonal[last]) * (rows.width > 1)
        turning = np.maximum(rows.rolling, rows.torsional) * np.sqrt(diagonal[rows.row])
        self.weight = np.column_stack([turning, energy, energy])
        self.bounds: list[Array] = []
        self.change: list[Array] = []

    def extrapolate(self, bounds: Array, wanted: Array) -> Array:
        """Bounds for the next pass, after `bounds` (contacts, 3) gave a solution that asks for `wanted`."""
        self.bounds = [*self.bounds, bounds][-PASSES_LOOKED_BACK:]
        self.change = [*self.change, wanted - bounds][-PASSES_LOOKED_BACK:]
        if len(self.change) < PLAIN_PASSES:
            return wanted
        last = self.change[-1]
        slopes = np.stack([(self.weight * (last - change)).ravel() for change in self.change[:-1]], axis=1)
        part = np.linalg.lstsq(slopes, (self.weight * last).ravel(), rcond=LEAST_SINGULAR)[0]
        for share, older, change in zip(part, self.bounds, self.change, strict=False):
            wanted = wanted - share * ((bounds - older) + (last - change))
        return np.maximum(wanted, 0.0)
