"""What parts of machines look like: lists of pieces for `add_body(visual=...)`, on which one sees that they turn.

scene.add_body("wheel", Cylinder(0.5, 0.3), mass=40, visual=visuals.wheel(0.5, 0.3))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut import checks, spatial
from taut.scene.looks import Colour, Piece, moved
from taut.shapes import Box, Cylinder
from taut.spatial import Array

RUBBER, STEEL, DARK = (0.10, 0.10, 0.11), (0.72, 0.73, 0.75), (0.30, 0.31, 0.33)
"""Colours of tyres, rims and ropes, and of what is in the shade."""

ABOUT_Z = (0.0, 0.0, 1.0)

PROUD = 1.06
"""Width of what stands out of a wheel or drum over its own."""


def wheel(radius: float, width: float, spokes: int = 5, colour: Colour = STEEL) -> list[Piece]:
    """A wheel about the z axis with a tyre that has lugs, a rim and spokes.

    Args:
        radius: over the lugs, m.
        width: along the axis, m.
        spokes: how many.
        colour: of the rim.
    """
    radius = checks.number("wheel", "radius", radius, above=0.0)
    width = checks.number("wheel", "width", width, above=0.0)
    tyre, rim = Cylinder(0.96 * radius, width), Cylinder(0.62 * radius, 1.02 * width)
    arm = Box(0.52 * radius, 0.14 * radius, PROUD * width)
    lug = Box(0.10 * radius, 0.13 * radius, 0.98 * width)
    hub = Cylinder(0.2 * radius, 1.1 * width)
    discs = [Piece(tyre, colour=RUBBER), Piece(rim, colour=DARK), Piece(hub, colour=colour)]
    return discs + ring(arm, 0.34 * radius, spokes, colour) + ring(lug, 0.95 * radius, 3 * spokes, RUBBER)


def drum(radius: float, width: float, colour: Colour = DARK) -> list[Piece]:
    """A drum about the z axis between two flanges with bars on them: `radius` of the barrel and `width` over all, m."""
    radius = checks.number("drum", "radius", radius, above=0.0)
    width = checks.number("drum", "width", width, above=0.0)
    rim = 0.06 * width
    sides = [-0.5 * (width - rim), 0.5 * (width - rim)]
    flanges = [Piece(Cylinder(1.3 * radius, rim), (0.0, 0.0, side), colour=colour) for side in sides]
    bars = ring(Box(0.95 * radius, 0.16 * radius, PROUD * width), 0.72 * radius, 4, STEEL)
    return [Piece(Cylinder(radius, width - 2.0 * rim), colour=STEEL), *flanges, *bars]


def lattice(length: float, width: float, height: float, colour: Colour | None = None) -> list[Piece]:
    """A boom of four chords and the bars between them along the x axis, centred, sizes in m."""
    sizes = {"length": length, "width": width, "height": height}
    length, width, height = (checks.number("lattice", name, size, above=0.0) for name, size in sizes.items())
    thick = 0.12 * min(width, height)
    y, z = 0.5 * (width - thick), 0.5 * (height - thick)
    bays = max(2, round(length / max(width, height)))
    edges = [-0.5 * length + length * bay / bays for bay in range(bays + 1)]
    pieces = [Piece(Box(length, thick, thick), (0.0, a * y, b * z), colour=colour) for a in (-1, 1) for b in (-1, 1)]
    for number, (start, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        turn = 1.0 if number % 2 else -1.0  # zigzag
        for side in (-1.0, 1.0):
            upright = np.array([start, side * y, -turn * z]), np.array([end, side * y, turn * z])
            level = np.array([start, -turn * y, side * z]), np.array([end, turn * y, side * z])
            pieces += [bar(*ends, 0.6 * thick, colour) for ends in (upright, level)]
    return pieces


def placed(pieces: list[Piece], position: Any, orientation: Any = (1.0, 0.0, 0.0, 0.0)) -> list[Piece]:
    """Pieces at another place of a body: their frame at `position` (3,) m, turned by the quaternion `orientation`."""
    place = checks.vector("placed", "position", position)
    turn = checks.quaternion("placed", "orientation", orientation)
    return [moved(piece, place, turn) for piece in pieces]


def bar(start: Array, end: Array, thick: float, colour: Colour | None) -> Piece:
    """A square bar between two points (3,), m."""
    line = end - start
    length = float(np.linalg.norm(line))
    turn = spatial.from_two_vectors(np.array([1.0, 0.0, 0.0]), line / length)
    return Piece(Box(length, thick, thick), 0.5 * (start + end), turn, colour)


def ring(shape: Box, radius: float, count: int, colour: Colour) -> list[Piece]:
    """Copies of a box, whose x axis points outwards, on a circle of a radius (m) about the z axis."""
    pieces = []
    for angle in (2.0 * np.pi * np.arange(count) / count).tolist():
        place = (radius * np.cos(angle), radius * np.sin(angle), 0.0)
        pieces.append(Piece(shape, place, spatial.from_axis_angle(ABOUT_Z, angle), colour))
    return pieces
