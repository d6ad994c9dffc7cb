"""Inputs of a machine by name: what viewers show as sliders and keys, and scripts set.

    scene.add_control("slew", joint="slew", low=-1, high=1, keys=("A", "D"))
    scene.add_control("throttle", act=lambda sim, value: sim.body("car").apply(force=(1e3 * value, 0, 0)))
    sim.controls["slew"].value = 0.5

Every motor without a declared control has one by itself, named after its joint (with the motor's number where the joint
has several). The range of a speed motor is twice its speed both ways, at least 2; of a position motor the limits of the
coordinate, or half a turn or 1 m about its position where there are none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.compile import joint_frame
from taut.errors import InputError
from taut.handles import motor_number
from taut.rows.coordinate import Slide
from taut.rows.law import FOLLOW, LIMITS, Law

if TYPE_CHECKING:
    from taut.scene import Scene
    from taut.scene_specs import LinkSpec
    from taut.simulation import Simulation


VIEWER_KEYS = ("F", "N", "R")
"""Keys that do something else in a viewer: fit the view, one step, reset."""


@dataclass(frozen=True)
class MotorRange:
    """A motor of a joint: its target as built, a sensible range for it, and its unit."""

    target: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class ControlSpec:
    """An input as declared: it drives a motor of `joint`, or calls `act`; `keys` are (decrease, increase) or empty."""

    name: str
    joint: str | None
    motor: int | None
    act: Callable[[Any, float], Any] | None
    low: float
    high: float
    value: float
    unit: str
    keys: tuple[str, ...]


class Control:
    """An input of a running simulation.

    The value of a motor's control is the motor's target and so part of the state; that of any other is kept here.
    """

    def __init__(self, simulation: Simulation, spec: ControlSpec) -> None:
        """Made by the simulation."""
        self._simulation, self.spec, self._value = simulation, spec, spec.value

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def low(self) -> float:
        """Least value."""
        return self.spec.low

    @property
    def high(self) -> float:
        """Greatest value."""
        return self.spec.high

    @property
    def unit(self) -> str:
        """Unit of the value, may be empty."""
        return self.spec.unit

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that decrease and increase the value, or none."""
        return self.spec.keys

    @property
    def value(self) -> float:
        """Present value; setting one out of range is refused, any other acts at once, between two steps."""
        if self.spec.joint is None:
            return self._value
        return self._simulation.joint(self.spec.joint).target(self.spec.motor)

    @value.setter
    def value(self, value: float) -> None:
        """Check the range, and act."""
        spec = self.spec
        value = in_range(f"control {spec.name!r}", checks.number(f"control {spec.name!r}", "value", value), spec)
        if spec.joint is not None:
            self._simulation.joint(spec.joint).drive(value, spec.motor)
        elif value != self._value:
            assert spec.act is not None
            spec.act(self._simulation, value)
            self._value = value


def in_range(owner: str, value: float, span: ControlSpec | MotorRange) -> float:
    """The value, if it is within the range."""
    if not span.low <= value <= span.high:
        raise InputError(f"{owner}: value is {value:g}; it must be from {span.low:g} to {span.high:g}")
    return value


def make_controls(simulation: Simulation, before: dict[str, Control]) -> dict[str, Control]:
    """Controls of a simulation: the declared ones, then those of all other motors; what was there before stays."""
    specs = dict(simulation.scene.controls)
    driven = {(spec.joint, spec.motor or 0) for spec in specs.values()}
    layout = simulation.model.layout
    rows = zip(layout.specs, layout.first_row, strict=True)
    for owner in dict.fromkeys(spec.owner for spec, row in rows if spec.part.rows and layout.laws.drives[row]):
        link = simulation.scene.links[owner]
        motors = motors_of(simulation.scene, link)
        for number, motor in enumerate(motors):
            if (link.name, number) not in driven:
                several = len(motors) > 1
                name = free_name(f"{link.name}-{number}" if several else link.name, specs)
                specs[name] = ControlSpec(
                    name, link.name, number if several else None, None, motor.low, motor.high, motor.target,
                    motor.unit, (),
                )  # fmt: skip
    kept = {name: control for name, control in before.items() if control.spec == specs.get(name)}
    return {name: kept.get(name) or Control(simulation, spec) for name, spec in specs.items()}


def free_name(name: str, taken: dict[str, ControlSpec]) -> str:
    """The name, or with a number where another control has it."""
    names = itertools.chain([name], (f"{name}-motor-{count}" for count in itertools.count(1)))
    return next(candidate for candidate in names if candidate not in taken)


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
    keys: Any,
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
        checked_keys(scene, owner, keys),
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
