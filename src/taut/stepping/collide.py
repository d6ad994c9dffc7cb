"""The collide stage: look for contacts where bodies are predicted to be, and say which bodies they connect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.sweep import Meetings, with_meetings
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet
from taut.contact.settings import CONTACT
from taut.contact.start import begin_contacts, depth_before, go_on_from
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.stepping.stepper import Stepper
from taut.stepping.stopwatch import COLLIDE, ROWS

NOBODY = np.zeros(0, np.int64)


def find_contacts(
    stepper: Stepper, state: State, velocity: Array, h: float, latest: ContactMemory | None = None,
    met: Meetings | None = None,
) -> ContactSet:  # fmt: skip
    """Contacts where bodies are, reached with a velocity (n, 6), and what they carried.

    `latest` is what an earlier solve of the same step left, `met` what met on its way. Writes how far bodies may
    stray, which of them are slim and held, and the groups that contacts connect, into scratch; bodies that meet on
    their way are then where they do.
    """
    from taut.stepping.collide_kernels import find_reach, meet

    mechanism, scratch, contacts = stepper.mechanism, stepper.scratch, stepper.alone
    if stepper.collider is not None:
        find_reach(stepper.m, stepper.w, velocity, h)
        start, places = stepper.places_of(state), scratch.places
        met = find_meetings(stepper, start, velocity, h, met)
        hold_back(stepper, state, met)
        found = stepper.collider.contacts(places.position, places.rotation, scratch.reach)
        if met is not None:
            here = met.at(places.position, places.rotation, mechanism.geoms.radius)
            found = with_meetings(found, here, mechanism.geoms.thickness)
        stepper.watch.lap(COLLIDE)
        contacts = begin_contacts(
            mechanism.around, found, state.contacts, start, places, velocity, mechanism.gravity, h
        )
        contacts = contacts if met is None else replace(contacts, met=met)
    meet(stepper.m, stepper.w, contacts.handle, *stepper.slim)
    if latest is not None:
        go_on_from(contacts, latest, mechanism.geoms.radius, h)
    stepper.watch.lap(ROWS)
    return contacts


def find_meetings(
    stepper: Stepper, start: Places, velocity: Array, h: float, met: Meetings | None = None
) -> Meetings | None:
    """Bodies that meet on their way from a start to where they are, with a velocity (n, 6) in a time h, or None.

    What `met` before is kept. Bodies that bounced within the step have another way than that, and are left out.
    """
    assert stepper.collider is not None
    slack, end, bounced = stepper.settings.contact_tolerance, stepper.scratch.places.position, stepper.bounced
    if bounced is not None:
        start = start._replace(position=np.where(bounced[:, None], end, start.position))
        velocity = np.where(bounced[:, None], 0.0, velocity)
    return stepper.collider.sweep.meetings(start, end, velocity, h, slack, met)


def hold_back(stepper: Stepper, state: State, met: Meetings | None) -> None:
    """Put bodies that meet others on their way where they do, in scratch.

    A step is linearised there: past each other the levers of their contacts would say nothing.
    """
    from taut.integrators.motion_kernels import place

    if met is None:
        return
    count, places = met.held.size, stepper.scratch.places
    there = Places.empty(count)
    place(
        stepper.mechanism.bodies.moves, state.position, state.orientation, state.displacement, met.way,
        np.zeros(count), np.ones(count), *there,
    )  # fmt: skip
    for own, held in zip(places, there, strict=True):
        own[met.held] = held[met.held]


def held_back(stepper: Stepper, state: State, velocity: Array, met: Meetings | None) -> Array:
    """Velocities (n, 6) that lead bodies no farther than to where they meet others, by the weights of the step."""
    if met is None:
        return velocity
    weights, held, led = stepper.scratch.weights, met.held, velocity.copy()
    drift = weights.drift[held, None] * stepper.scratch.past.displacement[held]
    led[held] = (met.way[held] - drift) / weights.beta[held, None]
    return led


def connected(stepper: Stepper, found: Contacts) -> Integers:
    """Groups (n,) of bodies that joints or these contacts connect, by their lowest body."""
    joined = stepper.mechanism.links.joined
    if not found.count:
        return joined
    every = np.ones(found.count, np.uint8)
    return merged_groups(joined, stepper.mechanism.bodies.moves, found.body_a, found.body_b, every)


def hold_slim(stepper: Stepper, memory: ContactMemory) -> None:
    """Mark slim bodies that joints hold, or contacts that carry a force.

    Without them a rod on a ball joint spins up about itself by 25 rad/s in 3 s, and one on smooth ground by 57 rad/s.
    """
    from taut.stepping.collide_kernels import hold_slim

    found, holds = memory.contacts, (memory.force[:, 0] > 0.0).view(np.uint8)
    hold_slim(stepper.w, *stepper.slim, found.body_a, found.body_b, holds)


def depth_at(stepper: Stepper, state: State, contacts: ContactSet, contact: int) -> float:
    """How deep the pair of geoms of a contact overlaps in a state beyond what was known of it, m."""
    assert stepper.collider is not None
    places, table = stepper.places_of(state), contacts.table
    found = stepper.collider.contacts(places.position, places.rotation, np.zeros_like(stepper.scratch.reach))
    same = (found.geom_a == table.geom_a[contact]) & (found.geom_b == table.geom_b[contact])
    return float(np.max(-found.gap[same], initial=0.0)) - depth_before(contacts, contact)


def foreseen_changes(stepper: Stepper, contacts: ContactSet, h: float) -> Integers:
    """Bodies with history that a contact will strike, or leave: it overlaps, or is open, where they are predicted.

    A contact that carries a force stays where it is in smooth motion, but for what is taken back of an overlap, unless
    it is so soft that steps resolve how it gives way. One that does not carry any may not overlap at all. See
    `thrown_bodies` for what comes of a strike; after a contact that ceases, the two-step formula would give a third of
    its last impulse once more.
    """
    table = contacts.table
    carries, moved = table.start_force[:, 0] > 0.0, table.gap - np.minimum(table.start_gap, 0.0)
    changes = (np.abs(moved) > CONTACT.recovery * h) & ~(resolved(contacts, h) & (table.gap <= 0.0))
    return with_history(stepper, contacts, np.where(carries, changes, table.gap < 0.0))


def resolved(contacts: ContactSet, h: float) -> NDArray[np.bool_]:
    """Contacts (k,) so soft that a step resolves how bodies sink into them and come back: h sqrt(k/m) is small."""
    table = contacts.table
    return np.asarray(h * h * table.stiffness < CONTACT.resolved**2 * table.mass)


def thrown_bodies(stepper: Stepper, contacts: ContactSet, lam: Array, velocity: Array) -> Integers:
    """Bodies with history that a contact throws back in this step, with impulses (rows,) and velocities (n, 6) after.

    The two-step formula would place a body that is struck on the surface with a velocity that points away from it,
    because it carries a third of the last displacement on: it has to take the step with Euler. A contact that leaves
    no faster than overlaps are taken back has done no harm, nor has one so soft that it takes many steps.
    """
    table = contacts.table
    pushes = lam[table.row] > 0.0
    if not pushes.any():
        return NOBODY
    relative = contacts.relative_velocity(velocity, stepper.scratch.base.position)
    leaving = (relative * table.normal).sum(axis=1) > 2.0 * CONTACT.recovery
    return with_history(stepper, contacts, pushes & leaving & ~resolved(contacts, float(stepper.scratch.weights.h[0])))


def with_history(stepper: Stepper, contacts: ContactSet, chosen: NDArray[np.bool_]) -> Integers:
    """Bodies of chosen contacts (k,) that move and look back."""
    if not chosen.any():
        return NOBODY
    table, drift = contacts.table, stepper.scratch.weights.drift
    bodies = np.concatenate([table.body_a[chosen], table.body_b[chosen]])
    return np.asarray(bodies[(drift[bodies] > 0.0) & (stepper.mechanism.bodies.moves[bodies] > 0)])
