"""A winch: a drum with a motor and a brake, which pays out a cable of segments and hauls it in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.compliant_link import CompliantLink
from taut.joints.lever import Lever
from taut.joints.revolute import Revolute
from taut.joints.route import Route, attach, drum, pinhole
from taut.machines import visuals
from taut.machines.base import BuiltPart, MachinePart, PartEnd, checked_end, end_of, own_direction
from taut.machines.cable import Cable
from taut.machines.laying import check_reach, hanging
from taut.machines.segments import Z, add_segments, cut_line, ends_of
from taut.machines.spooling import (
    INSERT,
    OWN,
    RADIUS_STEP,
    REMOVE,
    change_radius,
    insert_segment,
    let_free,
    remove_segment,
)
from taut.machines.winch_view import WinchView
from taut.scene.controls import SWITCH
from taut.scene.scene import WORLD, Scene
from taut.shapes import Capsule, Cylinder
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

LEAST_PAYOUT = 1.2
"""Rope that stays out, in segments: one segment, and so much that it does not reach the exit."""

LEAST_TURNS = 0.5
"""Rope that stays on the drum when the load runs away, in turns: the motor stops at a whole one, and does not touch the
end of the rope."""


@dataclass(frozen=True, kw_only=True)
class Winch(MachinePart):
    """A drum on a hinge, a rope from it through an exit, and a cable of segments from there to what it carries.

    Speeds are those of the rope in m/s; **positive pays out**. It starts with the brake on. Controls: `name.speed`,
    which releases the brake, `name.payout` (m), to which it goes and where it stops, `name.brake` and `name.free_spool`
    (0 or 1); what is used last counts. Segments come off the drum and go back onto it by themselves, see
    `taut.machines.spooling`; the drum is the lighter for what it has given out. Where the load runs away, the end of
    the rope holds the drum. Rope beyond the exit stretches as that of the cable does: a load bounces at
    sqrt(EA / (payout m)). On the drum, and from there to the exit, it is as long as without load.

    Attributes:
        rope: a `Cable` with `to`, what it carries; its length is what is paid out at the start, by default the
            distance from the exit.
        exit: where the rope leaves: a body, or (body, point in its own frame), such as a fairlead or the tip of a boom.
        drum: what carries the drum, and where its centre is: a body, or (body, point in its own frame).
        axis: of the drum, world axes at the start; a positive turn about it pays out.
        radius: at which the rope runs on and off the empty drum, m.
        turns: of rope in a layer, so that the radius grows with what is wound up; None = it does not.
        width: of the drum, m.
        stored: rope on the drum at the start, m.
        inertia: of the empty drum, kg m^2.
        max_pull: of the motor, N, on the empty drum: its torque is the same on others.
        max_speed: m/s.
        brake_force: that the brake holds, N, likewise; by default twice the pull of the motor.
        ramp: time from rest to full speed, s.
        schedule: its speed as a function of time (s), such as `taut.Ramps`, which it follows by itself.
        limits: (least, most) rope beyond the exit, m, at which it stops by itself; by default as far as it can.
    """

    view = WinchView

    rope: Cable
    exit: Any
    drum: Any
    axis: Any = (0.0, 1.0, 0.0)
    radius: float = 0.3
    turns: float | None = None
    width: float = 0.5
    stored: float = 20.0
    inertia: float = 10.0
    max_pull: float
    max_speed: float = 1.0
    brake_force: float | None = None
    ramp: float = 0.5
    limits: tuple[float, float] | None = None
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("radius", "width", "stored", "inertia", "max_pull", "max_speed", "ramp"):
            self.put(**{name: checks.number("Winch", name, getattr(self, name), above=0.0)})
        if self.turns is not None:
            self.put(turns=checks.number("Winch", "turns", self.turns, at_least=1.0))
        brake = 2.0 * self.max_pull if self.brake_force is None else self.brake_force
        self.put(brake_force=checks.number("Winch", "brake_force", brake, above=0.0))
        self.put(axis=triple(checks.direction("Winch", "axis", self.axis)))
        if not isinstance(self.rope, Cable):
            raise InputError(f"Winch: rope is {checks.shown(self.rope)}; it must be a taut.machines.Cable")
        if self.rope.to is None or self.rope.from_ is not None or self.rope.points or self.rope.segments is not None:
            raise InputError("Winch: rope must have `to`, and neither `from_`, `points` nor `segments`")
        for name in ("exit", "drum"):
            self.put(**{name: checked_end("Winch", name, getattr(self, name))})
        if self.stored < self.one_turn:
            text = f"it must be {self.one_turn:g} m at least, one turn on the drum"
            raise InputError(f"Winch: stored is {self.stored:g}; {text}")
        if self.limits is not None:
            self.put(limits=checks.interval("Winch", "limits", self.limits))

    @property
    def acceleration(self) -> float:
        """Of the rope, when the speed is changed, m/s^2."""
        return self.max_speed / self.ramp

    @property
    def one_turn(self) -> float:
        """Rope of a turn on the empty drum, which always stays on it, m."""
        return 2.0 * math.pi * self.radius

    @property
    def segment(self) -> float:
        """Length of a segment of its rope, m."""
        return self.rope.segment_length or max(10.0 * self.rope.diameter, 0.1)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/drum`, segments `name/1` ..., joints `.../hinge`, `lever`, `goal`, `reel`, `joint-1` ..."""
        owner, segment, bears = f"winch {name!r}", self.segment, self.rope.breaking_force
        (begin, end), out = self.lay(scene, owner)
        group = name if self.rope.group is None else self.rope.group
        bodies = add_segments(
            scene, name, (begin, end), Capsule(0.5 * self.rope.diameter, segment), False,
            mass=self.rope.mass_per_length * segment, friction=self.rope.friction, collides=self.rope.collides,
            group=group,
        )  # fmt: skip
        wheel = self.add_drum(scene, name, owner, group)
        radius, free = self.radius_with(self.stored), out - len(bodies) * segment
        half = np.array([0.0, 0.0, 0.5 * segment])
        reel = self.reel(wheel, (bodies[0], -half), radius, self.stored, free)
        scene.connect(wheel, bodies[0], reel, name=f"{name}/reel", break_force=bears)
        let_free(scene, float(np.linalg.norm(begin[0] - end_of(scene, owner, "exit", self.exit)[2])), free)
        joints = [f"{name}/joint-{number}" for number in range(1, len(bodies) + 1)]
        for joint, a, b, at in zip(joints[:-1], bodies[:-1], bodies[1:], end, strict=False):
            scene.connect(a, b, self.between, at=at, name=joint, break_force=bears)
        anchor, point, _ = end_of(scene, owner, "to", self.rope.to)
        axis = own_direction(scene, anchor, end[-1] - begin[-1])
        last = self.rope.link(segment, 2.0, half, point, axis_b=axis, bends=self.rope.clamped[1])
        scene.connect(bodies[-1], anchor, last, at=end[-1], name=joints[-1], break_force=bears)
        for other in {str(wheel), self.exit[0]} - {WORLD}:
            scene.ignore_contacts(other, group)
        low, high = self.limits or (0.0, math.inf)
        whole = self.stored + out
        sizes = {
            "segment": segment, "radius": radius, "rope": whole, "made": float(len(bodies)), "free": free,
            "least": max(low, LEAST_PAYOUT * segment), "most": min(high, whole - self.one_turn),
        }  # fmt: skip
        if sizes["least"] > sizes["most"]:
            raise InputError(
                f"{owner}: limits are {low:g} to {high:g} m; with one segment out and one turn on the drum at least, "
                f"there can be {LEAST_PAYOUT * segment:g} to {whole - self.one_turn:g} m beyond the exit"
            )
        if not sizes["least"] <= out <= sizes["most"]:
            raise InputError(
                f"{owner}: {out:g} m of rope are out at the start; it must be from {sizes['least']:g} to "
                f"{sizes['most']:g}, one segment out and one turn on the drum at least"
            )
        scene.add_control(
            f"{name}.payout", act=partial(set_payout, name), low=sizes["least"], high=sizes["most"], value=out, unit="m"
        )
        ends = (f"{name}/hinge", f"{name}/lever", f"{name}/goal", f"{name}/reel")
        return BuiltPart(name, self, (wheel, *bodies), (*ends, *joints), sizes)

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
        check_reach(owner, out, distance, compliance)
        ends = self.stretching(free) / segment, 0.5
        return hanging(owner, top, load, count, segment, weight, compliance, ends), out

    def stretching(self, free: float) -> float:
        """Rope that stretches with the reel, m: what is free at the exit, and the first half of the first segment."""
        return max(free, 0.0) + 0.5 * self.segment

    @cached_property
    def between(self) -> CompliantLink:
        """The joint of two segments."""
        half = np.array([0.0, 0.0, 0.5 * self.segment])
        return self.rope.link(self.segment, 1.0, half, -half)

    def reel(self, wheel: str, first: tuple[str, Array], radius: float, stored: float, free: float) -> Route:
        """The rope from the drum, on which so much is stored (m), through the exit to a point of the first segment."""
        stops = drum(wheel, radius=radius, axis=Z, stored=stored), pinhole(*self.exit), attach(*first)
        return self.rewound(Route(stops, None, self.rope.axial_stiffness), first, radius, stored, free, None)

    def rewound(
        self, reel: Route, first: tuple[str, Array], radius: float, stored: float, free: float, length: float | None
    ) -> Route:
        """The same rope with another first segment, radius, stored, free and whole length (m)."""
        stretching, (wound, hole, end) = self.stretching(free), reel.stops
        stops = (
            replace(wound, radius=radius, turns=stored / radius), hole,
            replace(end, body=first[0], point=triple(first[1])),
        )  # fmt: skip
        damping = self.rope.stretch_damping(self.segment, self.segment / stretching)
        return replace(reel, stops=stops, length=length, damping=damping, stretching=stretching)

    def add_drum(self, scene: Scene, name: str, owner: str, group: str) -> str:
        """Drum, hinge, lever and controls."""
        base, _, centre = end_of(scene, owner, "drum", self.drum)
        axis = np.array(self.axis)
        span, radius = end_of(scene, owner, "exit", self.exit)[2] - centre, self.radius_with(self.stored)
        away = float(np.linalg.norm(span - (span @ axis) * axis))
        if away <= radius:
            text = f"it must be farther than the radius of the drum with its rope, {radius:g} m"
            raise InputError(f"{owner}: exit is {away:g} m from the axis of the drum; {text}")
        mass, inertia = self.drum_mass(self.rope.mass_per_length * (self.stored + self.segment), radius)
        wheel = scene.add_body(
            f"{name}/drum", Cylinder(self.radius, self.width), mass=mass, inertia=inertia,
            position=centre, orientation=spatial.from_two_vectors(Z, axis), collides=False, group=group,
            visual=visuals.drum(self.radius, self.width),
        )  # fmt: skip
        assert self.brake_force is not None
        hinge = Revolute(
            axis=self.axis, limits=(-math.inf, self.last_turn(self.stored, radius)),
            motor=Motor(speed=0.0, max_force=0.0), friction=self.brake_force * self.radius,
        )  # fmt: skip
        scene.connect(base, wheel, hinge, at=centre, name=f"{name}/hinge")
        for lever in ("lever", "goal"):
            scene.connect(base, wheel, Lever(axis=self.axis), name=f"{name}/{lever}")
        most = self.max_speed
        scene.add_control(
            f"{name}.speed", act=partial(set_speed, name), low=-most, high=most, unit="m/s", schedule=self.schedule
        )
        scene.add_control(f"{name}.brake", act=partial(set_brake, name), value=1.0, unit=SWITCH)
        scene.add_control(f"{name}.free_spool", act=partial(set_free_spool, name), unit=SWITCH)
        return str(wheel)

    @property
    def empty_mass(self) -> float:
        """Of the drum without rope, kg: that of a cylinder of its inertia."""
        return 2.0 * self.inertia / self.radius**2

    def radius_with(self, wound: float) -> float:
        """Radius at which the rope runs when so much is wound up, m: pi (r^2 - radius^2) turns = wound diameter.

        It grows steadily, as if every layer began on a wedge.
        """
        if self.turns is None:
            return self.radius
        return math.sqrt(self.radius**2 + self.rope.diameter * wound / (math.pi * self.turns))

    def last_turn(self, wound: float, radius: float) -> float:
        """How far the drum can turn until the end of its rope holds it, with so much wound at this radius (m), rad."""
        return (wound - LEAST_TURNS * 2.0 * math.pi * self.radius) / radius

    def drum_mass(self, rope: float, radius: float) -> tuple[float, Array]:
        """Mass (kg) and principal moments (3,) (kg m^2) of the drum with so much rope (kg) at this radius (m)."""
        mass, squared = self.empty_mass + rope, radius**2
        across = self.empty_mass * self.radius**2 / 4.0 + rope * squared / 2.0 + mass * self.width**2 / 12.0
        return mass, np.array([across, across, self.inertia + rope * squared])

    def cut(self, edit: Edit, handle: BuiltPart, at: float | None) -> None:
        """Cut the rope at the joint nearest to `at`, m of rope from the exit."""
        running = handle.name in edit.simulation.scene.parts
        free = edit.simulation.part(handle.name).ahead if running else handle.sizes["free"]
        cut_line(edit, handle, handle.joints[OWN:], at, free)

    def ends(self, handle: BuiltPart) -> list[PartEnd]:
        """The last segment of its rope, at what it carries."""
        return ends_of(self.rope, handle, self.rope.diameter)

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: WinchView) -> None:
        """Speed up or slow down to what is asked, hand over a segment where there is room for one."""
        free, segment = view.free, view.segment
        view.keep_speed(free)
        if not view.holds:
            return
        radius = self.radius if self.turns is None else self.radius_with(view.wound)
        if abs(radius - view.layer_radius) > RADIUS_STEP * radius:
            change_radius(view, radius)
        if free > INSERT * segment and view.reel() > segment:
            insert_segment(view, free)
        elif free < REMOVE * segment and view.hanging > 1:
            remove_segment(view, free)
        else:
            view.stretch_by(free)


def set_speed(name: str, simulation: Any, value: float) -> None:
    """What the control of the speed does; a schedule goes on without the winch."""
    view = simulation.part(name)
    if not view.lost():
        view.drive(value)


def set_payout(name: str, simulation: Any, value: float) -> None:
    """What the control of the payout does."""
    simulation.part(name).go_to(value)


def set_brake(name: str, simulation: Any, value: float) -> None:
    """What the control of the brake does: above a half it is on."""
    simulation.part(name).brake(value > 0.5)


def set_free_spool(name: str, simulation: Any, value: float) -> None:
    """What the control of free spool does: above a half the drum turns freely."""
    simulation.part(name).free_spool(value > 0.5)
