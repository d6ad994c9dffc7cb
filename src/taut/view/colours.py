"""Colours of bodies, contacts and joints: what they mean, as (k, 3) bytes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.problem.parts import parts_between
from taut.problem.solution import AT_LOWER, FREE
from taut.results.drawing import GROUND, Drawing
from taut.spatial import Array
from taut.view.frame import Frame

Colours = NDArray[np.uint8]

PALETTE = np.array(
    [
        (78, 134, 190), (226, 138, 68), (98, 166, 110), (196, 88, 92), (140, 116, 178), (156, 124, 96),
        (214, 148, 186), (186, 178, 84), (88, 172, 184), (128, 136, 148),
    ],
    float,
)  # fmt: skip
"""Colours that can be told apart, for things without an order."""

STANDING = np.array(GROUND, float)
"""Of bodies that never move."""

STICKING, SLIDING, OPEN, STRUCK = (46, 158, 91), (240, 140, 46), (150, 150, 150), (200, 60, 170)
"""Of contacts: all rows free, a friction row at its bound, the normal at its bound, a blow within the step."""

HOLDING, AT_BOUND = (90, 110, 150), (240, 140, 46)
"""Of joints: no row at a bound, and a limit that holds or a motor at its largest force."""

SLACK, PULLED, PUSHED = np.array((150, 150, 150.0)), np.array((205, 45, 40.0)), np.array((40, 90, 205.0))
"""Of ropes, rods and springs: without force, under the largest pull and under the largest push."""


DECADES = 4.0
"""Of the scale of loads."""

JOINT_ROWS, CONTACT_ROWS = 5, 3
"""Rows that a joint is taken to have, as a hinge, and a contact point with friction."""


def body_colours(drawing: Drawing, frame: Frame, colouring: str) -> Colours:
    """Colours (n, 3) of all bodies."""
    rule = COLOURINGS[checks.known("look", "colour", colouring, COLOURINGS)]
    colours = np.where(drawing.moves[:, None], rule(drawing, frame), STANDING)
    return colours.astype(np.uint8)


def piece_colours(drawing: Drawing, frame: Frame, colouring: str) -> Colours:
    """Colours (k, 3) of all pieces: those of their bodies, and coloured by body those that they were given."""
    colours = body_colours(drawing, frame, colouring)[drawing.piece_body]
    if colouring != "body":
        return colours
    return np.where(drawing.piece_colours >= 0, drawing.piece_colours, colours).astype(np.uint8)


def by_body(drawing: Drawing, frame: Frame) -> Array:
    """Bodies of one shape in shades of one colour, where they were given none."""
    count = len(drawing.body_names)
    surface = np.zeros(count, int)
    surface[drawing.piece_body[::-1]] = drawing.piece_surface[::-1]
    shade = 0.86 + 0.28 * ((np.arange(count) * 0.618034) % 1.0)  # golden ratio: neighbours differ
    return np.clip(PALETTE[surface % len(PALETTE)] * shade[:, None], 0, 255)


def by_mass(drawing: Drawing, frame: Frame) -> Array:
    """Light bodies yellow, heavy ones dark, in a logarithmic scale."""
    mass = np.where(drawing.moves, drawing.masses, np.nan)
    low, high = np.nanmin(mass), np.nanmax(mass)
    share = np.log(mass / low) / max(float(np.log(high / low)), 1e-9)
    return ramp(np.nan_to_num(share))


def by_island(drawing: Drawing, frame: Frame) -> Array:
    """Bodies that joints and contacts which carry a force connect in one colour: what acts on each other."""
    return PALETTE[islands(drawing, frame) % len(PALETTE)]


def by_partition(drawing: Drawing, frame: Frame) -> Array:
    """Bodies of one part in one colour, see `partition`; what is at no joint and no contact is as what never moves."""
    part = partition(drawing, frame)
    bright = PALETTE[:-1]  # the last one is as grey as what never moves
    return np.where(part[:, None] < 0, STANDING, bright[part % len(bright)])


def by_group(drawing: Drawing, frame: Frame) -> Array:
    """Bodies of one group in one colour, see `group_colours`."""
    colours = group_colours(drawing)
    return np.array([colours[group] if group in colours else STANDING for group in drawing.body_groups])


def group_labels(drawing: Drawing) -> dict[str, str]:
    """What the groups of moving bodies are shown as: themselves, or "crane" for "crane/cable" where they are too many
    to be told apart."""
    groups = list(dict.fromkeys(compress(drawing.body_groups, drawing.moves)))
    labels = {group: group for group in groups}
    for depth in range(max((group.count("/") for group in groups), default=0), 0, -1):
        if len(set(labels.values())) <= len(PALETTE):
            break
        labels = {group: "/".join(group.split("/")[:depth]) for group in groups}
    return labels


def group_colours(drawing: Drawing) -> dict[str, Array]:
    """Colour of each group that has moving bodies: one a label, in the order in which they come."""
    labels = group_labels(drawing)
    number = {label: place for place, label in enumerate(dict.fromkeys(labels.values()))}
    return {group: PALETTE[number[label] % len(PALETTE)] for group, label in labels.items()}


def by_load(drawing: Drawing, frame: Frame) -> Array:
    """By the largest force that one joint or contact puts on a body, in a logarithmic scale over `DECADES`."""
    force = loads(drawing, frame)
    share = 1.0 + np.log10(np.maximum(force, 1e-300) / top_load(drawing, frame)) / DECADES
    return ramp(np.clip(share, 0.0, 1.0))


def top_load(drawing: Drawing, frame: Frame) -> float:
    """Upper end of the scale of loads, N."""
    return rounded_up(float(loads(drawing, frame)[drawing.moves].max(initial=0.0)))


def loads(drawing: Drawing, frame: Frame) -> Array:
    """The largest force (n,) that one joint or contact puts on each body, N."""
    force = np.zeros(len(drawing.body_names))
    contacts = frame.contacts
    size = np.linalg.norm(contacts.force, axis=1)
    np.maximum.at(force, contacts.index_a, size)
    np.maximum.at(force, contacts.index_b, size)
    reaction = np.nan_to_num(np.linalg.norm(frame.reactions[:, :3], axis=1))
    np.maximum.at(force, drawing.path_body[drawing.path_start[:-1]], reaction)
    np.maximum.at(force, drawing.path_body[drawing.path_start[1:] - 1], reaction)
    return force


def by_tension(drawing: Drawing, frame: Frame) -> Array:
    """By what joints stretch or press together, see `tensions`: red is pulled, blue is pushed, grey is slack."""
    tension = np.where(drawing.moves, tensions(drawing, frame), 0.0)
    return tension_colours(tension).astype(float)


def tensions(drawing: Drawing, frame: Frame) -> Array:
    """Tension (n,) in each body from the forces f of joints at arms r: sum f . r / sum |r|, N; negative is pushed.

    In a segment of a cable this is its tension, half from the joint at either end.
    """
    path, count = drawing.path_points(frame.positions, frame.orientations), len(drawing.body_names)
    work, reach = np.zeros(count), np.zeros(count)
    for sign, ends in ((-1.0, drawing.path_start[:-1]), (1.0, drawing.path_start[1:] - 1)):
        ends = ends[frame.joined]
        body = drawing.path_body[ends]
        arm = path[ends] - frame.positions[body]
        np.add.at(work, body, sign * (frame.reactions[frame.joined, :3] * arm).sum(axis=1))
        np.add.at(reach, body, np.linalg.norm(arm, axis=1))
    return work / np.maximum(reach, 1e-300)


COLOURINGS: dict[str, Callable[[Drawing, Frame], Array]] = {
    "body": by_body, "group": by_group, "mass": by_mass, "island": by_island, "partition": by_partition,
    "load": by_load, "tension": by_tension,
}  # fmt: skip
"""Ways to colour bodies, each a function that gives (n, 3)."""


def islands(drawing: Drawing, frame: Frame) -> NDArray[np.int64]:
    """Number (n,) of the island each body is in; bodies that do not move connect nothing."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(drawing.body_names)
    first = np.concatenate([frame.bonds[:, 0], frame.contacts.index_a])
    second = np.concatenate([frame.bonds[:, 1], frame.contacts.index_b])
    kept = drawing.moves[first] & drawing.moves[second]
    graph = coo_array((np.ones(kept.sum()), (first[kept], second[kept])), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def partition(drawing: Drawing, frame: Frame) -> NDArray[np.int64]:
    """Part (n,) that solvers with parts put each body in, -1 for none, where joints and contacts are what is seen."""
    contacts, groups = frame.contacts, {name: number for number, name in enumerate(dict.fromkeys(drawing.body_groups))}
    touching = np.column_stack([contacts.index_a, contacts.index_b])
    pairs = np.concatenate([frame.bonds.reshape(-1, 2), touching])
    is_contact = np.arange(len(pairs)) >= len(frame.bonds)
    rows = np.where(is_contact, CONTACT_ROWS, JOINT_ROWS)
    return parts_between(
        pairs, rows, is_contact, drawing.moves, np.array([groups[name] for name in drawing.body_groups])
    )


def contact_colours(frame: Frame) -> Colours:
    """Colours (k, 3) of contacts by their index set: sticking, sliding, open, or struck."""
    contacts = frame.contacts
    colours = np.tile(np.array(STICKING, np.uint8), (len(contacts), 1))
    colours[(contacts.index_set[:, 1:] != FREE).any(axis=1)] = SLIDING
    colours[contacts.index_set[:, 0] == AT_LOWER] = OPEN
    colours[contacts.blow.any(axis=1)] = STRUCK
    return colours


def joint_colours(frame: Frame) -> Colours:
    """Colours (m, 3) of joints by whether a row is at a bound."""
    return np.where(np.asarray(frame.tight)[:, None] > 0, AT_BOUND, HOLDING).astype(np.uint8)


def tension_colours(tension: Array) -> Colours:
    """Colours (k, 3) of ropes, rods and springs by their tension (k,) in N: red pulls, blue pushes, grey is slack."""
    tension = np.nan_to_num(tension)
    share = np.clip(tension / rounded_up(float(np.abs(tension).max(initial=0.0))), -1.0, 1.0)[:, None]
    towards = np.where(share >= 0.0, PULLED, PUSHED)
    return (SLACK + np.sqrt(np.abs(share)) * (towards - SLACK)).astype(np.uint8)


def ramp(share: Array) -> Array:
    """Colours (k, 3) from pale yellow over orange to dark violet, for shares (k,) from 0 to 1."""
    stops = np.array([(250, 232, 160), (244, 164, 84), (200, 74, 84), (96, 40, 110)], float)
    at = np.linspace(0.0, 1.0, len(stops))
    return np.column_stack([np.interp(share, at, stops[:, channel]) for channel in range(3)])


def rounded_up(value: float) -> float:
    """The next power of two: a scale that seldom changes while its quantity does; 1 for zero."""
    return 2.0 ** np.ceil(np.log2(value)) if np.isfinite(value) and value > 0.0 else 1.0
