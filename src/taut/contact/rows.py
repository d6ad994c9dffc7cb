"""Contact rows: a normal that only pushes, two tangents within friction bounds, and if asked rolling and twisting.

    normal    0 <= lam  complementary to  gap+ + C lam / h >= aim         gap+ at the *end* of the step
    tangents  beta J v+ = -C (lam / h - F) while |lam| <= mu N            F: force of the step before, N: `friction`
    rolling   the same for rotations, C / arm^2, |lam| <= arm N           arm the rolling or torsional friction, m

Gap+ >= 0 is asked at the end of the step, so nothing penetrates and nothing has to be pushed out. The compliance C of a
contact point is physical, in m/N: it lets redundant contacts share a load, along the surface as well as across it. A
contact that sticks is a spring that remembers its force, so it holds without creep. `aim` is 0, or below it where
bodies overlapped when they met, or where a step made them overlap unforeseen: that is taken back at RECOVERY, so bodies
that start overlapped do not pop. While a contact stays closed a dashpot beside its spring keeps it from ringing at
steps that could resolve that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.collide.kinds import CAPSULE, CYLINDER, HEIGHTFIELD
from taut.contact.memory import ContactMemory
from taut.contact.table import ContactTable
from taut.rows.table import Places
from taut.spatial import Array, Integers, cross_each

DAMPING_RATIO = 5.0
"""Of a closed contact: its one-sided spring throws a body back at 1 % of its speed; critical damping at a seventh."""

LEAST_ARM = 1e-3
"""Least arm in m of the springs that hold rotations, for contacts with only one of rolling and torsional friction."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What contacts need to know of a model: geoms, mass (n,) kg and moves (n,) of bodies, compliance of a contact
    point in m/N, number of the first row and of the first Jacobian block after the model's own."""

    geoms: Geoms
    mass: Array
    moves: NDArray[np.uint8]
    compliance: float
    first_row: int
    first_entry: int


@dataclass(frozen=True, eq=False)
class ContactSet:
    """The contacts that one collision found, and their rows; without contacts all arrays are empty.

    Attributes:
        found: what was found.
        table: the same with rows, where the step starts, and what a step writes.
        before: what the step before left.
        matched: (k,) number of each contact there, -1 for new ones.
    """

    found: Contacts
    table: ContactTable
    before: ContactMemory
    matched: Integers

    @property
    def count(self) -> int:
        """Number of contacts."""
        return self.found.count

    @property
    def row_count(self) -> int:
        """Number of their rows."""
        return int(self.table.width.sum())

    def entries(self) -> tuple[Integers, Integers]:
        """Row and body of every Jacobian block: A's and B's for each row."""
        table, rows = self.table, self.row_count
        first = int(table.row[0]) if self.count else 0
        bodies = np.empty(2 * rows, np.int64)
        bodies[0::2] = np.repeat(table.body_a, table.width)
        bodies[1::2] = np.repeat(table.body_b, table.width)
        return np.repeat(first + np.arange(rows), 2), bodies

    def gather(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (rows,) by contact as (k, 6), zero where a contact has fewer rows."""
        row, width = self.table.row, self.table.width
        table = np.zeros((self.count, 6), values.dtype)
        if self.count and width.min() == width.max():
            table[:, : width[0]] = values[row[0] :].reshape(self.count, -1)
            return table
        for k in range(6):
            has = width > k
            table[has, k] = values[row[has] + k]
        return table

    def scatter(self, values: NDArray[Any], out: NDArray[Any]) -> None:
        """Write values by contact (k, 6) into rows."""
        row, width = self.table.row, self.table.width
        if self.count and width.min() == width.max():
            out[row[0] :].reshape(self.count, -1)[:] = values[:, : width[0]]
            return
        for k in range(6):
            has = width > k
            out[row[has] + k] = values[has, k]

    def remember(self, force: Array, index_set: Integers, velocity: Array, position: Array) -> ContactMemory:
        """What a solution (rows,) leaves for the next step, with the gaps that were found at its end.

        Its velocities (bodies, 6) give the slip; positions (bodies, 3) are where it was linearised.
        """
        table = self.table
        # what has opened again may not sink in as deep as it was once
        aim = np.maximum(np.minimum(table.aim, table.unforeseen), np.minimum(table.gap, 0.0))
        relative = relative_velocity(table, velocity, position)
        slip = relative - np.einsum("ki,ki->k", relative, table.normal)[:, None] * table.normal
        return ContactMemory(
            contacts=self.found, force=self.gather(force), label=self.gather(index_set), normal=table.normal.copy(),
            tangent=table.tangent.copy(), point=table.point.copy(), gap=table.gap.copy(), aim=aim,
            blow=np.zeros((self.count, 3)), slip=slip,
        )  # fmt: skip


def look(table: ContactTable, places: Places) -> tuple[Array, Array, Array]:
    """Gaps (k,), normals and points (k, 3) of contacts where bodies are, m."""
    from taut.contact.rows_kernels import find_gaps

    count = table.row.size
    gap, normal, point = np.empty(count), np.empty((count, 3)), np.empty((count, 3))
    find_gaps(
        table.body_a, table.body_b, table.turning, table.normal_kept, table.core_a, table.core_b, table.radius_a,
        table.radius_b, places.position, places.rotation, gap, normal, point,
    )  # fmt: skip
    return gap, normal, point


def relative_velocity(table: ContactTable, velocity: Array, position: Array) -> Array:
    """Velocity (k, 3) of B against A at the contact points, world axes, m/s, for bodies at positions (bodies, 3)."""
    u, v = velocity[table.body_a], velocity[table.body_b]
    arm_a, arm_b = table.point - position[table.body_a], table.point - position[table.body_b]
    return v[:, :3] + cross_each(v[:, 3:], arm_b) - u[:, :3] - cross_each(u[:, 3:], arm_a)


def number_rows(around: Surroundings, found: Contacts, rotation: Array) -> ContactTable:
    """The rows of contacts that were found where bodies have these rotations (n, 9); nothing else is known yet."""
    from taut.contact.rows_kernels import keep_normals

    geoms, a, b, count = around.geoms, found.geom_a, found.geom_b, found.count
    friction = np.sqrt(geoms.friction[a] * geoms.friction[b])
    rolling, torsional = (
        np.maximum(geoms.rolling[a], geoms.rolling[b]),
        np.maximum(geoms.torsional[a], geoms.torsional[b]),
    )
    width = np.where((rolling > 0.0) | (torsional > 0.0), 6, np.where(friction > 0.0, 3, 1))
    first = np.cumsum(width) - width
    kept = found.normal.copy()
    keep_normals(found.body_a, found.body_b, found.turning, rotation, kept)
    mass, stiffness = pair_mass(around.mass, around.moves, found), np.full(count, 1.0 / around.compliance)
    numbers, tables, vectors = np.zeros((9, count)), np.zeros((2, count, 6)), np.zeros((3, count, 3))
    return ContactTable(
        body_a=found.body_a, body_b=found.body_b, geom_a=a, geom_b=b, turning=found.turning,
        core_a=found.core_a, core_b=found.core_b, radius_a=found.radius_a, radius_b=found.radius_b,
        row=around.first_row + first, entry=around.first_entry + 2 * first, width=width,
        carrier=np.where(around.moves[found.body_b] > 0, found.body_b, found.body_a),
        friction=friction, restitution=np.maximum(geoms.restitution[a], geoms.restitution[b]),
        rolling=rolling, torsional=torsional,
        terrain=((geoms.kind[a] == HEIGHTFIELD) | (geoms.kind[b] == HEIGHTFIELD)).astype(np.uint8),
        thickness=np.minimum(geoms.thickness[a], geoms.thickness[b]), mass=mass, stiffness=stiffness,
        damping=2.0 * DAMPING_RATIO * np.sqrt(stiffness * mass),
        turn_arm=np.maximum(np.maximum(rolling, torsional), LEAST_ARM),
        axis_a=rod_axes(geoms, a, found.core_a, found.radius_a),
        axis_b=rod_axes(geoms, b, found.core_b, found.radius_b),
        normal_kept=kept, known=np.zeros(count, np.uint8), start_gap=numbers[0], aim=numbers[1],
        start_force=tables[0], overlooked=numbers[2], force=tables[1], label=np.zeros((count, 6), np.int64),
        normal_impulse=numbers[3], share=np.ones((count, 2)), normal=vectors[0], point=vectors[1], tangent=vectors[2],
        rate=numbers[4], value=numbers[5], gap=numbers[6], unforeseen=numbers[7],
    )  # fmt: skip


def rod_axes(geoms: Geoms, geom: Integers, core: Array, radius: Array) -> Array:
    """Direction (k, 3) in body axes of the axis that a core lies on between its ends, 0 where it lies on none."""
    rod = ((geoms.kind[geom] == CAPSULE) | (geoms.kind[geom] == CYLINDER)) & (radius > 0.0)
    axis = geoms.rotation[geom][:, 2::3]
    place = np.einsum("ki,ki->k", axis, core - geoms.position[geom])
    inside = np.abs(place) < (1.0 - 1e-9) * geoms.size[geom, 1]
    return np.where((rod & inside)[:, None], axis, 0.0)


def pair_mass(mass: Array, moves: NDArray[np.uint8], contacts: Contacts) -> Array:
    """Mass (k,) that two bodies oppose to being pushed apart, 1/m = 1/m_A + 1/m_B, kg."""
    inverse = np.where(moves > 0, 1.0 / mass, 0.0)
    return 1.0 / (inverse[contacts.body_a] + inverse[contacts.body_b])
