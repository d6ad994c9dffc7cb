"""What the armoured vehicle looks like: pieces in the frames of its hull and of its turret."""

from __future__ import annotations

from taut.machines.visuals import DARK, RUBBER, STEEL
from taut.scene.looks import Piece
from taut.shapes import Box, Convex, Cylinder
from taut.spatial import Array, from_axis_angle

GREEN, SHADE = (0.36, 0.40, 0.27), (0.26, 0.29, 0.19)
GLASS, LAMP = (0.12, 0.17, 0.20), (0.95, 0.90, 0.70)
ALONG = from_axis_angle((0.0, 1.0, 0.0), 0.5 * 3.141592653589793)
"""Turns the z axis of a cylinder ahead."""


def slab(*sections: tuple[float, float, float, float]) -> Convex:
    """The hull of rectangles that lie level: (least x, greatest x, half width, height) of each, m."""
    return Convex([(x, side * y, z) for low, high, y, z in sections for x in (low, high) for side in (-1.0, 1.0)])


def hull() -> list[Piece]:
    """A tub between the wheels, an upper hull that leans inwards with a glacis in front, and what is on it."""
    body = [
        Piece(slab((-2.9, 2.5, 0.5, -0.65), (-3.1, 2.95, 0.86, -0.25), (-3.1, 3.05, 0.86, 0.02)), colour=SHADE),
        Piece(slab((-3.25, 3.05, 1.27, -0.02), (-3.25, 3.3, 1.27, 0.16), (-3.1, 1.75, 0.98, 0.7))),
        Piece(Box(0.05, 1.5, 0.95), (-3.26, 0.0, 0.18), colour=SHADE),
        Piece(Box(0.04, 2.0, 0.42), (2.5, 0.0, 0.5), from_axis_angle((0.0, 1.0, 0.0), -1.22), SHADE),
        Piece(Cylinder(0.3, 0.06), (1.2, 0.45, 0.72), colour=SHADE),
        Piece(Box(1.0, 0.9, 0.04), (1.15, -0.4, 0.71), colour=DARK),
        Piece(Cylinder(0.09, 1.1), (1.3, -1.2, 0.42), ALONG, DARK),
    ]
    slats = [Piece(Box(0.05, 0.85, 0.05), (0.75 + 0.16 * number, -0.4, 0.73), colour=SHADE) for number in range(6)]
    views = [Piece(Box(0.06, 0.16, 0.09), (1.5, y, 0.73), colour=GLASS) for y in (0.25, 0.45, 0.65)]
    lamps = [Piece(Cylinder(0.09, 0.06), (3.25, y, 0.24), ALONG, LAMP) for y in (-0.95, 0.95)]
    boxes = [
        Piece(Box(0.9, 0.16, 0.3), (x, y, 0.25), from_axis_angle((1.0, 0.0, 0.0), side * 0.5), SHADE)
        for x in (-2.3, -1.2) for side, y in ((1.0, 1.14), (-1.0, -1.14))
    ]  # fmt: skip
    return [*body, *slats, *views, *lamps, *boxes]


def turret() -> list[Piece]:
    """A turret with a gun, a hatch, smoke launchers and an aerial."""
    body = [
        Piece(Cylinder(0.72, 0.08), (0.0, 0.0, -0.22), colour=DARK),
        Piece(slab((-0.95, 0.75, 0.7, -0.19), (-0.95, 0.85, 0.72, 0.0), (-0.8, 0.4, 0.48, 0.25))),
        Piece(Box(0.35, 0.4, 0.26), (0.85, 0.0, 0.02), colour=SHADE),
        Piece(Cylinder(0.055, 2.1), (1.95, 0.0, 0.03), ALONG, DARK),
        Piece(Cylinder(0.085, 0.28), (2.95, 0.0, 0.03), ALONG, DARK),
        Piece(Cylinder(0.24, 0.07), (-0.3, 0.2, 0.28), colour=SHADE),
        Piece(Box(0.22, 0.22, 0.2), (0.1, -0.3, 0.32), colour=SHADE),
        Piece(Box(0.02, 0.16, 0.12), (0.22, -0.3, 0.34), colour=GLASS),
        Piece(Cylinder(0.012, 1.5), (-0.7, -0.35, 0.95), colour=RUBBER),
    ]
    smoke = [
        Piece(Cylinder(0.045, 0.22), (0.45 + 0.02 * number, side * (0.62 + 0.07 * number), 0.12), tilted(side), STEEL)
        for number in range(3) for side in (-1.0, 1.0)
    ]  # fmt: skip
    return [*body, *smoke]


def tilted(side: float) -> Array:
    """A cylinder that points up, ahead and to a side."""
    return from_axis_angle((-side * 0.4, 0.9, 0.0), 0.9)
