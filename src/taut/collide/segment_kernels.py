"""Segments: nearest points and directions."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel


@kernel("float64(float64, float64, float64)", inner=True)
def clamp(value, low, high):
    """The value, but not below `low` and not above `high`."""
    return min(max(value, low), high)


@kernel("UniTuple(float64, 3)(float64, float64, float64, float64, float64, float64)", inner=True)
def direction(
    x, y, z,  # m
    ux, uy, uz,  # unit axis
):  # fmt: skip
    """Unit vector along (x, y, z), or where that vanishes one across the axis.

    Returns: the three components
    """
    length = np.sqrt(x * x + y * y + z * z)
    if length > 1e-12:
        return x / length, y / length, z / length
    # the axis turned onto the coordinate axis it is farthest from
    if abs(uz) <= abs(ux) and abs(uz) <= abs(uy):
        scale = 1.0 / np.sqrt(ux * ux + uy * uy)
        return uy * scale, -ux * scale, 0.0
    scale = 1.0 / np.sqrt(uy * uy + uz * uz)
    if abs(ux) <= abs(uy):
        return 0.0, uz * scale, -uy * scale
    scale = 1.0 / np.sqrt(ux * ux + uz * uz)
    return -uz * scale, 0.0, ux * scale


@kernel("UniTuple(float64, 2)(float64, float64, float64, float64, float64, float64)", inner=True)
def nearest_on_segments(
    along_a, along_b,  # c . u, c . v with c from the middle of A to that of B, m
    cosine, sine2,  # of the angle between u and v; sine squared
    half_a, half_b,  # m
):  # fmt: skip
    """Nearest points of two segments.

    Returns: their places s on A and t on B from the middles, m
    """
    s = 0.0
    if sine2 > 1e-18:
        s = (along_a - cosine * along_b) / sine2
    s = min(max(s, -half_a), half_a)
    t = min(max(s * cosine - along_b, -half_b), half_b)
    s = min(max(t * cosine + along_a, -half_a), half_a)
    return s, t
