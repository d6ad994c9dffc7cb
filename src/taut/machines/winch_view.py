"""What a winch reads and does while it runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut import checks
from taut.joints.frame import Triple
from taut.machines.base import reading, stops_now
from taut.machines.cable import CableView
from taut.spatial import Array


class WinchView(CableView):
    """A winch of a running simulation; its rope reads as a `Cable` does, from the exit on."""

    @property
    def line(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Segments, and the reel and joints around them."""
        return self.handle.bodies[1:], self.handle.joints[2:]

    @property
    def springs(self) -> tuple[str, ...]:
        """The joints between segments, and the one at the load."""
        return self.line[1][1:]

    def lost(self) -> str:
        """Its drum, or all of its rope; a joint of the drum is there only as long as the drum."""
        there = self.simulation.model.link_numbers
        gone = next((joint for joint in self.handle.joints[:2] if joint not in there), "")
        return gone or ("" if self.holds or self.segments else "all of its rope")

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
        if not self.holds:
            return 0.0
        lost = len(self.line[0]) - self.hanging
        return self.handle.sizes["rope"] - self.stored - lost * self.segment

    @reading("m")
    def stored(self) -> float:
        """Rope on the drum, and from there to the exit."""
        given = len(self.line[0]) * self.segment + self.handle.sizes["given"]
        return self.handle.sizes["rope"] - given - self.free

    @property
    def hanging(self) -> int:
        """Number of segments from the first one to where the rope was cut or ends."""
        there, joints = self.simulation.model.link_numbers, self.line[1][1:]
        return next((number for number, joint in enumerate(joints, start=1) if joint not in there), len(joints))

    @reading("m")
    def free(self) -> float:
        """Rope between the exit and the first segment, slack included."""
        if not self.holds:
            return 0.0
        reel, row = self.reel(), self.reel_row()
        slack = self.simulation.state.limits[row, 1] - self.simulation.stepper.measure(self.simulation.state).value[row]
        return reel + float(slack)

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
        wanted = self.simulation.joint(f"{self.name}/lever").target()
        return "limit" if wanted != 0.0 and abs(self.allowed(wanted)) < 1e-6 else "drive"

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
        exit_ = self.points([self.exit[0]], np.array(self.exit[1]))[0]
        return float(np.linalg.norm(exit_ - self.points(self.line[0][:1], self.top)[0]))

    def reel_row(self) -> int:
        """Row of the rope between drum and first segment."""
        model = self.simulation.model
        return int(model.layout.first_rows(model.link_numbers[f"{self.name}/reel"])[0])

    @property
    def top(self) -> Array:
        """Where a segment begins, in its own frame, m."""
        return np.array([0.0, 0.0, -0.5 * self.segment])

    def allowed(self, speed: float) -> float:
        """The speed (m/s), reduced so that the winch can still stop at the ends of its rope."""
        step, most = self.simulation.settings.step, self.part.acceleration
        low, high = self.handle.sizes["least"], self.handle.sizes["most"]
        room = high - self.payout if speed > 0.0 else self.payout - low
        # v h + v^2 / (2 a) <= room: one frame at this speed, then slowing down
        brake = -most * step + math.sqrt((most * step) ** 2 + 2.0 * most * max(room, 0.0))
        return math.copysign(min(abs(speed), brake, self.part.max_speed), speed)

    def drive(self, speed: float) -> None:
        """Pay out at this speed, m/s, or haul in at a negative one; the brake is released."""
        owner = f"winch {self.name!r}"
        speed = checks.number(owner, "speed", speed)
        self.hold(motor=True, brake=False)
        self.simulation.joint(f"{self.name}/lever").drive(speed)

    def haul(self, speed: float) -> None:
        """Haul in at this speed, m/s."""
        self.drive(-speed)

    def pay_out(self, speed: float) -> None:
        """Pay out at this speed, m/s."""
        self.drive(speed)

    def brake(self, on: bool = True) -> None:
        """Hold the drum with the brake instead of the motor, or let the motor hold it."""
        self.simulation.joint(f"{self.name}/lever").drive(0.0)
        self.hold(motor=not on, brake=on)

    def free_spool(self, on: bool = True) -> None:
        """Let the drum turn freely, or let the motor hold it."""
        self.simulation.joint(f"{self.name}/lever").drive(0.0)
        self.hold(motor=not on, brake=False)

    def hold(self, motor: bool, brake: bool) -> None:
        """Who holds the drum; the motor goes on from the speed that the drum has."""
        self.check_there("drum")
        hinge, part = self.simulation.joint(f"{self.name}/hinge"), self.part
        if motor and hinge.force_limit() == 0.0:
            hinge.drive(float(hinge.velocity))
        hinge.set_force_limit(part.max_pull * part.radius if motor else 0.0)
        hinge.set_friction(part.brake_force * part.radius if brake else 0.0)
