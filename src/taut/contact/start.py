"""Where contacts start a step: what they carried in the step before, and what new ones will carry, as a guess."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.collide.contacts import Contacts
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet, Surroundings
from taut.rows.table import Places
from taut.spatial import Array


def no_contacts() -> ContactSet:
    """No contacts, as a set of them."""
    return ContactSet.of(Contacts.none(), ContactMemory.none())


def begin_contacts(
    around: Surroundings, found: Contacts, before: ContactMemory, start: Places, here: Places, velocity: Array,
    gravity: float, h: float,
) -> ContactSet:  # fmt: skip
    """Contacts that were found where bodies are, reached with a velocity in a step of length h from a start.

    Their gaps are those here, until a step has led elsewhere.

    Args:
        around: what contacts need to know of the model.
        found: the contacts.
        before: what the step before left.
        start, here: where bodies are at the start of the step, and where contacts were found.
        velocity: (bodies, 6) that led here.
        gravity: its size, m/s^2.
        h: step, s.
    """
    from taut.contact.start_kernels import begin

    contacts, old = ContactSet.of(found, before), before.contacts
    begin(
        contacts.handle, around.handle, found.normal, start.position, start.rotation, here.position, here.rotation,
        velocity, gravity, h, old.geom_a, old.geom_b, old.core_a, old.core_b, before.force, before.label,
        before.normal, before.tangent, before.gap, before.aim,
    )  # fmt: skip
    return contacts


def known_overlaps(around: Surroundings, found: Contacts, here: Places) -> ContactMemory:
    """What contacts that were found where bodies are leave for the next step before any has known them.

    They carry nothing yet. Their gaps are known, so that an overlap is taken back slowly.
    """
    velocity = np.zeros((len(here.position), 6))
    contacts = begin_contacts(around, found, ContactMemory.none(), here, here, velocity, 0.0, 1.0)
    rows = around.first_row + contacts.row_count
    memory = contacts.remember(np.zeros(rows), np.zeros(rows, np.int64), velocity, here.position)
    return replace(memory, aim=np.minimum(memory.gap, 0.0))


def go_on_from(contacts: ContactSet, latest: ContactMemory, radius: Array, h: float) -> None:
    """Let contacts start with what a solve of the same step left, made before they were looked for again.

    `radius` (geoms,) is that of the model's geoms, m.
    """
    from taut.contact.start_kernels import go_on

    old = latest.contacts
    go_on(
        contacts.handle, radius, h, old.geom_a, old.geom_b, old.core_a, old.core_b, latest.force, latest.label,
        latest.tangent,
    )  # fmt: skip


def depth_before(contacts: ContactSet, contact: int) -> float:
    """How deep the pair of geoms of a contact overlapped where the step before ended, m."""
    table, old = contacts.table, contacts.before.contacts
    same = (old.geom_a == table.geom_a[contact]) & (old.geom_b == table.geom_b[contact])
    return float(np.max(-contacts.before.gap[same], initial=0.0))
