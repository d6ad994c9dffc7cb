"""What contacts leave for the next step: forces, labels, tangents, blows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.contact.matching import match
from taut.spatial import Array, Integers


@dataclass(frozen=True, eq=False)
class ContactMemory:
    """What a step leaves for the next one: contacts with their forces, labels and tangents.

    Shapes and units: force (k, 6) N and N m along normal, tangents, rolling axes, twist; label (k, 6) of the index set;
    normal, tangent and point (k, 3) world axes, as linearised; gap (k,) m, where the step ended; aim (k,) m, the gap
    that the normal row aimed at, or less where the step ended deeper than foreseen; blow (k, 3) N s, world axes, the
    impulse on B of a bounce within the step, apart from `force`: nothing of it is left for the next step; slip (k, 3)
    m/s, world axes, velocity of B over A across the normal, as the step solved for it.
    """

    contacts: Contacts
    force: Array
    label: Integers
    normal: Array
    tangent: Array
    point: Array
    gap: Array
    aim: Array
    blow: Array
    slip: Array

    @classmethod
    def none(cls) -> ContactMemory:
        """No contacts."""
        table, vectors = np.zeros((0, 6)), np.zeros((0, 3))
        labels, numbers = np.zeros((0, 6), np.int64), np.zeros(0)
        return cls(Contacts.none(), table, labels, vectors, vectors, vectors, numbers, numbers, vectors, vectors)

    def arrays(self) -> dict[str, Any]:
        """All arrays by name, to be written to a file."""
        own = {f"contact_{name}": value for name, value in vars(self).items() if name != "contacts"}
        return own | {f"contacts_{name}": value for name, value in vars(self.contacts).items()}

    def take(self, chosen: Integers) -> ContactMemory:
        """Some of the contacts, in this order."""
        return ContactMemory.from_arrays({name: value[chosen] for name, value in self.arrays().items()})

    def joined_by(self, others: ContactMemory) -> ContactMemory:
        """These contacts and others, sorted by pair as the collider gives them."""
        more = others.arrays()
        joined = {name: np.concatenate([value, more[name]]) for name, value in self.arrays().items()}
        order = np.lexsort((joined["contacts_geom_b"], joined["contacts_geom_a"]))
        return ContactMemory.from_arrays({name: value[order] for name, value in joined.items()})

    @classmethod
    def from_arrays(cls, values: Mapping[str, Any]) -> ContactMemory:
        """The memory that `arrays` came from."""
        contacts = Contacts(*(values[f"contacts_{part.name}"] for part in fields(Contacts)))
        return cls(contacts, *(values[f"contact_{part.name}"] for part in fields(cls) if part.name != "contacts"))


def with_blows(memory: ContactMemory, blows: ContactMemory, radius: Array) -> ContactMemory:
    """The memory with the blows of these contacts: added to the same contacts, or as contacts of their own.

    `radius` (geoms,) is that of the model's geoms, m.
    """
    found = match(memory.contacts, blows.contacts, radius)
    known, new = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
    blow = memory.blow.copy()
    blow[found[known]] += blows.blow[known]
    memory = replace(memory, blow=blow)
    return memory.joined_by(blows.take(new)) if new.size else memory


def changes(before: ContactMemory, after: ContactMemory, radius: Array, bodies: int) -> tuple[NDArray[np.bool_], int]:
    """Bodies (n,) of contacts that began or ceased to carry a force, or to slide; and how many began or ceased to.

    `radius` (geoms,) is that of the model's geoms, m.
    """
    old, new, changed = before.contacts, after.contacts, np.zeros(bodies, np.uint8)
    if before is after or not old.count and not new.count:
        return changed > 0, 0
    from taut.contact.memory_kernels import find_changes

    count = find_changes(
        old.geom_a, old.geom_b, old.core_a, old.core_b, old.body_a, old.body_b, before.force, before.label,
        new.geom_a, new.geom_b, new.core_a, new.core_b, new.body_a, new.body_b, after.force, after.label, radius,
        changed,
    )  # fmt: skip
    return changed > 0, int(count)
