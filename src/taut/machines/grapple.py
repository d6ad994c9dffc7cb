"""A grapple: two claws on hinges that a cylinder closes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.fixed import Fixed
from taut.joints.gear import Gear
from taut.joints.revolute import Revolute
from taut.machines.actuated import Actuated
from taut.machines.actuator import Actuator, Driven
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, reading
from taut.machines.gripping import GrippingView, checked_opening, checked_start, masses_of
from taut.machines.hydraulic_cylinder import HydraulicCylinder, checked_masses
from taut.machines.inputs import Input, add_inputs, checked_schedules, recall
from taut.scene.scene import WORLD, Scene
from taut.shapes import Box, Compound

BOXES, BULGE, THICK = 5, 0.3, 0.08
"""Of a tine: boxes along its arc, how far that bulges, in chords, and how thick it is, in chords."""


class GrappleView(GrippingView):
    """A grapple of a running simulation."""

    @property
    def fingers(self) -> tuple[str, str]:
        """Its claws."""
        return f"{self.name}/claw-1", f"{self.name}/claw-2"

    @property
    def spread(self) -> float:
        """By how much each claw is open, the mean of both, rad."""
        hinges = [self.simulation.joint(f"{self.name}/hinge-{number}") for number in (1, 2)]
        return float(self.part.angle_at(self.part.start)) + 0.5 * sum(float(hinge.position) for hinge in hinges)

    @reading("N")
    def force(self) -> float:
        """Of each tip towards the other, where it meets something there; positive where it closes."""
        return float(self.driven.total_force * self.part.advantage(self.spread))

    @reading("m")
    def opening(self) -> float:
        """From tip to tip."""
        return float(self.part.opening_at(self.spread))

    @reading("N")
    def cylinder_force(self) -> float:
        """Of its cylinder, positive where it pushes, which closes it."""
        return self.driven.total_force

    @property
    def rotating(self) -> Driven | None:
        """What turns it about the vertical."""
        return None if self.part.rotator is None else Driven(self.simulation, self.handle.actuators[1])

    @reading("rad")
    def angle(self) -> float:
        """By how much its rotator has turned; 0 without one."""
        rotating = self.rotating
        return 0.0 if rotating is None else rotating.place

    def rotate(self, speed: float) -> None:
        """Turn its rotator at this speed, rad/s; 0 is to stop."""
        speed = checks.number(f"grapple {self.name!r}", "rotate", speed)
        self.check_there("rotator")
        rotating = self.rotating
        if rotating is None:
            raise InputError(f"grapple {self.name!r}: it has no rotator; give it one, its greatest torque in N m")
        rotating.drive(speed)
        recall(self, {"rotate": speed})


@dataclass(frozen=True, kw_only=True)
class Grapple(Actuated, MachinePart):
    """A frame with two claws on hinges, tip against tip, and a cylinder between them that closes them as it extends.

    With s half the distance of the hinges, D their height over the closed tips, e that of the cylinder over them, and
    phi the angle by which each claw is open: the tips are 2 (s (1 - cos phi) + D sin phi) apart, the ends of the
    cylinder 2 (s - e sin phi), and a cylinder force F gives F e cos phi / (D cos phi + s sin phi) at each tip.
    Rows: frame 6, hinges 5 each, gear 1, cylinder 2, or 12 with `cylinder_mass`. Controls: `name.close` (-1 to 1, share
    of its speed), and with a rotator `name.rotate` (rad/s). Let go, it keeps its opening, and goes on to press on what
    it grips.

    Attributes:
        on: what carries the frame, and where: a body, or (body, point in its own frame).
        depth: D, from the hinges to the tips when closed, m.
        spread: 2 s, between the hinges, m; by default 0.6 of the depth.
        arm: e, from the hinges to the cylinder, m; by default 0.4 of the spread.
        axis: of the hinges, along the log, world axes as built.
        up: from the tips to the frame, world axes as built, across `axis`.
        opening: (least, greatest) distance from tip to tip, m.
        start: the opening as built, m; by default the greatest.
        force: of each tip when closed, N.
        time: from open to closed, s.
        ramp: time from rest to full speed, s.
        mass: of frame and claws, kg: one number, 0.4 of it for the frame, or (frame, claw).
        tines: of each claw.
        width: from the first tine to the last, m; by default 0.6 of the depth.
        sync: whether a gear keeps both claws alike; without, they lean as their load pushes them.
        pad_friction: coefficient of the claws.
        cylinder_mass: of barrel and rod of the cylinder, kg, or (barrel, rod); None for none.
        rotator: torque that turns the frame against `on` about `up`, N m; None where it is fixed.
        rotator_speed: rad/s.
        schedule: functions of time (s) that its controls follow, such as {"close": taut.Ramps(...)}.
    """

    view = GrappleView

    on: Any
    depth: float = 0.8
    spread: float | None = None
    arm: float | None = None
    axis: Any = (0.0, 1.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    opening: Any = (0.0, 1.2)
    start: float | None = None
    force: float
    time: float = 2.0
    ramp: float = 0.2
    mass: Any = 200.0
    tines: int = 2
    width: float | None = None
    sync: bool = True
    pad_friction: float = 0.6
    cylinder_mass: Any = None
    rotator: float | None = None
    rotator_speed: float = 0.5
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        self.put(on=checked_end("Grapple", "on", self.on), opening=checked_opening("Grapple", self.opening))
        self.put(depth=checks.number("Grapple", "depth", self.depth, above=0.0))
        spread = 0.6 * self.depth if self.spread is None else self.spread
        self.put(spread=checks.number("Grapple", "spread", spread, above=0.0))
        arm = 0.8 * self.half if self.arm is None else self.arm
        self.put(arm=checks.number("Grapple", "arm", arm, above=0.0))
        self.put(width=checks.number("Grapple", "width", 0.6 * self.depth if self.width is None else self.width,
                                     above=0.0))  # fmt: skip
        for name in ("force", "time", "ramp", "rotator_speed"):
            self.put(**{name: checks.number("Grapple", name, getattr(self, name), above=0.0)})
        self.put(start=checked_start("Grapple", self.start, self.opening), mass=masses_of("Grapple", self.mass, 0.4))
        if checks.place(self.tines, range(1, 20)) is None:
            raise InputError(f"Grapple: tines is {checks.shown(self.tines)}; it must be a whole number from 1 to 19")
        self.put(sync=checks.flag("Grapple", "sync", self.sync))
        self.put(pad_friction=checks.number("Grapple", "pad_friction", self.pad_friction, at_least=0.0))
        if self.cylinder_mass is not None:
            self.put(cylinder_mass=checked_masses("Grapple", self.cylinder_mass))
        if self.rotator is not None:
            self.put(rotator=checks.number("Grapple", "rotator", self.rotator, above=0.0))
        axis, up = (checks.direction("Grapple", each, getattr(self, each)) for each in ("axis", "up"))
        if abs(axis @ up) > 1e-6:
            raise InputError(f"Grapple: axis is {checks.shown(self.axis)}; it must be across up")
        self.put(axis=triple(axis), up=triple(up))
        self.check_geometry()
        names = [each.name for each in self.inputs()]
        self.put(schedule=checked_schedules("Grapple", self.schedule, names))

    def check_geometry(self) -> None:
        """Check that the cylinder works all the way."""
        most = 2.0 * (self.half + math.hypot(self.half, self.depth))
        if self.opening[1] >= most or self.apart(self.opening[1]) <= 0.0 or self.angle_at(self.opening[1]) > 1.4:
            raise InputError(
                f"Grapple: opening is up to {self.opening[1]:g} m; with depth {self.depth:g}, spread {self.spread:g} "
                f"and arm {self.arm:g} its cylinder cannot open it so far"
            )

    @property
    def half(self) -> float:
        """s: half the distance of the hinges, m."""
        assert self.spread is not None
        return 0.5 * self.spread

    def angle_at(self, opening: float) -> float:
        """By how much each claw is open at an opening, rad."""
        chord = math.hypot(self.half, self.depth)
        return math.atan2(self.half, self.depth) + math.asin((0.5 * opening - self.half) / chord)

    def opening_at(self, angle: float) -> float:
        """From tip to tip, m."""
        return 2.0 * (self.half * (1.0 - math.cos(angle)) + self.depth * math.sin(angle))

    def apart(self, opening: float) -> float:
        """Length of the cylinder at an opening, m."""
        assert self.arm is not None
        return 2.0 * (self.half - self.arm * math.sin(self.angle_at(opening)))

    def advantage(self, angle: float) -> float:
        """Force of each tip over that of the cylinder."""
        assert self.arm is not None
        return self.arm * math.cos(angle) / (self.depth * math.cos(angle) + self.half * math.sin(angle))

    def cylinder(self, name: str) -> HydraulicCylinder:
        """What closes it, between points of the claws above their hinges."""
        stroke = self.apart(self.opening[1]), self.apart(self.opening[0])
        assert self.arm is not None
        ends = [(f"{name}/claw-{number}", (0.0, 0.0, self.arm)) for number in (1, 2)]
        return HydraulicCylinder(
            base=ends[0], rod=ends[1], stroke=stroke, max_force=self.force / self.advantage(0.0),
            max_speed=(stroke[1] - stroke[0]) / self.time, mass=self.cylinder_mass, ramp=self.ramp,
        )  # fmt: skip

    def claw(self, side: float) -> Compound:
        """Tines on arcs from the hinge, the claw's origin, to the tip, closed; `side` is -1 or 1."""
        assert self.width is not None
        chord = math.hypot(self.half, self.depth)
        along = np.linspace(0.0, 1.0, BOXES + 1)
        tip, out = (
            np.array([-side * self.half, 0.0, -self.depth]),
            np.array([side * self.depth, 0.0, -self.half]) / chord,
        )
        arc = along[:, None] * tip + (4.0 * BULGE * chord * along * (1.0 - along))[:, None] * out
        thick, places = THICK * chord, np.linspace(-0.5, 0.5, self.tines) * self.width if self.tines > 1 else [0.0]
        boxes = []
        for y in places:
            for tail, head in zip(arc[:-1], arc[1:], strict=True):
                turn = spatial.from_two_vectors((0.0, 0.0, 1.0), head - tail)
                size = Box(thick, thick, float(np.linalg.norm(head - tail)))
                boxes.append((size, 0.5 * (tail + head) + np.array([0.0, y, 0.0]), turn))
        return Compound(boxes)

    def turning(self, name: str) -> Actuator:
        """How its rotator goes."""
        assert self.rotator is not None
        speed = self.rotator_speed
        return Actuator(f"{name}/mount", self.rotator, self.rotator, speed, speed, speed / self.ramp)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Bodies `name/frame`, `name/claw-1`, `name/claw-2`; joints `mount`, `hinge-1`, `hinge-2`, `gear`, cylinder."""
        owner = f"grapple {name!r}"
        carrier, _, place = end_of(scene, owner, "on", self.on)
        assert self.start is not None and self.width is not None and self.arm is not None
        axis, up = np.array(self.axis), np.array(self.up)
        beside = spatial.cross(axis, up)
        turn, tall = spatial.from_axes(beside, up), 2.0 * self.arm
        frame = scene.add_body(
            f"{name}/frame", Box(2.0 * self.half, 0.6 * self.width, tall), mass=self.mass[0],
            position=place - 0.5 * tall * up, orientation=turn, group=name, friction=self.pad_friction,
        )  # fmt: skip
        mount: Any = Fixed()
        if self.rotator is not None:
            mount = Revolute(axis=self.up, motor=Motor(position=0.0, max_force=self.turning(name).held))
        joints = [str(scene.connect(carrier, frame, mount, at=place, name=f"{name}/mount"))]
        claws, open_by = [], self.angle_at(self.start)
        for number, side in ((1, -1.0), (2, 1.0)):
            hinge = place - tall * up + side * self.half * beside
            spin = triple(-side * axis)  # a positive turn opens
            lean = spatial.multiply(spatial.from_axis_angle(np.array(spin), open_by), turn)
            claws.append(str(scene.add_body(
                f"{name}/claw-{number}", self.claw(side), mass=self.mass[1], position=hinge, orientation=lean,
                group=name, friction=self.pad_friction,
            )))  # fmt: skip
            joints.append(
                str(scene.connect(frame, claws[-1], Revolute(axis=spin), at=hinge, name=f"{name}/hinge-{number}"))
            )
        if self.sync:
            gear = Gear(ratio=-1.0, axis_a=self.axis, axis_b=self.axis, carrier=frame)
            joints.append(str(scene.connect(claws[0], claws[1], gear, name=f"{name}/gear", collide=True)))
        cylinder = self.cylinder(name).install(scene, f"{name}/cylinder", owner)
        scene.ignore_contacts(name, name)
        if carrier != WORLD:
            scene.ignore_contacts(carrier, name)
        add_inputs(scene, name, self.inputs(), self.schedule)
        actuators = (cylinder.actuator,) if self.rotator is None else (cylinder.actuator, self.turning(name))
        return BuiltPart(
            name, self, (str(frame), *claws, *cylinder.bodies), (*joints, *cylinder.joints), actuators=actuators
        )

    def inputs(self) -> list[Input]:
        """Its controls."""
        found = [Input("close", "close", -1.0, 1.0)]
        if self.rotator is not None:
            found.append(Input("rotate", "rotate", -self.rotator_speed, self.rotator_speed, "rad/s"))
        return found
