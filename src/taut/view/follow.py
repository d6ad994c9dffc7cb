"""A camera that goes with a body: films of machines that drive away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.results.drawing import Drawing
from taut.spatial import Array
from taut.view.camera import ASPECT, Camera, framing
from taut.view.frame import Frame, drawing_of, overview

if TYPE_CHECKING:
    from taut.results.record import Recording

CALM = 0.5
"""Seconds by which the way of the camera is smoothed: it does not shake with what it follows."""

AROUND = 1.35
"""Distance over that from which what is followed just fits."""


def following(recording: Recording, indices: Sequence[int], body: str, aspect: float = ASPECT) -> list[Camera]:
    """A camera for each of these frames, which keeps its heading and goes with the body of this name.

    The body and all that joints connect to it fit in the picture.
    """
    drawing = drawing_of(recording)
    number = drawing.body_names.index(checks.known("follow", "body", body, drawing.body_names[1:]))
    path = calmed(recording.time, recording.body(body).position)
    frames = overview(recording, indices)
    own = connected(drawing, frames[0], number)
    gone = [path[np.abs(recording.time - frame.time).argmin()] - path[indices[0]] for frame in frames]
    first = framing(drawing, [alone(*each, own) for each in zip(frames, gone, strict=True)], aspect)
    back = first.target + AROUND * (first.position - first.target)
    ways = [path[index] - path[indices[0]] for index in indices]
    return [Camera(back + way, first.target + way, first.up, first.field_of_view) for way in ways]


def calmed(time: Array, path: Array) -> Array:
    """A path (frames, 3) without what shakes it: at every time the straight line that fits best around it.

    Where there is no path it stays where it was.
    """
    known = np.isfinite(path).all(axis=1)
    full = np.column_stack([np.interp(time, time[known], path[known, axis]) for axis in range(3)])
    away = time - time[:, None]
    weight = np.exp(-0.5 * (away / (0.5 * CALM)) ** 2)
    none, one, two = (((weight * away**power).sum(axis=1, keepdims=True)) for power in range(3))
    fit = two * (weight @ full) - one * ((weight * away) @ full)
    return np.asarray(fit / (none * two - one**2)) if len(time) > 1 else full


def connected(drawing: Drawing, frame: Frame, body: int) -> Array:
    """Which bodies (n,) joints connect to one, itself among them."""
    found = np.zeros(len(drawing.body_names), bool)
    found[body], count = True, 0
    while count != found.sum():
        count = int(found.sum())
        found[frame.bonds[found[frame.bonds].any(axis=1)]] = True
    return found


def alone(frame: Frame, way: Array, chosen: Array) -> Frame:
    """A frame in which the chosen bodies (n,) are put back by a way (3,), and no others are anywhere."""
    return replace(frame, positions=np.where(chosen[:, None], frame.positions - way, np.nan))
