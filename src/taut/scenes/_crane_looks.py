"""What a truck crane, its hook and its load look like: lists of pieces; nothing collides with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.machines import visuals
from taut.scene.looks import Colour, Piece
from taut.shapes import Box, Convex, Cylinder, Sphere
from taut.spatial import from_axis_angle, from_two_vectors

YELLOW, DARK, BLACK, STEEL = (0.96, 0.68, 0.08), (0.27, 0.28, 0.30), visuals.RUBBER, visuals.STEEL
GREY, GLASS, WHITE, RED = (0.45, 0.46, 0.48), (0.16, 0.25, 0.32), (0.93, 0.93, 0.90), (0.80, 0.13, 0.10)
WOOD, CONCRETE = (0.58, 0.43, 0.27), (0.66, 0.66, 0.64)
Place = tuple[float, float, float]
Size = tuple[float, float, float]
ACROSS = from_two_vectors((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
AHEAD = from_two_vectors((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
CAB = [(-0.8, 0.0), (0.85, 0.0), (0.85, 0.7), (0.6, 1.5), (-0.8, 1.5)]
"""Side view of the driver's cab, (x, z) in m; of the operator's: its first and last corners are further back."""


def block(size: Size, place: Place, colour: Colour, turn: Any = (1.0, 0.0, 0.0, 0.0)) -> Piece:
    """A box."""
    return Piece(Box(*size), place, turn, colour)


def both(size: Size, place: Place, colour: Colour) -> list[Piece]:
    """A box on the left and one on the right."""
    return [block(size, (place[0], side * place[1], place[2]), colour) for side in (1.0, -1.0)]


def plate(outline: Sequence[tuple[float, float]], width: float, place: Place, colour: Colour) -> Piece:
    """A solid with this side view, (x, z) in m, and a width across."""
    points = [(x, side * 0.5 * width, z) for side in (-1.0, 1.0) for x, z in outline]
    return Piece(Convex(points), place, colour=colour)


def pane(low: tuple[float, float], high: tuple[float, float], width: float, place: Place) -> Piece:
    """A window on a sloping front between two points of a side view, (x, z) in m."""
    span = np.array([high[0] - low[0], 0.0, high[1] - low[1]])
    middle = np.array([low[0] + high[0], 0.0, low[1] + high[1]]) / 2.0 + place
    turn = from_two_vectors((0.0, 0.0, 1.0), span)
    return Piece(Box(0.03, width, 0.86 * float(np.linalg.norm(span))), middle, turn, GLASS)


def carrier(beams: Sequence[float], reach: float, ring: float, cab: float) -> list[Piece]:
    """The truck: frame and deck, cab, tanks, and the beams that legs slide in; z is 0 in the middle of the frame.

    Args:
        beams: where these are along it, m.
        reach: of the beams to each side, m.
        ring: where the slewing ring is, m.
        cab: where the cab is, m.
    """
    long = cab - 0.8 + 4.8
    pieces = [
        block((9.4, 1.1, 0.4), (0.0, 0.0, -0.1), DARK),
        block((long, 2.3, 0.1), (-4.8 + 0.5 * long, 0.0, 0.2), GREY),
        *both((long, 0.08, 0.18), (-4.8 + 0.5 * long, 1.19, 0.18), YELLOW),
        Piece(Cylinder(0.85, 0.3), (ring, 0.0, 0.35), colour=DARK),
        Piece(Cylinder(0.28, 1.3), (-0.05, -0.95, -0.12), AHEAD, STEEL),
        block((1.3, 0.5, 0.5), (-0.05, 0.97, -0.12), DARK),
        block((0.1, 2.3, 0.25), (-4.8, 0.0, -0.02), DARK),
        *both((0.04, 0.3, 0.12), (-4.86, 0.9, -0.02), RED),
        *both((2.5, 0.46, 0.05), (3.0, 1.02, 0.06), BLACK),
        *both((2.5, 0.46, 0.05), (-2.05, 1.02, 0.06), BLACK),
    ]
    for x in beams:
        pieces += [
            block((0.55, 2.5, 0.42), (x, 0.0, -0.02), YELLOW),
            block((0.36, 2.0 * reach, 0.28), (x, 0.0, -0.02), YELLOW),
            *both((0.37, 0.12, 0.29), (x, 0.62 * reach, -0.02), BLACK),
            *both((0.37, 0.12, 0.29), (x, 0.8 * reach, -0.02), BLACK),
            *both((0.34, 0.34, 0.95), (x, reach, 0.02), YELLOW),
            *both((0.36, 0.36, 0.08), (x, reach, 0.5), DARK),
        ]
    return pieces + drivers_cab((cab, 0.0, 0.1))


def drivers_cab(place: Place) -> list[Piece]:
    """The cab at the front of the truck, its floor at a place."""
    x, _, z = place
    return [
        plate(CAB, 2.4, place, YELLOW),
        pane(CAB[2], CAB[3], 2.1, place),
        *both((0.95, 0.04, 0.55), (x - 0.2, 1.19, z + 1.1), GLASS),
        block((0.22, 2.5, 0.4), (x + 0.86, 0.0, z - 0.15), DARK),
        block((0.04, 1.1, 0.3), (x + 0.86, 0.0, z + 0.35), BLACK),
        *both((0.06, 0.34, 0.2), (x + 0.96, 0.95, z - 0.1), WHITE),
        *both((0.08, 0.16, 0.4), (x + 0.75, 1.32, z + 1.15), BLACK),
        block((0.25, 0.9, 0.14), (x - 0.1, 0.0, z + 1.56), (0.95, 0.45, 0.05)),
    ]


def leg() -> list[Piece]:
    """The rod of a jack."""
    return [Piece(Cylinder(0.09, 1.1), colour=STEEL)]


def pad() -> list[Piece]:
    """The pad under a leg, and its socket."""
    return [Piece(Cylinder(0.35, 0.1), colour=DARK), Piece(Cylinder(0.16, 0.1), (0.0, 0.0, 0.08), colour=BLACK)]


def turntable(foot: Place, drum: Place) -> list[Piece]:
    """Upper works: platform, cheeks that hold the boom at its foot and the drum, cabin, engine, counterweight."""
    x, _, z = foot
    cheek = [(x - 0.55, 0.1), (1.1, 0.1), (1.1, 0.3), (x + 0.3, z + 0.25), (x - 0.3, z + 0.25)]
    back, _, high = drum
    stand = [(back - 0.45, 0.1), (back + 0.4, 0.1), (back + 0.12, high + 0.1), (back - 0.12, high + 0.1)]
    cabin = [(-0.6, 0.0), (0.75, 0.0), (0.95, 0.5), (0.6, 1.6), (-0.6, 1.6)]
    cabin_at = (0.35, 0.92, 0.15)
    slabs = [block((0.85, 2.4, 0.42), (-2.65, 0.0, 0.1 + 0.46 * number), DARK) for number in range(3)]
    stripes = [
        block((0.04, 0.3, 0.3), (-3.07, -1.05 + 0.3 * number, 0.33), YELLOW if number % 2 else BLACK)
        for number in range(8)
    ]
    return [
        block((3.3, 2.3, 0.2), (-0.65, 0.0, 0.02), YELLOW),
        *[plate(cheek, 0.07, (0.0, side * 0.36, 0.0), YELLOW) for side in (1.0, -1.0)],
        *[plate(stand, 0.05, (0.0, side * 0.36, 0.0), DARK) for side in (1.0, -1.0)],
        Piece(Cylinder(0.1, 0.86), foot, ACROSS, STEEL),
        block((1.6, 0.68, 0.85), (-1.2, -0.77, 0.54), YELLOW), block((1.0, 0.7, 0.4), (-1.2, -0.77, 0.6), DARK),
        Piece(Cylinder(0.05, 0.6), (-1.8, -0.95, 1.2), colour=DARK),
        plate(cabin, 0.85, cabin_at, WHITE),
        pane(cabin[2], cabin[3], 0.75, cabin_at), pane(cabin[1], cabin[2], 0.75, cabin_at),
        block((0.95, 0.87, 0.7), (cabin_at[0] - 0.02, cabin_at[1], cabin_at[2] + 1.05), GLASS),
        *slabs, *stripes,
    ]  # fmt: skip


def section(number: int, boom: Any, head: Place) -> list[Piece]:
    """A section of a boom, with a collar; the last one ends in cheeks with the sheave that the rope runs over."""
    width, height = (size * 0.88 ** (number - 1) for size in boom.profile)
    end = 0.5 * boom.length
    if number < boom.sections:
        collar = [block((0.3, 1.12 * width, 1.1 * height), (end - 0.15, 0.0, 0.0), DARK)]
        sign = [block((3.2, 1.03 * width, 0.35 * height), (0.9, 0.0, 0.06 * height), DARK)] if number == 1 else []
        return [block((boom.length, width, height), (0.0, 0.0, 0.0), YELLOW), *collar, *sign]
    low, high = -0.5 * height, 0.5 * height
    cheek = [(end - 1.0, low), (end + 0.1, low), (end + 0.45, 0.05), (end + 0.2, 0.45), (end - 0.8, high)]
    sheave = (head[0] - 0.12, 0.0, head[2] - 0.2)
    return [
        block((boom.length - 0.8, width, height), (-0.4, 0.0, 0.0), YELLOW),
        *[plate(cheek, 0.05, (0.0, side * 0.5 * width, 0.0), DARK) for side in (1.0, -1.0)],
        Piece(Cylinder(0.27, 0.1), sheave, ACROSS, STEEL), Piece(Cylinder(0.06, 1.15 * width), sheave, ACROSS, STEEL),
    ]  # fmt: skip


def cylinder(radii: tuple[float, float], length: float) -> dict[str, list[Piece]]:
    """Barrel and rod of a cylinder, which is so much longer than it looks, as it goes into the barrel."""
    barrel, rod = radii
    return {
        "barrel": [
            Piece(Cylinder(barrel, length), colour=DARK),
            Piece(Cylinder(1.15 * barrel, 0.12), (0.0, 0.0, 0.5 * length), colour=BLACK),
        ],
        "rod": [Piece(Cylinder(rod, 1.7 * length), (0.0, 0.0, -0.35 * length), colour=STEEL)],
    }


def ball(radius: float) -> list[Piece]:
    """The weight at the end of a single fall: a ball with a socket above it."""
    return [
        Piece(Sphere(1.1 * radius), (0.0, 0.0, -0.05), colour=RED),
        Piece(Cylinder(1.13 * radius, 0.07), (0.0, 0.0, -0.05), colour=BLACK),
        Piece(Cylinder(0.06, 0.3), (0.0, 0.0, 0.15), colour=STEEL),
        Piece(Cylinder(0.06, 0.1), (0.0, 0.0, -0.23), colour=STEEL),
    ]


def pipe(radius: float, inside: float, length: float, apart: float, sides: int = 60) -> list[Piece]:
    """A pipe along the x axis, rounder than what it collides as, with a band at its ends and two anchors."""
    pieces = []
    for long, outer, at in ((length, radius, 0.0), (0.16, 1.035 * radius, -0.5 * length + 0.08)):
        pieces += staves(long, inside, outer, at, sides)
    return pieces + [block((0.14, 0.06, 0.1), (side * apart, 0.0, radius), DARK) for side in (1.0, -1.0)]


def staves(length: float, inside: float, outside: float, at: float, sides: int) -> list[Piece]:
    """A tube around the x axis of plane staves, its middle at x."""
    half = np.pi / sides
    corners = [
        (x, r * np.sin(turn), r * np.cos(turn))
        for x in (-0.5 * length, 0.5 * length)
        for r in (inside, outside)
        for turn in (-half, half)
    ]
    stave = Convex(corners)
    turns = [from_axis_angle((1.0, 0.0, 0.0), 2.0 * half * number) for number in range(sides)]
    return [Piece(stave, (at, 0.0, 0.0), turn, CONCRETE) for turn in turns]
