"""Inclined planes: axes along and across a slope in the x-z plane."""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.scene.scene import Scene
from taut.spatial import Array, exponential

STEEPEST = 80.0
"""Largest angle of a slope, degrees."""


def add_slope(scene: Scene, angle: float) -> tuple[Array, Array, Array]:
    """Ground through the origin that falls towards x by `angle` degrees.

    Returns: unit vectors down the slope and out of it (3,), and the orientation (4,) of a body that lies on it.
    """
    angle = checks.number("slope", "angle", angle)
    if not 0.0 <= angle <= STEEPEST:
        raise InputError(f"slope: angle is {angle:g}; it must be from 0 to {STEEPEST:g} degrees")
    turn = np.radians(angle)
    down = np.array([np.cos(turn), 0.0, -np.sin(turn)])
    out = np.array([np.sin(turn), 0.0, np.cos(turn)])
    scene.add_plane(out)
    return down, out, exponential((0.0, turn, 0.0))
