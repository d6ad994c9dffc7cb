"""A gripper with two parallel jaws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.fixed import Fixed
from taut.joints.prismatic import Prismatic
from taut.joints.slide_gear import SlideGear
from taut.machines.actuated import Actuated
from taut.machines.actuator import Actuator
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, reading
from taut.machines.gripping import GrippingView, checked_opening, checked_start, masses_of
from taut.machines.inputs import Input, add_inputs, checked_schedules
from taut.scene.scene import WORLD, Scene
from taut.shapes import Box


class GripperView(GrippingView):
    """A gripper of a running simulation."""

    @property
    def fingers(self) -> tuple[str, str]:
        """Its jaws."""
        return f"{self.name}/jaw-1", f"{self.name}/jaw-2"

    @reading("N")
    def force(self) -> float:
        """With which each jaw presses, positive where it closes."""
        return 0.5 * self.driven.total_force

    @reading("m")
    def opening(self) -> float:
        """Between its jaws."""
        return float(self.part.opening[1]) - 2.0 * self.driven.place


@dataclass(frozen=True, kw_only=True)
class Gripper(Actuated, MachinePart):
    """A palm with two jaws that slide towards each other: palm fixed 6 rows, slides 5 each, motor 1 and ends 1, gear 1.

    One motor moves both jaws by a gear, so that each presses with `force`. The control `name.close` (-1 to 1) is the
    share of its speed; let go, it keeps its opening, and goes on to press on what it grips.

    Attributes:
        on: what carries the palm, and where: a body, or (body, point in its own frame).
        reach: from the palm to the tips of the jaws, m.
        towards: where the jaws point, world axes as built.
        axis: along which they slide, across `towards`.
        opening: (least, greatest) distance between the jaws, m.
        start: the opening as built, m; by default the greatest.
        force: with which each jaw presses, N.
        time: from open to closed, s.
        ramp: time from rest to full speed, s.
        mass: of palm and jaws, kg: one number, half of it for the palm, or (palm, jaw).
        width: of the jaws across the other two directions, m; by default a third of the reach.
        pad_friction: coefficient of its pads.
        schedule: functions of time (s) that its controls follow, such as {"close": taut.Ramps(...)}.
    """

    view = GripperView

    on: Any
    reach: float = 0.3
    towards: Any = (0.0, 0.0, -1.0)
    axis: Any = (1.0, 0.0, 0.0)
    opening: Any = (0.0, 0.4)
    start: float | None = None
    force: float
    time: float = 1.0
    ramp: float = 0.1
    mass: Any = 10.0
    width: float | None = None
    pad_friction: float = 0.8
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        self.put(on=checked_end("Gripper", "on", self.on), opening=checked_opening("Gripper", self.opening))
        for name in ("reach", "force", "time", "ramp"):
            self.put(**{name: checks.number("Gripper", name, getattr(self, name), above=0.0)})
        width = self.reach / 3.0 if self.width is None else self.width
        self.put(width=checks.number("Gripper", "width", width, above=0.0))
        self.put(start=checked_start("Gripper", self.start, self.opening))
        self.put(pad_friction=checks.number("Gripper", "pad_friction", self.pad_friction, at_least=0.0))
        self.put(mass=masses_of("Gripper", self.mass, 0.5))
        towards, axis = (checks.direction("Gripper", each, getattr(self, each)) for each in ("towards", "axis"))
        if abs(towards @ axis) > 1e-6:
            raise InputError(f"Gripper: axis is {checks.shown(self.axis)}; it must be across towards")
        self.put(towards=triple(towards), axis=triple(axis))
        self.put(schedule=checked_schedules("Gripper", self.schedule, ("close",)))

    @property
    def travel(self) -> float:
        """Of each jaw, m."""
        return float(0.5 * (self.opening[1] - self.opening[0]))

    def actuator(self, name: str) -> Actuator:
        """How its motor goes; its place is the way of each jaw from open."""
        assert self.start is not None
        speed = self.travel / self.time
        return Actuator(
            f"{name}/slide-1", 2.0 * self.force, 2.0 * self.force, speed, speed, speed / self.ramp,
            zero=-0.5 * (self.opening[1] - self.start), ends=(0.0, self.travel), cushion=0.5 * speed * self.ramp,
        )  # fmt: skip

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Bodies `name/palm`, `name/jaw-1`, `name/jaw-2`; joints `mount`, `slide-1`, `slide-2` and `gear`."""
        carrier, _, place = end_of(scene, f"gripper {name!r}", "on", self.on)
        assert self.width is not None and self.start is not None
        axis, towards = np.array(self.axis), np.array(self.towards)
        turn, thick = spatial.from_axes(axis, towards), 0.2 * self.width
        looks: dict[str, Any] = {"orientation": turn, "group": name, "friction": self.pad_friction}
        palm = scene.add_body(
            f"{name}/palm", Box(self.opening[1] + 2.0 * thick, self.width, thick), mass=self.mass[0],
            position=place + 0.5 * thick * towards, **looks,
        )  # fmt: skip
        joints, jaws = [scene.connect(carrier, palm, Fixed(), at=place, name=f"{name}/mount")], []
        actuator = self.actuator(name)
        for number, side in ((1, -1.0), (2, 1.0)):
            middle = place + side * (0.5 * self.start + 0.5 * thick) * axis + (thick + 0.5 * self.reach) * towards
            jaws.append(scene.add_body(
                f"{name}/jaw-{number}", Box(thick, self.width, self.reach), mass=self.mass[1], position=middle, **looks,
            ))  # fmt: skip
            motor = Motor(position=0.0, max_force=actuator.held) if number == 1 else None
            limits = (actuator.zero, actuator.zero + self.travel) if number == 1 else None
            slide = Prismatic(axis=triple(-side * axis), limits=limits, motor=motor)
            joints.append(scene.connect(palm, jaws[-1], slide, at=middle, name=f"{name}/slide-{number}"))
        gear = SlideGear(ratio=-1.0, axis_a=self.axis, axis_b=self.axis, carrier=palm)
        joints.append(scene.connect(jaws[0], jaws[1], gear, name=f"{name}/gear", collide=True))
        scene.ignore_contacts(name, name)
        if carrier != WORLD:
            scene.ignore_contacts(carrier, name)
        add_inputs(scene, name, [Input("close", "close", -1.0, 1.0)], self.schedule)
        return BuiltPart(name, self, (str(palm), *map(str, jaws)), tuple(map(str, joints)), actuators=(actuator,))
