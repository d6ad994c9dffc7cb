"""What moves a joint as a hydraulic drive does: a valve that opens and closes, bounded forces, ramps, soft stops.

The motor is a position motor, one row whose target moves. With x the place, v the speed that it goes at now, w the one
that is wanted, a the acceleration of the ramp and h the step, every frame sets

    w = the speed that is asked for, at most that from which it can still stop at its goal (`taut.machines.ramping`)
    v = v + (w - v), by no more than a h, and slower in the cushion at its ends
    target = x + v h                           on its way, no more force than it has

At rest the valve is closed: the target stays, and any load is held (or what the brake holds). A load that is more than
its force is not lifted: the valve stays closed, as a check valve does. A load that pulls it along is braked. Where the
force is at its bound, the joint goes as it can, and the target follows it: nothing winds up.

What is asked for is in the state, `command` of the motor's row: the speed v, the goal, the greatest speed on the way (0
where nothing is asked for), and 1 where the valve is not what it was built as: a hose that broke, or was mended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from taut.machines.ramping import cushioned_speed, stopping_speed, towards

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation
    from taut.spatial import Array

SPEED, GOAL, MOST, SWITCHED = range(4)
"""Columns of `command`."""

AT_BOUND = 1e-6
"""Share of its bound by which a force may miss it and still count as being there; solvers are more exact."""

SETTLED = 1e-9
"""Way to a goal that is none, m or rad: what solvers leave."""

BACKWARDS = 1e-3
"""Share of its greatest speed at which a joint goes back under its load when the valve closes: more than rounding."""

CLOSED = 1e6
"""Times its own force that a closed valve without a brake holds: a number, as the matrix wants one to start with."""


@dataclass(frozen=True)
class Actuator:
    """How a joint is driven; forces in N or N m, places in m or rad, positive as the joint's coordinate.

    Attributes:
        joint: its name.
        zero: the measure of its motor where the place is 0.
        ends: least and greatest place, may be infinite.
        push, pull: greatest forces, forwards and backwards.
        out, back: greatest speeds, likewise.
        acceleration: of the ramp.
        brake: what is held at rest.
        holds: whether anything is held at rest; if not, nothing is, and loads may run away.
        cushion: way before the ends in which it slows down from any speed.
        compliance: of the motor, m/N or rad/(N m).
    """

    joint: str
    push: float
    pull: float
    out: float
    back: float
    acceleration: float
    zero: float = 0.0
    ends: tuple[float, float] = (-math.inf, math.inf)
    brake: float = math.inf
    holds: bool = True
    cushion: float = 0.0
    compliance: float = 0.0

    @property
    def held(self) -> float:
        """What is held at rest."""
        return min(self.brake, CLOSED * max(self.push, self.pull))

    def force(self, way: float) -> float:
        """Greatest force in this direction."""
        return self.push if way > 0.0 else self.pull

    def fastest(self, way: float) -> float:
        """Greatest speed in this direction."""
        return self.out if way > 0.0 else self.back

    def room(self, place: float, way: float) -> float:
        """Way to the end in this direction."""
        return max(self.ends[1] - place, 0.0) if way > 0.0 else max(place - self.ends[0], 0.0)

    def cushioned(self, place: float, before: float, speed: float, step: float) -> float:
        """A speed, slowed down in the cushion so that the joint comes to rest at its end, without a blow."""
        room = self.room(place, speed)
        if room > self.cushion + abs(speed) * step:
            return speed
        usual = self.fastest(speed) ** 2 / (2.0 * self.cushion) if self.cushion > 0.0 else math.inf
        return math.copysign(min(abs(speed), cushioned_speed(room, before, usual, step)), speed)


class Driven:
    """A joint of a running simulation that an actuator moves."""

    def __init__(self, simulation: Simulation, actuator: Actuator) -> None:
        """The joint is there."""
        self.simulation, self.actuator = simulation, actuator
        model = simulation.model
        rows = model.layout.first_rows(model.link_numbers[actuator.joint])
        self.row = int(rows[model.layout.laws.drives[rows]][0])
        self.rows = rows

    @property
    def command(self) -> Array:
        """What is asked for, (4,), see above."""
        command: Array = self.simulation.state.command[self.row]
        return command

    @property
    def place(self) -> float:
        """Where the joint is, m or rad."""
        return float(self.simulation.state.measure[self.row]) - self.actuator.zero

    @property
    def target(self) -> float:
        """Where its motor wants it, m or rad."""
        return float(self.simulation.state.target[self.row]) - self.actuator.zero

    @property
    def force(self) -> float:
        """Force of the motor, N or N m, positive forwards."""
        return float(self.simulation.state.force[self.row])

    @property
    def total_force(self) -> float:
        """Force of the motor and of the end that it is at, N or N m."""
        model, force = self.simulation.model, self.simulation.state.force
        same = [row for row in self.rows if model.layout.specs[model.layout.row_spec[row]].part == self.part]
        return float(force[same].sum())

    @property
    def part(self) -> object:
        """What its motor acts along."""
        layout = self.simulation.model.layout
        return layout.specs[layout.row_spec[self.row]].part

    @property
    def rate(self) -> float:
        """Speed of the joint, m/s or rad/s."""
        simulation, start = self.simulation, self.simulation.model.entries.entry_start
        here = slice(start[self.row], start[self.row + 1])
        jacobian = simulation.stepper.measure(simulation.state).jacobian[here]
        return float(np.sum(jacobian * simulation.state.velocity[simulation.model.entries.entry_body[here]]))

    @property
    def holds(self) -> bool:
        """Whether anything is held at rest."""
        return self.actuator.holds != bool(self.command[SWITCHED])

    @property
    def coasts(self) -> bool:
        """Whether nothing holds or drives it."""
        return not self.holds and bool(self.command[MOST] == 0.0)

    @property
    def yields(self) -> bool:
        """Whether its force is at a bound."""
        low, high = self.simulation.state.force_limits[self.row]
        force = self.force
        return bool(force >= high - AT_BOUND * abs(high) or force <= low + AT_BOUND * abs(low))

    @property
    def closed(self) -> bool:
        """Whether the valve is closed, or the brake on."""
        low, high = self.simulation.state.force_limits[self.row]
        return bool(-low == high == self.actuator.held)

    @property
    def at_limit(self) -> bool:
        """Whether it is at an end of its way."""
        low, high = self.actuator.ends
        return self.place <= low + 1e-6 or self.place >= high - 1e-6

    @property
    def aim(self) -> float:
        """Where it would be without load: its target, or as far as its force let it go, m or rad."""
        return self.place + self.actuator.compliance * self.force if self.yields else self.target

    @property
    def stalls(self) -> bool:
        """Whether it is asked to go on, but its force is not enough."""
        if self.wanted(self.aim) == 0.0:
            return False
        if self.yields:
            return abs(self.rate) < BACKWARDS * min(self.actuator.out, self.actuator.back)
        return self.closed and not self.opens(self.wanted(self.aim))

    @property
    def state(self) -> str:
        """What it does: "drive", "stall", "slip" under more than its brake holds, "limit" at an end, "hold", "free"."""
        if self.stalls:
            return "stall"
        if self.holds and self.yields and self.wanted(self.aim) == 0.0:
            return "slip"
        if self.at_limit:
            return "limit"
        if self.coasts:
            return "free"
        return "hold" if self.command[SPEED] == 0.0 == self.wanted(self.aim) else "drive"

    def wanted(self, place: float) -> float:
        """Speed that it should have at a place."""
        _, goal, most, _ = self.command.tolist()
        if most == 0.0:
            return 0.0
        way = goal - place
        if min(abs(way), self.actuator.room(place, way)) <= SETTLED:
            return 0.0
        speed = most if math.isinf(goal) else min(most, abs(self.stopping(way)))
        return math.copysign(min(speed, self.actuator.fastest(way)), way)

    def stopping(self, way: float) -> float:
        """The speed from which it can still stop within a way."""
        return stopping_speed(way, self.actuator.acceleration, self.simulation.settings.step)

    def ask(self, goal: float, most: float) -> None:
        """Go there with at most this speed; the bodies that it moves wake."""
        state = self.simulation.state
        state.command = state.command.copy()
        state.command[self.row, GOAL : MOST + 1] = goal, most
        self.wake()

    def drive(self, speed: float) -> None:
        """Go at this speed until something else is asked for; 0 is to stop."""
        self.ask(math.copysign(math.inf, speed) if speed else self.place, abs(speed))

    def go_to(self, goal: float) -> None:
        """Go there and stop."""
        self.ask(goal, math.inf)

    def switch(self, holds: bool) -> None:
        """Let it hold at rest from now on, or not: a hose that breaks."""
        if holds == self.holds:
            return
        state = self.simulation.state
        state.command = state.command.copy()
        state.command[self.row, SWITCHED] = 1.0 - state.command[self.row, SWITCHED]
        self.drive(0.0)

    def wake(self, rough: bool = False) -> None:
        """Wake the bodies that it moves; where forces jump, they start their scheme anew."""
        state, entries = self.simulation.state, self.simulation.model.entries
        bodies = entries.entry_body[entries.entry_start[self.row] : entries.entry_start[self.row + 1]]
        state.rest[bodies] = 0
        if rough:
            state.history[bodies] = 0

    def keep(self) -> None:
        """Bring the motor nearer to what is asked of it, as far as it may in a frame.

        Writes:  target, force_limits, command and energy of the state
        """
        actuator, step = self.actuator, self.simulation.settings.step
        speed, was_closed, place = float(self.command[SPEED]), self.closed, self.aim
        wanted = self.wanted(place)
        if self.yields:
            speed = self.rate
            if self.holds and speed * (wanted or float(self.command[SPEED])) < 0.0 and self.goes_back(speed):
                speed = wanted = 0.0
        before, coasts = speed, self.coasts
        speed = speed if coasts else towards(speed, wanted, actuator.acceleration * step)
        slowed = actuator.cushioned(place, before, speed, step)
        if slowed == 0.0 == wanted or (was_closed and not self.opens(wanted)):
            slowed = 0.0
        self.set(place + slowed * step, slowed, self.bounds(slowed, coasts, slowed != speed))

    def goes_back(self, speed: float) -> bool:
        """Whether it goes back under its load, by more than rounding."""
        return abs(speed) > BACKWARDS * self.actuator.fastest(-speed)

    def opens(self, wanted: float) -> bool:
        """Whether it can move what it holds."""
        return wanted != 0.0 and math.copysign(self.force, self.force * wanted) <= self.actuator.force(wanted)

    def bounds(self, speed: float, coasts: bool, slowed: bool) -> tuple[float, float]:
        """Least and greatest force at this speed."""
        actuator, held = self.actuator, self.actuator.held
        if self.holds and speed == 0.0:
            return -held, held
        low, high = (0.0, 0.0) if coasts else (-actuator.pull, actuator.push)
        if (self.holds or slowed) and speed > 0.0:
            low = -held
        elif (self.holds or slowed) and speed < 0.0:
            high = held
        return low, high

    def set(self, place: float, speed: float, bounds: tuple[float, float]) -> None:
        """Set the target and bounds of the motor, and the energy of one that gives way."""
        state, row, target = self.simulation.state, self.row, place + self.actuator.zero
        if not bounds[0] <= self.force <= bounds[1]:
            self.wake(rough=True)
        if self.actuator.compliance > 0.0:
            state.energy -= self.stored()
        state.target[row], state.command[row, SPEED] = target, speed
        state.force_limits[row] = bounds
        if self.actuator.compliance > 0.0:
            state.energy += self.stored()

    def stored(self) -> float:
        """Energy in a motor that gives way, J, as `taut.rows.law` has it."""
        state, stiffness = self.simulation.state, 1.0 / self.actuator.compliance
        gap = float(state.measure[self.row] - state.target[self.row])
        low, high = state.force_limits[self.row]
        force = min(max(-stiffness * gap, low), high)
        return float(-force * gap - 0.5 * force * force / stiffness)
