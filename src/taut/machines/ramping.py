"""Speeds that rise and fall along a ramp, and stop where they should: winches, cylinders, slews."""

from __future__ import annotations

import math


def stopping_speed(way: float, acceleration: float, step: float) -> float:
    """The speed from which one can still stop within a way, m/s: one frame at this speed, then slowing down.

    v h + v^2 / (2 a) = |way|, with the sign of the way. For short ways it is way / h: one frame leads there.

    Args:
        way: that is left, m or rad.
        acceleration: a, by which it slows down, m/s^2 or rad/s^2; it may be infinite.
        step: h, s.
    """
    return 2.0 * way / (step + math.sqrt(step * step + 2.0 * abs(way) / acceleration))


def towards(now: float, wanted: float, change: float) -> float:
    """A number that comes nearer to another one, by no more than the change."""
    return now + min(max(wanted - now, -change), change)
