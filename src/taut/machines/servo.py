"""What parts that steer have in common: an angle that is asked for, and a servo that goes there at a rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.scene.scene import Scene


def checked_servo(part: Any) -> dict[str, float]:
    """Clean `max_angle` (rad), `rate` (rad/s) and `max_torque` (N m)."""
    owner = type(part).__name__
    clean = {name: checks.number(owner, name, getattr(part, name), above=0.0) for name in ("max_angle", "rate")}
    if clean["max_angle"] >= 0.5 * math.pi:
        raise InputError(f"{owner}: max_angle is {clean['max_angle']:g} rad; it must be less than a right angle")
    return clean | {"max_torque": checks.number(owner, "max_torque", part.max_torque, above=0.0)}


def checked_angle(owner: str, angle: Any, most: float) -> float:
    """An angle that is asked for, rad."""
    angle = checks.number(owner, "angle", angle)
    if abs(angle) > most:
        raise InputError(f"{owner}: angle is {angle:g}; it must be from {-most:g} to {most:g} rad")
    return angle


def add_angle(scene: Scene, name: str, part: Any, act: Callable[[Any, float], Any]) -> None:
    """The control `name.angle`."""
    most = part.max_angle
    scene.add_control(f"{name}.angle", act=act, low=-most, high=most, unit="rad", schedule=part.schedule)


def approach(now: float, wanted: float, most: float) -> float:
    """From one number towards another, at most so far; where it is there up to rounding, it stays."""
    way = wanted - now
    return now if abs(way) < 1e-12 else now + min(max(way, -most), most)
