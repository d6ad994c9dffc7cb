"""The collide stage: look for contacts where bodies are predicted to be, and say which bodies they connect."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.contact.matching import match
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet, look, number_rows
from taut.contact.start import begin_contacts, continued, depth_before
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.spatial import Array, Integers
from taut.stepping.stepper import Stepper
from taut.stepping.stopwatch import COLLIDE, ROWS

REACH = 0.5
"""Share of its way in a step by which a body may end elsewhere than predicted before contacts are looked for again."""


def find_contacts(
    stepper: Stepper, state: State, velocity: Array, h: float, latest: ContactMemory | None = None
) -> ContactSet:
    """Contacts where bodies are, reached with a velocity (n, 6), and what they carried.

    `latest` is what an earlier solve of the same step left. Writes how far bodies may stray, which of them are slim and
    held, and the groups that contacts connect, into scratch.
    """
    mechanism, scratch = stepper.mechanism, stepper.scratch
    if stepper.collider is None:
        hold_slim(stepper, stepper.alone.found, np.zeros(0, bool))
        connect(stepper, stepper.alone)
        return stepper.alone
    gravity, extent = mechanism.gravity, mechanism.bodies.extent
    speed = np.linalg.norm(velocity[:, :3], axis=1) + np.linalg.norm(velocity[:, 3:], axis=1) * extent
    scratch.reach[:] = (REACH * speed * h + gravity * h * h) * (mechanism.bodies.moves > 0)
    found = stepper.collider.contacts(scratch.places.position, scratch.places.rotation, scratch.reach)
    stepper.watch.lap(COLLIDE)
    contacts = begin_contacts(
        mechanism.around, found, state.contacts, stepper.places_of(state), scratch.places, velocity, gravity, h
    )
    gap = look(contacts.table, scratch.places)[0]
    hold_slim(stepper, found, (contacts.table.start_force[:, 0] > 0.0) | (gap < 0.0))
    if latest is not None:
        contacts = continued(contacts, latest, mechanism.geoms.radius, h)
    connect(stepper, contacts)
    stepper.watch.lap(ROWS)
    return contacts


def connect(stepper: Stepper, contacts: ContactSet) -> None:
    """Write the groups of bodies that joints or these contacts connect into the verdict."""
    stepper.scratch.verdict.group[:] = connected(stepper, contacts.found)


def connected(stepper: Stepper, found: Contacts) -> Integers:
    """Groups (n,) of bodies that joints or these contacts connect, by their lowest body."""
    joined = stepper.mechanism.links.joined
    if not found.count:
        return joined
    every = np.ones(found.count, np.uint8)
    return merged_groups(joined, stepper.mechanism.bodies.moves, found.body_a, found.body_b, every)


def hold_slim(stepper: Stepper, contacts: Contacts, touching: NDArray[np.bool_]) -> None:
    """Mark slim bodies that joints, or those contacts that touch, hold.

    Without them a rod on a ball joint spins up about itself by 25 rad/s in 3 s, and one on smooth ground by 57 rad/s.
    """
    slim, mechanism = stepper.scratch.candidate.slim, stepper.mechanism
    slim[:] = 0 if stepper.settings.scheme.first_order else mechanism.slim  # nothing swings that does not coast
    if contacts.count and not stepper.settings.scheme.first_order:
        held = np.zeros_like(slim)
        held[contacts.body_a[touching]] = 1
        held[contacts.body_b[touching]] = 1
        slim |= held & mechanism.bodies.slim_shape


def depth_at(stepper: Stepper, state: State, contacts: ContactSet, contact: int) -> float:
    """How deep the pair of geoms of a contact overlaps in a state beyond what was known of it, m."""
    assert stepper.collider is not None
    places = stepper.places_of(state)
    found = stepper.collider.contacts(places.position, places.rotation, np.zeros_like(stepper.scratch.reach))
    table = contacts.table
    same = (found.geom_a == table.geom_a[contact]) & (found.geom_b == table.geom_b[contact])
    pair = number_rows(stepper.mechanism.around, found.take(np.flatnonzero(same)), places.rotation)
    deepest = float(np.max(-look(pair, places)[0], initial=0.0))
    return deepest - depth_before(contacts, contact)


def shared_history(stepper: Stepper, history: NDArray[np.uint8], group: Integers) -> NDArray[np.uint8]:
    """Flags (n,) of which bodies may look back, equal on all bodies of a group (n,)."""
    if history.all():
        return history
    restart = np.zeros(group.size, np.uint8)
    restart[group[(history == 0) & (stepper.mechanism.bodies.moves > 0)]] = 1
    return np.asarray((restart[group] == 0).astype(np.uint8))


def struck_bodies(stepper: Stepper, contacts: ContactSet, lam: Array) -> Integers:
    """Bodies with history that a contact strikes in this step: impulses (rows,) where there was no force before.

    The two-step formula would place such a body on the surface with a velocity that points away from it, because it
    carries a third of the last displacement on: they have to take the step with Euler.
    """
    table, drift = contacts.table, stepper.scratch.weights.drift
    struck = (lam[table.row] > 0.0) & (table.start_force[:, 0] == 0.0)
    bodies = np.concatenate([table.body_a[struck], table.body_b[struck]])
    return np.asarray(bodies[(drift[bodies] > 0.0) & (stepper.mechanism.bodies.moves[bodies] > 0)])


def changed_bodies(before: ContactMemory, after: ContactMemory, radius: Array) -> tuple[Integers, int]:
    """Bodies of contacts that began or ceased to carry a force, or to slide, and how many began or ceased to.

    `radius` (geoms,) is that of the geoms, m.
    """
    if not before.contacts.count and not after.contacts.count:
        return np.zeros(0, np.int64), 0
    matched = match(before.contacts, after.contacts, radius)
    known, touching, carried = np.flatnonzero(matched >= 0), after.force[:, 0] > 0.0, before.force[:, 0] > 0.0
    was, slid = np.zeros(after.contacts.count, bool), np.zeros(after.contacts.count, bool)
    was[known] = carried[matched[known]]
    slid[known] = (before.label[matched[known], 1:] != 0).any(axis=1)
    changed = (was != touching) | (touching & (slid != (after.label[:, 1:] != 0).any(axis=1)))
    lost = carried.copy()
    lost[matched[known]] = False
    bodies = [
        after.contacts.body_a[changed], after.contacts.body_b[changed],
        before.contacts.body_a[lost], before.contacts.body_b[lost],
    ]  # fmt: skip
    return np.concatenate(bodies), int(np.count_nonzero(was != touching) + np.count_nonzero(lost))
