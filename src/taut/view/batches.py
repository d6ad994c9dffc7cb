"""Everything that can be seen as copies of a few surfaces: what a page and a picture draw.

    for batch in batches(drawing, frame, Look(contacts=True)): ...

Bodies first, then ropes, rods and springs, then what explains the motion: joints, contact points, forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from taut.results.drawing import Drawing
from taut.shapes.surface import Surface, arc, revolved
from taut.spatial import IDENTITY, Array
from taut.view.colours import (
    Colours,
    contact_colours,
    joint_colours,
    piece_colours,
    rounded_up,
    tension_colours,
)
from taut.view.frame import Frame

Integers = NDArray[np.int64]

FORCE, REACTION = (215, 48, 48), (120, 70, 190)
"""Colours of contact forces and of joint reactions."""

CHOSEN, CHOSEN_SIZE, CHOSEN_SHARE, CHOSEN_TUBE = (255, 190, 0), 1.6, 0.15, 0.4
"""Colour of what is chosen; size of the mark of a joint over that of others, and over the length of a typical piece
where that is more, so that it is found in a rope a pixel wide; radius around a rope or spring in units of the drawing.
"""

BAR = (110, 116, 126)
"""Colour of bars that stand for something without a shape."""

LONGEST = 5.0
"""Length of the longest arrow, in units of the drawing."""

COIL_TURNS, COIL_STEPS, COIL_SIDES, WIRE = 8, 14, 6, 0.16
"""Of a spring: turns, pieces a turn, corners of the wire, and its radius over that of the coil."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Copies of one surface.

    Attributes:
        name: the same in every frame.
        surface: the same in every frame.
        positions, orientations: (k, 3) m and (k, 4), world axes.
        scales: (k, 3) factors along the surface's own axes.
        colours: (k, 3) red, green, blue.
        bodies, links: (k,) the body or the joint that a copy belongs to, -1 where it belongs to none.
        on_top: whether it explains the motion, and so should not be hidden by bodies.
    """

    name: str
    surface: Surface
    positions: Array
    orientations: Array
    scales: Array
    colours: Colours
    bodies: Integers
    links: Integers
    on_top: bool = False


@dataclass(frozen=True)
class Look:
    """What to show.

    Attributes:
        colour: how bodies are coloured, one of `taut.view.colours.COLOURINGS`.
        joints: where joints are.
        contacts: contact points, coloured by their index set.
        forces: contact forces on the second body.
        reactions: forces of joints on their second body.
        force_scale: length of an arrow, m/N; 0 = so that the longest can be seen well.
        hidden: groups that are not shown, nor what is below them.
    """

    colour: str = "body"
    joints: bool = False
    contacts: bool = False
    forces: bool = False
    reactions: bool = False
    force_scale: float = 0.0
    hidden: frozenset[str] = frozenset()


def batches(drawing: Drawing, frame: Frame, look: Look) -> list[Batch]:
    """What there is to see, always in the same order for one drawing and look; of what is not there nothing."""
    colours = piece_colours(drawing, frame, look.colour)
    path = drawing.path_points(frame.positions, frame.orientations)
    if look.hidden:
        frame = without(drawing, frame, look.hidden)
    seen = (
        body_batches(drawing, frame, colours) + line_batches(drawing, frame, path) + bar_batches(drawing, frame, path)
    )
    if look.joints:
        seen.append(joint_batch(drawing, frame, path))
    if look.contacts:
        seen.append(contact_batch(drawing, frame))
    if look.forces:
        force = frame.contacts.force
        scale = look.force_scale or arrow_scale(drawing, force)
        seen += arrow_batches("forces", frame.contacts.point, scale * force, 0.15 * drawing.unit, FORCE)
    if look.reactions:
        force = frame.reactions[frame.joined, :3]
        scale = look.force_scale or arrow_scale(drawing, force)
        ends = path[drawing.path_start[1:] - 1]
        seen += arrow_batches("reactions", ends[frame.joined], scale * force, 0.15 * drawing.unit, REACTION)
    return seen


def without(drawing: Drawing, frame: Frame, hidden: frozenset[str]) -> Frame:
    """The frame as if the bodies of some groups were not there, nor joints and contacts that have no other ones."""
    gone = {group for group in set(drawing.body_groups) if any(is_below(group, head) for head in hidden)}
    shown = np.array([group not in gone for group in drawing.body_groups])
    others = shown & (np.arange(len(shown)) > 0)
    held = np.zeros(len(drawing.link_names), bool)
    np.logical_or.at(held, drawing.link_of_point, others[drawing.path_body])
    contacts = frame.contacts
    touching = np.flatnonzero(others[contacts.index_a] | others[contacts.index_b])
    return replace(frame, present=frame.present & shown, joined=frame.joined & held, contacts=contacts.take(touching))


def is_below(group: str, head: str) -> bool:
    """Whether a group is this one or a part of it."""
    return group == head or group.startswith(f"{head}/")


def body_batches(drawing: Drawing, frame: Frame, colours: Colours) -> list[Batch]:
    """The bodies that are there, one batch a surface; `colours` (k, 3) are those of pieces."""
    place, turn = drawing.piece_poses(frame.positions, frame.orientations)
    found = []
    for number, (surface, chosen) in enumerate(zip(drawing.surfaces, drawing.copies, strict=True)):
        chosen = chosen[frame.present[drawing.piece_body[chosen]]]
        bodies = drawing.piece_body[chosen]
        scales = np.ones((chosen.size, 3))
        name = f"bodies/{number}"
        found.append(Batch(name, surface, place[chosen], turn[chosen], scales, colours[chosen], bodies, none(chosen)))
    return found


def line_batches(drawing: Drawing, frame: Frame, path: Array) -> list[Batch]:
    """Ropes and rods as tubes, springs as coils, coloured by tension; none where the drawing has none.

    `path` (q, 3) are the points that joints go through, world axes, here and below.
    """
    if not drawing.pulls.any():
        return []
    owner = drawing.link_of_point
    first = np.flatnonzero((owner[:-1] == owner[1:]) & (drawing.pulls & frame.joined)[owner[:-1]])
    links = owner[first]
    coiled = np.array([drawing.link_kinds[link] == "Spring" for link in links.tolist()], bool)
    colours = tension_colours(frame.tensions[links])
    found = []
    for name, surface, chosen, radius in (("ropes", tube(), ~coiled, 0.1), ("springs", coil(), coiled, 0.3)):
        if chosen.any():
            start, line = path[first[chosen]], path[first[chosen] + 1] - path[first[chosen]]
            batch = along(name, surface, start, line, radius * drawing.unit, colours[chosen], links[chosen])
            found.append(batch)
    return found


def bar_batches(drawing: Drawing, frame: Frame, path: Array) -> list[Batch]:
    """Thin bars from bodies to joints outside them, and between the centres of bodies whose motions are coupled."""
    coupled = np.flatnonzero(drawing.couples & frame.joined & (drawing.path_body[drawing.path_start[:-1]] > 0))
    arms = drawing.arms[frame.joined[drawing.link_of_point[drawing.arms]]]
    ends = {
        "arms": (frame.positions[drawing.path_body[arms]], path[arms]),
        "couplings": (path[drawing.path_start[coupled]], path[drawing.path_start[coupled] + 1]),
    }
    found = []
    for name, (start, end) in ends.items():
        if len(start):
            colours = np.tile(np.array(BAR, np.uint8), (len(start), 1))
            found.append(along(name, tube(), start, end - start, 0.05 * drawing.unit, colours, none(start)))
    return found


def joint_batch(drawing: Drawing, frame: Frame, path: Array) -> Batch:
    """A ball at every joint."""
    links = np.flatnonzero(frame.joined & drawing.touchable)
    return balls("joints", joint_places(drawing, path)[links], mark_size(drawing), joint_colours(frame)[links], links)


def chosen_batch(drawing: Drawing, frame: Frame, link: int) -> Batch:
    """A tube around the rope, rod or spring with this number, or a large ball at a joint; none where it is gone."""
    path = drawing.path_points(frame.positions, frame.orientations)
    if drawing.pulls[link]:
        points = path[drawing.path_start[link] : drawing.path_start[link + 1]]
        start, line = (each[: len(points) * frame.joined[link]] for each in (points[:-1], np.diff(points, axis=0)))
        tubes = along("chosen", tube(), start, line, CHOSEN_TUBE * drawing.unit, chosen_colours(start), none(start))
        return replace(tubes, links=np.full(len(start), link), on_top=True)
    links = np.flatnonzero(frame.joined[link : link + 1]) + link
    radius = max(CHOSEN_SIZE * mark_size(drawing), CHOSEN_SHARE * drawing.typical_size[1])
    return balls("chosen", joint_places(drawing, path)[links], radius, chosen_colours(links), links)


def chosen_colours(like: Array | Integers) -> Colours:
    """The colour of what is chosen for each entry."""
    return np.tile(np.array(CHOSEN, np.uint8), (len(like), 1))


def joint_places(drawing: Drawing, path: Array) -> Array:
    """Where marks of joints (m, 3) are: in the middle of those that act along a line, else at the point of body B."""
    start, end = drawing.path_start[:-1], drawing.path_start[1:] - 1
    middle = 0.5 * (path[(start + end) // 2] + path[(start + end + 1) // 2])  # on the line, also of a rope with bends
    return np.where(drawing.pulls[:, None], middle, path[end])


def mark_size(drawing: Drawing) -> float:
    """Radius of the mark of a joint, m: seen outside a link, small on a box."""
    thickness, length = drawing.typical_size
    return max(0.3 * drawing.unit, min(0.65 * thickness, 0.18 * length))


def contact_batch(drawing: Drawing, frame: Frame) -> Batch:
    """A ball at every contact point."""
    place = frame.contacts.point
    return balls("contacts", place, 0.2 * drawing.unit, contact_colours(frame), none(place))


def arrow_batches(
    name: str, start: Array, vector: Array, thickness: float, colour: tuple[int, int, int]
) -> list[Batch]:
    """Arrows from points (k, 3) along vectors (k, 3), m: shafts and heads; heads of short ones are shorter."""
    length = np.linalg.norm(vector, axis=1, keepdims=True)
    head = np.minimum(3.0 * thickness / np.maximum(length, 1e-300), 0.5) * vector
    colours = np.tile(np.array(colour, np.uint8), (len(start), 1))
    thick = np.minimum(thickness, 0.15 * length[:, 0])  # a short arrow is thin, not stout
    shafts = along(f"{name}/shaft", tube(), start, vector - head, 0.5 * thick, colours, none(start))
    heads = along(f"{name}/head", cone(), start + vector - head, head, 1.3 * thick, colours, none(start))
    return [replace(part, on_top=True) for part in (shafts, heads)]


def arrow_scale(drawing: Drawing, forces: Array) -> float:
    """Length over force, m/N, with which the largest of the forces (k, 3) can be seen well."""
    largest = float(np.linalg.norm(forces, axis=1).max(initial=0.0))
    return LONGEST * drawing.unit / rounded_up(largest)


def balls(name: str, place: Array, radius: float, colours: Colours, links: Integers) -> Batch:
    """Balls of one radius (m) at points (k, 3)."""
    count = len(place)
    turn, scales = np.tile(IDENTITY, (count, 1)), np.full((count, 3), radius)
    return Batch(name, ball(), place, turn, scales, colours, none(place), links, on_top=True)


def along(
    name: str, surface: Surface, start: Array, line: Array, radius: Array | float, colours: Colours, links: Integers
) -> Batch:
    """Copies of a surface of length 1 along z and radius 1, laid from points (k, 3) along lines (k, 3), m."""
    length = np.linalg.norm(line, axis=1)
    x, y, z = (line / np.maximum(length, 1e-300)[:, None]).T
    turn = np.column_stack([1.0 + z, -y, x, np.zeros_like(x)])
    turn[z < -1.0 + 1e-9] = (0.0, 1.0, 0.0, 0.0)  # straight down: any half turn
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    scales = np.column_stack([np.broadcast_to(radius, length.shape)] * 2 + [length])
    return Batch(name, surface, start, turn, scales, colours, none(start), links)


def none(like: Array | Integers) -> Integers:
    """-1 for each entry."""
    return np.full(len(like), -1)


@cache
def ball() -> Surface:
    """A ball of radius 1."""
    return revolved([arc(1.0, 0.0, -0.5 * np.pi, 0.5 * np.pi)])


@cache
def tube() -> Surface:
    """An open tube of radius 1 from z = 0 to 1."""
    return revolved([np.array([(1.0, 0.0), (1.0, 1.0)])])


@cache
def cone() -> Surface:
    """A cone of radius 1 from z = 0 to its tip at 1."""
    return revolved([np.array([(0.0, 0.0), (1.0, 0.0)]), np.array([(1.0, 0.0), (0.0, 1.0)])])


@cache
def coil() -> Surface:
    """A spring of radius 1 from z = 0 to 1; its wire gets thinner as it is compressed."""
    turn = np.linspace(0.0, 2.0 * np.pi * COIL_TURNS, COIL_TURNS * COIL_STEPS + 1)
    side = 2.0 * np.pi / COIL_SIDES * np.arange(COIL_SIDES)
    reach = 1.0 - WIRE + WIRE * np.cos(side)
    height = np.linspace(0.0, 1.0, turn.size)[:, None] + 0.3 / COIL_TURNS * np.sin(side)
    points = np.stack([np.cos(turn)[:, None] * reach, np.sin(turn)[:, None] * reach, height], axis=-1)
    corner = np.arange(turn.size * COIL_SIDES).reshape(turn.size, COIL_SIDES)
    low, up = corner[:-1].ravel(), corner[1:].ravel()
    low_next, up_next = np.roll(corner[:-1], -1, axis=1).ravel(), np.roll(corner[1:], -1, axis=1).ravel()
    triangles = np.vstack([np.column_stack([low, up, up_next]), np.column_stack([low, up_next, low_next])])
    return Surface(points.reshape(-1, 3), triangles)
