"""Contact rows: a normal that only pushes, two tangents within friction bounds, and if asked rolling and twisting.

    normal    0 <= lam  complementary to  gap+ + C lam / h >= aim         gap+ at the *end* of the step
    tangents  beta J v+ = -C (lam / h - F) while |lam| <= mu N            F: force of the step before, N: `friction`
    rolling   the same for rotations, C / arm^2, |lam| <= arm N           arm the rolling or torsional friction, m

Gap+ >= 0 is asked at the end of the step, so nothing penetrates and nothing has to be pushed out. The compliance C of a
contact point is physical, in m/N: it lets redundant contacts share a load, along the surface as well as across it. Soft
surfaces, such as tyres, add theirs to the normal, with a damper of their own; their contact points share it, so that
they push as their deepest point would alone, and wherever they are met. A contact that sticks is a spring that
remembers its force, so it holds without creep. `aim` is 0, or below it where bodies overlapped when they met, or where
a step made them overlap unforeseen: that is taken back slowly, so bodies that start overlapped do not pop. While a
contact stays closed a dashpot beside its spring keeps it from ringing at steps that could resolve that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.collide.sweep import Meetings
from taut.contact.memory import ContactMemory
from taut.contact.settings import CONTACT
from taut.contact.table import CONTACT_LAYOUT, ContactTable, SurfaceTable
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.tables import Handle, held


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What contacts need to know of a model: geoms, mass (n,) kg and moves (n,) of bodies, compliance of a contact
    point in m/N, number of the first row and of the first Jacobian block after the model's own; damping of a contact
    point in N s/m, None for a share of what is critical."""

    geoms: Geoms
    mass: Array
    moves: NDArray[np.uint8]
    compliance: float
    first_row: int
    first_entry: int
    damping: float | None = None

    @cached_property
    def handle(self) -> Handle:
        """What kernels take it by."""
        geoms = self.geoms
        return held(
            SurfaceTable(
                kind=geoms.kind, size=geoms.size, position=geoms.position, rotation=geoms.rotation,
                radius=geoms.radius, thickness=geoms.thickness, friction=geoms.friction,
                restitution=geoms.restitution, rolling=geoms.rolling, torsional=geoms.torsional, give=geoms.give,
                give_damping=geoms.give_damping, moves=self.moves,
                inverse_mass=np.where(self.moves > 0, 1.0 / self.mass, 0.0), compliance=self.compliance,
                damping=self.damping or 0.0, damping_ratio=CONTACT.damping_ratio if self.damping is None else 0.0,
                first_row=self.first_row, first_entry=self.first_entry,
            )
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ContactSet:
    """The contacts that one collision found, and their rows; without contacts all arrays are empty.

    Attributes:
        found: what was found.
        table: the same with rows, where the step starts, and what a step writes.
        before: what the step before left.
        met: bodies that meet on their way and would have passed each other, None if there are none.
    """

    found: Contacts
    table: ContactTable
    before: ContactMemory
    met: Meetings | None = None

    @classmethod
    def of(cls, found: Contacts, before: ContactMemory) -> ContactSet:
        """Contacts that were found, with room for their rows; see `taut.contact.start_kernels.begin`."""
        from taut.contact.rows_kernels import take_found

        table = CONTACT_LAYOUT.room({"count": found.count})
        take_found(
            table, found.geom_a, found.geom_b, found.body_a, found.body_b, found.turning, found.core_a, found.core_b,
            found.radius_a, found.radius_b,
        )  # fmt: skip
        return cls(found, table, before)

    @property
    def handle(self) -> Handle:
        """What kernels take the table by."""
        return held(self.table)

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

    def gather(self, values: Array) -> Array:
        """Values (rows,) by contact as (k, 6), zero where a contact has fewer rows."""
        row, width = self.table.row, self.table.width
        table = np.zeros((self.count, 6))
        for k in range(6):
            has = width > k
            table[has, k] = values[row[has] + k]
        return table

    def scatter(self, values: Array, out: Array) -> None:
        """Write values by contact (k, 6) into rows."""
        row, width = self.table.row, self.table.width
        for k in range(6):
            has = width > k
            out[row[has] + k] = values[has, k]

    def remember(self, force: Array, index_set: Integers, velocity: Array, position: Array) -> ContactMemory:
        """What a solution (rows,) leaves for the next step, with the gaps that were found at its end.

        Its velocities (bodies, 6) give the slip; positions (bodies, 3) are where it was linearised.
        """
        from taut.contact.memory_kernels import remember

        table, count = self.table, self.count
        forces, labels = np.empty((count, 6)), np.empty((count, 6), np.int64)
        aim, slip = np.empty(count), np.empty((count, 3))
        remember(self.handle, force, index_set, velocity, position, forces, labels, aim, slip)
        return ContactMemory(
            contacts=self.found, force=forces, label=labels, normal=table.normal.copy(), tangent=table.tangent.copy(),
            point=table.point.copy(), gap=table.gap.copy(), aim=aim, blow=np.zeros((count, 3)), slip=slip,
        )  # fmt: skip

    def look(self, places: Places) -> Array:
        """Gaps (k,) where bodies are, m."""
        from taut.contact.rows_kernels import look

        gap = np.empty(self.count)
        look(self.handle, places.position, places.rotation, gap, np.empty((self.count, 3)), np.empty((self.count, 3)))
        return gap

    def relative_velocity(self, velocity: Array, position: Array) -> Array:
        """Velocity (k, 3) of B against A at the contact points, world axes, m/s, for bodies at positions (n, 3)."""
        from taut.contact.rows_kernels import relative_velocity

        relative = np.empty((self.count, 3))
        relative_velocity(self.handle, velocity, position, relative)
        return relative
