"""The way of a track around its wheels: a belt around discs, and links of equal length along it.

Everything is in the plane of the track, x ahead and z up. The way runs ahead on top, as a track does that drives ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.spatial import Array

SAMPLES = 1440
"""Directions in which the way is looked at: a quarter of a degree each."""


def farthest(centres: Array, radii: Array) -> tuple[Array, Any]:
    """Directions (k, 2) in the order of the way, and the disc (k,) that reaches farthest in each, argmax c . u + r."""
    angle = 0.5 * np.pi - np.linspace(0.0, 2.0 * np.pi, SAMPLES, endpoint=False)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    return out, (centres @ out.T + radii[:, None]).argmax(axis=0)


def belt_around(centres: Array, radii: Array) -> Array:
    """Closed way (k, 2) of a taut belt around discs with centres (n, 2) and radii (n,): the boundary of their hull."""
    out, disc = farthest(centres, radii)
    return np.asarray(centres[disc] + radii[disc, None] * out)


def chords(way: Array, pitch: float, count: int) -> tuple[Array, float]:
    """Ends (count + 1, 2) of chords of this length along a closed way (k, 2), and where on it the last one ends, in
    rounds."""
    corners = np.vstack([way, way, way[:2]])
    ends, place = [corners[0]], 0
    for _ in range(count):
        # the first corner beyond the chord's length, then where on the side before it the chord ends
        while np.linalg.norm(corners[place + 1] - ends[-1]) < pitch and place < len(corners) - 2:
            place += 1
        tail, side = corners[place] - ends[-1], corners[place + 1] - corners[place]
        a, b, c = side @ side, tail @ side, tail @ tail - pitch**2
        share = (-b + np.sqrt(max(b * b - a * c, 0.0))) / a
        ends.append(corners[place] + share * side)
    return np.array(ends), (place + share) / len(way)


def links_around(centres: Array, radii: Array, count: int, thickness: float) -> tuple[Array, float]:
    """Pins (count, 2) of a track of so many links whose inner faces lie on wheels, and its pitch, m."""
    middle = radii + 0.5 * thickness
    bend: Any = np.bincount(farthest(centres, middle)[1], minlength=len(radii)) * (2.0 * np.pi / SAMPLES)
    low, high = 0.0, 2.0 * float(np.ptp(belt_around(centres, radii + thickness), axis=0).sum()) / count
    for _ in range(50):
        pitch = 0.5 * (low + high)
        _, rounds = chords(belt_around(centres, pin_radii(middle, bend, pitch)), pitch, count)
        low, high = (low, pitch) if rounds > 1.0 else (pitch, high)
    return chords(belt_around(centres, pin_radii(middle, bend, pitch)), pitch, count)[0][:-1], pitch


def pin_radii(middle: Array, bend: Array, pitch: float) -> Array:
    """How far pins are from the centres of wheels (n,), around which the track is bent by angles (n,), so that links
    stay `middle` (n,) away from these, m.

    A link lies across a bend b with its ends on the straight, r = m cos(b/2) + (p/2) sin(b/2), or, where it fits in the
    bend, with both on the arc, r^2 = m^2 + p^2/4.
    """
    half = np.minimum(0.5 * bend, np.arctan2(0.5 * pitch, middle))
    return np.asarray(middle * np.cos(half) + 0.5 * pitch * np.sin(half))
