"""Rocks: hulls around ellipsoids, of stone and of 80 to 250 kg [Peiret2019]; the paper gives the masses only."""

from __future__ import annotations

import numpy as np

from taut.scene.scene import Scene
from taut.shapes import Convex

DENSITY = 2600.0
LIGHTEST, HEAVIEST = 80.0, 250.0
CORNERS = 24
PITCH = 0.75
"""Room for a rock in a layer of rocks, m."""
OVERLAP = 8e-3
"""Depth in m to which rocks may overlap: an accepted step may leave 2.5 % of a half thickness, 0.3 m at most."""


def add_rock(scene: Scene, name: str, place: np.ndarray, random: np.random.Generator) -> None:
    """A rock with its centre of mass at a place (3,)."""
    mass = random.uniform(LIGHTEST, HEAVIEST)
    corners = random.normal(size=(CORNERS, 3))
    corners *= random.uniform(0.7, 1.0, 3) / np.linalg.norm(corners, axis=1)[:, None]
    corners *= (mass / DENSITY / Convex(corners).volume) ** (1.0 / 3.0)
    shape = Convex(corners - Convex(corners).com)
    turn = random.normal(size=4)
    scene.add_body(name, shape, mass=mass, position=place, orientation=turn / np.linalg.norm(turn))
