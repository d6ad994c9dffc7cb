"""Bodies of which places and velocities are given, with balls and contacts between them: problems of any size.

Nothing is simulated. The problem asks for the impulses that the next step would need:

        A = J M^-1 J^T + S,     b = J (v + h g) + gap / h,     S = c / h^2

with compliance c in m/N and gravity g. Rows are at bounds where bodies slide or part, see `settle`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taut.problem.mlcp import MlcpProblem
from taut.problem.settle import settled
from taut.structure.incidence import RowEntries

Array = NDArray[np.float64]

STEP = 1 / 60
"""h, s."""
WEIGHT = 9.81
"""N a kilogram."""
WORLD = 0
"""Number of the body that does not move."""
EXCESS = 0.03
"""Share of its bound that a row which slides would ask for beyond it, were all rows free: the more, the more pivots a
cold start needs."""


@dataclass(frozen=True, eq=False)
class Body:
    """A box: mass, moments of inertia (3,), centre (3,), rotation (3, 3), velocity (3,) and spin (3,), in SI units."""

    mass: float
    inertia: Array
    centre: Array
    rotation: Array
    velocity: Array
    spin: Array


@dataclass(frozen=True, eq=False)
class Rows:
    """Three rows between two bodies at a point (3,): directions (3, 3) as rows, bounds (3,) N s, gap of the first (m).

    `usual` is the impulse of the first row where it holds, N s.
    """

    a: int
    b: int
    point: Array
    directions: Array
    lower: Array
    upper: Array
    gap: float
    usual: float


@dataclass(eq=False)
class Posed:
    """Bodies, balls and contacts that are added one by one, and the problem that they make.

    Args:
        name: of the problem.
        compliance: of all rows, m/N.
    """

    name: str
    compliance: float
    bodies: list[Body] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)

    def __post_init__(self) -> None:
        none = np.zeros(3)
        self.bodies.append(Body(math.inf, np.full(3, math.inf), none, np.eye(3), none, none))

    def body(
        self, mass: float, size: Sequence[float], centre: ArrayLike, rotation: Array | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0), spin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> int:  # fmt: skip
        """Add a box of this size, m; its number."""
        x, y, z = (length**2 for length in size)
        turn = np.eye(3) if rotation is None else rotation
        inertia = mass / 12 * np.array([y + z, x + z, x + y])
        self.bodies.append(Body(mass, inertia, *(np.asarray(each, float) for each in (centre, turn, velocity, spin))))
        return len(self.bodies) - 1

    def ball(self, a: int, b: int, point: ArrayLike) -> None:
        """Hold a point of b, from its centre and in its axes, to a: 3 rows."""
        free = np.full(3, math.inf)
        self.rows.append(Rows(a, b, self.place(b, point), np.eye(3), -free, free, 0.0, 0.0))

    def touch(
        self, a: int, b: int, point: ArrayLike, load: float, normal: ArrayLike = (0.0, 0.0, 1.0), gap: float = 0.0
    ) -> None:
        """Let b touch a at a point of b, with friction 1 under this load, N; the normal is from a to b."""
        directions = np.array([normal, *across(np.asarray(normal, float))])
        bound = STEP * load * np.array([0.0, 1.0, 1.0])
        upper = np.array([math.inf, *bound[1:]])
        self.rows.append(Rows(a, b, self.place(b, point), directions, -bound, upper, gap, STEP * load))

    def place(self, body: int, point: ArrayLike) -> Array:
        """World point of a point of a body, m."""
        own = self.bodies[body]
        return own.centre + own.rotation @ np.asarray(point, float)

    def problem(self) -> MlcpProblem:
        """The problem of these bodies."""
        from taut.problem.kkt_kernels import multiply_blocks

        entries, jacobian = self.entries(), self.jacobian()
        incidence = entries.incidence
        values = np.zeros(incidence.pattern.entry_count)
        soft = np.full(entries.row_count, self.compliance / STEP**2)
        multiply_blocks(
            incidence.body_start, incidence.entry, incidence.target, incidence.mirror, incidence.diagonal,
            jacobian, self.respond(jacobian, entries.entry_body), soft, values,
        )  # fmt: skip
        velocity = np.array([[*each.velocity, *each.spin] for each in self.bodies])
        gap = np.concatenate([[each.gap, 0.0, 0.0] for each in self.rows]) / STEP
        slack = rates(entries, jacobian, velocity) + gap
        velocity[1:, 2] -= STEP * WEIGHT
        bias = rates(entries, jacobian, velocity) + gap
        lower, upper = (np.concatenate([getattr(each, name) for each in self.rows]) for name in ("lower", "upper"))
        usual = np.repeat([each.usual for each in self.rows], 3)
        return settled(MlcpProblem(incidence.pattern, values, bias, lower, upper, self.name), slack, usual, EXCESS)

    def jacobian(self) -> Array:
        """Blocks (entries, 6), two a row: of its bodies a and b, in this order."""
        block = np.zeros((len(self.rows), 3, 2, 6))
        for own, each in zip(block, self.rows, strict=True):
            for place, body, sign in ((0, each.a, -1.0), (1, each.b, 1.0)):
                arm = each.point - self.bodies[body].centre
                own[:, place, :3], own[:, place, 3:] = sign * each.directions, sign * np.cross(arm, each.directions)
        return block.reshape(-1, 6)

    def entries(self) -> RowEntries:
        """Which bodies the rows touch."""
        rows = 3 * len(self.rows)
        pairs = np.array([(each.a, each.b) for each in self.rows])
        moves = np.ones(len(self.bodies), np.uint8)
        moves[WORLD] = 0
        return RowEntries(
            entry_start=2 * np.arange(rows + 1), entry_body=np.repeat(pairs, 3, axis=0).ravel(),
            entry_row=np.repeat(np.arange(rows), 2), moves=moves, unbounded=np.zeros(rows, bool),
            owner=np.full(rows, -1),
        )  # fmt: skip

    def respond(self, jacobian: Array, bodies: NDArray[np.int64]) -> Array:
        """M^-1 J^T by blocks (entries, 6)."""
        rotation, inertia, mass = (
            np.array([getattr(each, name) for each in self.bodies])[bodies] for name in ("rotation", "inertia", "mass")
        )
        local = np.einsum("eji,ej->ei", rotation, jacobian[:, 3:]) / inertia
        return np.hstack([jacobian[:, :3] / mass[:, None], np.einsum("eij,ej->ei", rotation, local)])


def across(axis: Array) -> Array:
    """Two unit directions (2, 3) across a unit axis, and across each other."""
    side = np.cross(axis, np.eye(3)[0 if abs(axis[0]) < 0.8 else 1])
    side /= np.linalg.norm(side)
    return np.array([np.cross(side, axis), side])


def rates(entries: RowEntries, jacobian: Array, velocity: Array) -> Array:
    """J v of every row."""
    products = np.einsum("ei,ei->e", jacobian, velocity[entries.entry_body])
    return np.bincount(entries.entry_row, products, minlength=entries.row_count).astype(np.float64)
