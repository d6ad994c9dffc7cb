"""What an edit puts into a running simulation, looked at when it comes into force.

Bodies that it puts into others, and joints that it puts in stretched, are surely mistakes, each said in one line. Such
an overlap is known to the next step, which takes it back slowly like one of the start; it is no error of that step.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from taut.collide.contacts import Contacts
from taut.contact.start import known_overlaps
from taut.errors import TautWarning
from taut.model.index_map import IndexMap
from taut.simulation.start import overlaps, pulled_joints

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def take_in(simulation: Simulation, index: IndexMap, heirs: set[str]) -> None:
    """Look at what is new after an edit: `index` says what became of all else, `heirs` are joints that go on.

    Warns in the name of who made the edit. Called by `Edit` only, whose caller that is.

    Writes:  contacts of the state; rest and history of bodies whose contacts may not touch any more
    """
    part_excluded(simulation)
    mistakes = list(stretched(simulation, index, heirs))
    found = new_overlaps(simulation, index)
    if found.count:
        stepper, state = simulation.stepper, simulation.state
        known = known_overlaps(stepper.mechanism.around, found, stepper.places_of(state))
        simulation.state = state.but(contacts=state.contacts.joined_by(known))
        mistakes += overlaps(stepper, simulation.meter, found, "after the edit", "edit.ignore_contacts")
    for text in mistakes:
        warnings.warn(text, TautWarning, stacklevel=3)


def part_excluded(simulation: Simulation) -> None:
    """Forget contacts of pairs that an edit has joined, or said to ignore, and wake their bodies.

    Where they carried a force accelerations jump, so these bodies start their scheme anew.
    """
    state, geoms = simulation.state, simulation.model.geoms
    found = state.contacts.contacts
    gone = geoms.never_touch(found.geom_a, found.geom_b, simulation.model.bodies.count)
    if not gone.any():
        return
    pairs = np.stack([found.body_a, found.body_b])
    state.rest[pairs[:, gone]] = 0
    state.history[pairs[:, gone & (state.contacts.force[:, 0] > 0.0)]] = 0
    simulation.state = state.but(contacts=state.contacts.take(np.flatnonzero(~gone)))


def stretched(simulation: Simulation, index: IndexMap, heirs: set[str]) -> Iterator[str]:
    """What is said of new joints that are not as long as what they span, or outside their limits."""
    names, first = simulation.meter.names, index.link.left
    new = np.zeros(len(names), bool)
    new[first:] = [name not in heirs for name in names[first:]]
    if new.any() and simulation.mode != "impulse":
        yield from pulled_joints(simulation.stepper, simulation.meter, simulation.state, "after the edit", new)


def new_overlaps(simulation: Simulation, index: IndexMap) -> Contacts:
    """Contacts in which a shape that was not there before overlaps another."""
    stepper, count = simulation.stepper, simulation.model.geoms.count
    if stepper.collider is None or index.geom.left == count:
        return Contacts.none()
    new = ~index.geom.known(count)
    places = stepper.places_of(simulation.state)
    found = stepper.collider.contacts_with(new, places.position, places.rotation)
    return found.take(np.flatnonzero(found.gap < 0.0))
