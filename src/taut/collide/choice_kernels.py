"""Which points of a manifold are kept."""

from __future__ import annotations

from taut.kernel import kernel

DEPTH_WEIGHT = 10.0
"""Metres along the surface that a metre of depth is worth when points are chosen."""

LEAN_COSINE, LEAN_SINE = 0.8253356149096783, 0.5646424733950354
"""Directions in which points are kept lie 0.6 rad off the axes of the surface: the corners of a rectangle are then
clearly farthest, whichever way they jitter."""


SLACK, SAME = 1e-6, 1e-3
"""Shares of the size: a later point must be better by the first to replace an earlier one; points within the second of
each other count once."""


@kernel("boolean(float64[:, ::1], int64, int64[::1], int64, float64)", inner=True)
def is_kept(
    places, point, chosen, kept,  # as in `keep_four`; how many are chosen
    distance,  # m
):  # fmt: skip
    """Whether a point, or one beside it, is among those chosen."""
    for i in range(kept):
        other = chosen[i]
        x, y = places[point, 0] - places[other, 0], places[point, 1] - places[other, 1]
        if x * x + y * y <= distance * distance:
            return True
    return False


@kernel("int64(float64[:, ::1], int64, int64[::1], int64)", inner=True)
def nearest_kept(
    places, point, chosen, kept,  # as in `keep_four`; how many are chosen
):  # fmt: skip
    """Which of those chosen is nearest to a point along the surface."""
    nearest, least = 0, 1e300
    for i in range(kept):
        x, y = places[point, 0] - places[chosen[i], 0], places[point, 1] - places[chosen[i], 1]
        if x * x + y * y < least:
            nearest, least = i, x * x + y * y
    return nearest


@kernel("int64(float64[:, ::1], int64, float64, int64[::1])", inner=True)
def keep_four(
    places,  # (points, >= 3) m: two coordinates along the surface and the gap
    count,
    size,  # m, of the surface
    chosen_out,  # (4,) increasing
):
    """At most four points: the farthest in four directions along the surface, deep ones first; then the deepest.

    If there are four already, the deepest stands in for the one that is nearest to it: without a far one the body would
    sink there, and that one would be the deepest of the next step.

    Writes:  chosen_out
    Returns: how many are kept
    """
    kept, deepest, slack = 0, 0, SLACK * size
    for i in range(count):
        if places[i, 2] < places[deepest, 2] - slack:
            deepest = i
    for turn in range(min(count, 4)):
        best = turn
        if count > 4:
            x, y = LEAN_COSINE, LEAN_SINE
            if turn >= 2:
                x, y = -LEAN_SINE, LEAN_COSINE
            if turn % 2 == 1:
                x, y = -x, -y
            record = -1e300
            for i in range(count):
                score = x * places[i, 0] + y * places[i, 1] - DEPTH_WEIGHT * places[i, 2]
                if score > record + slack:
                    best, record = i, score
        if not is_kept(places, best, chosen_out, kept, SAME * size):
            chosen_out[kept] = best
            kept += 1
    if count > 0 and not is_kept(places, deepest, chosen_out, kept, SAME * size):
        if kept < 4:
            kept += 1
            chosen_out[kept - 1] = deepest
        else:
            nearest = nearest_kept(places, deepest, chosen_out, kept)
            if places[deepest, 2] < places[chosen_out[nearest], 2] - 10.0 * slack:
                chosen_out[nearest] = deepest
    for i in range(1, kept):
        for j in range(i, 0, -1):
            if chosen_out[j] < chosen_out[j - 1]:
                chosen_out[j], chosen_out[j - 1] = chosen_out[j - 1], chosen_out[j]
    return kept
