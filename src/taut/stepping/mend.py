"""Overlaps that a solve did not foresee, taken back where it led, so that one contact does not cost a solve of all.

Where bodies are thrown about they end elsewhere than predicted, and the surfaces there are others than those that the
solve knew: a rock that turned by 0.06 rad touches with a corner that was none of its four contact points. Velocities
and forces are hardly worse for that, and the next frame finds the contact. So bodies are moved apart, by as little as
possible, and keep their velocities. What it takes to lift them counts as energy that came from nowhere.

Only groups that strayed from where contacts were looked for are judged by where they are, and no other notices.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.contact.rows import ContactSet
from taut.model.state import State
from taut.rows.table import Places
from taut.spatial import Array
from taut.stepping.outcome import Outcome
from taut.stepping.settings import MENDING
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_ERROR, CONTACT_RISE, DEPTH, RISE, STRAYED

Mask = NDArray[np.bool_]


def foreseen_gaps(state: State, contacts: ContactSet) -> Array:
    """How deep contacts (k,) that were looked for where a step led may be without that being its error, m, at most 0.

    As deep as their force presses them, and as they overlapped in the last step, or before the first.
    """
    table = contacts.table
    overlap = np.where((table.known > 0) | (state.steps == 0), np.minimum(table.start_gap, 0.0), 0.0)
    return np.asarray(np.minimum(overlap - table.force[:, 0] / table.stiffness, 0.0))


def judge_overlap(
    stepper: Stepper, outcome: Outcome, contacts: ContactSet, foreseen: Array, gap: Array, groups: Mask
) -> None:
    """Judge groups (n,) of an outcome by contacts (k,) that were looked for where it led, and by their gaps there.

    A contact that was not there before may be one of two groups, and is then both groups' error.
    """
    table, moves = contacts.table, stepper.mechanism.bodies.moves > 0
    depth, error = np.zeros((2, groups.size))
    for body in (table.body_a, table.body_b):
        own = moves[body]
        np.maximum.at(depth, outcome.group[body[own]], -gap[own])
        np.maximum.at(error, outcome.group[body[own]], ((foreseen - gap) / table.thickness)[own])
    outcome.table[DEPTH, groups], outcome.table[CONTACT_ERROR, groups] = depth[groups], error[groups]


def with_touched(stepper: Stepper, outcome: Outcome, contacts: ContactSet, gap: Array, groups: Mask) -> Mask:
    """Groups (n,) of an outcome, and those that they overlap where it led, by the gaps of contacts (k,) there."""
    table, moves = contacts.table, stepper.mechanism.bodies.moves > 0
    met = (gap < 0.0) & moves[table.body_a] & moves[table.body_b]
    first, second = outcome.group[table.body_a[met]], outcome.group[table.body_b[met]]
    spread = groups.copy()
    while True:
        before = int(spread.sum())
        spread[second[spread[first]]] = True
        spread[first[spread[second]]] = True
        if int(spread.sum()) == before:
            return spread


def mend(stepper: Stepper, state: State, outcome: Outcome, contacts: ContactSet, there: Places) -> None:
    """Judge an outcome by contacts that were looked for where it led, and take back what overlaps there, if it will do.

    Groups for which it will not are left as they are. Places in scratch stay as they are.
    """
    from taut.stepping.mend_kernels import mend as move_apart

    allowed, table = stepper.settings.contact_tolerance, contacts.table
    places, strayed = Places(*(each.copy() for each in there)), outcome.table[STRAYED] > 0.0
    if contacts.met is not None:
        strayed[outcome.group[contacts.met.held]] = True
    foreseen, gap = foreseen_gaps(state, contacts), contacts.look(places)
    strayed = with_touched(stepper, outcome, contacts, gap, strayed)
    judge_overlap(stepper, outcome, contacts, foreseen, gap, strayed)
    error = outcome.table[CONTACT_ERROR]
    groups = strayed & (error > MENDING.left * allowed) & (error <= MENDING.deepest)
    if groups.any():
        groups = with_touched(stepper, outcome, contacts, gap, groups)
        small = allowed * table.thickness  # what is deeper was so before: it is taken back slowly
        least = np.where(foreseen > -small, -MENDING.left * small, foreseen)
        least[~(groups[outcome.group[table.body_a]] | groups[outcome.group[table.body_b]])] = -np.inf
        move_apart(stepper.m, contacts.handle, *stepper.body_blocks[:2], least, *places)
        before = outcome.table.copy()
        judge_overlap(stepper, outcome, contacts, foreseen, contacts.look(places), groups)
        failed = with_touched(stepper, outcome, contacts, gap, groups & (error > allowed))
        outcome.table[:, failed] = before[:, failed]
        for own, old in zip(places, there, strict=True):
            own[failed[outcome.group]] = old[failed[outcome.group]]
        take_places(stepper, outcome, places)
    remember_gaps(outcome, contacts, places, strayed)


def take_places(stepper: Stepper, outcome: Outcome, places: Places) -> None:
    """Let an outcome end at these places, where its bodies have been moved to, with the energy that it took."""
    from taut.stepping.energy_kernels import rate_energy

    bodies, verdict = stepper.mechanism.bodies, stepper.scratch.verdict
    mass, shift = np.where(bodies.moves > 0, bodies.mass, 0.0), places.position - outcome.position
    lifted = -mass * (shift @ bodies.gravity)
    verdict.group[:] = outcome.group
    verdict.gain[:] += np.bincount(outcome.energy_group, lifted, lifted.size)
    rate_energy(stepper.m, stepper.w)
    outcome.table[[RISE, CONTACT_RISE]] = verdict.table[[RISE, CONTACT_RISE]]
    outcome.gain, outcome.energy = verdict.gain.copy(), outcome.energy + float(lifted.sum())
    outcome.momentum[1] += (mass[:, None] * np.cross(shift, outcome.velocity[:, :3])).sum(axis=0)
    outcome.position, outcome.orientation = places.position, places.orientation


def remember_gaps(outcome: Outcome, contacts: ContactSet, places: Places, groups: Mask) -> None:
    """Let groups (n,) of an outcome remember their gaps at these places, and aim at them where they are less deep.

    Seen from where a contact was found, the local surfaces of a body that turned overlap where the true ones do not: no
    contact is deeper than its pair is by contacts that were looked for there.
    """
    old, table = outcome.memory, outcome.contacts.table
    gap = np.maximum(outcome.contacts.look(places), deepest_of_pairs(contacts, contacts.look(places), old.contacts))
    gap = np.where(groups[outcome.group[table.carrier]], gap, old.gap)
    deeper = np.minimum(np.minimum(gap, 0.0) - np.minimum(old.gap, 0.0), 0.0)
    outcome.memory = replace(old, gap=gap, aim=np.maximum(old.aim + deeper, np.minimum(gap, 0.0)))


def deepest_of_pairs(contacts: ContactSet, gap: Array, others: Contacts) -> Array:
    """Least gap (k,) m, at most 0, that contacts with these gaps have between the two geoms of each of others (k,)."""
    count = int(max(contacts.table.geom_b.max(initial=0), others.geom_b.max(initial=0))) + 1
    pair, other = contacts.table.geom_a * count + contacts.table.geom_b, others.geom_a * count + others.geom_b
    pairs, number = np.unique(np.append(pair, other), return_inverse=True)
    deepest = np.zeros(pairs.size)
    np.minimum.at(deepest, number[: pair.size], gap)
    return deepest[number[pair.size :]]
