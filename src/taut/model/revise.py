"""A model after an edit of its scene: what stays is renumbered, only what is new or changed is compiled.

The result is what `compile_model` makes of the edited scene, at the cost of what changed; the rest is copied, array by
array. A joint that stays but whose bodies have other numbers now, because one before them was removed, is renumbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from itertools import compress, islice
from operator import is_not
from typing import TypeVar

import numpy as np

from taut.collide.geometry import Geoms
from taut.model.compile import (
    compile_bodies,
    compile_link,
    compile_loads,
    find_slim,
    lay_out_links,
    listed,
    number_groups,
)
from taut.model.geometry import exclusions, parts_of_body, tabulate_parts
from taut.model.index_map import IndexMap
from taut.model.model import Bodies, Link, Model
from taut.rows.layout import RowLayout, entries_of
from taut.rows.revise import Renewed, revise_layout
from taut.scene.scene import Scene
from taut.scene.specs import BodySpec, LinkSpec
from taut.spatial import Integers
from taut.structure.numbering import Numbering, joined

Spec = TypeVar("Spec", BodySpec, LinkSpec)


@dataclass(frozen=True, eq=False)
class Change:
    """What an edit did to a scene.

    Attributes:
        body, link: new numbers of bodies and links, in rising order.
        bodies: how many there are now.
        changed: numbers now of bodies that stayed with another mass or inertia.
    """

    body: Numbering
    link: Numbering
    bodies: int
    changed: tuple[int, ...] = ()

    @cached_property
    def differs(self) -> np.ndarray:
        """Bodies (before,) that stay, with another mass or inertia."""
        differs = np.zeros(self.body.number.size, bool)
        for number in self.changed:
            differs |= self.body.number == number
        return differs

    @cached_property
    def same(self) -> Numbering:
        """New numbers of bodies that stay as they were."""
        return Numbering(np.where(self.differs, -1, self.body.number)) if self.changed else self.body

    @cached_property
    def fresh(self) -> Numbering:
        """Numbers now of bodies that are new or have changed."""
        return Numbering(np.flatnonzero(~self.same.known(self.bodies)))

    @property
    def keeps_bodies(self) -> bool:
        """Whether the bodies are those before."""
        return self.same.left == self.bodies and self.same.keeps_all


def compare(before: Scene, scene: Scene, new_bodies: set[str], new_links: set[str], changed: set[str]) -> Change:
    """What became of the bodies and links of a scene in an edited one; new ones may have names of some that are
    gone."""
    body = new_numbers(before.bodies, scene.bodies, new_bodies)
    link = new_numbers(before.links, scene.links, new_links)
    names = [spec.name for spec in scene.bodies] if changed else []
    numbers = tuple(names.index(name) for name in sorted(changed))
    return Change(Numbering(body), Numbering(link), len(scene.bodies), numbers)


def new_numbers(before: Sequence[Spec], after: Sequence[Spec], new: set[str]) -> Integers:
    """New numbers (before,) of things by name, -1 for those that are gone: what stays keeps its order, and what is new,
    which may have the name of something that is gone, comes after it.

    Most specs are the same objects: names are asked only between the first and the last that is another one.
    """
    if not new and len(after) == len(before):
        return np.arange(len(before))
    left = len(after)
    while left and after[left - 1].name in new:
        left -= 1
    same = min(left, len(before))
    first = next(compress(range(same), map(is_not, before, after)), same)
    most = same - first
    behind = map(is_not, reversed(before), islice(reversed(after), len(after) - left, None))
    last = next(compress(range(most), behind), most)
    numbers = np.full(len(before), -1)
    numbers[:first] = np.arange(first)
    numbers[len(before) - last :] = np.arange(left - last, left)
    number = first
    for index in range(first, len(before) - last):
        if number < left - last and after[number].name == before[index].name:
            numbers[index] = number
            number += 1
    return numbers


def revise_model(before: Model, scene: Scene, change: Change) -> tuple[Model, IndexMap]:
    """The model of an edited scene, and what became of everything."""
    bodies = revise_bodies(before.bodies, scene, change)
    links, renewed = revise_links(before, scene, change, bodies)
    new = links[change.link.left :]
    added = lay_out_links(new) if new else nothing()
    layout, numbers = revise_layout(before.layout, change.body, change.link, renewed, added, bodies.count)
    geoms, geom = revise_geoms(before, scene, change, bodies)
    slim_shape = revise_slim(before, bodies, change)
    in_rows = np.zeros_like(slim_shape)
    in_rows[layout.entry_body] = 1
    loads = before.loads if not (scene.loads or before.loads.body.size) else compile_loads(scene)
    model = replace(
        before, bodies=bodies, loads=loads, links=links, geoms=geoms, layout=layout,
        entries=entries_of(layout, bodies.moves, number_groups(bodies.groups)), slim=in_rows * slim_shape,
        slim_shape=slim_shape,
    )  # fmt: skip
    return model, IndexMap(change.body, change.link, numbers.row, Numbering(numbers.slot), geom)


@cache
def nothing() -> RowLayout:
    """A layout without rows."""
    return lay_out_links(())


def revise_bodies(before: Bodies, scene: Scene, change: Change) -> Bodies:
    """Mass properties as arrays."""
    specs = scene.bodies
    if change.keeps_bodies:
        return before
    made, columns = compile_bodies([specs[index] for index in change.fresh.number]), listed(specs)
    columns |= {
        part.name: joined(getattr(before, part.name), change.same, getattr(made, part.name), change.fresh)
        for part in fields(Bodies)
        if part.name not in columns
    }
    return Bodies(**columns)


def revise_slim(before: Model, bodies: Bodies, change: Change) -> np.ndarray:
    """Flags (n,) of slim bodies."""
    if bodies is before.bodies:
        return before.slim_shape
    fresh = change.fresh.number
    found = find_slim(bodies.inertia[fresh], bodies.moves[fresh])
    return joined(before.slim_shape, change.same, found, change.fresh)


def revise_links(
    before: Model, scene: Scene, change: Change, bodies: Bodies
) -> tuple[tuple[Link, ...], dict[int, Renewed]]:
    """Links that stay, renumbered where their bodies were, then new ones; and by number before what was renumbered."""
    if change.body.keeps_all and not change.changed:
        return (*change.link.stay(before.links), *new_ones(scene, bodies, change.link.left)), {}
    layout, links, renewed = before.layout, list(before.links), dict[int, Renewed]()
    body, stays = change.body.number, change.link.number >= 0
    shifted = body != np.arange(body.size)
    touched, weighed = links_of(layout, shifted, len(links)), links_of(layout, change.differs, len(links))
    if shifted.any():
        ends = np.array([(link.spec.a, link.spec.b) for link in links], np.int64).reshape(-1, 2)
        touched |= shifted[ends].any(axis=1)
    for number in np.flatnonzero((touched | weighed) & stays).tolist():
        old, spec = links[number], scene.links[change.link[number]]
        if weighed[number] and any(law.frequency > 0.0 for row in old.rows for law in row.laws):
            links[number] = compile_link(scene, bodies, spec)  # its stiffness follows from the mass
        elif touched[number]:
            frame = replace(old.frame, a=spec.a, b=spec.b)
            rows = tuple(replace(row, part=row.part.renumbered(body)) for row in old.rows)
            links[number] = Link(spec, frame, tuple(each.renumbered(body) for each in old.coordinates), rows)
        else:
            continue
        renewed[number] = Renewed(links[number].rows, links[number].coordinates)
    return (*change.link.stay(links), *new_ones(scene, bodies, change.link.left)), renewed


def new_ones(scene: Scene, bodies: Bodies, first: int) -> list[Link]:
    """The links of a scene from the first new one on."""
    return [compile_link(scene, bodies, spec) for spec in scene.links[first:]]


def links_of(layout: RowLayout, bodies: np.ndarray, count: int) -> np.ndarray:
    """Which of so many joints and springs have rows at some of these bodies (n,)."""
    chosen = np.zeros(count, bool)
    if bodies.any():
        chosen[layout.row_owner[layout.entry_row[bodies[layout.entry_body]]]] = True
    return chosen


def revise_geoms(before: Model, scene: Scene, change: Change, bodies: Bodies) -> tuple[Geoms, Numbering]:
    """What collides, and new numbers of what did: geoms are sorted by body, each with its surface and corners."""
    if not scene.collisions:
        return before.geoms, Numbering(np.zeros(0, np.int64))
    old = before.geoms
    if bodies.count == change.body.left and change.body.keeps_all:
        group, group_collides, excluded = exclusions(scene, old.body)
        geoms = replace(old, group=group, group_collides=group_collides, excluded=excluded)
        return geoms, Numbering(np.arange(old.count))
    fresh = np.flatnonzero(~change.body.known(bodies.count))
    body = change.body[old.body]
    parts = [part for index in fresh for part in parts_of_body(scene, int(index), bodies.com[index])]
    made = tabulate_parts(parts)
    order = np.argsort(np.concatenate([body[body >= 0], made.body]), kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    kept = int(np.count_nonzero(body >= 0))
    geom = np.full(old.count, -1)
    geom[body >= 0] = place[:kept]
    stays, added = Numbering(geom), Numbering(place[kept:])
    arrays = {name: joined(getattr(old, name), stays, getattr(made, name), added) for name in PLAIN_COLUMNS}
    arrays["body"] = joined(body, stays, made.body, added)
    shapes = [*stays.stay(old.shapes), *made.shapes]
    sizes = joined(np.diff(old.vertex_start), stays, np.diff(made.vertex_start), added)
    start = np.concatenate([[0], np.cumsum(sizes)])
    there, more = moved_corners(old, geom, start), moved_corners(made, place[kept:], start)
    vertices = joined(old.vertices, Numbering(there), made.vertices, Numbering(more))
    group, group_collides, excluded = exclusions(scene, arrays["body"])
    geoms = Geoms(
        **arrays, shapes=tuple(shapes[index] for index in order), vertex_start=start, vertices=vertices, group=group,
        group_collides=group_collides, excluded=excluded,
    )  # fmt: skip
    return geoms, stays


def moved_corners(geoms: Geoms, number: Integers, start: Integers) -> Integers:
    """New numbers (corners,) of the corners of hulls that have new numbers (geoms,), corners starting at `start`."""
    corner = np.repeat(np.arange(geoms.count), np.diff(geoms.vertex_start))
    within = np.arange(corner.size) - geoms.vertex_start[corner]
    return np.where(number[corner] >= 0, start[number[corner]] + within, -1)


PLAIN_COLUMNS = (
    "kind", "size", "position", "rotation", "radius", "friction", "restitution", "rolling", "torsional", "give",
    "give_damping",
)  # fmt: skip
"""Columns of geoms that are carried over as they are."""
