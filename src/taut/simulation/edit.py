"""Editing a running simulation: bodies, joints and springs come and go between two steps, all else goes on.

    with sim.edit() as edit:
        edit.remove_joint("hinge")

The edit is made in a copy of the scene and takes effect when the block ends; if it ends with an error, nothing has
changed. What was there before keeps its state by name: motion, history, forces (the warm start), coordinates counted
over turns, targets, contacts. So an edit that changes nothing changes no bit of what follows. Where something that
carried a force is removed, accelerations jump: what it was joined to starts its two-step scheme anew.
"""

from __future__ import annotations

from dataclasses import fields, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.contact.memory import ContactMemory
from taut.errors import InputError
from taut.joints.base import Joint
from taut.model.compile import compile_model, initial_state
from taut.model.groups import joined_groups
from taut.model.model import Link, Model
from taut.model.state import State
from taut.rows.coupling import CouplingPart
from taut.rows.layout import RowLayout
from taut.rows.part import Pose
from taut.scene.scene import WORLD, Handle
from taut.scene.specs import LinkSpec
from taut.spatial import Array, Integers

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

BODY_ARRAYS = (
    "history", "calm", "rest", "position", "orientation", "velocity", "spin", "slim_spin", "previous_velocity",
    "previous_spin", "previous_slim_spin", "displacement", "older", "lent", "applied", "applied_point",
)  # fmt: skip
"""Fields of a state by body."""

ROW_ARRAYS = ("force", "index_set", "target", "reached", "measure")
"""Fields of a state by row."""


class Edit:
    """What changes at the end of a `with sim.edit() as edit:` block, between two steps.

    Nothing may be stepped, restored or edited by anyone else inside the block.
    """

    def __init__(self, simulation: Simulation) -> None:
        """Made by `Simulation.edit`."""
        self.simulation = simulation
        self.source, self.state = simulation.scene, simulation.state
        self.scene = simulation.scene.copy()
        self.new_bodies: set[str] = set()
        self.new_links: set[str] = set()
        self.changed = False

    def __enter__(self) -> Edit:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the edit into force, unless the block ended with an error or nothing was changed."""
        if kind is not None or not self.changed:
            return
        simulation = self.simulation
        if simulation.scene is not self.source or simulation.state is not self.state:
            raise InputError("edit: the simulation was stepped, restored or edited inside the block; this edit is void")
        model = compile_model(self.scene)
        fresh = initial_state(self.scene, model)
        state = carry_over(simulation.model, self.state, model, fresh, self.new_bodies, self.new_links)
        simulation.adopt(self.scene, model, state)

    def remove_joint(self, name: str) -> None:
        """Remove a joint or spring, with its controls; the bodies go on as they move.

        Two bodies that did not touch each other because of the joint still do not: they overlap where it was.
        """
        scene = self.scene
        names = [link.name for link in scene.links]
        link = scene.links[names.index(checks.known("edit", "joint", name, names))]
        pair = scene.bodies[link.a].name, scene.bodies[link.b].name
        if isinstance(link.kind, Joint) and not link.collide and WORLD not in pair and pair not in scene.ignored:
            scene.ignored.append(pair)
        self.drop_links([link])

    def remove_body(self, name: str) -> None:
        """Remove a body, with its joints, springs, loads and controls, and the joints that refer to it."""
        scene = self.scene
        names = [body.name for body in scene.bodies]
        index = names.index(checks.known("edit", "body", name, names))
        if index == 0:
            raise InputError(f"edit: body {name!r} cannot be removed; the world is always there")
        self.drop_links([link for link in scene.links if index in (link.a, link.b) or name in referred_to(link)])
        scene.bodies.pop(index)
        for link in scene.links:
            link.a, link.b = link.a - (link.a > index), link.b - (link.b > index)
        scene.loads = {
            key: replace(load, body=load.body - (load.body > index))
            for key, load in scene.loads.items()
            if load.body != index
        }
        scene.ignored = [pair for pair in scene.ignored if name not in pair]
        self.new_bodies.discard(name)
        self.changed = True

    def drop_links(self, links: list[LinkSpec]) -> None:
        """Remove joints and springs, and the controls of their motors."""
        gone = {link.name for link in links}
        self.scene.links = [link for link in self.scene.links if link.name not in gone]
        self.scene.controls = {key: spec for key, spec in self.scene.controls.items() if spec.joint not in gone}
        self.new_links -= gone
        self.changed = True

    def add_spring(self, a: str, b: str, *points: Any, **options: Any) -> Handle:
        """Add a spring as `Scene.add_spring` does; its rest length is by default the present length."""
        return self.placed(self.scene.add_spring(a, b, *points, **options))

    def connect(self, a: str, b: str, joint: Joint, at: Any = None, **options: Any) -> Handle:
        """Join two bodies as `Scene.connect` does, `at` and axes in world coordinates in the *present* configuration.

        By default `at` is where b's origin is now, and the joint's coordinates are zero now.
        """
        point = self.pose_of(self.scene.index_of(f"connect {a!r} to {b!r}", b))[0] if at is None else at
        return self.placed(self.scene.connect(a, b, joint, point, **options))

    def add_body(self, name: str, *shape: Any, **options: Any) -> Handle:
        """Add a body as `Scene.add_body` does, with this motion from now on."""
        handle = self.scene.add_body(name, *shape, **options)
        self.new_bodies.add(str(name))
        self.changed = True
        return handle

    def placed(self, handle: Handle) -> Handle:
        """Note that the latest link is meant in the present configuration."""
        scene, link = self.scene, self.scene.links[-1]
        own = [scene.bodies[link.a].name, scene.bodies[link.b].name, *referred_to(link)]
        link.poses = {name: self.pose_of(scene.index_of(link.name, name)) for name in own}
        self.new_links.add(link.name)
        self.changed = True
        return handle

    def pose_of(self, index: int) -> tuple[Array, Array]:
        """Present position and orientation of a body of the edited scene."""
        spec = self.scene.bodies[index]
        if spec.name in self.new_bodies:
            return spec.position.copy(), spec.orientation.copy()
        body = self.simulation.body(spec.name)
        return body.position, body.orientation


def referred_to(link: LinkSpec) -> list[str]:
    """Names of bodies that a joint refers to besides its own two."""
    return [str(name) for name in (getattr(link.kind, field, None) for field in ("other", "carrier")) if name]


def carry_over(
    before: Model, state: State, after: Model, fresh: State, new_bodies: set[str], new_links: set[str]
) -> State:
    """State of the model after an edit: what was there before goes on, the rest is as in the fresh state.

    Coordinates of new links are measured in the present configuration.
    """
    numbers = {name: index for index, name in enumerate(before.bodies.names)}
    pairs = [(numbers.get(name, -1), new) for new, name in enumerate(after.bodies.names) if name not in new_bodies]
    old, new = np.array(pairs, np.int64).T
    for name in BODY_ARRAYS:
        getattr(fresh, name)[new] = getattr(state, name)[old]
    links, coordinates = {link.spec.name: link for link in before.links}, list(after.layout.coordinates)
    for link in (link for link in after.links if link.spec.name in new_links):
        for slot in slots_of(after.layout, link):
            poses = [present_pose(fresh, body) for body in coordinates[slot].bodies]
            fresh.coordinate[slot] = coordinates[slot].evaluate(poses)[0][0]
    # after the new ones: a coordinate that both use goes on counting its turns
    for link in (link for link in after.links if link.spec.name not in new_links):
        slots, same = slots_of(after.layout, link), links[link.spec.name]
        fresh.coordinate[slots] = state.coordinate[slots_of(before.layout, same)]
        for name in ROW_ARRAYS:
            getattr(fresh, name)[rows_of(after.layout, link)] = getattr(state, name)[rows_of(before.layout, same)]
    body_map = np.full(before.bodies.count, -1)
    body_map[old] = new
    fresh.rest[stirred(before, state, after, body_map)] = 0
    fresh.history[new[np.isin(old, jolted(before, state, after))]] = 0
    contacts = renumbered(state.contacts, body_map, geom_map(before, after, body_map))
    return replace(fresh, time=state.time, steps=state.steps, contacts=contacts)


def present_pose(state: State, body: int) -> Pose:
    """Pose of a body's centre of mass in a state."""
    return Pose(state.position[body], spatial.matrix(state.orientation[body]))


def jolted(before: Model, state: State, after: Model) -> Integers:
    """Bodies of the model before that rows join, directly or not, to a joint or spring that carried a force."""
    left = {link.spec.name for link in after.links}
    group, hit = joined_groups(before, through_fixed=False), set()
    for link in before.links:
        if link.spec.name not in left and state.force[rows_of(before.layout, link)].any():
            hit |= {int(group[body]) for index in link.specs for body in before.layout.specs[index].part.bodies}
    return np.flatnonzero(np.isin(group, list(hit - {0})))


def stirred(before: Model, state: State, after: Model, body_map: Integers) -> Integers:
    """Bodies of the model after an edit that it wakes: they lost what they touched, or lost or got a joint or spring.

    Where something fixed comes in, anything may touch it. `body_map` (n before,) are new numbers of bodies, -1 for
    those that are gone.
    """
    known = np.isin(np.arange(after.bodies.count), body_map)
    if (~known & (after.bodies.moves == 0)).any():
        return np.arange(after.bodies.count)
    found, gone = state.contacts.contacts, body_map < 0
    lost = gone[found.body_a] | gone[found.body_b]
    hit = {int(body_map[body]) for body in (*found.body_a[lost], *found.body_b[lost])}
    names = [{link.spec.name for link in model.links} for model in (before, after)]
    for model, others, number in ((before, names[1], body_map), (after, names[0], np.arange(after.bodies.count))):
        changed = [link for link in model.links if link.spec.name not in others]
        parts = [model.layout.specs[index].part for link in changed for index in link.specs]
        hit |= {int(number[body]) for part in parts for body in part.bodies}
    return np.array(sorted(hit - {-1}), np.int64)


def rows_of(layout: RowLayout, link: Link) -> list[int]:
    """Rows of a joint or spring, companions included."""
    rows: list[int] = []
    for index in link.specs:
        part, first = layout.specs[index].part, int(layout.first_row[index])
        rows += range(first, first + part.rows)
        if part.companions:
            companion = int(layout.companion[first])
            rows += range(companion, companion + part.companions)
    return rows


def slots_of(layout: RowLayout, link: Link) -> list[int]:
    """Slots of the coordinates that a joint's rows use, then of those that it reports."""
    parts = [layout.specs[index].part for index in link.specs]
    used = [term[0] for part in parts if isinstance(part, CouplingPart) for term in part.terms]
    return [layout.coordinates[coordinate] for coordinate in (*used, *link.coordinates)]


def geom_map(before: Model, after: Model, body_map: Integers) -> Integers:
    """New number (old geoms,) of every geom, -1 where its body is gone: a body's geoms keep their order."""
    numbers = np.full(before.geoms.count, -1)
    for old, new in enumerate(body_map):
        if new >= 0:
            numbers[before.geoms.body == old] = np.flatnonzero(after.geoms.body == new)
    return numbers


def renumbered(memory: ContactMemory, body_map: Integers, geoms: Integers) -> ContactMemory:
    """The contacts between bodies that are still there, with their new numbers."""
    contacts = memory.contacts
    if not contacts.count:
        return memory
    kept = np.flatnonzero((geoms[contacts.geom_a] >= 0) & (geoms[contacts.geom_b] >= 0))
    contacts = contacts.take(kept)
    contacts = replace(
        contacts, geom_a=geoms[contacts.geom_a], geom_b=geoms[contacts.geom_b],
        body_a=body_map[contacts.body_a], body_b=body_map[contacts.body_b],
    )  # fmt: skip
    rest = {part.name: getattr(memory, part.name)[kept] for part in fields(memory) if part.name != "contacts"}
    return ContactMemory(contacts, **rest)
