"""Where the segments of a cable are when it is built: hanging between two points, or along corners.

Both give where each segment begins and ends, (n, 3) and (n, 3), m. All segments are equally long; the gaps between them
are what its joints are stretched by.
"""

from __future__ import annotations

import math

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.spatial import Array, perpendicular

NEWTON_STEPS = 100
"""More than any cable needs: from the parabola that it is close to, a few steps do."""

CLOSED = 1e-13
"""Share of its length by which the end of a hanging cable may miss its point."""

SINGULAR = 1e-12
"""Share by which lengths of a straight line may give way: they turn by 1e-6 rad, and rounding is far below."""

Segments = tuple[Array, Array]


def hanging(
    owner: str, start: Array, end: Array, count: int, segment: float, weight: Array, compliance: float,
    ends: tuple[float, float] = (0.5, 0.5),
) -> Segments:  # fmt: skip
    """Segments of a cable at rest under its own weight, joints pinned; an arc where it would fold or nothing pulls it.

    The pull P_0 at the start gives the pulls P_i+1 = P_i - w of all joints and the directions of all segments, along
    the mean Q_i of the pulls at their ends. Both ends are met where

        phi(P_0) = sum c_i |P_i|^2 / 2 + sum L |Q_i| - P_0 . (end - start)

    is least, which is convex: Newton's method with halved steps. At the ends c_i is a share of `compliance`.

    Args:
        owner: how messages call the cable.
        start: world point, m.
        end: world point, m.
        count: number of segments.
        segment: length L of one, m.
        weight: w (3,) of one, N, world axes.
        compliance: c of a joint along the cable, m/N; 0 = hard.
        ends: share of it that the first and the last joint have.
    """
    span, length = end - start, count * segment
    distance = float(np.linalg.norm(span))
    check_reach(owner, length, distance, compliance)
    if distance >= length * (1.0 - 1e-9) and (compliance == 0.0 or not weight.any()):
        return stretched(start, span, count, segment, ends)
    share = np.full(count + 1, compliance)
    share[[0, -1]] *= ends
    pull = balanced(span, count, segment, weight, share)
    if pull is None and distance > length:
        return stretched(start, span, count, segment, ends)
    if pull is None:
        return arc(start, end, count, segment, weight)
    pulls = pull - np.arange(count + 1)[:, None] * weight
    mean = 0.5 * (pulls[:-1] + pulls[1:])
    sides = segment * mean / np.linalg.norm(mean, axis=1)[:, None]
    gaps = share[:-1, None] * pulls[:-1]
    heads = start + np.cumsum(gaps + sides, axis=0)
    return heads - sides, heads


def check_reach(owner: str, length: float, distance: float, compliance: float) -> None:
    """A cable that does not stretch is as long as its ends are apart, at least, m."""
    if compliance == 0.0 and distance > length * (1.0 + 1e-9):
        raise InputError(
            f"{owner}: length is {length:g} m, but its ends are {distance:g} m apart; it must not be shorter, "
            "or axial_stiffness must be finite"
        )


def stretched(start: Array, span: Array, count: int, segment: float, ends: tuple[float, float]) -> Segments:
    """Segments on a straight line, the gaps at its ends so many times as large as those between them."""
    distance = float(np.linalg.norm(span))
    along = span / distance
    gap = (distance - count * segment) / max(sum(ends) + count - 1, 1e-300)
    begin = ends[0] * gap + np.arange(count) * (segment + gap)
    return start + begin[:, None] * along, start + (begin + segment)[:, None] * along


def balanced(span: Array, count: int, segment: float, weight: Array, share: Array) -> Array | None:
    """The pull (3,) at the start of a hanging cable, N; None where some segment would have no direction."""
    length, distance, heavy = count * segment, float(np.linalg.norm(span)), count * float(np.linalg.norm(weight))
    if heavy == 0.0:
        return None
    slack = max(length / max(distance, 1e-3 * length) - 1.0, 1e-12)
    pull = 0.5 * count * weight + span / max(distance, 1e-9 * length) * heavy / math.sqrt(24.0 * slack)
    steps = np.arange(count + 1)[:, None] * weight
    for _ in range(NEWTON_STEPS):
        value, gradient, hessian = potential(pull, span, segment, steps, share)
        if np.linalg.norm(gradient) <= CLOSED * length:
            return None if folded(pull - steps) else pull
        hessian += 1e-12 * np.trace(hessian) * np.eye(3)  # along a straight cable that does not stretch it is flat
        move = np.linalg.solve(hessian, -gradient)
        size, wanted = 1.0, (value, float(np.linalg.norm(gradient)))
        while size > 1e-12 and not better(potential(pull + size * move, span, segment, steps, share), *wanted):
            size *= 0.5
        if size <= 1e-12:  # rounding is all that is left
            return None if folded(pull - steps) or wanted[1] > 1e-9 * length else pull
        pull = pull + size * move
    return None


def better(there: tuple[float, Array, Array], value: float, slope: float) -> bool:
    """Whether phi or, where rounding hides that, its gradient is less than it was."""
    return there[0] < value or float(np.linalg.norm(there[1])) < slope


def folded(pulls: Array) -> bool:
    """Whether a segment turns by more than 120 degrees from the one before it, with these pulls (n + 1, 3)."""
    mean = 0.5 * (pulls[:-1] + pulls[1:])
    along = mean / np.maximum(np.linalg.norm(mean, axis=1), 1e-300)[:, None]
    return bool(((along[:-1] * along[1:]).sum(axis=1) < -0.5).any())


def potential(pull: Array, span: Array, segment: float, steps: Array, share: Array) -> tuple[float, Array, Array]:
    """phi of `hanging`, its gradient (3,) and Hessian (3, 3)."""
    pulls = pull - steps
    mean = 0.5 * (pulls[:-1] + pulls[1:])
    size = np.maximum(np.linalg.norm(mean, axis=1), 1e-300)
    along = mean / size[:, None]
    value = 0.5 * float(share @ (pulls**2).sum(axis=1)) + segment * float(size.sum()) - float(pull @ span)
    gradient = share @ pulls + segment * along.sum(axis=0) - span
    across = np.eye(3) - along[:, :, None] * along[:, None, :]
    hessian = share.sum() * np.eye(3) + segment * (across / size[:, None, None]).sum(axis=0)
    return value, gradient, hessian


def arc(start: Array, end: Array, count: int, segment: float, down: Array) -> Segments:
    """Segments of equal length on a circle through both ends that bulges `down`, or sideways where that is no way."""
    span = end - start
    distance = float(np.linalg.norm(span))
    along = span / distance if distance > 0.0 else perpendicular(down if down.any() else (0.0, 0.0, 1.0))
    across = down - (down @ along) * along
    size = float(np.linalg.norm(across))
    across = across / size if size > 1e-9 * max(float(np.linalg.norm(down)), 1e-300) else perpendicular(along)
    low, high = 0.0, math.pi / count  # half the turn between two segments: straight, and once round
    for _ in range(200):
        half = 0.5 * (low + high)
        chord = segment * math.sin(count * half) / math.sin(half) if half > 0.0 else count * segment
        low, high = (half, high) if chord > distance else (low, half)
    turn = (2.0 * np.arange(count) - count + 1.0) * 0.5 * (low + high)
    sides = segment * (np.cos(turn)[:, None] * along - np.sin(turn)[:, None] * across)
    ends = start + np.cumsum(sides, axis=0)
    return ends - sides, ends


def along_corners(owner: str, corners: Array, count: int) -> Segments:
    """Segments of equal length along a line through corners (k, 3), from its one end to the other.

    Points that divide the line evenly are moved, as little as it takes, until all are equally far from the next:
    Newton's method on |x_i+1 - x_i| = c, with c free and the ends fixed.
    """
    from scipy.sparse import bmat, diags_array
    from scipy.sparse.linalg import spsolve

    sides = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    if not (sides > 0.0).all():
        raise InputError(f"{owner}: points {checks.shown(corners.tolist())} has the same point twice in a row")
    at, places = np.concatenate([[0.0], np.cumsum(sides)]), np.linspace(0.0, sides.sum(), count + 1)
    nodes = np.column_stack([np.interp(places, at, corners[:, axis]) for axis in range(3)])
    for _ in range(NEWTON_STEPS if count > 1 else 0):
        steps = np.diff(nodes, axis=0)
        size = np.linalg.norm(steps, axis=1)
        if np.ptp(size) <= CLOSED * size.mean():
            break
        along = steps / size[:, None]
        turns = -(along[:-1] * along[1:]).sum(axis=1)
        own = np.full(count, 2.0)
        own[[0, -1]] = 1.0
        ones = np.ones((count, 1))
        matrix = bmat([[diags_array([turns, own, turns], offsets=[-1, 0, 1]), -ones], [-ones.T, None]], "csc")
        pull = spsolve(matrix, np.concatenate([size.mean() - size, [0.0]]))[:count, None] * along
        nodes[1:-1] += pull[:-1] - pull[1:]
    return nodes[:-1], nodes[1:]


def with_lengths(nodes: Array, lengths: Array) -> Array:
    """Nodes (k + 1, 3) that are as far from the next as given (k,), m, moved as little as it takes; the ends stay.

    Newton's method on |x_i+1 - x_i| = L_i. A straight line has one of these too many, which then say the same: a share
    of `SINGULAR` gives way. What cannot be, between ends that are too far apart or too near, is left as near as found.
    """
    from scipy.linalg import solveh_banded

    best, missed = nodes, math.inf
    nodes = nodes.copy()
    for _ in range(NEWTON_STEPS if len(lengths) > 1 else 0):
        steps = np.diff(nodes, axis=0)
        size = np.linalg.norm(steps, axis=1)
        off = float(np.abs(size - lengths).max())
        if not off < missed:
            break
        best, missed = nodes.copy(), off
        if off <= CLOSED * lengths.sum():
            break
        along = steps / size[:, None]
        matrix = np.full((2, len(lengths)), 2.0 + SINGULAR)
        matrix[1, [0, -1]] = 1.0 + SINGULAR
        matrix[0, 1:] = -(along[:-1] * along[1:]).sum(axis=1)
        pull = solveh_banded(matrix, lengths - size)[:, None] * along
        nodes[1:-1] += pull[:-1] - pull[1:]
    return best
