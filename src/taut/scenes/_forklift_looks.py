"""What the fork-lift looks like."""

from __future__ import annotations

from typing import Any

from taut.machines.visuals import DARK, STEEL
from taut.scene.looks import Piece
from taut.shapes import Box, Cylinder

YELLOW, CHROME = (0.95, 0.70, 0.10), (0.80, 0.81, 0.83)

__all__ = ["CHROME", "DARK", "YELLOW", "axle", "carriage", "chassis", "knuckle", "mast"]


def chassis() -> list[Piece]:
    return [Piece(Box(1.75, 1.05, 0.75), (-0.85, 0.0, 0.675), colour=YELLOW)]


def axle(half: float) -> list[Piece]:
    return [Piece(Box(0.12, 2.0 * half, 0.12), colour=DARK)]


def knuckle(arm: Any) -> list[Piece]:
    return [Piece(Box(0.1, 0.06, 0.2), colour=DARK)]


def mast(half: float, depth: float) -> list[Piece]:
    return [Piece(Box(depth, 0.06, 2.0), (0.0, side * half, 0.0), colour=DARK) for side in (-1.0, 1.0)]


def carriage(plate: Box, forks: Any) -> list[Piece]:
    return [Piece(Box(plate.x, plate.y, 0.4), (-0.5 * plate.x, 0.0, 0.2), colour=DARK)] + [
        Piece(shape, place, colour=STEEL) for shape, place in forks
    ]


_ = Cylinder
