"""What a crawler crane looks like: pieces in the frames of its bodies, see `_crawler`."""

from __future__ import annotations

import numpy as np

from taut.machines import visuals
from taut.scene.looks import Colour, Piece
from taut.shapes import Box, Cylinder
from taut.spatial import from_two_vectors

YELLOW, RED, GLASS = (0.93, 0.68, 0.12), (0.78, 0.22, 0.14), (0.2, 0.3, 0.38)
IRON, DARK, STEEL = (0.24, 0.25, 0.27), visuals.DARK, visuals.STEEL
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ACROSS = from_two_vectors(Z, Y)


def car(gauge: float) -> list[Piece]:
    """A box with two beams to the tracks, and the slewing ring."""
    beams = [Piece(Box(0.7, gauge - 0.3, 0.5), (x, 0.0, -0.1), colour=DARK) for x in (-1.2, 1.2)]
    ring = Piece(Cylinder(1.15, 0.5), (0.0, 0.0, 0.45), colour=IRON)
    return [Piece(Box(3.2, 2.6, 0.7), colour=YELLOW), *beams, ring]


def track_frame() -> list[Piece]:
    """A beam between the rollers and the upper run, and what carries sprocket and idler."""
    ends = [Piece(Box(1.3, 0.16, 0.2), (x, side, 0.31), colour=DARK) for x in (-2.0, 2.0) for side in (-0.3, 0.3)]
    return [Piece(Box(3.6, 0.6, 0.3), (0.0, 0.0, 0.24), colour=YELLOW), *ends]


def sprocket(radius: float, width: float, teeth: int) -> list[Piece]:
    """A disc with teeth about the z axis."""
    hub = Piece(Cylinder(0.45 * radius, 1.1 * width), colour=YELLOW)
    tooth = Box(0.12 * radius, 0.16 * radius, 0.5 * width)
    return [Piece(Cylinder(0.94 * radius, width), colour=IRON), hub, *visuals.ring(tooth, 0.94 * radius, teeth, STEEL)]


def roller(radius: float, width: float) -> list[Piece]:
    """A wheel with a hub and bars about the z axis, on which one sees that it turns."""
    bars = visuals.ring(Box(0.5 * radius, 0.14 * radius, 1.04 * width), 0.6 * radius, 4, STEEL)
    return [Piece(Cylinder(radius, width), colour=IRON), *bars]


def works(gantry: tuple[float, float, float], foot: tuple[float, float, float]) -> list[Piece]:
    """Engine house, counterweight, cab, gantry and the brackets of the boom."""
    house = Piece(Box(4.4, 2.9, 1.7), (-0.6, 0.0, 0.0), colour=YELLOW)
    weights = [Piece(Box(0.9, 3.1, 0.62), (-3.0, 0.0, z), colour=IRON) for z in (-0.6, 0.06, 0.72)]
    cab = [
        Piece(Box(1.5, 0.95, 1.9), (2.35, 1.15, 0.1), colour=YELLOW),
        Piece(Box(0.04, 0.8, 1.1), (3.1, 1.15, 0.35), colour=GLASS),
        Piece(Box(1.1, 0.97, 0.9), (2.45, 1.15, 0.45), colour=GLASS),
    ]
    brackets = [Piece(Box(1.5, 0.12, 0.5), (foot[0] - 0.6, side, foot[2]), colour=DARK) for side in (-0.66, 0.66)]
    x, _, z = gantry
    ends = [((x + 2.2, side, 0.85), (x, 0.6 * side, z)) for side in (-0.9, 0.9)]
    ends += [((x, side, 0.85), (x, 0.6 * side, z)) for side in (-0.9, 0.9)]
    legs = [visuals.bar(np.array(low), np.array(high), 0.16, DARK) for low, high in ends]
    head = Piece(Cylinder(0.25, 1.2), gantry, ACROSS, colour=DARK)
    return [house, *weights, *cab, *brackets, *legs, head]


def boom(length: float, size: float, colour: Colour) -> list[Piece]:
    """A lattice that is narrow at both ends, with a sheave at its tip."""
    middle, end = 0.72 * length, 0.14 * length
    pieces = visuals.lattice(middle, size, size, colour)
    for way in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            for z in (-1.0, 1.0):
                start = np.array((way * 0.5 * middle, 0.47 * y * size, 0.47 * z * size))
                stop = np.array((way * (0.5 * middle + end), 0.4 * y * size, 0.08 * z * size))
                pieces.append(visuals.bar(start, stop, 0.14, colour))
        rung = Box(0.14, 0.9 * size, 0.14)
        pieces += [
            Piece(rung, (way * (0.5 * middle + share * end), 0.0, 0.0), colour=colour) for share in (0.0, 0.5, 1.0)
        ]
    return [*pieces, Piece(Cylinder(0.35, 0.25), (0.5 * length - 0.1, 0.0, 0.0), ACROSS, colour=IRON)]


def block(size: Box) -> list[Piece]:
    """Two cheeks around a sheave, striped."""
    cheeks = [Piece(Box(size.x, 0.08, size.z), (0.0, side, 0.0), colour=YELLOW) for side in (-0.11, 0.11)]
    stripe = [Piece(Box(1.02 * size.x, 0.32, 0.16 * size.z), (0.0, 0.0, z), colour=IRON) for z in (-0.2, 0.2)]
    return [*cheeks, *stripe, Piece(Cylinder(0.45 * size.x, 0.12), (0.0, 0.0, 0.1), ACROSS, colour=STEEL)]


def pipe(radius: float, length: float, inner: float) -> list[Piece]:
    """A tube about the z axis: dark inside at both ends, with two welds."""
    ends = [Piece(Cylinder(0.97 * inner, 1.002 * length), colour=(0.05, 0.05, 0.06))]
    welds = [Piece(Cylinder(1.012 * radius, 0.06), (0.0, 0.0, z), colour=DARK) for z in (-length / 6.0, length / 6.0)]
    return [Piece(Cylinder(radius, length), colour=(0.42, 0.5, 0.56)), *ends, *welds]
