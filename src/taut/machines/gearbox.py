"""A gearbox between two shafts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.shafting import Line, ShaftsView, add_row, checked_ends, ends_of, scaled
from taut.scene.controls import GEAR
from taut.scene.scene import Scene

NEVER = -1.0
"""Time at which a gear engages that nothing has chosen."""


class GearboxView(ShaftsView):
    """A gearbox of a running simulation."""

    @reading("")
    def gear(self) -> int:
        """The gear that is engaged: 1, 2, ... forwards, -1, -2, ... in reverse, 0 for none."""
        return next((gear for gear in self.part.gears if self.bounds(self.row_of(gear))[1] > 0.0), 0)

    @reading("")
    def ratio(self) -> float:
        """Input speed over output speed in this gear, negative in reverse; 0 in neutral."""
        return float(self.part.ratio(self.gear)) if self.gear else 0.0

    @reading("")
    def shifting(self) -> bool:
        """Whether it is between two gears."""
        return self.gear == 0 and self.heading != 0

    @reading("rad/s")
    def input_speed(self) -> float:
        """Of the shaft on the side of the engine."""
        return self.line_speed("input")

    @reading("rad/s")
    def output_speed(self) -> float:
        """Of the shaft on the side of the wheels."""
        return self.line_speed("output")

    @reading("N m")
    def torque(self) -> float:
        """On its output, mean over the last step."""
        return -float(sum(self.force(self.row_of(gear)) * self.part.ratio(gear) for gear in self.part.gears))

    @reading("W")
    def loss(self) -> float:
        """Heat of its teeth."""
        return -self.row_power(self.own("friction")) if self.owns("friction") else 0.0

    @property
    def asked(self) -> int:
        """The gear that is asked for."""
        return next((gear for gear in self.part.gears if self.note(self.row_of(gear), 0) > 0.5), 0)

    @property
    def heading(self) -> int:
        """The gear that will be engaged next, 0 for none."""
        return next((gear for gear in self.part.gears if self.note(self.row_of(gear), 1) >= 0.0), 0)

    def row_of(self, gear: int) -> str:
        """The row of a gear."""
        return self.own(gear_name(gear))

    def line_speed(self, side: str) -> float:
        """Speed of the input or output, rad/s: what its first gear couples."""
        gear = self.part.gears[0]
        spins = [factor * spin for _, factor, spin in self.spins(self.row_of(gear))]
        return float(spins[0] if side == "input" else -sum(spins[1:]) / self.part.ratio(gear))

    def shift(self, gear: int) -> None:
        """Ask for a gear; one with `auto` chooses among the forward gears itself where this is one."""
        whole = checks.place(gear, range(-len(self.part.reverse), len(self.part.forward) + 1))
        if whole is None:
            low, high = -len(self.part.reverse), len(self.part.forward)
            raise InputError(
                f"gearbox {self.name!r}: gear is {checks.shown(gear)}; it must be a whole number from {low} to {high}"
            )
        self.check_there("gear")
        self.own_rows()
        for each in self.part.gears:
            self.write_note(self.row_of(each), 0, 1.0 if each == gear else 0.0)

    def change(self, settled: bool = True) -> bool:
        """Let go of a gear, or engage the one that was chosen when its time has come; whether it is in between.

        `settled`: whether the clutch has closed, so that the speed of the input says which gear is right.

        Writes:  bounds and notes of its rows
        """
        time, step = self.simulation.time, self.simulation.settings.step
        now, heading = self.gear, self.heading
        goal = self.part.choose(self.asked, now or heading, self.input_speed, settled and now != 0)
        ahead = goal if goal != now else 0
        if now != goal and now:
            self.bind(self.row_of(now), 0.0, 0.0, jumps=True)
        if heading != ahead:
            for gear in self.part.gears:
                self.write_note(self.row_of(gear), 1, time + self.part.shift_time if gear == ahead else NEVER)
        elif ahead and time >= self.note(self.row_of(ahead), 1) - 0.5 * step:
            self.bind(self.row_of(ahead), -math.inf, math.inf, jumps=True)
            self.write_note(self.row_of(ahead), 1, NEVER)
        self.rub()
        return self.shifting

    def rub(self) -> None:
        """Let the teeth rub as much as the torque says that they hand on.

        Writes:  bounds of the row of friction
        """
        if not self.owns("friction"):
            return
        gear, share = self.gear, self.part.efficiency
        force = self.force(self.row_of(gear)) if gear else 0.0
        driven = -force * self.input_speed >= 0.0
        loss = (1.0 - share) * abs(force) / (share if driven else 1.0)
        self.bind(self.own("friction"), -loss, loss)


@dataclass(frozen=True, kw_only=True)
class Gearbox(MachinePart):
    """Pairs of gears between two shafts, of which one at a time is engaged: 1 row a gear, without torque but in that.

        input speed = ratio output speed,    output torque = ratio input torque - losses

    It starts in neutral. A change takes `shift_time`, in which no torque is handed on; in a `Drivetrain` the clutch is
    open and the throttle cut meanwhile. Control: `name.gear`, a whole number: 1, 2, ... forwards, -1, -2, ... in
    reverse, 0 for neutral.

    Attributes:
        input: shaft on the side of the engine: the name of a hinge, or (carrier, body, axis); none in a `Drivetrain`.
        output: shaft on the side of the wheels, likewise.
        forward: ratios of the forward gears, from the first on.
        reverse: ratios of the reverse gears, positive too.
        shift_time: from gear to gear, s.
        auto: (down, up) speeds of the input, rad/s: any forward gear that is asked for then means that it changes by
            itself, down below the first and up above the second speed. They must be so far apart that no change leads
            to a speed at which it would change back.
        efficiency: power out over power in: what is lost rubs on the input, 1 row more.
        schedule: its gear as a function of time (s), which it follows by itself.
    """

    view = GearboxView

    input: Any = None
    output: Any = None
    forward: Any = (1.0,)
    reverse: Any = ()
    shift_time: float = 0.4
    auto: tuple[float, float] | None = None
    efficiency: float = 1.0
    schedule: Any = None

    def check(self) -> None:
        """Every number."""
        checked_ends(self, "Gearbox")
        for name in ("forward", "reverse"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, Sequence) or (name == "forward" and not value):
                raise InputError(f"Gearbox: {name} is {checks.shown(value)}; it must be a list of ratios")
            self.put(**{name: tuple(checks.number("Gearbox", name, each, above=0.0) for each in value)})
        self.put(shift_time=checks.number("Gearbox", "shift_time", self.shift_time, at_least=0.0))
        self.put(efficiency=checks.number("Gearbox", "efficiency", self.efficiency, above=0.0))
        if self.efficiency > 1.0:
            raise InputError(f"Gearbox: efficiency is {self.efficiency:g}; it must be above 0 and at most 1")
        if any(b >= a for a, b in zip(self.forward, self.forward[1:], strict=False)):
            raise InputError(f"Gearbox: forward is {checks.shown(self.forward)}; ratios must fall from gear to gear")
        if self.auto is not None:
            self.check_auto()

    def check_auto(self) -> None:
        """After no change it would change back."""
        assert self.auto is not None
        low, high = checks.interval("Gearbox", "auto", self.auto)
        self.put(auto=(low, high))
        worst = max((a / b for a, b in zip(self.forward, self.forward[1:], strict=False)), default=1.0)
        if low < 0.0 or low * worst >= high:
            raise InputError(
                f"Gearbox: auto is {checks.shown((low, high))} and gears are up to {worst:g} apart, so it would change "
                f"back after a change; the second speed must be above {worst:g} times the first"
            )

    @property
    def gears(self) -> tuple[int, ...]:
        """Numbers of its gears, forwards first."""
        forwards, reverse = len(self.forward), len(self.reverse)
        return (*range(1, forwards + 1), *(-number for number in range(1, reverse + 1)))

    def ratio(self, gear: int) -> float:
        """Input speed over output speed, negative in reverse."""
        return float(self.forward[gear - 1] if gear > 0 else -self.reverse[-gear - 1])

    def choose(self, asked: int, now: int, speed: float, deciding: bool) -> int:
        """The gear to be in; where `deciding`, the speed of the input (rad/s) says which."""
        if self.auto is None or asked <= 0 or now <= 0:
            return asked
        if not deciding:
            return now
        low, high = self.auto
        if speed > high and now < len(self.forward):
            return now + 1
        return now - 1 if speed < low and now > 1 else now

    def add_rows(self, scene: Scene, name: str, first: Line, second: Line) -> list[str]:
        """A row a gear, and that of friction."""
        rows = [
            add_row(
                scene, f"{name}/{gear_name(gear)}", first, scaled(second, -self.ratio(gear)), torque=(0.0, 0.0),
                notes=(0.0, NEVER),
            )
            for gear in self.gears
        ]  # fmt: skip
        if self.efficiency < 1.0:
            rows.append(add_row(scene, f"{name}/friction", first, torque=(0.0, 0.0)))
        return rows

    def add_control(self, scene: Scene, name: str, act: Any, schedule: Any) -> None:
        """Its lever."""
        low, high = -len(self.reverse), len(self.forward)
        scene.add_control(
            f"{name}.gear", act=partial(act, name), low=low, high=high, value=0, unit=GEAR, schedule=schedule
        )

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/gear-1` ..., `name/reverse-1` ..., control `name.gear`."""
        first, second = ends_of(scene, f"gearbox {name!r}", self)
        joints = self.add_rows(scene, name, first, second)
        self.add_control(scene, name, set_gear, self.schedule)
        return BuiltPart(name, self, (), tuple(joints))

    @property
    def acts(self) -> bool:
        """It engages gears when their time has come."""
        return True

    def after_frame(self, view: GearboxView) -> None:
        """Change gears."""
        view.own_rows()
        view.change()


def gear_name(gear: int) -> str:
    """What the row of a gear is called."""
    return f"gear-{gear}" if gear > 0 else f"reverse-{-gear}"


def set_gear(name: str, simulation: Any, value: float) -> None:
    """What its control does, with the nearest whole number; a schedule goes on without the gearbox."""
    view = simulation.part(name)
    if not view.lost():
        view.shift(round(value))
