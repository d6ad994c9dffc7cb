"""What the fork-lift, its crate and the cone look like, in their own frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.machines.visuals import DARK, RUBBER, STEEL, bar
from taut.scene.looks import Colour, Piece
from taut.shapes import Box, Capsule, Convex, Cylinder, Sphere
from taut.spatial import from_axis_angle, from_two_vectors

YELLOW, CHROME, BLUE = (0.95, 0.68, 0.08), (0.80, 0.81, 0.83), (0.16, 0.28, 0.48)
SKIN, HELMET = (0.85, 0.65, 0.52), (0.92, 0.92, 0.90)
WOOD, PLANK = (0.62, 0.46, 0.28), (0.74, 0.57, 0.36)
ORANGE, WHITE = (0.95, 0.38, 0.08), (0.94, 0.94, 0.92)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SIDES = (-1.0, 1.0)


def chassis() -> list[Piece]:
    """Frame, bonnet, counterweight, seat with a driver, and a guard over his head."""
    lying = from_two_vectors(Z, Y)
    hull = [
        Piece(Box(1.75, 0.66, 0.4), (-0.8, 0.0, 0.48), colour=DARK),
        Piece(Box(0.7, 1.04, 0.3), (-0.74, 0.0, 0.42), colour=DARK),
        Piece(Box(1.0, 1.04, 0.2), (-0.65, 0.0, 0.78), colour=YELLOW),
        Piece(Box(0.16, 1.04, 0.55), (-0.2, 0.0, 0.95), colour=YELLOW),
        Piece(Box(0.62, 0.9, 0.24), (-1.1, 0.0, 0.98), colour=YELLOW),
        Piece(Box(0.5, 1.06, 0.55), (-1.55, 0.0, 0.83), colour=YELLOW),
        Piece(Cylinder(0.27, 1.06), (-1.8, 0.0, 0.83), lying, YELLOW),
        Piece(Box(0.45, 0.48, 0.1), (-1.0, 0.0, 1.15), colour=RUBBER),
        Piece(Box(0.1, 0.48, 0.5), (-1.25, 0.0, 1.38), colour=RUBBER),
    ]
    return hull + guard() + driver()


def guard() -> list[Piece]:
    """Four posts and the bars of a roof, and the steering wheel on its column."""
    posts = []
    for side in SIDES:
        front, back = np.array((-0.15, 0.47 * side, 1.0)), np.array((-1.6, 0.47 * side, 1.05))
        posts.append(bar(front, np.array((-0.42, 0.44 * side, 2.1)), 0.07, DARK))
        posts.append(bar(back, np.array((-1.42, 0.44 * side, 2.1)), 0.07, DARK))
    beams = [Piece(Box(1.07, 0.06, 0.06), (-0.92, 0.44 * side, 2.1), colour=DARK) for side in SIDES]
    slats = [Piece(Box(0.04, 0.82, 0.05), (-0.42 - 0.2 * number, 0.0, 2.1), colour=DARK) for number in range(6)]
    column = bar(np.array((-0.25, 0.0, 1.1)), np.array((-0.5, 0.0, 1.38)), 0.05, RUBBER)
    wheel = Piece(Cylinder(0.17, 0.03), (-0.5, 0.0, 1.38), from_axis_angle(Y, -0.7), RUBBER)
    return [*posts, *beams, *slats, column, wheel]


def driver() -> list[Piece]:
    """Somebody in blue with a helmet."""
    pieces = [
        Piece(Capsule(0.17, 0.34), (-1.08, 0.0, 1.48), colour=BLUE),
        Piece(Sphere(0.11), (-1.05, 0.0, 1.86), colour=SKIN),
        Piece(Sphere(0.125), (-1.06, 0.0, 1.9), colour=HELMET),
    ]
    for side in SIDES:
        hip, knee = np.array((-1.0, 0.1 * side, 1.26)), np.array((-0.58, 0.13 * side, 1.26))
        shoulder, hand = np.array((-1.05, 0.2 * side, 1.68)), np.array((-0.55, 0.14 * side, 1.42))
        foot = np.array((-0.42, 0.13 * side, 0.9))
        pieces += [bar(hip, knee, 0.14, BLUE), bar(knee, foot, 0.11, BLUE), bar(shoulder, hand, 0.09, BLUE)]
    return pieces


def axle(half: float) -> list[Piece]:
    """A beam with plates for the kingpins, half as long as given, m."""
    plates = [(0.0, side * half, level) for side in SIDES for level in (-0.12, 0.12)]
    beam = Piece(Box(0.12, 2.0 * half - 0.14, 0.14), colour=DARK)
    return [beam, *(Piece(Box(0.1, 0.1, 0.04), place, colour=DARK) for place in plates)]


def knuckle(arm: tuple[float, float, float]) -> list[Piece]:
    """A kingpin with an arm to a place (3,), m."""
    return [Piece(Cylinder(0.035, 0.26), colour=STEEL), bar(np.zeros(3), np.array(arm), 0.04, STEEL)]


def mast(half: float, depth: float, colour: Colour) -> list[Piece]:
    """Two rails of 2 m, so far from the middle, with bars between them."""
    rails = [Piece(Box(depth, 0.06, 2.0), (0.0, side * half, 0.0), colour=colour) for side in SIDES]
    across = Box(0.5 * depth, 2.0 * half, 0.1)
    return rails + [Piece(across, (-0.2 * depth, 0.0, level), colour=colour) for level in (-0.9, 0.94)]


def pipe(radius: float, middle: float, length: float, ahead: float) -> Piece:
    """The barrel or the rod of the lift cylinder, its middle so high and so far ahead, m."""
    return Piece(Cylinder(radius, length), (ahead, 0.0, middle), colour=CHROME)


def carriage(forks: Sequence[tuple[Box, Any]], height: float, width: float) -> list[Piece]:
    """Two bars across, two forks with their shanks, and a backrest of bars."""
    pieces = [Piece(Box(0.05, width, 0.1), (-0.03, 0.0, level), colour=DARK) for level in (0.08, 0.42)]
    for shape, place in forks:
        shank = Piece(Box(0.045, shape.y, 0.5), (-0.022, place[1], 0.23), colour=STEEL)
        pieces += [Piece(shape, place, colour=STEEL), shank]
    pieces.append(Piece(Box(0.04, width, 0.05), (-0.03, 0.0, height), colour=DARK))
    upright = Box(0.03, 0.04, height - 0.4)
    for place in np.linspace(-0.5 * width + 0.02, 0.5 * width - 0.02, 6).tolist():
        pieces.append(Piece(upright, (-0.03, place, 0.5 * height + 0.2), colour=DARK))
    return pieces


def crate(box: Box, foot: Box, feet: Sequence[tuple[float, float]]) -> list[Piece]:
    """Boards on battens, on feet."""
    pieces = [Piece(foot, (x, y, 0.5 * foot.z), colour=WOOD) for x, y in feet]
    middle = foot.z + 0.5 * box.z
    pieces.append(Piece(Box(box.x - 0.03, box.y - 0.03, box.z - 0.01), (0.0, 0.0, middle), colour=PLANK))
    for level in (foot.z + 0.06, middle, foot.z + box.z - 0.06):
        pieces += [Piece(Box(box.x, box.y, 0.1), (0.0, 0.0, level), colour=WOOD)]
    corner = Box(0.1, 0.1, box.z)
    places = [(a * (0.5 * box.x - 0.05), b * (0.5 * box.y - 0.05), middle) for a in SIDES for b in SIDES]
    return pieces + [Piece(corner, place, colour=WOOD) for place in places]


def cone(radius: float, height: float, circle: float) -> list[Piece]:
    """A cone with white bands, its middle at half its height, and a circle on the ground around it, m."""
    levels = (0.05, 0.35, 0.5, 0.65, 0.8, 1.0)
    rings = [(radius * (0.95 - 0.85 * level), (level - 0.5) * height) for level in levels]
    pieces = [Piece(Box(2.2 * radius, 2.2 * radius, 0.04), (0.0, 0.0, 0.02 - 0.5 * height), colour=RUBBER)]
    for number, ends in enumerate(zip(rings[:-1], rings[1:], strict=True)):
        pieces.append(Piece(frustum(*ends), colour=WHITE if number % 2 else ORANGE))
    dash = Box(0.3, 0.07, 0.004)
    for angle in (2.0 * math.pi * np.arange(36) / 36).tolist():
        place = (circle * math.cos(angle), circle * math.sin(angle), 0.002 - 0.5 * height)
        pieces.append(Piece(dash, place, from_axis_angle(Z, angle + 0.5 * math.pi), WHITE))
    return pieces


def frustum(low: tuple[float, float], high: tuple[float, float]) -> Convex:
    """Between two circles about the z axis, each with its radius and height, m."""
    angles = 2.0 * np.pi * np.arange(24) / 24
    rim = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Convex([(r * x, r * y, z) for r, z in (low, high) for x, y in rim.tolist()])
