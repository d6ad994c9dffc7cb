"""Where a motion may go, guessed from its first frame: for a camera that must be placed before anything has moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.results.drawing import Drawing
from taut.spatial import Array, from_two_vectors, multiply_each, rotate_each
from taut.view.bounds import bounds
from taut.view.frame import Frame

DOWN = np.array([0.0, 0.0, -1.0])
HALF_TURN = np.array([0.0, 0.0, 0.0, 1.0])
"""About the vertical."""


LEVEL = 0.5
"""Planes whose normals point up at least so much are ground that things fall to."""


def preview(drawing: Drawing, frame: Frame) -> list[Frame]:
    """The frame, and where things may go: down to the ground if it is near, or where there is none and they hang from
    fixed points, how they hang at rest and on the other side.
    """
    moves = drawing.moves & frame.present
    held = ~drawing.moves[drawing.path_body] & frame.joined[drawing.link_of_point]
    if len(drawing.planes):
        return [frame, *fallen(drawing, frame)]
    if not held.any() or not moves.any():
        return [frame]
    anchor = drawing.path_points(frame.positions, frame.orientations)[held].mean(axis=0)
    arm = np.average(frame.positions[moves], axis=0, weights=drawing.masses[moves]) - anchor
    if np.linalg.norm(arm) < 1e-9:
        return [frame]
    return [frame, *(turned(drawing, frame, anchor, turn) for turn in (from_two_vectors(arm, DOWN), HALF_TURN))]


def fallen(drawing: Drawing, frame: Frame) -> list[Frame]:
    """The frame with all that moves on the ground, if that is less far down than all of it is large."""
    low, high = bounds(drawing, frame)
    moves = (drawing.moves & frame.present)[:, None]
    lowest = (frame.positions[:, 2] - drawing.reach)[moves[:, 0]]
    ground = [offset / normal for _, _, normal, offset in drawing.planes.tolist() if normal > LEVEL]
    height = float(np.min(lowest, initial=np.inf)) - max(ground, default=np.inf)
    if not 0.0 < height < np.linalg.norm(high - low):
        return []
    return [replace(frame, positions=np.where(moves, frame.positions + height * DOWN, frame.positions))]


def turned(drawing: Drawing, frame: Frame, about: Array, turn: Array) -> Frame:
    """The frame with all that moves turned by a quaternion (4,) about a point (3,)."""
    each = np.tile(turn, (len(frame.positions), 1))
    moves = drawing.moves[:, None]
    positions = np.where(moves, about + rotate_each(each, frame.positions - about), frame.positions)
    return replace(
        frame,
        positions=positions,
        orientations=np.where(moves, multiply_each(each, frame.orientations), frame.orientations),
    )
