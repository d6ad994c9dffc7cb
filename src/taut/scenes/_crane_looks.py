"""What a truck crane and its load look like; nothing collides with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.machines import visuals
from taut.scene.looks import Piece
from taut.shapes import Box, Convex, Cylinder
from taut.spatial import Array, from_axis_angle, from_two_vectors

YELLOW, GLASS, STEEL, DARK = (0.95, 0.70, 0.10), (0.20, 0.32, 0.40), (0.66, 0.68, 0.70), visuals.DARK
CAB_X = 3.9
ACROSS = from_two_vectors((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def carrier() -> list[Piece]:
    return [Piece(Box(9.6, 2.5, 0.5)), Piece(Box(1.6, 2.4, 1.5), (CAB_X, 0, 0.9), colour=YELLOW)]


def leg() -> list[Piece]:
    return [Piece(Box(0.2, 0.2, 1.1), colour=STEEL)]


def pad() -> list[Piece]:
    return [Piece(Cylinder(0.35, 0.1), colour=DARK)]


def turntable() -> list[Piece]:
    return [Piece(Box(3.6, 2.3, 0.35), (-0.6, 0, 0.08), colour=YELLOW), Piece(Box(0.8, 2.4, 1.0), (-2.6, 0, 0.4), colour=DARK)]


def section(number: int, boom: Any) -> list[Piece]:
    width, height = boom.profile
    k = 0.88 ** (number - 1)
    return [Piece(Box(8.0, width * k, height * k))]


def cylinder(radii: Any, shape: Any) -> dict[str, list[Piece]]:
    return {}
