"""A sparse M~: springs and the geometric stiffness between bodies are in it, and not rows for the solver.     [InSimo]

        M~ = alpha M + h D - h beta K~ + J_s^T S_s^-1 J_s

with J_s the soft rows without bounds. With z = v+ - v_k, the change from the velocity that the step is linearised at,
and g what moves bodies without rows,

        M~ z = g - J_s^T S_s^-1 (J_s v_k + b_s) + J_K^T lam_K          A lam_K + b_K = w_K,   A = J_K M~^-1 J_K^T + S_K

for the rows K that are left. The stiffness does not appear on the right-hand side: it acts on z alone.

K~ has an unsymmetric part, half the torque on each body, which goes where bodies balance. Of it the symmetric part with
the same soft axis is taken, see `with_soft_axis`.

M~ must be positive definite. What destabilises is often what joints hold: then hard rows H are in M~ too,

        M~ + J_H^T R J_H,   g - J_H^T R (J_H v_k + b_H)       R: a weight a row; lam_H less R (J_H v+ + b_H), which is 0

which changes nothing where they hold (an augmented Lagrangian). Where even that is not safe, bodies that blocks connect
take the blocks of "auto" instead: what of K~ is positive and on one body's own rotation, with companion rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.linalg.coupled_mass import Component, CoupledMass
from taut.problem.kkt import Kkt, KktProblem
from taut.problem.mlcp import MlcpProblem
from taut.rows.stiffness_blocks import StiffnessBlocks
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries
from taut.structure.pattern import Pattern

Mask = NDArray[np.bool_]

SAFE = 0.5
"""Share of alpha M that M~ must have in every direction: what destabilises grows at most twofold in a step then. Below,
the step is too long for it, and Newton's method would follow it to the wrong side."""

SUPPORT = 10.0
"""Weight of a hard row in M~ over the largest stiffness of its bodies, both against alpha M: enough that what it holds
is stiffer than K~ is soft, and not so much that M~ would lose digits to it."""


@dataclass(frozen=True, eq=False)
class RowProducts:
    """Rows whose products J^T J go into M~: pairs of their Jacobian blocks at moving bodies, and where these go.

    Attributes:
        rows: (s,) the rows.
        row: (m,) which of them a pair of blocks is of; left, right: (m,) its Jacobian blocks.
        body, pair: (m,) body whose block it adds to, or -1; pair of bodies, or -1.
    """

    rows: Integers
    row: Integers
    left: Integers
    right: Integers
    body: Integers
    pair: Integers

    @classmethod
    def of(cls, entries: RowEntries, rows: Integers, pairs: dict[tuple[int, int], int]) -> RowProducts:
        """Places of the products of those of these rows (s,) whose bodies are pairs already."""
        found: list[tuple[int, ...]] = []
        chosen: list[int] = []
        for row in rows.tolist():
            blocks = np.arange(entries.entry_start[row], entries.entry_start[row + 1])
            blocks = blocks[entries.moves[entries.entry_body[blocks]] > 0]
            moving = list(zip(entries.entry_body[blocks].tolist(), blocks.tolist(), strict=True))
            products = [(a, b, left, right) for a, left in moving for b, right in moving if a <= b]
            if all(a == b or (a, b) in pairs for a, b, _, _ in products):
                places = [(a, -1) if a == b else (-1, pairs[a, b]) for a, b, _, _ in products]
                ends = [product[2:] for product in products]
                found += [(len(chosen), *end, *place) for end, place in zip(ends, places, strict=True)]
                chosen.append(row)
        return cls(np.array(chosen, np.int64), *np.array(found, np.int64).reshape(-1, 5).T.copy())

    def add(self, mass: CoupledMass, jacobian: Array, weight: Array) -> None:
        """Add J^T weight J to a mass matrix, weights (s,)."""
        product = weight[self.row, None, None] * jacobian[self.left][:, :, None] * jacobian[self.right][:, None, :]
        own = self.body >= 0
        np.add.at(mass.diagonal, self.body[own], product[own])
        np.add.at(mass.off, self.pair[~own], product[~own])


class Masses(NamedTuple):
    """Blocks (n, 6, 6) of bodies: M, alpha M + h D, and what "auto" takes for M~ beside its companions."""

    matter: Array
    base: Array
    auto: Array


class ImplicitResponse:
    """M~^-1 with blocks between bodies, and what it makes of one set of rows; see `Response`.

    Attributes:
        entries: the rows.
        mass: M~; stiff, stiff_off: of it what is neither soft rows nor companions.
        masses: of this linearisation.
        absorbed: soft rows in M~; is_companion: (s,) those of them that stand for a part of K~ in "auto".
        kept: (k,) the other rows; supports: of them, hard rows that may be in M~ too, and `support` (rows,) R of all.
        clipped: (n,) bodies that take the blocks of "auto".
    """

    def __init__(
        self, entries: RowEntries, stiffness: StiffnessBlocks, soft: Mask, companion: Mask, hard: Mask
    ) -> None:
        """Order M~ for blocks of K~ and rows, of which some are soft without bounds, companions, or hard; (rows,)."""
        self.entries = entries
        rows = np.flatnonzero(soft | companion)
        first, second = body_pairs(entries, stiffness, rows)
        self.mass = CoupledMass(entries.moves, first, second)
        pairs = {pair: number for number, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
        self.absorbed, self.is_companion = RowProducts.of(entries, rows, pairs), companion[rows]
        self.supports = RowProducts.of(entries, np.flatnonzero(hard), pairs)
        self.support = np.zeros(entries.row_count)
        self.kept = np.flatnonzero(~(soft | companion))
        self.clipped = np.zeros(entries.moves.size, bool)
        self.masses = Masses(*np.zeros((3, entries.moves.size, 6, 6)))
        self.stiff, self.stiff_off = np.zeros_like(self.mass.diagonal), np.zeros_like(self.mass.off)
        # of the blocks of K~ those at one moving body, and those of pairs, turned over where the first body is higher
        moving = (entries.moves[stiffness.first] > 0) & (entries.moves[stiffness.second] > 0)
        self.own = np.flatnonzero(moving & (stiffness.first == stiffness.second))
        self.between = np.flatnonzero(moving & (stiffness.first != stiffness.second))
        ends = np.stack([stiffness.first[self.between], stiffness.second[self.between]])
        low, high = ends.min(axis=0).tolist(), ends.max(axis=0).tolist()
        self.pair = np.array([pairs[pair] for pair in zip(low, high, strict=True)], np.int64)
        self.over = ends[0] > ends[1]

    def prepare(self, masses: Masses, stiffness: StiffnessBlocks, blocks: Kkt) -> bool:
        """M~ of this linearisation, factored; whether it is positive definite.

        Args:
            masses: of bodies.
            stiffness: -h beta K~ in blocks, with the pairs that this was made with.
            blocks: J and S of the rows.
        """
        mass, base = self.mass, masses.base
        if not np.isfinite(stiffness.block).all():
            return False
        self.masses, own = masses, np.zeros_like(base)
        np.add.at(own, stiffness.first[self.own], stiffness.block[self.own])
        self.stiff[:], self.stiff_off[:] = base + with_soft_axis(own), 0.0
        block = stiffness.block[self.between]
        block = np.where(self.over[:, None, None], block.transpose(0, 2, 1), block)
        np.add.at(self.stiff_off, self.pair, 0.5 * block)  # each pair is there from both sides
        self.clipped, self.support = np.zeros(base.shape[0], bool), np.zeros(self.entries.row_count)
        self.assemble(blocks)
        unsafe = mass.indefinite(base, SAFE)
        if unsafe.any():
            self.support[self.supports.rows] = np.where(self.among(self.supports, unsafe), self.weights(blocks), 0.0)
            self.assemble(blocks)
            self.clipped = mass.indefinite(base, SAFE)
        if self.clipped.any():
            self.stiff[self.clipped] = masses.auto[self.clipped]
            self.stiff_off[self.clipped[mass.first]] = 0.0
            self.support[self.supports.rows[self.among(self.supports, self.clipped)]] = 0.0
            self.assemble(blocks)
        return mass.decompose()

    def assemble(self, blocks: Kkt) -> None:
        """Add up M~ from stiffness, soft rows, companions of bodies that are clipped, and supports."""
        mass, weight = self.mass, 1.0 / blocks.compliance[self.absorbed.rows]
        mass.diagonal[:], mass.off[:] = self.stiff, self.stiff_off
        idle = self.is_companion & ~self.among(self.absorbed, self.clipped)
        self.absorbed.add(mass, blocks.jacobian, np.where(idle, 0.0, weight))
        self.supports.add(mass, blocks.jacobian, self.support[self.supports.rows])

    def among(self, products: RowProducts, bodies: Mask) -> Mask:
        """Which of these rows (s,) are at some of these bodies (n,)."""
        return np.asarray(bodies[self.entries.entry_body[self.first_moving_block[products.rows]]])

    def weights(self, blocks: Kkt) -> Array:
        """R (s,) of the supports, kg or kg m^2: next to nothing of a row that is soft, or redundant, in this step."""
        moving, entries = self.entries.moves > 0, self.entries
        root = np.sqrt(np.einsum("bii->bi", np.where(moving[:, None, None], self.masses.base, np.eye(6))))
        own = (self.stiff - self.masses.base) / (root[:, :, None] * root[:, None, :])
        first, second = self.mass.first, self.mass.second
        off = self.stiff_off / (root[first][:, :, None] * root[second][:, None, :])
        size, far = np.linalg.norm(own, axis=(1, 2)), np.linalg.norm(off, axis=(1, 2))
        np.add.at(size, first, far)
        np.add.at(size, second, far)
        lengths = moving[entries.entry_body] * ((blocks.jacobian / root[entries.entry_body]) ** 2).sum(axis=1)
        length, most = np.zeros((2, entries.row_count))
        np.add.at(length, entries.entry_row, lengths)
        np.maximum.at(most, entries.entry_row, np.where(moving, size, 0.0)[entries.entry_body])
        rows = self.supports.rows
        holds = (blocks.compliance[rows] == 0.0) & (length[rows] > 0.0)
        return np.where(holds, SUPPORT * most[rows] / np.where(holds, length[rows], 1.0), 0.0)

    @cached_property
    def first_moving_block(self) -> Integers:
        """Jacobian block (rows,) of each row at its first body that moves; its first where none does."""
        entries = self.entries
        block = entries.entry_start[:-1].copy()
        moving = np.flatnonzero(entries.moves[entries.entry_body] > 0)[::-1]
        block[entries.entry_row[moving]] = moving
        return block

    @property
    def block_count(self) -> int:
        """Number of bodies."""
        return self.entries.moves.size

    def apply(self, impulses: Array) -> Array:
        """M~^-1 of impulses (..., n, 6), N s and N m s."""
        return self.mass.solve(impulses)

    def spin(self, velocity: Array) -> Array:
        """Angular momenta (n, 3) of velocities (n, 6), kg m^2/s."""
        return np.asarray(np.einsum("bij,bj->bi", self.masses.matter[:, 3:, 3:], velocity[:, 3:]))

    def kinetic_energy(self, velocity: Array) -> Array:
        """Kinetic energy (n,) of velocities (n, 6), J."""
        return np.asarray(0.5 * np.einsum("bi,bij,bj->b", velocity, self.masses.matter, velocity))

    def foreseen(self, change: Array) -> Array:
        """-h beta K~ z (n, 6), as far as M~ has it, for a change of velocity z (n, 6): N s and N m s."""
        product = np.einsum("bij,bj->bi", self.stiff - self.masses.base, change)
        np.add.at(product, self.mass.first, np.einsum("pij,pj->pi", self.stiff_off, change[self.mass.second]))
        np.add.at(product, self.mass.second, np.einsum("pji,pj->pi", self.stiff_off, change[self.mass.first]))
        return np.asarray(product)

    @cached_property
    def kept_entries(self) -> RowEntries:
        """The rows that are left, with their bodies."""
        return self.entries.part(self.kept)

    @cached_property
    def pattern(self) -> Pattern:
        """Pattern of A: rows meet that share a moving body, or bodies that blocks connect."""
        own, component, bodies = self.kept_entries, self.mass.component, self.entries.moves.size
        pairs = np.unique(own.entry_row * bodies + component[own.entry_body])
        row, body = np.divmod(pairs, bodies)
        merged = RowEntries(
            entry_start=np.searchsorted(row, np.arange(self.kept.size + 1)).astype(np.int64), entry_row=row,
            entry_body=body, moves=own.moves, unbounded=own.unbounded, owner=own.owner,
        )  # fmt: skip
        return merged.incidence.pattern

    @cached_property
    def places(self) -> tuple[Integers, list[ComponentRows]]:
        """Where in A's values those of bodies alone go, and the rows of components."""
        size, pattern = self.kept.size, self.pattern
        keys = np.repeat(np.arange(size), np.diff(pattern.indptr)) * size + pattern.indices
        alone = self.kept_entries.incidence.pattern
        rows = np.repeat(np.arange(size), np.diff(alone.indptr)) * size + alone.indices
        parts = [ComponentRows.of(part, self.kept_entries, keys) for part in self.mass.components]
        return np.searchsorted(keys, rows), [part for part in parts if part.rows.size]

    def delassus(self, blocks: Kkt) -> Array:
        """Values of A = J_K M~^-1 J_K^T + S_K on its pattern."""
        from taut.problem.kkt_kernels import multiply_blocks

        own, incidence = self.kept_entries, self.kept_entries.incidence
        place, parts = self.places
        jacobian = blocks.jacobian[self.entries.blocks_of(self.kept)[0]]
        response = np.einsum("eij,ej->ei", self.mass.inverse[own.entry_body], jacobian)
        alone, values = np.zeros(incidence.pattern.entry_count), np.zeros(self.pattern.entry_count)
        multiply_blocks(
            incidence.body_start, incidence.entry, incidence.target, incidence.mirror, incidence.diagonal,
            jacobian, response, blocks.compliance[self.kept], alone,
        )  # fmt: skip
        values[place] = alone
        for part in parts:
            values[part.place] += part.delassus(jacobian)
        return values


@dataclass(frozen=True, eq=False)
class ComponentRows:
    """The rows (k,) that touch a component: the Jacobian blocks `entry` at its bodies, each of row and body `at`.

    `place` (k, k) is where their part of A goes.
    """

    part: Component
    rows: Integers
    entry: Integers
    at: tuple[Integers, Integers]
    place: Integers

    @classmethod
    def of(cls, part: Component, own: RowEntries, keys: Integers) -> ComponentRows:
        """Those of some rows, whose A has its values at the keys row * rows + column."""
        entry = np.flatnonzero(np.isin(own.entry_body, part.bodies))
        rows = np.unique(own.entry_row[entry])
        at = np.searchsorted(rows, own.entry_row[entry]), np.searchsorted(part.bodies, own.entry_body[entry])
        return cls(part, rows, entry, at, np.searchsorted(keys, rows[:, None] * own.row_count + rows))

    def delassus(self, jacobian: Array) -> Array:
        """J M~^-1 J^T (k, k) of these rows."""
        from scipy.sparse import coo_array

        own = np.zeros((self.rows.size, self.part.bodies.size, 6))
        own[self.at] = jacobian[self.entry]
        row, column = np.repeat(self.at[0], 6), (6 * self.at[1][:, None] + np.arange(6)).ravel()
        sparse = coo_array((jacobian[self.entry].ravel(), (row, column)), shape=(len(own), own[0].size)).tocsr()
        matrix = sparse @ self.part.solve(own).reshape(len(own), -1).T
        return np.asarray(0.5 * (matrix + matrix.T))


@dataclass(frozen=True, eq=False)
class CoupledProblem(KktProblem):
    """A KKT problem whose M~ is a sparse one. Its matrix has the rows that M~ took in as rows of their own.

    Attributes:
        response: M~, None only where nothing was said.
        values: of A, on the pattern of the response.
        taken: (rows,) multipliers of the rows in M~, as the last solution has them.
    """

    response: ImplicitResponse | None = None
    values: Array = field(default_factory=lambda: np.zeros(0))
    taken: Array = field(default_factory=lambda: np.zeros(0))

    def matrix(self) -> MlcpProblem:
        """The problem with A written out, where rows in M~ meet no others and have the multipliers they have."""
        assert self.response is not None
        kept, pattern, rows = self.response.kept, self.response.pattern, self.response.absorbed.rows
        row = np.append(kept[np.repeat(np.arange(kept.size), np.diff(pattern.indptr))], rows)
        column = np.append(kept[pattern.indices], rows)
        order = np.lexsort((column, row))
        indptr = np.searchsorted(row[order], np.arange(self.size + 1)).astype(np.int64)
        values = np.append(self.values, self.diagonal[rows])[order]
        bias = self.bias.copy()
        bias[rows] = -self.diagonal[rows] * self.taken[rows]
        return MlcpProblem(Pattern(indptr, column[order]), values, bias, self.lower, self.upper, self.name)

    def with_bias(self, bias: Array, lower: Array, upper: Array) -> CoupledProblem:
        """The same problem with another b within other bounds, all (rows,)."""
        return replace(self, blocks=self.blocks._replace(bias=bias, lower=lower, upper=upper), given_handle=None)

    def kept_problem(self) -> MlcpProblem:
        """The problem of the rows that are left."""
        assert self.response is not None
        kept = self.response.kept
        return MlcpProblem(
            self.response.pattern, self.values, self.bias[kept], self.lower[kept], self.upper[kept], self.name
        )


def body_pairs(entries: RowEntries, stiffness: StiffnessBlocks, rows: Integers) -> tuple[Integers, Integers]:
    """Pairs (p,) of moving bodies, first < second, that blocks of K~ or these soft rows connect, each once."""
    low, high = np.minimum(stiffness.first, stiffness.second), np.maximum(stiffness.first, stiffness.second)
    count, found = entries.moves.size, [low * entries.moves.size + high]
    for row in rows.tolist():
        bodies = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]]
        found.append((bodies[:, None] * count + bodies).ravel())
    first, second = np.divmod(np.unique(np.concatenate(found)), count)
    moving = (entries.moves[first] > 0) & (entries.moves[second] > 0) & (first < second)
    return first[moving], second[moving]


def with_soft_axis(stiffness: Array) -> Array:
    """Symmetric blocks (n, 6, 6) for blocks whose rotations are not symmetric.

        N' = (u . N u) u u^T + P sym(N) P            u: least singular direction of N,  P = 1 - u u^T

    on rotations; N itself where it is symmetric. The symmetric part has another soft axis, see `keep_stiff_part`.
    """
    from taut.spatial_kernels import keep_stiff_part

    result = 0.5 * (stiffness + stiffness.transpose(0, 2, 1))
    turning, scratch, axes = np.ascontiguousarray(stiffness[:, 3:, 3:]), np.empty(9), np.empty((3, 3))
    uneven = (turning != turning.transpose(0, 2, 1)).any(axis=(1, 2))
    for body in np.flatnonzero(uneven).tolist():
        keep_stiff_part(turning[body].ravel().copy(), scratch, axes)
        along = np.einsum("ai,ij,aj->a", axes, turning[body], axes)
        result[body, 3:, 3:] = np.einsum("a,ai,aj->ij", along, axes, axes)
    return result
