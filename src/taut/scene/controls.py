"""Inputs of a machine as a scene declares them, and the ranges of its motors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.rows.coordinate import Slide
from taut.rows.law import FOLLOW, LIMITS, Law
from taut.scene.frames import joint_frame
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule, checked_schedule
from taut.scene.specs import LinkSpec

VIEWER_KEYS = ("F", "N", "R")
"""Keys that do something else in a viewer: fit the view, one step, reset."""

SWITCH = "on/off"
"""Unit of a control that is a switch: 0 is off, 1 is on."""

GEAR, NUMBER = "gear", "number"
"""Units of controls that are counted."""

COUNTED = (GEAR, NUMBER)
"""Those that viewers move by whole numbers."""


@dataclass(frozen=True)
class MotorRange:
    """A motor of a joint: its target as built, a sensible range for it, and its unit."""

    target: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class ControlSpec:
    """An input as declared: it drives a motor of `joint`, or calls `act`; `keys` are (decrease, increase) or empty.

    With a `schedule` the value follows that, a function of time in s.
    """

    name: str
    joint: str | None
    motor: int | None
    act: Callable[[Any, float], Any] | None
    low: float
    high: float
    value: float
    unit: str
    keys: tuple[str, ...]
    schedule: Schedule | None = None


def in_range(owner: str, value: float, span: ControlSpec | MotorRange) -> float:
    """The value, if it is within the range; the end that it passes by rounding alone, as last values of ramps do."""
    rounding = 1e-12 * max(abs(span.low), abs(span.high))
    if not span.low - rounding <= value <= span.high + rounding:
        raise InputError(f"{owner}: value is {value:g}; it must be from {span.low:g} to {span.high:g}")
    return min(max(value, span.low), span.high)


def motors_of(scene: Scene, link: LinkSpec) -> list[MotorRange]:
    """Motors of a joint, in the order that `JointView.drive` numbers them."""
    rows = [(part, law) for part, law in link.kind.rows(joint_frame(scene, link)) if isinstance(law, Law)]
    ends = {part: law for part, law in rows if law.kind == LIMITS}
    return [motor_range(part, law, ends.get(part)) for part, law in rows if law.drives]


def motor_range(coordinate: Any, law: Law, limits: Law | None) -> MotorRange:
    """Range and unit of a motor along a coordinate with these limits."""
    target, slides = law.target, isinstance(coordinate, Slide)
    unit = "m" if slides else "rad"
    if law.kind == FOLLOW:
        most = 2.0 * max(abs(target), 1.0)
        return MotorRange(target, -most, most, f"{unit}/s")
    around = 1.0 if slides else math.pi
    low, high = target - around, target + around
    if limits is not None and np.isfinite([limits.lower_limit, limits.upper_limit]).all():
        low, high = min(limits.lower_limit, target), max(limits.upper_limit, target)
    return MotorRange(target, low, high, unit)


def checked_control(
    scene: Scene, owner: str, name: str, joint: Any, motor: Any, act: Any, low: Any, high: Any, value: Any, unit: Any,
    keys: Any, schedule: Any,
) -> ControlSpec:  # fmt: skip
    """A control as `Scene.add_control` takes it, with clean values."""
    if (joint is None) == (act is None):
        raise InputError(f"{owner}: give either the joint that it drives, or act, the function that it calls")
    if unit is not None and not isinstance(unit, str):
        raise InputError(f"{owner}: unit is {checks.shown(unit)}; it must be text")
    if joint is not None:
        if value is not None:
            raise InputError(f"{owner}: value is given; that of a joint is the target of its motor")
        motor, span = checked_motor(scene, owner, joint, motor)
    elif not callable(act):
        raise InputError(f"{owner}: act is {checks.shown(act)}; it must be a function of the simulation and the value")
    elif motor is not None:
        raise InputError(f"{owner}: motor is {motor!r} without a joint; it is the number of a joint's motor")
    else:
        span = MotorRange(math.nan, 0.0, 1.0, "")
    least = span.low if low is None else checks.number(owner, "low", low)
    most = span.high if high is None else checks.number(owner, "high", high)
    if not least < most:
        raise InputError(f"{owner}: low is {least:g} and high is {most:g}; low must be less")
    first = span.target
    if joint is None:
        first = min(max(0.0, least), most) if value is None else checks.number(owner, "value", value)
    return ControlSpec(
        name, None if joint is None else str(joint), motor, act, least, most,
        in_range(owner, first, MotorRange(first, least, most, "")), span.unit if unit is None else unit,
        checked_keys(scene, owner, keys), checked_schedule(owner, schedule),
    )  # fmt: skip


def checked_motor(scene: Scene, owner: str, joint: Any, motor: Any) -> tuple[int | None, MotorRange]:
    """Number of the motor meant (None where there is one), and its range; no other control may drive it."""
    names = [link.name for link in scene.links]
    link = scene.links[names.index(checks.known(owner, "joint", joint, names))]
    motors = motors_of(scene, link)
    number = motor_number(f"{owner}: joint {link.name!r}", motor, len(motors))
    for other in scene.controls.values():
        if (other.joint, other.motor or 0) == (link.name, number):
            raise InputError(f"{owner}: control {other.name!r} already drives this motor of joint {link.name!r}")
    return number if len(motors) > 1 else None, motors[number]


def checked_keys(scene: Scene, owner: str, keys: Any) -> tuple[str, ...]:
    """Two different characters that no other control has, upper and lower case alike; or none."""
    if keys is None:
        return ()
    single = isinstance(keys, tuple | list) and all(isinstance(key, str) and len(key) == 1 for key in keys)
    if not single or len(keys) != 2 or keys[0].casefold() == keys[1].casefold():
        raise InputError(f"{owner}: keys is {checks.shown(keys)}; it must be two different characters")
    for key in keys:
        if not (key.isascii() and key.isalnum()) or key.upper() in VIEWER_KEYS:
            taken = f"a letter or digit but {', '.join(VIEWER_KEYS)}, which viewers use"
            raise InputError(f"{owner}: key {key!r} cannot be used; it must be {taken}")
    for other in scene.controls.values():
        for key in keys:
            if key.casefold() in (own.casefold() for own in other.keys):
                raise InputError(f"{owner}: key {key!r} is used by control {other.name!r}; it must be another")
    return tuple(keys)


def motor_number(owner: str, motor: Any, count: int) -> int:
    """Number of the motor meant, out of `count`; it need not be given where there is one."""
    if count == 0:
        raise InputError(f"{owner}: it has no motor to drive; give the joint a taut.joints.Motor")
    number = 0 if motor is None and count == 1 else checks.place(motor, range(count))
    if number is None:
        raise InputError(f"{owner}: motor is {checks.shown(motor)}; it must be a number from 0 to {count - 1}")
    return number
