"""Contacts as results: where bodies touch, with what force, and how they slide."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.contact.settings import CONTACT
from taut.model.model import Model
from taut.model.state import State
from taut.spatial import Array, Integers


@dataclass(frozen=True)
class ContactPoint:
    """One contact point, see `ContactTable`."""

    body_a: str
    body_b: str
    point: Array
    normal: Array
    gap: float
    force: Array
    impulse: Array
    blow: Array
    normal_force: float
    slip: Array
    sliding: bool


@dataclass(frozen=True, eq=False)
class ContactTable:
    """The contact points that carry a force or bounced, one entry each; world axes, SI units.

    Forces and blows are those of the last step, or of its last part where it was cut into parts. `len(table)` is the
    number of points, `table[i]` one `ContactPoint`, and a loop goes through them.

    Attributes:
        names: names of all bodies, the world first.
        index_a, index_b: (k,) which of them touch.
        point: (k, 3) middle between the two surfaces, m.
        normal: (k, 3) unit vector from A to B.
        gap: (k,) m, negative where bodies overlap.
        force: (k, 3) on B, N; A gets the opposite.
        blow: (k, 3) impulse on B of a bounce within the step, N s; not in `force`.
        slip: (k, 3) velocity of B over A at the point, across the normal, m/s.
        index_set: (k, 3) labels FREE, AT_LOWER, AT_UPPER of the rows along the normal and the two tangents.
        step: length of the step, s.
    """

    names: tuple[str, ...]
    index_a: Integers
    index_b: Integers
    point: Array
    normal: Array
    gap: Array
    force: Array
    blow: Array
    slip: Array
    index_set: Integers
    step: float

    @property
    def body_a(self) -> list[str]:
        """Names (k,) of the bodies A."""
        return [self.names[index] for index in self.index_a.tolist()]

    @property
    def body_b(self) -> list[str]:
        """Names (k,) of the bodies B."""
        return [self.names[index] for index in self.index_b.tolist()]

    @property
    def impulse(self) -> Array:
        """Impulse (k, 3) on B over a whole step, N s: of this force, and of a bounce."""
        return self.step * self.force + self.blow

    @property
    def normal_force(self) -> Array:
        """Force (k,) with which the bodies push each other apart, N."""
        return np.einsum("ki,ki->k", self.force, self.normal)

    @property
    def sliding(self) -> NDArray[np.bool_]:
        """Whether a contact slides (k,): faster than 1 mm/s."""
        return np.linalg.norm(self.slip, axis=1) > CONTACT.sliding

    def __len__(self) -> int:
        """Number of contact points."""
        return self.gap.size

    def __getitem__(self, index: int) -> ContactPoint:
        """One contact point."""
        one = self.take(np.array([index]))
        return ContactPoint(
            one.body_a[0], one.body_b[0], one.point[0], one.normal[0], float(one.gap[0]), one.force[0],
            one.impulse[0], one.blow[0], float(one.normal_force[0]), one.slip[0], bool(one.sliding[0]),
        )  # fmt: skip

    def of(self, name: str) -> ContactTable:
        """The contacts of one body, turned so that it is B: `force` is what acts on it."""
        body = self.names.index(checks.known("contacts", "body", name, self.names))
        table = self.take(np.flatnonzero((self.index_a == body) | (self.index_b == body)))
        turned = np.where(table.index_a == body, -1.0, 1.0)
        return replace(
            table,
            index_a=np.where(turned < 0.0, table.index_b, table.index_a),
            index_b=np.where(turned < 0.0, table.index_a, table.index_b),
            normal=turned[:, None] * table.normal,
            force=turned[:, None] * table.force,
            blow=turned[:, None] * table.blow,
            slip=turned[:, None] * table.slip,
        )

    def take(self, chosen: Integers) -> ContactTable:
        """Some of the contact points."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in CONTACT_ARRAYS})


CONTACT_ARRAYS = tuple(part.name for part in fields(ContactTable) if part.name not in ("names", "step"))
"""Arrays of a `ContactTable`, one entry a contact."""


def read_contacts(model: Model, state: State, step: float) -> ContactTable:
    """The contacts that carry a force in this state, or bounced in the step that led to it.

    Normals, points, forces and slips are those of the configuration in which the step was linearised, which is where
    it balanced them; gaps are those at its end. In the law "box" a contact that opens may still drag: it is listed too.
    """
    memory = state.contacts
    acting = np.flatnonzero(memory.force[:, :3].any(axis=1) | memory.blow.any(axis=1))
    found, force, tangent = memory.contacts.take(acting), memory.force[acting], memory.tangent[acting]
    normal, point = memory.normal[acting], memory.point[acting]
    push = force[:, :1] * normal + force[:, 1:2] * tangent + force[:, 2:3] * np.cross(normal, tangent)
    return ContactTable(
        model.bodies.names, found.body_a, found.body_b, point, normal, memory.gap[acting], push, memory.blow[acting],
        memory.slip[acting], memory.label[acting, :3], step,
    )  # fmt: skip
