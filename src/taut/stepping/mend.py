"""Overlaps that a solve did not foresee, taken back where it led, so that one contact does not cost a solve of all.

Where bodies are thrown about they end elsewhere than predicted, and the surfaces there are others than those that the
solve knew: a rock that turned by 0.06 rad touches with a corner that was none of its four contact points. Velocities
and forces are hardly worse for that, and the next frame finds the contact. So bodies are moved apart, by as little as
possible, and keep their velocities. What it takes to lift them counts as energy that came from nowhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.collide.contacts import Contacts
from taut.contact.rows import ContactSet
from taut.model.state import State
from taut.spatial import Array
from taut.stepping.outcome import Outcome
from taut.stepping.settings import MENDING
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_ERROR, CONTACT_RISE, DEPTH, RISE


def judge_overlap(stepper: Stepper, state: State, outcome: Outcome, contacts: ContactSet) -> Array:
    """How deep contacts (k,) that were looked for where an outcome led may be, m; deeper is its error, by group."""
    table, gap = contacts.table, contacts.look(stepper.scratch.places)
    # what overlapped before the first step, or in the last one, is no error of this step
    overlap = np.where((table.known > 0) | (state.steps == 0), np.minimum(table.start_gap, 0.0), 0.0)
    foreseen = np.minimum(overlap - table.force[:, 0] / table.stiffness, 0.0)
    group = outcome.group[table.carrier]
    outcome.table[[DEPTH, CONTACT_ERROR]] = 0.0
    np.maximum.at(outcome.table[DEPTH], group, -gap)
    np.maximum.at(outcome.table[CONTACT_ERROR], group, (foreseen - gap) / table.thickness)
    return foreseen


def mend(stepper: Stepper, state: State, outcome: Outcome, contacts: ContactSet) -> None:
    """Judge an outcome by contacts that were looked for where it led; take back what overlaps there, if that will do.

    Places are in scratch, and stay as they are where it will not.
    """
    from taut.stepping.energy_kernels import rate_energy
    from taut.stepping.mend_kernels import mend

    foreseen, allowed = judge_overlap(stepper, state, outcome, contacts), stepper.settings.contact_tolerance
    if not MENDING.left * allowed < outcome.table[CONTACT_ERROR].max() <= MENDING.deepest:
        remember_gaps(stepper, outcome, contacts)
        return
    places, verdict, bodies = stepper.scratch.places, stepper.scratch.verdict, stepper.mechanism.bodies
    before, judged = places._replace(**{name: each.copy() for name, each in places._asdict().items()}), outcome.table
    outcome.table = judged.copy()
    inverse_mass, inverse_inertia, _ = stepper.body_blocks
    small = allowed * contacts.table.thickness  # what is deeper was so before: it is taken back slowly
    least = np.where(foreseen > -small, -MENDING.left * small, foreseen)
    mend(stepper.m, stepper.w, contacts.handle, inverse_mass, inverse_inertia, least)
    judge_overlap(stepper, state, outcome, contacts)
    if outcome.table[CONTACT_ERROR].max() > allowed:
        for own, old in zip(places, before, strict=True):
            own[:] = old
        outcome.table = judged
        return
    shift = places.position - before.position
    mass = np.where(bodies.moves > 0, bodies.mass, 0.0)
    lifted = -mass * (shift @ bodies.gravity)
    verdict.group[:], verdict.table[:] = outcome.group, outcome.table
    verdict.gain[:] += np.bincount(outcome.energy_group, lifted, verdict.gain.size)
    rate_energy(stepper.m, stepper.w)
    outcome.table[[RISE, CONTACT_RISE]] = verdict.table[[RISE, CONTACT_RISE]]
    outcome.gain, outcome.energy = verdict.gain.copy(), outcome.energy + float(lifted.sum())
    outcome.position, outcome.orientation = places.position.copy(), places.orientation.copy()
    outcome.momentum = outcome.momentum.copy()
    outcome.momentum[1] += (mass[:, None] * np.cross(shift, outcome.velocity[:, :3])).sum(axis=0)
    remember_gaps(stepper, outcome, contacts)


def remember_gaps(stepper: Stepper, outcome: Outcome, contacts: ContactSet) -> None:
    """Let an outcome remember the gaps where bodies are now, and aim at them where they are less deep than it was.

    Seen from where a contact was found, the local surfaces of a body that turned overlap where the true ones do not: no
    contact is deeper than its pair is by contacts that were looked for there.
    """
    old, places = outcome.memory, stepper.scratch.places
    gap = np.maximum(outcome.contacts.look(places), deepest_of_pairs(contacts, contacts.look(places), old.contacts))
    deeper = np.minimum(np.minimum(gap, 0.0) - np.minimum(old.gap, 0.0), 0.0)
    outcome.memory = replace(old, gap=gap, aim=np.maximum(old.aim + deeper, np.minimum(gap, 0.0)))


def deepest_of_pairs(contacts: ContactSet, gap: Array, others: Contacts) -> Array:
    """Least gap (k,) m, at most 0, that contacts with these gaps have between the two geoms of each of others (k,)."""
    count = int(max(contacts.table.geom_b.max(initial=0), others.geom_b.max(initial=0))) + 1
    pair, other = contacts.table.geom_a * count + contacts.table.geom_b, others.geom_a * count + others.geom_b
    pairs, number = np.unique(pair, return_inverse=True)
    deepest = np.zeros(pairs.size + 1)
    np.minimum.at(deepest, number, gap)
    place = np.minimum(np.searchsorted(pairs, other), max(pairs.size - 1, 0))
    return deepest[np.where(pairs[place] == other, place, pairs.size) if pairs.size else place]
