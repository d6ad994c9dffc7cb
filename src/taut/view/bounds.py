"""How much room things take."""

from __future__ import annotations

import numpy as np

from taut.results.drawing import Drawing
from taut.spatial import Array
from taut.view.frame import Frame

FAR = 2.5
"""Things farther from the middle than this many times the distance within which nearly all are do not count."""


def bounds(drawing: Drawing, frame: Frame) -> tuple[Array, Array]:
    """Lower and upper corner (3,) of a box, m, that holds what moves and the points that joints go through.

    Single bodies far from all others are left out of account.
    """
    place, _ = drawing.piece_poses(frame.positions, frame.orientations)
    reach = np.array([np.linalg.norm(surface.points, axis=1).max(initial=0.0) for surface in drawing.surfaces])
    moving = drawing.moves[drawing.piece_body]
    place, radius = place[moving], reach[drawing.piece_surface[moving]][:, None]
    path = drawing.path_points(frame.positions, frame.orientations)
    points = np.vstack([place - radius, place + radius, path])
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return -np.ones(3), np.ones(3)
    away = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    points = points[away <= FAR * np.quantile(away, 0.95)]
    return points.min(axis=0), points.max(axis=0)


def round_length(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, not above the length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1.0 + 1e-12)))
