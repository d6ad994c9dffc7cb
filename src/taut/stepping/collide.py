"""The collide stage of a step: look for contacts at the bench's configuration and give them rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.contact.matching import match
from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactRows
from taut.integrators.scheme import Scheme
from taut.integrators.weights import Weights
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.spatial import Array, Integers
from taut.stepping.workspace import Workbench
from taut.structure.incidence import RowEntries

REACH = 0.5
"""Share of its way in a step by which a body may end elsewhere than predicted before contacts are looked for again."""

CURVED = 1e-4
"""Error in m, half of radius times angle squared, of the local surfaces up to which a turn away from the predicted
orientation is trusted."""


def find_contacts(
    bench: Workbench, state: State, velocity: Array, h: float, latest: ContactMemory | None = None
) -> None:
    """Look for contacts where the bench is, reached with a velocity (bodies, 6), and recall what they carried.

    `latest` is what an earlier solve of the same step left.
    """
    from taut.spatial_kernels import rotation_matrices

    model, collider = bench.model, bench.collider
    assert collider is not None
    rotation_matrices(state.orientation, bench.start_rotation)
    gravity = float(np.linalg.norm(model.gravity))
    speed = np.linalg.norm(velocity[:, :3], axis=1) + np.linalg.norm(velocity[:, 3:], axis=1) * bench.extent
    bench.reach = (REACH * speed * h + gravity * h * h) * (model.bodies.moves > 0)
    found = collider.contacts(bench.position, bench.rotation, bench.reach)
    matched = match(state.contacts.contacts, found, model.geoms.radius)
    bench.lap(0)
    rows = ContactRows(
        found, model.geoms, model.bodies.mass, model.bodies.moves, model.contact_compliance, bench.rotation,
        model.layout.row_count, len(model.layout.entry_body),
    )  # fmt: skip
    use_rows(bench, rows)
    rows.start_gap[:] = rows.gaps(state.position, bench.start_rotation)
    gap, rows.normal, rows.point = rows.look(bench.position, bench.rotation)
    rows.recall(state.contacts, matched)
    rows.locate(bench.position)
    rows.start(velocity, gravity, h, gap)
    bench.slim = slim_bodies(bench, found, (rows.start_force[:, 0] > 0.0) | (gap < 0.0))
    if latest is not None:
        rows.continue_from(latest, match(latest.contacts, found, model.geoms.radius), h)
    bench.lap(1)


def depth_at(bench: Workbench, state: State, rows: ContactRows, contact: int) -> float:
    """How deep the pair of geoms of a contact overlaps in a state beyond what was known of it, m."""
    assert bench.collider is not None
    model, rotation = bench.model, bench.start_rotation
    found = bench.collider.contacts(state.position, rotation, np.zeros_like(bench.reach))
    same = (found.geom_a == rows.contacts.geom_a[contact]) & (found.geom_b == rows.contacts.geom_b[contact])
    pair = found.take(np.flatnonzero(same))
    mass, moves = model.bodies.mass, model.bodies.moves
    fresh = ContactRows(pair, model.geoms, mass, moves, model.contact_compliance, rotation, 0, 0)
    deepest = float(np.max(-fresh.gaps(state.position, rotation), initial=0.0))
    return deepest - rows.depth_before(contact)


def slim_bodies(bench: Workbench, contacts: Contacts, touching: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Flags (bodies,) of slim bodies that joints, or those contacts that touch, hold.

    Without them a rod on a ball joint spins up about itself by 25 rad/s in 3 s, and one on smooth ground by 57 rad/s.
    """
    if bench.settings.scheme.first_order:
        return np.zeros_like(bench.model.slim)  # nothing swings that does not coast
    if not contacts.count:
        return bench.model.slim
    held = np.zeros_like(bench.model.slim)
    held[contacts.body_a[touching]] = 1
    held[contacts.body_b[touching]] = 1
    return bench.model.slim | (held & bench.model.slim_shape)


def use_rows(bench: Workbench, rows: ContactRows) -> None:
    """Go on with these contact rows after the model's own."""
    bench.contacts = rows
    bench.lap(1)
    entries = entries_with(bench, rows)
    bench.rows.resize(entries.row_count, entries.entry_body.size)
    bench.response.use(entries)
    bench.lap(2)


def entries_with(bench: Workbench, rows: ContactRows) -> RowEntries:
    """Entries of the model's rows and these; the latest are kept, because contacts at rest stay as they are."""
    own = bench.model.entries
    if rows.count == 0:
        return own
    key = rows.contacts.body_a.tobytes() + rows.contacts.body_b.tobytes() + rows.width.tobytes()
    if key not in bench.entries:
        bench.entries.clear()
        end = own.entry_start[-1] + 2 * np.arange(1, rows.row_count + 1)
        bench.entries[key] = own.with_rows(end, *rows.entries())
    return bench.entries[key]


def shared_history(bench: Workbench, history: np.ndarray, contacts: ContactRows | None) -> np.ndarray:
    """Flags (bodies,) of which bodies may look back, equal on all bodies that joints or these contacts connect."""
    if history.all():
        return history
    group = bench.joined
    if contacts is not None and contacts.count:
        found = contacts.contacts
        every = np.ones(found.count, np.uint8)
        group = merged_groups(group, bench.model.bodies.moves, found.body_a, found.body_b, every)
    restart = np.zeros(group.size, np.uint8)
    restart[group[(history == 0) & (bench.model.bodies.moves > 0)]] = 1
    return (restart[group] == 0).astype(np.uint8)


def struck_bodies(bench: Workbench, weights: Weights, lam: Array) -> Integers:
    """Bodies with history that a contact strikes in this step: impulses (rows,) where there was no force before.

    The two-step formula would place such a body on the surface with a velocity that points away from it, because it
    carries a third of the last displacement on: they have to take the step with Euler.
    """
    rows = bench.contacts
    if rows is None or not rows.count:
        return np.zeros(0, np.int64)
    struck = (lam[rows.row] > 0.0) & (rows.start_force[:, 0] == 0.0)
    bodies = np.concatenate([rows.contacts.body_a[struck], rows.contacts.body_b[struck]])
    return bodies[(weights.drift[bodies] > 0.0) & (bench.model.bodies.moves[bodies] > 0)]


def without_history(bench: Workbench, weights: Weights, bodies: Integers, scheme: Scheme) -> Weights:
    """The weights with Euler for these bodies and all that joints or contacts connect to them."""
    history = (weights.drift > 0.0).astype(np.uint8)
    history[bodies] = 0
    return bench.weights(scheme, weights.h, shared_history(bench, history, bench.contacts))


def strayed(bench: Workbench, beta: Array, guess: Array, velocity: Array) -> bool:
    """Whether a body ended so far from where contacts were looked for that some may be missing or bent."""
    moves = bench.model.bodies.moves > 0
    away = beta[:, None] * (velocity - guess)
    shift, turn = np.linalg.norm(away[:, :3], axis=1), np.linalg.norm(away[:, 3:], axis=1)
    missed = shift + turn * bench.extent > bench.reach + bench.slack
    bent = 0.5 * turn * turn * bench.extent > CURVED
    return bool(((missed | bent) & moves).any())


def touched_bodies(bench: Workbench, before: ContactMemory, after: ContactMemory) -> Integers:
    """Bodies of contacts that began or ceased to carry a force, or to slide."""
    if not before.contacts.count and not after.contacts.count:
        return np.zeros(0, np.int64)
    matched = match(before.contacts, after.contacts, bench.model.geoms.radius)
    known, touching = np.flatnonzero(matched >= 0), after.force[:, 0] > 0.0
    was, slid = np.zeros(after.contacts.count, bool), np.zeros(after.contacts.count, bool)
    was[known] = before.force[matched[known], 0] > 0.0
    slid[known] = (before.label[matched[known], 1:] != 0).any(axis=1)
    changed = (was != touching) | (touching & (slid != (after.label[:, 1:] != 0).any(axis=1)))
    lost = before.force[:, 0] > 0.0
    lost[matched[matched >= 0]] = False
    return np.concatenate(
        [
            after.contacts.body_a[changed], after.contacts.body_b[changed],
            before.contacts.body_a[lost], before.contacts.body_b[lost],
        ]
    )  # fmt: skip
