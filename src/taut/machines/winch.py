"""A winch: a drum with a motor and a brake, which pays out a cable of segments and hauls it in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.lever import Lever
from taut.joints.revolute import Revolute
from taut.joints.route import Route, attach, drum, pinhole
from taut.machines.base import MachinePart, PartHandle, checked_end, end_of, reading
from taut.machines.cable import Cable, CableView, own_direction
from taut.machines.laying import hanging
from taut.machines.segments import Z, add_segments, cut_line
from taut.machines.spooling import INSERT, REMOVE, insert_segment, remove_segment
from taut.scene.scene import WORLD, Scene
from taut.shapes import Capsule, Cylinder
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

LEAST_PAYOUT = 1.2
"""Rope that stays out, in segments: one segment, and so much that it does not reach the exit."""


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

    @property
    def holds(self) -> bool:
        """Whether its rope is still on it."""
        return f"{self.name}/reel" in self.simulation.model.link_numbers

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
        """What holds the drum: "drive", "limit" where a stop keeps the motor from going on, "brake" or "free"."""
        hinge = self.simulation.joint(f"{self.name}/hinge")
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
        exit_ = self.points([self.part.exit[0]], np.array(self.part.exit[1]))[0]
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
        hinge, part = self.simulation.joint(f"{self.name}/hinge"), self.part
        if motor and hinge.force_limit() == 0.0:
            hinge.drive(float(hinge.velocity))
        hinge.set_force_limit(part.max_pull * self.layer_radius if motor else 0.0)
        hinge.set_friction(part.brake_force * self.layer_radius if brake else 0.0)


@dataclass(frozen=True, kw_only=True)
class Winch(MachinePart):
    """A drum on a hinge, a rope from it through an exit, and a cable of segments from there to what it carries.

    Speeds are those of the rope in m/s; **positive pays out**. It starts with the brake on. Controls: `name.speed`,
    which releases the brake, `name.brake` and `name.free_spool` (0 or 1). Segments come off the drum and go back onto
    it by themselves, see `taut.machines.spooling`; the drum is the lighter for what it has given out.

    Attributes:
        rope: a `Cable` with `to`, what it carries; its length is what is paid out at the start, by default the
            distance from the exit.
        exit: where the rope leaves: a body, or (body, point in its own frame), such as a fairlead or the tip of a boom.
        drum: what carries the drum, and where its centre is: a body, or (body, point in its own frame).
        axis: of the drum, world axes at the start; a positive turn about it pays out.
        radius: at which the rope runs on and off, m.
        width: of the drum, m.
        stored: rope on the drum at the start, m.
        inertia: of the empty drum, kg m^2.
        max_pull: of the motor, N.
        max_speed: m/s.
        brake_force: that the brake holds at the rope, N; by default twice the pull of the motor.
        ramp: time from rest to full speed, s.
        limits: (least, most) rope beyond the exit, m, at which it stops by itself; by default as far as it can.
    """

    view = WinchView

    rope: Cable
    exit: Any
    drum: Any
    axis: Any = (0.0, 1.0, 0.0)
    radius: float = 0.3
    width: float = 0.5
    stored: float = 20.0
    inertia: float = 10.0
    max_pull: float
    max_speed: float = 1.0
    brake_force: float | None = None
    ramp: float = 0.5
    limits: tuple[float, float] | None = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("radius", "width", "stored", "inertia", "max_pull", "max_speed", "ramp"):
            self.put(**{name: checks.number("Winch", name, getattr(self, name), above=0.0)})
        brake = 2.0 * self.max_pull if self.brake_force is None else self.brake_force
        self.put(brake_force=checks.number("Winch", "brake_force", brake, above=0.0))
        self.put(axis=triple(checks.direction("Winch", "axis", self.axis)))
        if not isinstance(self.rope, Cable):
            raise InputError(f"Winch: rope is {checks.shown(self.rope)}; it must be a taut.machines.Cable")
        if self.rope.to is None or self.rope.from_ is not None or self.rope.points or self.rope.segments is not None:
            raise InputError("Winch: rope must have `to`, and neither `from_`, `points` nor `segments`")
        for name in ("exit", "drum"):
            body, point = checked_end("Winch", name, getattr(self, name))
            self.put(**{name: (body, triple(point))})
        if self.limits is not None:
            self.put(limits=checks.interval("Winch", "limits", self.limits))

    @property
    def acceleration(self) -> float:
        """Of the rope, when the speed is changed, m/s^2."""
        return self.max_speed / self.ramp

    @property
    def segment(self) -> float:
        """Length of a segment of its rope, m."""
        return self.rope.segment_length or max(10.0 * self.rope.diameter, 0.1)

    def build(self, scene: Scene, name: str) -> PartHandle:
        """Body `name/drum`, segments `name/1` ..., joints `name/hinge`, `.../lever`, `.../reel`, `.../joint-1` ..."""
        owner, segment, bears = f"winch {name!r}", self.segment, self.rope.breaking_force
        (begin, end), out = self.lay(scene, owner)
        group = name if self.rope.group is None else self.rope.group
        bodies = add_segments(
            scene, name, (begin, end), Capsule(0.5 * self.rope.diameter, segment), False,
            mass=self.rope.mass_per_length * segment, friction=self.rope.friction, collides=self.rope.collides,
            group=group,
        )  # fmt: skip
        wheel = self.add_drum(scene, name, owner)
        rope = [drum(wheel, radius=self.radius, axis=Z, stored=self.stored), pinhole(*self.exit)]
        half = np.array([0.0, 0.0, 0.5 * segment])
        scene.connect(
            wheel,
            bodies[0],
            Route((*rope, attach(bodies[0], -half))),
            name=f"{name}/reel",
            break_force=bears,
        )
        joints = [f"{name}/joint-{number}" for number in range(1, len(bodies) + 1)]
        for joint, a, b in zip(joints[:-1], bodies[:-1], bodies[1:], strict=True):
            scene.connect(a, b, self.rope.link(segment, 1.0, half, -half), name=joint, break_force=bears)
        anchor, point, _ = end_of(scene, owner, "to", self.rope.to)
        axis = own_direction(scene, anchor, end[-1] - begin[-1])
        last = self.rope.link(segment, 2.0, half, point, axis_b=axis, bends=self.rope.clamped[1])
        scene.connect(bodies[-1], anchor, last, name=joints[-1], break_force=bears)
        for other in {str(wheel), self.exit[0]} - {WORLD}:
            scene.ignore_contacts(other, group)
        low, high = self.limits or (0.0, math.inf)
        whole = self.stored + out
        handle = PartHandle(
            name, self, [wheel, *bodies], [f"{name}/hinge", f"{name}/lever", f"{name}/reel", *joints],
            segment=segment, radius=self.radius, rope=whole, given=0.0, made=len(bodies),
            least=max(low, LEAST_PAYOUT * segment), most=min(high, whole - 2.0 * math.pi * self.radius),
        )  # fmt: skip
        if not handle.sizes["least"] <= out <= handle.sizes["most"]:
            raise InputError(
                f"{owner}: {out:g} m of rope are out at the start; it must be from {handle.sizes['least']:g} to "
                f"{handle.sizes['most']:g}, one segment out and one turn on the drum at least"
            )
        return handle

    def lay(self, scene: Scene, owner: str) -> tuple[tuple[Array, Array], float]:
        """Where segments begin and end, and how much rope is out, m: a straight reel, and the cable from its end on."""
        exit_, load = end_of(scene, owner, "exit", self.exit)[2], end_of(scene, owner, "to", self.rope.to)[2]
        span, segment = load - exit_, self.segment
        distance = float(np.linalg.norm(span))
        out = distance if self.rope.length is None else self.rope.length
        if distance == 0.0:
            raise InputError(f"{owner}: what it carries is at the exit; there must be room for a segment of rope")
        count = max(math.floor(out / segment - 0.5), 1)
        free = out - count * segment
        if free < 0.1 * segment:
            raise InputError(f"{owner}: {out:g} m of rope are out; it must be at least {LEAST_PAYOUT * segment:g} m")
        weight = self.rope.mass_per_length * segment * np.asarray(scene.gravity, float)
        top, compliance = exit_ + span * (free / distance), segment / self.rope.axial_stiffness
        return hanging(owner, top, load, count, segment, weight, compliance, (0.0, 0.5)), out

    def add_drum(self, scene: Scene, name: str, owner: str) -> str:
        """Drum, hinge, lever and controls."""
        base, _, centre = end_of(scene, owner, "drum", self.drum)
        axis = np.array(self.axis)
        mass, inertia = self.drum_mass(self.rope.mass_per_length * (self.stored + self.segment))
        wheel = scene.add_body(
            f"{name}/drum", Cylinder(self.radius, self.width), mass=mass, inertia=inertia,
            position=centre, orientation=spatial.from_two_vectors(Z, axis), collides=False,
        )  # fmt: skip
        assert self.brake_force is not None
        hinge = Revolute(axis=self.axis, motor=Motor(speed=0.0, max_force=0.0), friction=self.brake_force * self.radius)
        scene.connect(base, wheel, hinge, at=centre, name=f"{name}/hinge")
        scene.connect(base, wheel, Lever(axis=self.axis), name=f"{name}/lever")
        most = self.max_speed
        scene.add_control(f"{name}.speed", act=partial(set_speed, name), low=-most, high=most, unit="m/s")
        scene.add_control(f"{name}.brake", act=partial(set_brake, name), value=1.0)
        scene.add_control(f"{name}.free_spool", act=partial(set_free_spool, name))
        return str(wheel)

    @property
    def empty_mass(self) -> float:
        """Of the drum without rope, kg: that of a cylinder of its inertia."""
        return 2.0 * self.inertia / self.radius**2

    def drum_mass(self, rope: float) -> tuple[float, Array]:
        """Mass (kg) and principal moments (3,) (kg m^2) of the drum with so much rope (kg) on its rim."""
        mass, squared = self.empty_mass + rope, self.radius**2
        across = self.empty_mass * squared / 4.0 + rope * squared / 2.0 + mass * self.width**2 / 12.0
        return mass, np.array([across, across, self.inertia + rope * squared])

    def cut(self, edit: Edit, handle: PartHandle, at: float | None) -> None:
        """Cut the rope at the joint nearest to `at`, m from the first segment."""
        cut_line(edit, handle, handle.joints[2:], at)

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: WinchView) -> None:
        """Speed up or slow down to what is asked, hand over a segment where there is room for one."""
        simulation, name = view.simulation, view.name
        hinge = simulation.joint(f"{name}/hinge")
        if hinge.force_limit() > 0.0:
            now, change = hinge.target() * view.layer_radius, self.acceleration * simulation.settings.step
            wanted = view.allowed(simulation.joint(f"{name}/lever").target())
            speed = now + min(max(wanted - now, -change), change)
            if speed != now:
                hinge.drive(speed / view.layer_radius)
        if not view.holds:
            return
        free, segment = view.free, view.segment
        if free > INSERT * segment and view.reel() > segment:
            insert_segment(view)
        elif free < REMOVE * segment and view.hanging > 1:
            remove_segment(view)


def set_speed(name: str, simulation: Any, value: float) -> None:
    """What the control of the speed does."""
    simulation.part(name).drive(value)


def set_brake(name: str, simulation: Any, value: float) -> None:
    """What the control of the brake does: above a half it is on."""
    simulation.part(name).brake(value > 0.5)


def set_free_spool(name: str, simulation: Any, value: float) -> None:
    """What the control of free spool does: above a half the drum turns freely."""
    simulation.part(name).free_spool(value > 0.5)
