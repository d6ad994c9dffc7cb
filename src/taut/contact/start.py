"""Where contacts start a step: what they carried in the step before, and what new ones will carry, as a guess."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.collide.contacts import Contacts
from taut.contact.matching import match
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet, Surroundings, look, number_rows, relative_velocity
from taut.contact.table import ContactTable
from taut.problem.solution import AT_LOWER, FREE
from taut.rows.table import Places
from taut.spatial import Array, Integers, cross_each

RECOVERY = 0.1
"""Speed in m/s at which an overlap is taken back; a body leaving with it rises by half a millimetre."""

SLIDING = 1e-3
"""Slip in m/s from which the first tangent follows it; below, it stays as it was."""

SAME_FRAME = 0.9
"""Cosine of a tangent's turn from one step to the next up to which labels keep their meaning."""

SAME_WALL = 0.8
"""Cosine of a normal's turn from one step to the next up to which a contact with terrain is the same."""


def no_contacts(around: Surroundings) -> ContactSet:
    """No contacts, as a set of them."""
    table = number_rows(around, Contacts.none(), np.zeros((1, 9)))
    return ContactSet(Contacts.none(), table, ContactMemory.none(), np.zeros(0, np.int64))


def begin_contacts(
    around: Surroundings, found: Contacts, before: ContactMemory, start: Places, here: Places, velocity: Array,
    gravity: float, h: float,
) -> ContactSet:  # fmt: skip
    """Contacts that were found where bodies are, reached with a velocity in a step of length h from a start.

    Args:
        around: what contacts need to know of the model.
        found: the contacts.
        before: what the step before left.
        start, here: where bodies are at the start of the step, and where contacts were found.
        velocity: (bodies, 6) that led here.
        gravity: its size, m/s^2.
        h: step, s.
    """
    table = number_rows(around, found, here.rotation)
    matched = match(before.contacts, found, around.geoms.radius)
    gap, normal, point = look(table, here)
    table = table._replace(normal=normal, point=point, start_gap=look(table, start)[0])
    contacts = recalled(ContactSet(found, table, before, matched))
    return guessed(contacts, relative_velocity(contacts.table, velocity, here.position), gap, gravity, h)


def recalled(contacts: ContactSet) -> ContactSet:
    """The contacts with what they carried in the step before.

    On terrain one whose normal turned is another: a ball meets the other wall of a valley with the same centre.
    """
    table, memory, match = contacts.table, contacts.before, contacts.matched
    known = match >= 0
    if table.terrain.any() and known.any():
        turned = np.einsum("ki,ki->k", memory.normal[match], table.normal) <= SAME_WALL
        known &= ~((table.terrain > 0) & turned)
    old = match[known]
    table.start_force[known], table.label[known] = memory.force[old], memory.label[old]
    table.tangent[known], table.start_gap[known] = memory.tangent[old], memory.gap[old]
    table.aim[known] = memory.aim[old]
    return replace(contacts, table=table._replace(known=known.astype(np.uint8)))


def guessed(contacts: ContactSet, relative: Array, gap: Array, gravity: float, h: float) -> ContactSet:
    """The contacts with a guess of what new ones will carry, and tangents along the slip where they slide.

    A new contact counts as overlapping from the start only where it moves too little to have been open then: seen
    from where it will be, the local surfaces of a body that turns and slides overlap where the true ones did not.
    What then overlaps deeper than its pair did a step ago was overlooked; it is taken back slowly all the same.

    Args:
        contacts: with what they carried.
        relative: (k, 3) velocities of B against A, m/s.
        gap: (k,) at the predicted configuration, m.
        gravity: its size, m/s^2.
        h: step, s.
    """
    table = contacts.table
    known, new = table.known > 0, table.known == 0
    guess = table.mass * (np.maximum(-gap, 0.0) / h + gravity * h) * (gap < gravity * h * h) / points_of_pair(table)
    # a contact that opens faster than gravity closes it will not hold anything back
    carried = np.where(gap > gravity * h * h, 0.0, h * table.start_force[:, 0])
    # an open contact is at its bound
    table.label[new, 0] = np.where(guess > 0.0, FREE, AT_LOWER)[new]
    moving = h * np.sqrt(np.einsum("ki,ki->k", relative, relative)) > np.abs(table.start_gap)
    start_gap = np.where(new & moving & (table.start_gap < 0.0), 0.0, table.start_gap)
    overlooked = np.zeros(contacts.count)
    for contact in np.flatnonzero(new & (start_gap < 0.0)).tolist():
        overlooked[contact] = max(-start_gap[contact] - depth_before(contacts, contact), 0.0)
    aim = np.minimum(np.where(known, table.aim, start_gap) + RECOVERY * h, 0.0)
    slip = relative - np.einsum("ki,ki->k", relative, table.normal)[:, None] * table.normal
    speed = np.sqrt(np.einsum("ki,ki->k", slip, slip))
    sliding = np.flatnonzero(speed > SLIDING)
    if sliding.size:
        turn_tangents(table, sliding, slip[sliding] / speed[sliding, None])
    table = table._replace(
        normal_impulse=np.where(known, carried, guess), start_gap=start_gap, overlooked=overlooked, aim=aim,
        force=table.start_force.copy(),
    )  # fmt: skip
    return replace(contacts, table=table)


def continued(contacts: ContactSet, latest: ContactMemory, radius: Array, h: float) -> ContactSet:
    """The contacts with what a solve of the same step left, made before contacts were looked for again.

    `radius` (geoms,) is that of the model's geoms, m.
    """
    match_latest = match(latest.contacts, contacts.found, radius)
    found = np.flatnonzero(match_latest >= 0)
    table, old = contacts.table, match_latest[found]
    turn_tangents(table, found, latest.tangent[old])
    table.force[found], table.label[found] = latest.force[old], latest.label[old]
    table.normal_impulse[found] = h * np.maximum(latest.force[old, 0], 0.0)
    return contacts


def turn_tangents(table: ContactTable, chosen: Integers, tangent: Array) -> None:
    """Give some contacts other first tangents (k, 3), and express the force of the step before in the new frame.

    Writes tangent, start_force and label of a table that no step has seen yet.
    """
    normal, old, force = table.normal[chosen], table.tangent[chosen], table.start_force[chosen]
    across = force[:, 1:2] * old + force[:, 2:3] * cross_each(normal, old)
    table.start_force[chosen, 1] = np.einsum("ki,ki->k", across, tangent)
    table.start_force[chosen, 2] = np.einsum("ki,ki->k", across, cross_each(normal, tangent))
    turned = chosen[np.einsum("ki,ki->k", old, tangent) < SAME_FRAME]
    table.label[turned, 1], table.label[turned, 2] = AT_LOWER, FREE
    table.tangent[chosen] = tangent


def depth_before(contacts: ContactSet, contact: int) -> float:
    """How deep the pair of geoms of a contact overlapped where the step before ended, m."""
    table, old = contacts.table, contacts.before.contacts
    same = (old.geom_a == table.geom_a[contact]) & (old.geom_b == table.geom_b[contact])
    return float(np.max(-contacts.before.gap[same], initial=0.0))


def points_of_pair(table: ContactTable) -> Integers:
    """Number (k,) of points that each contact's pair of geoms has; they share what the pair carries."""
    a, b = table.geom_a, table.geom_b
    if not a.size:
        return np.zeros(0, np.int64)
    last = np.flatnonzero(np.append((a[1:] != a[:-1]) | (b[1:] != b[:-1]), True))
    counts = np.diff(last, prepend=-1)
    return np.repeat(counts, counts)
