"""An engine or an electric motor: a rotor whose torque is the throttle times a curve over its speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import triple
from taut.machines.base import BuiltPart, MachinePart, checked_end, reading
from taut.machines.shaft import Shaft
from taut.machines.shafting import ShaftsView, add_row, shaft_of
from taut.scene.scene import Scene

HELD = 1e-6
"""How near the idle speed an engine is held there by its governor, as a share of it."""

GOVERNORS = ("limit", "speed")
"""What a throttle asks for: a share of the torque up to the greatest speed, or a share of that speed."""


def rpm(turns: float) -> float:
    """Turns a minute in rad/s: `rpm(2100)`."""
    return checks.number("rpm", "turns a minute", turns) * math.pi / 30.0


class EngineView(ShaftsView):
    """An engine of a running simulation."""

    @reading("rad/s")
    def speed(self) -> float:
        """Of its rotor, relative to what carries it."""
        return self.rate(self.own("torque"))

    @reading("N m")
    def torque(self) -> float:
        """On its rotor, mean over the last step; negative where it brakes."""
        return self.force(self.own("torque"))

    @reading("W")
    def power(self) -> float:
        """Power that it puts into its rotor; negative where it brakes."""
        return self.row_power(self.own("torque"))

    @reading("")
    def throttle(self) -> float:
        """Throttle that it has now, which lags behind what is asked of it."""
        return self.note(self.own("torque"), 1)

    @reading("")
    def stalled(self) -> bool:
        """Whether it turns so slowly that it has died: slower than its torque curve begins."""
        return bool(self.part.stalls(self.speed))

    @reading("")
    def at_limit(self) -> bool:
        """Whether it gives, or brakes with, all the torque that the throttle lets it have."""
        return self.saturated(self.own("torque"))

    def open_throttle(self, throttle: float) -> None:
        """Ask for a throttle from 0 to 1."""
        owner = f"engine {self.name!r}"
        throttle = checks.number(owner, "throttle", throttle, at_least=0.0)
        if throttle > 1.0:
            raise InputError(f"{owner}: throttle is {throttle:g}; it must be from 0 to 1")
        self.check_there("throttle")
        self.own_rows()
        self.write_note(self.own("torque"), 0, throttle)
        if self.part.throttle_lag == 0.0:
            self.write_note(self.own("torque"), 1, throttle)

    def govern(self, cut: bool = False) -> None:
        """Set what the engine may do in the next frame; `cut` closes the throttle for it, as while gears change.

        Writes:  target, bounds and notes of its row
        """
        part, joint, step = self.part, self.own("torque"), self.simulation.settings.step
        asked, throttle = self.note(joint, 0), self.note(joint, 1)
        if throttle != asked:
            lag = part.throttle_lag
            throttle += (asked - throttle) * (1.0 - math.exp(-step / lag) if lag > 0.0 else 1.0)
            throttle = asked if abs(asked - throttle) < HELD else throttle
            self.write_note(joint, 1, throttle)
        state, speed = self.simulation.state, self.speed
        change = speed - sum(factor * spin for _, factor, spin in self.spins(joint, state.previous_velocity))
        idles = state.target[self.row(joint)] == part.idle
        target, low, high = part.ask(0.0 if cut else throttle, speed, change, self.force(joint), idles, step)
        self.follow(joint, target)
        self.bind(joint, low, high)


@dataclass(frozen=True, kw_only=True)
class Engine(MachinePart):
    """A rotor on a bearing with one row that turns it: it follows a speed, within bounds on its torque.

        torque = throttle curve(speed) - (1 - throttle) friction_torque        idle <= speed <= max_speed

    Above `max_speed` the throttle is cut, below `idle` as much torque is given as holds it there; so an engine that
    is not driven idles, and one that is pushed brakes. Where it is slower than the curve begins it has stalled, and
    only drags; one whose curve begins at 0, as that of an electric motor, never stalls. Control: `name.throttle`, 0
    to 1. With the governor "speed" the throttle asks for a speed, as in a tractor or a fork-lift, which is kept as well
    as torques allow:

        speed = idle + throttle (max_speed - idle)        -friction_torque <= torque <= curve(speed)

    The curve is taken at the speed where a frame begins, and where it falls at the speed that it leads to, so that no
    engine hunts (`ask`).

    Attributes:
        on: what carries it, and where: a body, or (body, point in its own frame).
        axis: of the rotor, world axes as built; a positive turn about it is forwards.
        torque_curve: [(rad/s, N m), ...] at full throttle, straight between the points; `taut.machines.rpm(2100)`
            helps.
        idle: speed that it keeps without throttle, rad/s, and has at the start; 0 for one that stands, as electric
            motors do.
        max_speed: at which it is governed, rad/s; by default where the curve ends.
        inertia: of the rotor with flywheel about its axis, kg m^2.
        friction_torque: with which it brakes when the throttle is closed, N m.
        throttle_lag: time constant with which the throttle follows what is asked, s.
        governor: "limit", which only keeps it from being too fast or too slow, or "speed".
        mass: of the rotor, kg; by default that of a disc of its inertia.
        radius: of the rotor, m.
        length: of the rotor, m.
        schedule: its throttle as a function of time (s), which it follows by itself.
    """

    view = EngineView

    on: Any
    axis: Any = (1.0, 0.0, 0.0)
    torque_curve: Any = ()
    idle: float = 0.0
    max_speed: float | None = None
    inertia: float = 1.0
    friction_torque: float = 0.0
    throttle_lag: float = 0.0
    governor: str = "limit"
    mass: float | None = None
    radius: float = 0.2
    length: float = 0.4
    schedule: Any = None

    def check(self) -> None:
        """Every number."""
        self.put(on=checked_end("Engine", "on", self.on))
        self.put(axis=triple(checks.direction("Engine", "axis", self.axis)))
        self.put(torque_curve=checked_map("Engine", "torque_curve", self.torque_curve))
        self.put(governor=checks.known("Engine", "governor", self.governor, GOVERNORS))
        last = self.torque_curve[-1][0]
        self.put(max_speed=checks.number("Engine", "max_speed", last if self.max_speed is None else self.max_speed))
        for name in ("idle", "friction_torque", "throttle_lag"):
            self.put(**{name: checks.number("Engine", name, getattr(self, name), at_least=0.0)})
        for name in ("inertia", "radius", "length"):
            self.put(**{name: checks.number("Engine", name, getattr(self, name), above=0.0)})
        mass = 2.0 * self.inertia / self.radius**2 if self.mass is None else self.mass
        self.put(mass=checks.number("Engine", "mass", mass, above=0.0))
        assert self.max_speed is not None
        if not self.idle < self.max_speed <= last:
            raise InputError(
                f"Engine: max_speed is {self.max_speed:g} rad/s; it must be above idle ({self.idle:g}) and at most "
                f"where the torque_curve ends ({last:g})"
            )
        if self.stalls(self.idle):
            first = self.torque_curve[0][0]
            raise InputError(f"Engine: idle is {self.idle:g} rad/s, below the torque_curve, which begins at {first:g}")

    def stalls(self, speed: float) -> bool:
        """Whether an engine of this speed has died; one whose curve begins at 0 never does."""
        first = float(self.torque_curve[0][0])
        return first > 0.0 and speed < first

    def full(self, speed: float) -> float:
        """Torque at full throttle, N m, at a speed in rad/s."""
        return 0.0 if self.stalls(speed) else value_at(self.torque_curve, speed)

    def slope(self, speed: float) -> float:
        """By how much torque falls with speed there, N m s: 0 where it rises."""
        speeds, torques = (np.array(each) for each in zip(*self.torque_curve, strict=True))
        piece = min(max(int(np.searchsorted(speeds, speed, side="right")) - 1, 0), speeds.size - 2)
        return max(-float(np.diff(torques)[piece] / np.diff(speeds)[piece]), 0.0)

    def ask(
        self, throttle: float, speed: float, change: float, before: float, idles: bool, step: float
    ) -> tuple[float, float, float]:
        """The speed to follow (rad/s), and least and greatest torque (N m), from the speed, its change and the torque.

        On a falling curve of slope -c the torque is taken where the speed will be: with the load of the last frame,
        which is what the torque T0 before did not spend on the rotor, I dw = h (T - T0) + I dw0 and so

            T = (curve - c dw0 + k T0) / (1 + k),  k = h c / I

        It is the curve in the end, and stable at any k; with the curve where a frame begins a rotor alone would hunt.
        """
        drag, full = self.friction_torque, self.full(speed)
        demand = throttle * full - (1.0 - throttle) * drag
        if self.stalls(speed):
            return 0.0, -drag, drag
        assert self.max_speed is not None
        if self.governor == GOVERNORS[1]:
            target = self.idle + throttle * (self.max_speed - self.idle)
            return target, -drag, self.most(1.0, full, speed, change, before, step)
        if self.idle == 0.0 and demand <= 0.0:
            return 0.0, demand, -demand
        needed = math.inf if speed < self.idle else -math.inf
        if idles and abs(speed - self.idle) <= HELD * self.idle:
            needed = before
        if self.idle > 0.0 and (demand <= 0.0 or demand < needed):
            return self.idle, min(demand, 0.0), full
        return self.max_speed, -drag, self.most(throttle, demand, speed, change, before, step)

    def most(self, throttle: float, demand: float, speed: float, change: float, before: float, step: float) -> float:
        """The torque where the speed will be, N m, of what is demanded where it is; see `ask`."""
        slope = throttle * self.slope(speed)
        k = step * slope / self.inertia
        torque = (demand - slope * change + k * before) / (1.0 + k)
        return min(max(torque, -self.friction_torque), throttle * max(torque for _, torque in self.torque_curve))

    def add_rows(self, scene: Scene, name: str) -> tuple[str, list[str]]:
        """The rotor with its bearing and its row; its body and joints."""
        assert self.mass is not None
        rotor = Shaft(
            on=self.on, axis=self.axis, mass=self.mass, radius=self.radius, length=self.length, inertia=self.inertia,
        ).build(scene, name, self.idle)  # fmt: skip
        line = shaft_of(scene, f"engine {name!r}", "rotor", rotor.joints[0])
        low, high = self.ask(0.0, self.idle, 0.0, 0.0, True, 1.0)[1:]
        row = add_row(scene, f"{name}/torque", line, speed=self.idle, torque=(low, high), drives=True, notes=(0.0, 0.0))
        return rotor.bodies[0], [rotor.joints[0], row]

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/rotor`, joints `name/bearing` and `name/torque`, control `name.throttle`."""
        body, joints = self.add_rows(scene, name)
        scene.add_control(f"{name}.throttle", act=partial(set_throttle, name), schedule=self.schedule)
        return BuiltPart(name, self, (body,), tuple(joints))

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: EngineView) -> None:
        """Take the torque where the curve has it at the speed there is."""
        view.own_rows()
        view.govern()


def checked_map(owner: str, field: str, value: Any) -> tuple[tuple[float, float], ...]:
    """A curve given as points, rising in the first number, neither number negative."""
    wrong = f"{owner}: {field} is {checks.shown(value)}; it must be a list of two or more pairs of numbers"
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) < 2:
        raise InputError(wrong)
    points = []
    for each in value:
        if isinstance(each, str) or not isinstance(each, Sequence | np.ndarray) or len(each) != 2:
            raise InputError(wrong)
        points.append((
            checks.number(owner, field, each[0], at_least=0.0), checks.number(owner, field, each[1], at_least=0.0)
        ))  # fmt: skip
    if any(b[0] <= a[0] for a, b in zip(points, points[1:], strict=False)):
        raise InputError(f"{owner}: {field} must rise in its first numbers; it has {checks.shown(value)}")
    return tuple(points)


def value_at(curve: Sequence[tuple[float, float]], place: float) -> float:
    """A curve of points, straight between them, level beyond."""
    places, values = np.array(curve).T
    return float(np.interp(place, places, values))


def set_throttle(name: str, simulation: Any, value: float) -> None:
    """What the control of the throttle does; a schedule goes on without the engine."""
    view = simulation.part(name)
    if not view.lost():
        view.open_throttle(value)
