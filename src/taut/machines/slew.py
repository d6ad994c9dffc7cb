"""A slewing ring: it turns the upper works of a crane or an excavator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.revolute import Revolute
from taut.machines.actuated import Actuated, DrivenView
from taut.machines.actuator import Actuator
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, reading
from taut.machines.inputs import Input, add_inputs, checked_schedules, recall
from taut.scene.scene import Scene

TURNS = 2.0 * math.pi
"""Range of the control of the angle each way, where there are no limits, rad."""


class SlewView(DrivenView):
    """A slewing ring of a running simulation."""

    @reading("rad")
    def angle(self) -> float:
        """How far it has turned since it was built, counted over turns."""
        return self.driven.place

    @reading("rad/s")
    def speed(self) -> float:
        """How fast it turns."""
        return self.driven.rate

    @reading("N m")
    def torque(self) -> float:
        """Of its motor or brake on the upper works."""
        return self.driven.force

    def drive(self, speed: float) -> None:
        """Turn at this speed, rad/s; 0 is to stop and brake."""
        speed = checks.number(f"slew {self.name!r}", "speed", speed)
        self.check_there("hinge")
        self.driven.drive(speed)
        recall(self, {"speed": speed})

    def go_to(self, angle: float) -> None:
        """Turn to this angle, rad, and stop there."""
        owner, limits = f"slew {self.name!r}", self.part.limits
        angle = checks.number(owner, "angle", angle)
        if limits is not None and not limits[0] <= angle <= limits[1]:
            raise InputError(f"{owner}: angle is {angle:g}; it must be from {limits[0]:g} to {limits[1]:g}")
        self.check_there("hinge")
        self.driven.go_to(angle)
        recall(self, {"angle": angle, "speed": 0.0})

    def brake(self, on: bool = True) -> None:
        """Let the brake hold it at rest, or nothing, so that it turns with the wind and its load."""
        on = checks.flag(f"slew {self.name!r}", "brake", on)
        self.check_there("hinge")
        self.driven.switch(on)
        recall(self, {"brake": on, "speed": 0.0})


@dataclass(frozen=True, kw_only=True)
class Slew(Actuated, MachinePart):
    """A hinge with a motor, a ramp and a brake that holds it at rest: 5 + 1 rows, and 1 with `limits`.

    A moment of inertia I starts with at most max_torque / I. Controls: `name.speed` (rad/s), `name.angle` (rad), to
    which it turns and where it stops, and `name.brake`, without which nothing holds it at rest; what is used last
    counts.

    Attributes:
        base: what carries it, and where it is: a body, or (body, point in its own frame).
        upper: the body that it turns.
        axis: world axes as built; positive turns are about it.
        max_torque: of the motor, N m.
        max_speed: rad/s.
        brake: torque that the brake holds, N m; by default twice that of the motor.
        ramp: time from rest to full speed, s.
        limits: (least, greatest) angle from how it was built, rad; None for any.
        schedule: functions of time (s) that its controls follow, such as {"speed": taut.Ramps(...)}.
    """

    view = SlewView

    base: Any
    upper: Any
    axis: Any = (0.0, 0.0, 1.0)
    max_torque: float
    max_speed: float = 0.2
    brake: float | None = None
    ramp: float = 2.0
    limits: tuple[float, float] | None = None
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        self.put(base=checked_end("Slew", "base", self.base), upper=checks.text("Slew", "upper", self.upper))
        self.put(axis=triple(checks.direction("Slew", "axis", self.axis)))
        for name in ("max_torque", "max_speed", "ramp"):
            self.put(**{name: checks.number("Slew", name, getattr(self, name), above=0.0)})
        brake = 2.0 * self.max_torque if self.brake is None else self.brake
        self.put(brake=checks.number("Slew", "brake", brake, above=0.0))
        if self.limits is not None:
            limits = checks.interval("Slew", "limits", self.limits)
            if not limits[0] <= 0.0 <= limits[1]:
                raise InputError(f"Slew: limits is {limits}; it must hold 0, the angle as built")
            self.put(limits=limits)
        self.put(schedule=checked_schedules("Slew", self.schedule, ("speed", "angle")))

    def actuator(self, name: str) -> Actuator:
        """How its motor goes."""
        acceleration = self.max_speed / self.ramp
        assert self.brake is not None
        return Actuator(
            f"{name}/hinge", self.max_torque, self.max_torque, self.max_speed, self.max_speed, acceleration,
            ends=self.limits or (-math.inf, math.inf), brake=self.brake,
            cushion=self.max_speed**2 / (2.0 * acceleration),
        )  # fmt: skip

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """The joint `name/hinge`."""
        base, _, place = end_of(scene, f"slew {name!r}", "base", self.base)
        upper, _, _ = end_of(scene, f"slew {name!r}", "upper", self.upper)
        actuator = self.actuator(name)
        motor = Motor(position=0.0, max_force=actuator.held)
        hinge = scene.connect(
            base, upper, Revolute(axis=self.axis, limits=self.limits, motor=motor), at=place, name=f"{name}/hinge"
        )
        low, high = self.limits or (-TURNS, TURNS)
        inputs = (
            Input("speed", "drive", -self.max_speed, self.max_speed, "rad/s"),
            Input("angle", "go_to", low, high, "rad"), Input("brake", "brake", value=1.0),
        )  # fmt: skip
        add_inputs(scene, name, inputs, self.schedule)
        return BuiltPart(name, self, (), (str(hinge),), actuators=(actuator,))
