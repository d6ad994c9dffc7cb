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

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from taut.contact.settings import FRICTION
from taut.contact.table import ContactTable
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.solvers.base import Start
from taut.spatial import Array

MODES = ("box", "box-refined", "cone")
"""Names of the three laws, in the order of the kernel's constants."""

SMALLEST = 1e-200
"""What stands for no impulse at all, N s."""


class Settled(NamedTuple):
    """Where passes of friction ended: the solution that fits best, of which problem, how well, and what they cost.

    The residual of the law is 0 for "box", which has none. Passes are counted as a frame counts them.
    """

    solution: MlcpSolution
    problem: KktProblem
    residual: float
    passes: int


class Solves(Protocol):
    """Whatever solves problems with contacts: a solver, or one that eliminates trees before it."""

    def solve(self, problem: KktProblem, warm_start: Start = None, /) -> MlcpSolution:
        """Solve a problem from where another one ended."""


class Follows(Protocol):
    """A law of friction: bounds of some rows that follow what others carry, numbers >= 0 in N s that it chooses."""

    def weight(self, problem: KktProblem) -> Array:
        """What each bound counts where passes are extrapolated: the root of the energy that friction has with it."""

    def wanted(self, problem: KktProblem, lam: Array, w: Array) -> tuple[Array, float]:
        """Bounds that a solution asks for, and how far it is from the law, in the measure of FRICTION.tolerance."""

    def bound(self, problem: KktProblem, bounds: Array, lower: Array, upper: Array) -> None:
        """Put bounds where they belong among those of all rows (rows,)."""

    def swept(self, problem: KktProblem, start: Array) -> tuple[Array, Array] | None:
        """Multipliers and slacks (rows,) from which passes may start anew; None where the law has nothing better."""


def settle_friction(
    mode: str, solver: Solves, problem: KktProblem, contacts: ContactTable, solution: MlcpSolution,
    most: int = FRICTION.passes, others: Sequence[Follows] = (),
) -> Settled:  # fmt: skip
    """Solve again, with bounds that follow the normal impulses, until the friction law holds; at most so often.

    The bounds of normals, and of all other rows, stay as they are. So blows may use the same passes as steps. `others`
    are laws of other rows that follow as well.
    """
    number, laws = MODES.index(mode), list(others)
    if number > 0 and contacts.row.size > 0:
        laws.append(ContactFriction(number, contacts))
    if not laws:
        return Settled(solution, problem, 0.0, 0)
    law = laws[0] if len(laws) == 1 else Together(laws)
    wanted, residual = law.wanted(problem, solution.lam, solution.w)
    best, cost = Settled(solution, problem, residual, 0), 0
    bounds, history = wanted, History(law.weight(problem))
    for count in range(most + 1):
        if solution.solved and residual < best.residual:
            best = Settled(solution, problem, residual, cost)
        if residual <= FRICTION.tolerance or not solution.solved or count == most:
            break
        swept = law.swept(problem, best.solution.lam) if count in FRICTION.swept_passes else None
        if swept is not None:
            bounds, _ = law.wanted(problem, *swept)
            history = History(law.weight(problem))
        elif count > 0:
            bounds = history.extrapolate(bounds, wanted)
        lower, upper = problem.lower.copy(), problem.upper.copy()
        law.bound(problem, bounds, lower, upper)
        problem = problem.with_bounds(lower, upper)
        solution = solver.solve(problem, solution)
        cost += 1 + solution.factorizations // FRICTION.factorizations
        wanted, residual = law.wanted(problem, solution.lam, solution.w)
    return best._replace(passes=cost)


class ContactFriction(NamedTuple):
    """Friction of contacts: bounds (contacts, 3) are the normal impulse, and its share along each tangent."""

    number: int
    contacts: ContactTable

    def weight(self, problem: KktProblem) -> Array:
        """See `Follows`: of friction along tangents, and of that against rolling and twisting."""
        contacts, diagonal = self.contacts, problem.diagonal
        last = np.minimum(contacts.row + 1, diagonal.size - 1)
        energy = contacts.friction * np.sqrt(diagonal[last]) * (contacts.width > 1)
        turning = np.maximum(contacts.rolling, contacts.torsional) * np.sqrt(diagonal[contacts.row])
        return np.column_stack([turning, energy, energy])

    def wanted(self, problem: KktProblem, lam: Array, w: Array) -> tuple[Array, float]:
        """See `Follows`."""
        return wanted_bounds(self.number, problem, self.contacts, lam, w)

    def bound(self, problem: KktProblem, bounds: Array, lower: Array, upper: Array) -> None:
        """See `Follows`; the bounds of normals stay."""
        from taut.contact.friction_kernels import bound_friction

        contacts = self.contacts
        bound_friction(
            contacts.row, contacts.width, contacts.friction, contacts.rolling, contacts.torsional,
            bounds[:, 0].copy(), shares_of_normal(bounds), lower, upper,
        )  # fmt: skip
        lower[contacts.row], upper[contacts.row] = problem.lower[contacts.row], problem.upper[contacts.row]

    def swept(self, problem: KktProblem, start: Array) -> tuple[Array, Array] | None:
        """See `Follows`."""
        return swept(self.number, problem, self.contacts, start)


class Together:
    """Several laws as one: their bounds in a row."""

    def __init__(self, laws: Sequence[Follows]) -> None:
        """The laws, in order."""
        self.laws, self.shapes = laws, [(0,)] * len(laws)

    def weight(self, problem: KktProblem) -> Array:
        """See `Follows`."""
        return np.concatenate([law.weight(problem).ravel() for law in self.laws])

    def wanted(self, problem: KktProblem, lam: Array, w: Array) -> tuple[Array, float]:
        """See `Follows`; the worst residual counts."""
        found = [law.wanted(problem, lam, w) for law in self.laws]
        self.shapes = [bounds.shape for bounds, _ in found]
        return np.concatenate([bounds.ravel() for bounds, _ in found]), max(residual for _, residual in found)

    def bound(self, problem: KktProblem, bounds: Array, lower: Array, upper: Array) -> None:
        """See `Follows`."""
        first = 0
        for law, shape in zip(self.laws, self.shapes, strict=True):
            count = int(np.prod(shape))
            law.bound(problem, bounds[first : first + count].reshape(shape), lower, upper)
            first += count

    def swept(self, problem: KktProblem, start: Array) -> tuple[Array, Array] | None:
        """See `Follows`: the first law that has something."""
        return next((found for law in self.laws if (found := law.swept(problem, start)) is not None), None)


def within_friction(mode: str, contacts: ContactTable, table: Array) -> None:
    """Cut off what impulses by contact (k, 6) have along tangents beyond what their normals allow."""
    radius, across = contacts.friction * np.maximum(table[:, 0], 0.0), table[:, 1:3]
    if mode == "cone":
        size = np.sqrt((across**2).sum(axis=1))
        across *= np.divide(radius, size, out=np.ones_like(size), where=size > radius)[:, None]
    table[:, 1:3] = np.clip(across, -radius[:, None], radius[:, None])


def shares_of_normal(bounds: Array) -> Array:
    """Shares (contacts, 2) of the normal impulse that bounds (contacts, 3) stand for, 0 where it is next to nothing."""
    normal, along = bounds[:, :1], bounds[:, 1:]
    return np.divide(along, normal, out=np.zeros_like(along), where=normal > SMALLEST * np.maximum(along, 1.0))


def wanted_bounds(
    number: int, problem: KktProblem, contacts: ContactTable, lam: Array, w: Array
) -> tuple[Array, float]:
    """Bounds (contacts, 3) that the law asks for at a solution, as normal impulses, N s, and its residual.

    The columns are the normal impulse and its share that counts along each tangent.
    """
    from taut.contact.friction_kernels import follow_normals

    islands, island = problem.islands
    normal, share = np.empty(contacts.row.size), np.empty((contacts.row.size, 2))
    residual = follow_normals(
        number, contacts.row, contacts.width, contacts.friction, contacts.rolling, contacts.torsional, island,
        problem.diagonal, problem.bias, lam, w, normal, share, np.empty((2, islands)),
    )  # fmt: skip
    return np.column_stack([normal, normal[:, None] * share]), residual


def swept(number: int, problem: KktProblem, contacts: ContactTable, start: Array) -> tuple[Array, Array]:
    """Multipliers and slacks after some Gauss-Seidel sweeps over rows and friction law together."""
    from taut.contact.friction_kernels import sweep_friction

    matrix = problem.matrix()
    lam, w, pattern = start.copy(), np.empty(start.size), matrix.pattern
    sweep_friction(
        number, FRICTION.sweeps, contacts.row, contacts.width, contacts.friction, contacts.rolling, contacts.torsional,
        pattern.indptr, pattern.indices, matrix.values, matrix.bias, problem.diagonal, matrix.lower, matrix.upper,
        lam, w,
    )  # fmt: skip
    return lam, w


class History:
    """Bounds of the last passes and what their solutions asked for: a quasi-Newton step (Anderson's) on the difference.

    Following the normal impulses as they are circles where friction unloads its own contact, and creeps or runs away
    where it loads it, as in a jam. The difference of the two is nearly linear while no contact changes sides, so it is
    set to zero by least squares over the last passes, each bound weighted by the root of the energy its friction has.
    """

    def __init__(self, weight: Array) -> None:
        """Start with no passes; `weight` is what each bound counts."""
        self.weight = weight
        self.bounds: list[Array] = []
        self.change: list[Array] = []

    def extrapolate(self, bounds: Array, wanted: Array) -> Array:
        """Bounds for the next pass, after `bounds` gave a solution that asks for `wanted`."""
        self.bounds = [*self.bounds, bounds][-FRICTION.looked_back :]
        self.change = [*self.change, wanted - bounds][-FRICTION.looked_back :]
        if len(self.change) < FRICTION.plain_passes:
            return wanted
        last = self.change[-1]
        slopes = np.stack([(self.weight * (last - change)).ravel() for change in self.change[:-1]], axis=1)
        part = np.linalg.lstsq(slopes, (self.weight * last).ravel(), rcond=FRICTION.dependent)[0]
        for share, older, change in zip(part, self.bounds, self.change, strict=False):
            wanted = wanted - share * ((bounds - older) + (last - change))
        return np.maximum(wanted, 0.0)
