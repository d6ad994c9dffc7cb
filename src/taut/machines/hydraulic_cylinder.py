"""A hydraulic cylinder: a rod that is pushed out and drawn in, with or without bodies of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Drive, Motor, triple
from taut.joints.cylindrical import Cylindrical
from taut.joints.distance_drive import DistanceDrive
from taut.joints.spherical import Spherical
from taut.machines.actuated import Actuated, DrivenView
from taut.machines.actuator import Actuator
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, reading
from taut.machines.inputs import Input, add_inputs, checked_schedules, recall
from taut.scene.scene import Scene
from taut.shapes import Cylinder
from taut.spatial import Array

SLIMMER, SHORTER, CUSHION = 0.6, 0.9, 0.05
"""Where nothing is said: the rod's diameter in bores, the barrel's length in those of the cylinder when it is in, and
the cushion in strokes."""

ROUNDING = 1e-12
"""Share of its length by which a cylinder may be beyond its stroke as built: what is left of lengths worked out."""


class Installed(NamedTuple):
    """What a cylinder has added to a scene, how its motor goes, and its length as built, m."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    actuator: Actuator
    length: float


class HydraulicCylinderView(DrivenView):
    """A hydraulic cylinder of a running simulation."""

    @reading("m")
    def extension(self) -> float:
        """How far the rod is out: 0 is all in."""
        return self.driven.place

    @reading("m")
    def length(self) -> float:
        """Distance of its two ends."""
        return self.driven.place + float(self.part.stroke[0])

    @reading("m/s")
    def speed(self) -> float:
        """Of the rod, positive where it comes out."""
        return self.driven.rate

    @reading("N")
    def force(self) -> float:
        """With which it pushes its ends apart, end stops included; negative where it pulls."""
        return self.driven.total_force

    @reading("Pa")
    def pressures(self) -> Array:
        """In the chambers of bore and rod (2,): force / area in the one that carries it, 0 in the other."""
        return self.part.pressures(self.driven.force)

    @reading("m^3/s")
    def flow(self) -> float:
        """Oil that goes to it, positive into the chamber of the bore, negative into that of the rod."""
        return self.part.flow_at(self.driven.rate)

    @reading("W")
    def power(self) -> float:
        """That it gives to what it moves."""
        driven = self.driven
        return driven.total_force * driven.rate

    @property
    def holds(self) -> bool:
        """Whether its valve holds a load."""
        return self.driven.holds

    def drive(self, speed: float) -> None:
        """Move the rod at this speed, m/s, out where positive; 0 is to stop."""
        speed = checks.number(f"cylinder {self.name!r}", "speed", speed)
        self.check_there("rod")
        self.driven.drive(speed)
        self.recall(speed=speed, valve=self.part.valve_at(speed))

    def valve(self, opening: float) -> None:
        """Open the valve by a share from -1 to 1 of all its flow: positive moves the rod out."""
        opening = checks.number(f"cylinder {self.name!r}", "valve", opening)
        self.drive(opening * (self.part.speeds[0] if opening > 0.0 else self.part.speeds[1]))

    def go_to(self, extension: float) -> None:
        """Move the rod until it is so far out, m, and stop there."""
        owner, most = f"cylinder {self.name!r}", self.part.stroke[1] - self.part.stroke[0]
        extension = checks.number(owner, "extension", extension)
        if not 0.0 <= extension <= most:
            raise InputError(f"{owner}: extension is {extension:g} m; it must be from 0 to {most:g}")
        self.check_there("rod")
        self.driven.go_to(extension)
        self.recall(extension=extension, speed=0.0, valve=0.0)

    def hold(self, holds: bool = True) -> None:
        """Let its valve hold the load, or nothing: a hose that breaks."""
        holds = checks.flag(f"cylinder {self.name!r}", "hold", holds)
        self.check_there("valve")
        self.driven.switch(holds)
        self.recall(hold=holds, speed=0.0, valve=0.0)

    def recall(self, **values: float) -> None:
        """Let its controls have these values; a schedule knows its own."""
        recall(self, values)


@dataclass(frozen=True, kw_only=True)
class HydraulicCylinder(Actuated, MachinePart):
    """A rod that oil pushes out and draws in between a point of one body and a point of another.

    Without `mass` it is one row for the motor and one for the ends of its stroke, no bodies: prefer it. With `mass` it
    is a barrel and a rod: ball, slide, motor, ball. Forces are positive where it pushes, speeds where the rod comes
    out. With the area A of the bore and a of the rod, it pushes with at most p A and pulls with p (A - a), comes out
    with at most Q / A and goes in with Q / (A - a). What needs more stops it; nothing is pushed back through its valve
    unless `hold` is False. Controls: `name.speed` (m/s), `name.extension` (m), to which it goes and where it stops,
    `name.valve` (-1 to 1, share of its flow), and `name.hold`; what is used last counts.

    Attributes:
        base: where its barrel is: a body, or (body, point in its own frame).
        rod: where the end of its rod is, likewise.
        stroke: (least, greatest) distance of the two, m: with the rod all in and all out. Only that of a `Boom` can be
            left out.
        bore: inner diameter of the barrel, m.
        rod_diameter: m; by default 0.6 of the bore.
        pressure: of the pump, Pa.
        flow: of the pump, m^3/s.
        max_force: N, one number both ways, instead of pressure and bore.
        max_speed: m/s, one number both ways, instead of flow and bore.
        mass: of barrel and rod together, kg, or (barrel, rod); None for none.
        cushion: way before the ends of the stroke in which it slows down, m; by default a twentieth of the stroke.
        hold: whether its valve holds the load at rest, and checks it while it goes.
        compliance: of the oil in it, m/N.
        damping: of a compliant one, N s/m.
        ramp: time from rest to full speed, s.
        schedule: functions of time (s) that its controls follow, such as {"extension": taut.Ramps(...)}.
    """

    view = HydraulicCylinderView

    base: Any
    rod: Any
    stroke: Any = None
    bore: float | None = None
    rod_diameter: float | None = None
    pressure: float | None = None
    flow: float | None = None
    max_force: float | None = None
    max_speed: float | None = None
    mass: Any = None
    cushion: float | None = None
    hold: bool = True
    compliance: float = 0.0
    damping: float = 0.0
    ramp: float = 0.5
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("base", "rod"):
            self.put(**{name: checked_end("HydraulicCylinder", name, getattr(self, name))})
        if self.stroke is not None:
            stroke = checks.interval("HydraulicCylinder", "stroke", self.stroke)
            if not 0.0 < stroke[0] < stroke[1] < math.inf:
                raise InputError(f"HydraulicCylinder: stroke is {stroke}; it must be two lengths, 0 < least < greatest")
            self.put(stroke=stroke)
        for name in ("bore", "rod_diameter", "pressure", "flow", "max_force", "max_speed"):
            if getattr(self, name) is not None:
                self.put(**{name: checks.number("HydraulicCylinder", name, getattr(self, name), above=0.0)})
        self.check_sizes()
        if self.mass is not None:
            self.put(mass=checked_masses("HydraulicCylinder", self.mass))
        if self.cushion is not None:
            self.put(cushion=checks.number("HydraulicCylinder", "cushion", self.cushion, at_least=0.0))
        self.put(hold=checks.flag("HydraulicCylinder", "hold", self.hold))
        for name in ("compliance", "damping"):
            self.put(**{name: checks.number("HydraulicCylinder", name, getattr(self, name), at_least=0.0)})
        if self.damping > 0.0 and self.compliance == 0.0:
            raise InputError("HydraulicCylinder: damping needs a compliance; a stiff cylinder damps nothing")
        self.put(ramp=checks.number("HydraulicCylinder", "ramp", self.ramp, above=0.0))
        self.put(schedule=checked_schedules("HydraulicCylinder", self.schedule, ("speed", "extension", "valve")))

    def check_sizes(self) -> None:
        """Check that force and speed are said once each."""
        if self.bore is None and self.rod_diameter is not None:
            raise InputError("HydraulicCylinder: rod_diameter is given without a bore")
        if self.bore is not None:
            rod = SLIMMER * self.bore if self.rod_diameter is None else self.rod_diameter
            if rod >= self.bore:
                raise InputError(
                    f"HydraulicCylinder: rod_diameter is {rod:g}; it must be less than bore, {self.bore:g}"
                )
            self.put(rod_diameter=rod)
        for direct, by_oil in (("max_force", "pressure"), ("max_speed", "flow")):
            known = getattr(self, direct) is not None, getattr(self, by_oil) is not None
            if known[0] == known[1] or (known[1] and self.bore is None):
                raise InputError(f"HydraulicCylinder: give either {direct}, or {by_oil} with bore")

    @property
    def travel(self) -> float:
        """Length of its stroke, m."""
        return float(self.stroke[1] - self.stroke[0])

    @property
    def areas(self) -> Array:
        """That oil presses on, (2,) m^2, to push and to pull; NaN without a bore."""
        if self.bore is None or self.rod_diameter is None:
            return np.full(2, math.nan)
        return 0.25 * math.pi * np.array([self.bore**2, self.bore**2 - self.rod_diameter**2])

    @property
    def forces(self) -> tuple[float, float]:
        """With which it can push and pull, N."""
        if self.max_force is not None:
            return self.max_force, self.max_force
        assert self.pressure is not None
        push, pull = (self.pressure * self.areas).tolist()
        return push, pull

    @property
    def speeds(self) -> tuple[float, float]:
        """With which its rod can come out and go in, m/s."""
        if self.max_speed is not None:
            return self.max_speed, self.max_speed
        assert self.flow is not None
        out, back = (self.flow / self.areas).tolist()
        return out, back

    def pressures(self, force: float) -> Array:
        """Pressures (2,) in the chambers of bore and rod that give a force, Pa; NaN without a bore."""
        return np.maximum([force, -force], 0.0) / self.areas

    def flow_at(self, speed: float) -> float:
        """Oil that a speed takes, m^3/s; NaN without a bore."""
        return float(speed * self.areas[0 if speed >= 0.0 else 1])

    def valve_at(self, speed: float) -> float:
        """Opening of the valve, -1 to 1, for a speed."""
        return min(max(speed / self.speeds[0 if speed >= 0.0 else 1], -1.0), 1.0)

    def actuator(self, joint: str, built: float) -> Actuator:
        """How the motor of this joint goes; built with this length, m."""
        (push, pull), (out, back) = self.forces, self.speeds
        zero = self.stroke[0] if self.mass is None else self.stroke[0] - built
        cushion = CUSHION * self.travel if self.cushion is None else self.cushion
        return Actuator(
            joint, push, pull, out, back, acceleration=max(out, back) / self.ramp, zero=zero,
            ends=(0.0, self.travel), holds=self.hold, cushion=cushion, compliance=self.compliance,
        )  # fmt: skip

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """The joint `name/motor`; with mass bodies `name/barrel` and `name/rod`, joints `name/base` and `name/end`."""
        bodies, joints, actuator, built = self.install(scene, name, f"cylinder {name!r}")
        out, back = self.speeds
        inputs = (
            Input("speed", "drive", -back, out, "m/s"),
            Input("extension", "go_to", 0.0, self.travel, "m", min(max(built - self.stroke[0], 0.0), self.travel)),
            Input("valve", "valve", -1.0, 1.0),
            Input("hold", "hold", value=float(self.hold)),
        )
        add_inputs(scene, name, inputs, self.schedule)
        return BuiltPart(name, self, bodies, joints, actuators=(actuator,))

    def install(self, scene: Scene, name: str, owner: str) -> Installed:
        """Add bodies and joints of a cylinder, its own or of a part that it belongs to."""
        (a, own_a, base), (b, own_b, end) = (
            end_of(scene, owner, each, getattr(self, each)) for each in ("base", "rod")
        )
        if self.stroke is None:
            raise InputError(f"{owner}: it has no stroke; give its least and greatest length, m")
        built, (least, most) = float(np.linalg.norm(end - base)), self.stroke
        if not least - ROUNDING * most <= built <= most + ROUNDING * most:
            raise InputError(f"{owner}: its ends are {built:g} m apart; its stroke is from {least:g} to {most:g} m")
        actuator = self.actuator(f"{name}/motor", built)
        if self.mass is None:
            kind = DistanceDrive(
                point_a=triple(own_a), point_b=triple(own_b), limits=self.stroke, motor=self.motor(built, actuator)
            )
            scene.connect(a, b, kind, name=actuator.joint, collide=True)
            return Installed((), (actuator.joint,), actuator, built)
        along = (end - base) / built
        barrel, rod = self.add_bodies(scene, name, base, end, along)
        slide = Drive(limits=(least - built, most - built), motor=self.motor(0.0, actuator))
        scene.connect(barrel, rod, Cylindrical(axis=triple(along), slide=slide), at=end, name=actuator.joint)
        scene.connect(a, barrel, Spherical(), at=base, name=f"{name}/base")
        scene.connect(rod, b, Spherical(), at=end, name=f"{name}/end")
        return Installed((barrel, rod), (actuator.joint, f"{name}/base", f"{name}/end"), actuator, built)

    def add_bodies(self, scene: Scene, name: str, base: Array, end: Array, along: Array) -> tuple[str, str]:
        """Barrel and rod, each from its own end on; they touch nothing."""
        length, turn = SHORTER * self.stroke[0], spatial.from_two_vectors((0.0, 0.0, 1.0), along)
        places = base + 0.5 * length * along, end - 0.5 * length * along
        for part, place, mass, radius in zip(("barrel", "rod"), places, self.mass, self.radii(), strict=True):
            scene.add_body(
                f"{name}/{part}", Cylinder(radius, length), mass=mass, position=place, orientation=turn,
                collides=False, group=name,
            )  # fmt: skip
        return f"{name}/barrel", f"{name}/rod"

    def radii(self) -> tuple[float, float]:
        """Outer radii of barrel and rod, m; without a bore those of a slim cylinder."""
        bore = self.bore or 0.08 * self.stroke[0]
        return 0.6 * bore, 0.5 * (self.rod_diameter or SLIMMER * bore)

    def motor(self, place: float, actuator: Actuator) -> Motor:
        """Its motor at the start, which holds with what a closed valve holds."""
        most = actuator.held if self.hold else 0.0
        stiffness = 1.0 / self.compliance if self.compliance > 0.0 else 0.0
        return Motor(position=place, max_force=most, stiffness=stiffness, damping=self.damping)


def checked_masses(owner: str, mass: Any) -> tuple[float, float]:
    """Masses of barrel and rod; half each where one number is given."""
    if isinstance(mass, tuple | list):
        if len(mass) != 2:
            raise InputError(f"{owner}: mass is {checks.shown(mass)}; it must be one number, or (barrel, rod)")
        barrel, rod = (checks.number(owner, "mass", each, above=0.0) for each in mass)
        return barrel, rod
    whole = checks.number(owner, "mass", mass, above=0.0)
    return 0.5 * whole, 0.5 * whole
