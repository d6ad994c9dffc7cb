"""Speeds that rise and fall along a ramp, and stop where they should: winches, cylinders, slews."""

from __future__ import annotations

import math


def stopping_speed(way: float, acceleration: float, step: float) -> float:
    """A speed from which one can surely stop within a way, with the sign of the way: v h + v^2 / (2 a) = |way|.

    That is one frame at this speed before it slows down, so that what is late by a frame stops there too. For short
    ways it is way / h: one frame leads there.

    Args:
        way: that is left, m or rad.
        acceleration: a, by which it slows down, m/s^2 or rad/s^2; it may be infinite.
        step: h, s.
    """
    return 2.0 * way / (step + math.sqrt(step * step + 2.0 * abs(way) / acceleration))


def cushioned_speed(way: float, before: float, acceleration: float, step: float) -> float:
    """The greatest speed of the next frame in a cushion at whose end one stops, however fast one came into it.

    Frames at v, v - a h, v - 2 a h and so on lead v^2 / (2 a) + v h / 2 far. What is too fast for the usual a needs
    a = v^2 / (2 way + v h) after a frame at v, and the same again in every frame that follows: there is no blow.

    Args:
        way: that is left, not negative, m or rad.
        before: speed of the frame before, m/s or rad/s.
        acceleration: the usual one; it may be infinite.
        step: h, s.
    """
    fast = abs(before)
    needed = fast * fast / (2.0 * way + fast * step) if fast > 0.0 else 0.0
    speed = 4.0 * way / (step + math.sqrt(step * step + 8.0 * way / max(acceleration, needed)))
    return min(speed, way / step)


def towards(now: float, wanted: float, change: float) -> float:
    """A number that comes nearer to another one, by no more than the change."""
    return now + min(max(wanted - now, -change), change)
