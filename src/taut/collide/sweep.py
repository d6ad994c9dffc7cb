"""The sweep: contacts of geoms that meet on the way of a step and are past each other at its end."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL, Contacts
from taut.collide.kinds import ROUTE_OF, TERRAIN
from taut.collide.sweep_table import MeetingTable, SolidTable, WayTable
from taut.spatial import Array, Integers
from taut.tables import Handle, held

if TYPE_CHECKING:
    from taut.collide.collider import Collider

TERRAIN_STEP, TERRAIN_DEPTH, TERRAIN_STEPS, TERRAIN_AHEAD = 0.5, 0.25, 256, 8
"""On its way over terrain a geom is looked at every so many half thicknesses, and meets it where it is deeper than the
second share of them; a longer way is looked at in so many places. Where nothing is nearer than a few of these steps,
they are skipped. Terrain is solid below, so nothing gets past it."""

SAME_PLACE, SAME_WAY = 1e-6, 0.9
"""Distance, m, of cores below which two contacts are one, if the cosine between their normals is above the second: all
contacts of a ball have its centre as core."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Geoms that meet on the way of a step.

    Attributes:
        contacts: where they meet; normals of faces in the axes of their bodies.
        held: (n,) bodies that are put back to where they meet. Those that met in an earlier try of the step, and are
            still there, need not be.
        way: (n, 6) m and rad, how far bodies get until they meet.
        passed: (n,) bodies that got through what they had met, all the same.
    """

    contacts: Contacts
    held: NDArray[np.bool_]
    way: Array
    passed: NDArray[np.bool_]

    def at(self, position: Array, rotation: Array, radius: Array) -> Contacts:
        """The contacts where bodies are, with their positions (n, 3) and rotations (n, 9); `radius` (g,) of geoms, m.

        Bodies slide along each other after they meet, and are then in touch where the smaller one is. So the core of
        the larger one is put level with its core, along the plane in which they meet.
        """
        met = self.contacts
        normal = in_world(met.normal, met, rotation)
        aside = position[met.body_b] + turned(rotation[met.body_b], met.core_b)
        aside -= position[met.body_a] + turned(rotation[met.body_a], met.core_a)
        aside -= np.einsum("ki,ki->k", aside, normal)[:, None] * normal
        first = (radius[met.geom_a] <= radius[met.geom_b])[:, None]
        core_a = met.core_a + np.where(first, 0.0, turned(rotation[met.body_a], aside, back=True))
        core_b = met.core_b - np.where(first, turned(rotation[met.body_b], aside, back=True), 0.0)
        return replace(met, normal=normal, core_a=core_a, core_b=core_b)


def turned(rotation: Array, vector: Array, back: bool = False) -> Array:
    """Vectors (k, 3) turned by rotations (k, 9), or back."""
    return np.asarray(np.einsum("kji,kj->ki" if back else "kij,kj->ki", rotation.reshape(-1, 3, 3), vector))


def in_world(normal: Array, contacts: Contacts, rotation: Array, back: bool = False) -> Array:
    """Normals (k, 3) in world axes, of faces turned by the rotations (n, 9) of their bodies; or back."""
    for body, turning in ((contacts.body_a, NORMAL_OF_A), (contacts.body_b, NORMAL_OF_B)):
        own = (contacts.turning == turning)[:, None]
        normal = np.where(own, turned(rotation[body], normal, back), normal)
    return normal


class Sweep:
    """Finds the meetings of bodies on their way.

    It keeps scratch memory, nothing that changes a result.
    """

    def __init__(self, collider: Collider) -> None:
        """Allocate for the geoms of a collider, whose tables and memory are used."""
        self.collider = collider
        self.way = WayTable.of(collider.moves.size)
        self.way_handle = held(self.way)

    @cached_property
    def thickness(self) -> Array:
        """Least half thickness (g,) of geoms, m."""
        return np.asarray(self.solids.thickness)

    @cached_property
    def solids(self) -> Handle:
        """The geoms as solids."""
        return held(SolidTable.of(self.collider.geoms, self.collider.polytopes[0], self.collider.thickness))

    def make_room(self, pairs: int) -> None:
        """Make room for so many meetings."""
        span = self.collider.polytopes[0].span
        most = max(int(np.diff(span[:, :2]).max(initial=0)), 2)
        self.room = MeetingTable.of(pairs, self.collider.geoms.count, most)
        self.room_handle = held(self.room)

    def meetings(
        self, start: tuple[Array, Array, Array], end: Array, velocity: Array, h: float, slack: float,
        known: Meetings | None = None,
    ) -> Meetings | None:  # fmt: skip
        """Bodies that meet and would pass or get deep into each other, None if there are none.

        Args:
            start: positions (n, 3), orientations (n, 4) and rotations (n, 9) of bodies.
            end: (n, 3) where they get to, m.
            velocity: (n, 6) with which they get there, of which rotations are taken.
            h: time that takes, s.
            slack: share of the half thickness of the thinner by which two that meet may turn into each other.
            known: what met on another way of the same step, and is kept.
        """
        from taut.collide.sweep_kernels import find_fast

        table, way = self.collider.handles[0], self.way
        way.position[:], way.orientation[:], way.rotation[:] = start
        if not find_fast(table, self.solids, self.way_handle, end, velocity, h) and known is None:
            return None
        if not np.isfinite(way.path).all():
            return known  # of what is nowhere no contacts are looked for
        pairs, when = self.meeting_pairs()
        if not when.size and known is None:
            return None
        if known is not None:
            new = ~np.isin(keys_of(*pairs.T), keys_of(known.contacts.geom_a, known.contacts.geom_b))
            pairs, when = pairs[new], when[new]
        found, time = [] if known is None else [known.contacts], np.ones(len(end))
        for k in np.flatnonzero(self.first_of(pairs, when)):
            reach = float(self.arms[pairs[k]].min())
            here = self.contacts_at(pairs[k], when[k], reach)
            if not here.count:  # hulls that are thin askew of their axes are met early, by the balls of their corners
                here = self.contacts_at(pairs[k], when[k], reach + float(self.solids.radius[pairs[k]].sum()))
            thin = float(self.thickness[pairs[k]].min())
            # what has just met is deep nowhere: the far side of a ridge, seen from within its reach, is no contact
            here = held_apart(here.take(np.flatnonzero(here.gap > -thin)), slack * thin)
            if here.count:
                found.append(here)
                np.minimum.at(time, self.collider.geoms.body[pairs[k]], when[k])
        held, there = time < 1.0, time[:, None] * way.path
        if known is not None:
            kept = self.slid_on(known)
            held, there = held | kept, np.where((kept | ~held)[:, None], known.way, there)
        passed = np.zeros(held.size, bool) if known is None else self.passed(known)
        return Meetings(joined(found), held, there, passed) if found else None

    def passed(self, known: Meetings) -> NDArray[np.bool_]:
        """Bodies (n,) that get through others on the rest of their way, from where they had met them."""
        from taut.collide.sweep_kernels import place_at
        from taut.spatial_kernels import turn

        way, met, passed = self.way, known.contacts, np.zeros(known.held.size, bool)
        rest = way.path - known.way
        way.path[:] = known.way
        position, rotation = np.empty_like(way.position), np.empty_like(way.rotation)
        place_at(*self.collider.handles, self.way_handle, 1.0, np.zeros(passed.size), position, rotation)
        for body in np.flatnonzero(known.way[:, 3:].any(axis=1)):
            turn(way.orientation[body], *known.way[body, 3:], way.orientation[body])
        way.position[:], way.rotation[:], way.path[:], way.fast[:] = position, rotation, rest, 1
        pairs, _ = self.meeting_pairs()
        again = np.isin(keys_of(*pairs.T), keys_of(met.geom_a, met.geom_b))
        passed[self.collider.geoms.body[pairs[again]].ravel()] = True
        return passed

    def slid_on(self, known: Meetings) -> NDArray[np.bool_]:
        """Held bodies (n,) that are far from where they met, farther than the larger of two geoms is large.

        They are not in touch where they are now, and the blow acted where they met.
        """
        a, b, geoms = known.contacts.body_a, known.contacts.body_b, self.collider.geoms
        on = self.way.path[:, :3] - known.way[:, :3]
        size = np.maximum(geoms.radius[known.contacts.geom_a], geoms.radius[known.contacts.geom_b])
        far = np.linalg.norm(on[a] - on[b], axis=1) > size
        slid = np.zeros(known.held.size, bool)
        slid[a[far]] = slid[b[far]] = True
        return slid & known.held

    def meeting_pairs(self) -> tuple[Integers, Array]:
        """Pairs (k, 2) of geoms that meet, and when (k,), from 0 to 1."""
        from taut.collide.sweep_kernels import find_meetings

        if not hasattr(self, "room"):
            self.make_room(64)
        handles = self.collider.handles[0], self.solids, self.way_handle
        count = int(find_meetings(*handles, self.room_handle))
        if count > self.room.time.size:
            self.make_room(2 * count)
            count = int(find_meetings(*handles, self.room_handle))
        pairs, time = self.room.pair[:count].copy(), self.room.time[:count].copy()
        if not count:
            return pairs, time
        for k in np.flatnonzero(time < 0.0):
            time[k] = self.time_on_terrain(pairs[k]) if self.on_terrain(pairs[k]) else self.time_of_overlap(pairs[k])
        met = time <= 1.0
        return pairs[met], time[met]

    def first_of(self, pairs: Integers, time: Array) -> NDArray[np.bool_]:
        """Meetings (k,) that are the first of one of their moving bodies: what comes after may come otherwise."""
        moves, body = self.collider.moves > 0, self.collider.geoms.body[pairs]
        earliest = np.full(moves.size, np.inf)
        for side in (0, 1):
            np.minimum.at(earliest, body[:, side], time)
        return np.asarray(((time[:, None] <= earliest[body]) & moves[body]).any(axis=1))

    def on_terrain(self, pair: Integers) -> bool:
        """Whether one of two geoms is terrain."""
        return bool(ROUTE_OF[tuple(self.collider.geoms.kind[pair])] == TERRAIN)

    def time_of_overlap(self, pair: Integers) -> float:
        """0 where two geoms overlap from the start and move on into each other, else 2."""
        from taut.collide.sweep_kernels import DEEP

        found = self.contacts_at(pair, 0.0, 0.0)
        if not found.count:
            return 2.0
        way = self.way.path[self.collider.geoms.body[pair], :3]
        deepest = in_world(found.normal, found, self.way.rotation)[np.argmin(found.gap)]
        return 0.0 if (way[0] - way[1]) @ deepest > DEEP * self.thickness[pair].sum() else 2.0

    def time_on_terrain(self, pair: Integers) -> float:
        """When a geom gets into terrain on its way, 2 if it does not, or so late that it does not get deep."""
        thin = float(self.thickness[pair].min())
        body = self.collider.geoms.body[pair]
        path = self.way.path[body]
        length = float(np.linalg.norm(path[:, :3], axis=1).sum())
        length += float((np.linalg.norm(path[:, 3:], axis=1) * self.arms[pair]).max())
        count = min(int(np.ceil(length / (TERRAIN_STEP * thin))), TERRAIN_STEPS)
        k, ahead = 0, TERRAIN_AHEAD * length / max(count, 1)
        while k < count:
            found = self.contacts_at(pair, k / count, ahead)
            if found.count and float(found.gap.min()) < -TERRAIN_DEPTH * thin:
                return max(k - 1, 0) / count
            k += 1 if found.count else TERRAIN_AHEAD
        return 2.0

    @cached_property
    def arms(self) -> Array:
        """Distance (g,) of the farthest point of a bounded geom from its body's centre of mass, m; 0 for planes."""
        geoms = self.collider.geoms
        arm = np.linalg.norm(geoms.position, axis=1) + geoms.radius
        return np.where(np.isfinite(arm), arm, 0.0)

    def contacts_at(self, pair: Integers, time: float, reach: float) -> Contacts:
        """Contacts of two geoms at a time on their way within a reach, m; normals of faces in the axes of their bodies.

        Normals of the larger geom's faces turn with it. Others stay: past each other two balls would have the line
        between their middles the other way round.
        """
        from taut.collide.sweep_kernels import place_at

        collider = self.collider
        bodies = collider.moves.size
        position, rotation = np.empty((bodies, 3)), np.empty((bodies, 9))
        place_at(*collider.handles, self.way_handle, time, np.full(bodies, reach), position, rotation)
        found = collider.contacts_of(pair, position, rotation)
        larger = NORMAL_OF_A if collider.geoms.radius[pair[0]] > collider.geoms.radius[pair[1]] else NORMAL_OF_B
        found = replace(found, turning=np.where(found.turning == larger, larger, WORLD_NORMAL))
        return replace(found, normal=in_world(found.normal, found, rotation, back=True))


def held_apart(found: Contacts, slack: float) -> Contacts:
    """Contacts of a meeting, with those that are far from the first as near as a small turn brings them.

        theta r = sqrt(2 slack r)       an arc of radius r leaves its tangent by theta^2 r / 2 = slack

    The blow on a single corner would turn a body about it by radians within the step, and past what it met: on the way
    the others of its corners would hit as well.
    """
    if found.count < 2:
        return found
    first = int(np.argmin(found.gap))
    arm = [np.linalg.norm(core - core[first], axis=1) for core in (found.core_a, found.core_b)]
    excess = np.maximum(found.gap - found.gap[first] - np.sqrt(2.0 * slack * np.minimum(*arm)), 0.0)
    return replace(found, radius_a=found.radius_a + excess, gap=found.gap - excess)


def joined(found: list[Contacts]) -> Contacts:
    """Contacts of several lists, in the collider's order."""
    if len(found) == 1:
        return found[0]
    both = Contacts(*(np.concatenate([getattr(each, part.name) for each in found]) for part in fields(Contacts)))
    return both.take(np.lexsort([both.geom_b, both.geom_a]))


def with_meetings(found: Contacts, met: Contacts, thickness: Array) -> Contacts:
    """Contacts that were found, and those of pairs that met on their way; `thickness` (g,) is that of geoms, m.

    Of these pairs only what is new was found: not bodies that are past each other, nor places that met. Nothing is past
    terrain, which has no end below: a valley has two sides.
    """
    from taut.collide.sweep_kernels import SAME_SIDE

    keys, own = keys_of(found.geom_a, found.geom_b), keys_of(met.geom_a, met.geom_b)
    kept, of_pair = np.ones(found.count, bool), np.flatnonzero(np.isin(keys, own))
    if of_pair.size:
        same = keys[of_pair, None] == own
        far_a = np.linalg.norm(met.core_a - found.core_a[of_pair, None], axis=2) > SAME_PLACE
        far_b = np.linalg.norm(met.core_b - found.core_b[of_pair, None], axis=2) > SAME_PLACE
        along = found.normal[of_pair] @ met.normal.T
        new = (far_a & far_b) | (along < SAME_WAY)
        endless = np.isinf(np.maximum(thickness[found.geom_a], thickness[found.geom_b]))[of_pair, None]
        kept[of_pair] = (~same | (new & (endless | (along > SAME_SIDE)))).all(axis=1)
    return joined([found.take(np.flatnonzero(kept)), met])


def keys_of(geom_a: Integers, geom_b: Integers) -> Integers:
    """One number (k,) for each pair of geoms."""
    return np.asarray(geom_a << 32 | geom_b)
