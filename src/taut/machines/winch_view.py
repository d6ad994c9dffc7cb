"""What a winch reads and does while it runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.frame import Triple
from taut.machines.base import reading, stops_now
from taut.machines.cable import CableView
from taut.machines.ramping import stopping_speed, towards
from taut.machines.segments import Z
from taut.machines.spooling import OWN, point_of
from taut.spatial import Array


class WinchView(CableView):
    """A winch of a running simulation; its rope reads as a `Cable` does, from the exit on."""

    @property
    def line(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Segments, and the reel and joints around them."""
        return self.handle.bodies[1:], self.handle.joints[OWN:]

    @property
    def springs(self) -> tuple[str, ...]:
        """The joints between segments, and the one at the load."""
        return super().springs[1:] if self.holds else super().springs

    @reading("m")
    def length(self) -> float:
        """Unstretched length, from the exit on."""
        return float(super().length) + self.free

    @reading("m")
    def stretched_length(self) -> float:
        """Length with what it is stretched by."""
        return float(super().stretched_length) + (max(self.stretch, 0.0) if self.holds else 0.0)

    @reading("J")
    def energy(self) -> float:
        """Elastic energy of stretch, bend and twist."""
        rest, stiffness = float(super().energy), self.part.rope.axial_stiffness
        if not self.holds or stiffness == math.inf:
            return rest
        return rest + 0.5 * stiffness / self.part.stretching(self.free) * max(self.stretch, 0.0) ** 2

    vital = slice(OWN)

    def lost(self) -> str:
        """Its drum, or all of its rope; a joint of the drum is there only as long as the drum."""
        return super().lost() or ("" if self.holds or self.segments else "all of its rope")

    @property
    def holds(self) -> bool:
        """Whether its rope is still on it."""
        return f"{self.name}/reel" in self.simulation.model.link_numbers

    @property
    def exit(self) -> tuple[str, Triple]:
        """The hole that its rope leaves through: a body, which may have come from the one it was built on, and where in
        its frame, m."""
        hole = stops_now(self.simulation, f"{self.name}/reel")[1]
        return hole.body, hole.point

    @reading("m")
    def payout(self) -> float:
        """Rope beyond the exit that hangs on the winch, as it ran off the drum; what was cut off does not count."""
        return self.payout_with(self.free)

    @reading("m")
    def stored(self) -> float:
        """Rope on the drum, and from there to the exit."""
        return self.handle.sizes["rope"] - (len(self.handle.bodies) - 1) * self.segment - self.free

    def payout_with(self, free: float) -> float:
        """The payout where so much rope is free, m."""
        return self.hanging * self.segment + free if self.holds else 0.0

    @property
    def hanging(self) -> int:
        """Number of segments from the first one to where the rope was cut or ends."""
        return 1 + self.unbroken(self.handle.joints[OWN + 1 : -1])

    @reading("m")
    def free(self) -> float:
        """Rope between the exit and the first segment, as long as it is without load."""
        return self.reel() - self.stretch if self.holds else 0.0

    @property
    def ahead(self) -> float:
        """What is free, m."""
        return self.free

    @property
    def stretch(self) -> float:
        """By how much the rope of the reel is longer than without load, m; negative where it is slack."""
        return float(self.simulation.state.measure[self.reel_row()]) - self.rope_length

    @property
    def rope_length(self) -> float:
        """Length of the rope from its end on the drum to the first segment, without load, m."""
        row, state = self.reel_row(), self.simulation.state
        return float(state.limits[row, 1] if self.part.rope.axial_stiffness == math.inf else state.target[row])

    def stretch_by(self, free: float) -> None:
        """Let the reel be as firm as so much free rope is, m; it stays as long as it is, so its energy changes.

        Writes:  firmness, energy of the state
        """
        winch, state, row = self.part, self.simulation.state, self.reel_row()
        if winch.rope.axial_stiffness < math.inf:
            model = self.simulation.model
            kind: Any = model.links[model.link_numbers[f"{self.name}/reel"]].spec.kind
            firmness = kind.stretching / winch.stretching(free)
            more = (firmness - float(state.firmness[row])) * winch.rope.axial_stiffness / kind.stretching
            state.energy += 0.5 * more * max(self.stretch, 0.0) ** 2
            state.firmness[row] = firmness

    @reading("m/s")
    def speed(self) -> float:
        """Speed of the rope at the drum, positive where it is paid out."""
        return float(self.simulation.joint(f"{self.name}/hinge").velocity) * self.layer_radius

    @reading("N")
    def pull(self) -> float:
        """Tension of the rope at the drum."""
        return max(-float(self.simulation.state.force[self.reel_row()]), 0.0) if self.holds else 0.0

    @reading("N m")
    def torque(self) -> float:
        """Torque of the rope on the drum."""
        return self.pull * self.layer_radius

    @reading("m")
    def layer_radius(self) -> float:
        """Radius at which the rope runs on and off."""
        return self.handle.sizes["radius"]

    @reading("")
    def state(self) -> str:
        """What holds the drum: "drive", "limit" where a stop or the end of the rope does, "brake" or "free"."""
        hinge = self.simulation.joint(f"{self.name}/hinge")
        if float(hinge.position) > hinge.limits[1] - 1e-6:
            return "limit"
        if hinge.force_limit() == 0.0:
            return "brake" if self.braked else "free"
        wanted = self.wanted
        return "limit" if wanted != 0.0 and abs(self.allowed(wanted, self.payout)) < 1e-6 else "drive"

    @property
    def braked(self) -> bool:
        """Whether the brake is on."""
        model = self.simulation.model
        rows = model.layout.first_rows(model.link_numbers[f"{self.name}/hinge"])
        return bool(self.simulation.state.force_limits[rows[-1], 1] > 0.0)

    @property
    def wound(self) -> float:
        """Rope on the drum itself, m."""
        model, layout = self.simulation.model, self.simulation.model.layout
        part: Any = model.links[model.link_numbers[f"{self.name}/reel"]].parts[0]
        slot = layout.slots[next(each for each in part.coordinates if part.stops[each.index].start is not None)]
        return float(self.simulation.state.coordinate[slot]) * self.layer_radius

    @property
    def rope_mass(self) -> float:
        """Of the rope that counts as wound up: all that is no segment, kg."""
        bodies = self.simulation.model.bodies
        return float(bodies.mass[self.numbers([f"{self.name}/drum"])[0]]) - self.part.empty_mass

    def reel(self) -> float:
        """Distance from the exit to the first segment, m."""
        ends: tuple[tuple[str, Any], ...] = (self.exit, (self.handle.bodies[1], self.top))
        exit_, top = (point_of(self.simulation, *end, False)[0] for end in ends)
        return math.dist(exit_, top)

    def reel_row(self) -> int:
        """Row of the rope between drum and first segment."""
        model = self.simulation.model
        return int(model.layout.first_rows(model.link_numbers[f"{self.name}/reel"])[0])

    @property
    def top(self) -> Array:
        """Where a segment begins, in its own frame, m."""
        return np.array([0.0, 0.0, -0.5 * self.segment])

    @property
    def wanted(self) -> float:
        """Speed that is asked of the winch, m/s."""
        return float(self.simulation.joint(f"{self.name}/lever").target())

    @property
    def goal(self) -> float | None:
        """The payout that it goes to, m; None where it goes to none."""
        goal = float(self.simulation.joint(f"{self.name}/goal").target())
        return goal if goal > 0.0 and self.holds else None

    def allowed(self, speed: float, payout: float) -> float:
        """The speed (m/s), reduced so that the winch can still stop at the ends of its rope, with so much out (m)."""
        low, high = self.handle.sizes["least"], self.handle.sizes["most"]
        room = high - payout if speed > 0.0 else payout - low
        return self.stopping(math.copysign(max(room, 0.0), speed), abs(speed))

    def stopping(self, way: float, speed: float = math.inf) -> float:
        """The greatest speed, m/s, not above this one, from which the winch can stop within a way, m."""
        step, most = self.simulation.settings.step, self.part.acceleration
        return math.copysign(min(speed, abs(stopping_speed(way, most, step)), self.part.max_speed), way)

    @property
    def carried(self) -> float:
        """Rope that runs off after this frame though the motor stands still at once, m: the scheme looks back.

        With d+ = d/3 + 2/3 h v the ways of all frames to come are d/2 + h (v_1 + v_2 + ...).
        """
        simulation, state = self.simulation, self.simulation.state
        hinge = simulation.model.links[simulation.model.link_numbers[f"{self.name}/hinge"]].spec
        if state.history[hinge.b] == 0:
            return 0.0
        turned = state.displacement[hinge.b, 3:] - state.displacement[hinge.a, 3:]
        return 0.5 * self.layer_radius * float(turned @ spatial.rotate(state.orientation[hinge.b], np.array(Z)))

    def keep_speed(self, free: float) -> None:
        """Bring the motor nearer to the speed that is asked of it, as fast as it may; so much rope is free, m.

        Nothing that is measured of a state depends on the target of a speed.

        Writes:  target of the state
        """
        hinge, state = self.simulation.joint(f"{self.name}/hinge"), self.simulation.state
        row = hinge.motor_row(None)
        if state.force_limits[row, 1] > 0.0:
            most, change = self.part.max_speed, self.part.acceleration * self.simulation.settings.step
            now = min(max(state.target[row] * self.layer_radius, -most), most)  # what ran away is stopped with all pull
            goal, payout = self.goal, self.payout_with(free) + self.carried
            wanted = self.allowed(self.wanted, payout) if goal is None else self.stopping(goal - payout)
            speed = towards(now, wanted, change)
            if speed != state.target[row] * self.layer_radius:
                state.target[row] = speed / self.layer_radius

    def drive(self, speed: float) -> None:
        """Pay out at this speed, m/s, or haul in at a negative one; the brake is released."""
        owner = f"winch {self.name!r}"
        speed = checks.number(owner, "speed", speed)
        self.hold(motor=True, brake=False)
        self.simulation.joint(f"{self.name}/lever").drive(speed)
        most = self.part.max_speed
        self.recall(speed=min(max(speed, -most), most))

    def haul(self, speed: float) -> None:
        """Haul in at this speed, m/s."""
        self.drive(-checks.number(f"winch {self.name!r}", "speed", speed))

    def pay_out(self, speed: float) -> None:
        """Pay out at this speed, m/s."""
        self.drive(speed)

    def go_to(self, payout: float) -> None:
        """Pay out or haul in until so much rope is out, m, and stop there; the brake is released."""
        owner, sizes = f"winch {self.name!r}", self.handle.sizes
        payout = checks.number(owner, "payout", payout)
        if not sizes["least"] <= payout <= sizes["most"]:
            allowed = f"from {sizes['least']:g} to {sizes['most']:g}"
            raise InputError(f"{owner}: payout is {payout:g} m; it must be {allowed}")
        self.drive(0.0)
        self.simulation.joint(f"{self.name}/goal").drive(payout)
        self.recall(payout=payout)

    def brake(self, on: bool = True) -> None:
        """Hold the drum with the brake instead of the motor, or let the motor hold it."""
        on = checks.flag(f"winch {self.name!r}", "brake", on)
        self.check_there("drum")
        self.simulation.joint(f"{self.name}/lever").drive(0.0)
        self.hold(motor=not on, brake=on)

    def free_spool(self, on: bool = True) -> None:
        """Let the drum turn freely, or let the motor hold it."""
        on = checks.flag(f"winch {self.name!r}", "free_spool", on)
        self.check_there("drum")
        self.simulation.joint(f"{self.name}/lever").drive(0.0)
        self.hold(motor=not on, brake=False)

    def hold(self, motor: bool, brake: bool) -> None:
        """Who holds the drum; the motor goes on from the speed that the drum has, and forgets where it was to go."""
        self.check_there("drum")
        self.simulation.joint(f"{self.name}/goal").drive(0.0)
        hinge, part = self.simulation.joint(f"{self.name}/hinge"), self.part
        if motor and hinge.force_limit() == 0.0:
            hinge.drive(float(hinge.velocity))
        hinge.set_force_limit(part.max_pull * part.radius if motor else 0.0)
        hinge.set_friction(part.brake_force * part.radius if brake else 0.0)
        self.recall(speed=0.0, brake=brake, free_spool=not (motor or brake))

    def recall(self, **values: float) -> None:
        """Let its controls have these values; a schedule knows its own."""
        for name, value in values.items():
            control = self.simulation.controls[f"{self.name}.{name}"]
            if control.spec.schedule is None:
                control.recall(float(value))
