"""A boom that luffs and telescopes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor, triple
from taut.joints.prismatic import Prismatic
from taut.joints.revolute import Revolute
from taut.machines.actuated import Actuated
from taut.machines.actuator import Actuator
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of
from taut.machines.boom_view import BoomView, ends_apart
from taut.machines.hydraulic_cylinder import HydraulicCylinder
from taut.machines.inputs import Input, add_inputs, checked_schedules
from taut.scene.scene import Scene
from taut.shapes import Box
from taut.spatial import Array

ITSELF = "boom"
"""What the cylinder of a boom calls it, whatever its name is."""

SLIMMER = 0.88
"""Width and height of a section, in those of the one that it slides in."""


@dataclass(frozen=True, kw_only=True)
class Boom(Actuated, MachinePart):
    """Sections that slide out of each other, the first on a hinge at the root: body `name/1` to `name/n`.

    Luffing is done by a `cylinder`, by a motor in the hinge (`max_moment`), or by neither: then ropes hold it. The
    telescope moves all sections alike. Angles are those with the plane across `up`, in radians, positive upwards.
    Controls: `name.luff` (rad) and `name.telescope` (m), to which it goes and where it stops, `name.luff_speed` (with a
    motor, rad/s), `name.cylinder` (with a cylinder, m/s), and `name.telescope_speed` (m/s); what is used last counts.
    `boom.tip(name)` is where its end is, for ropes and pulleys. Rows: hinge 5 and 1 (a motor, with 1 for its limits) or
    those of the cylinder; 5 + 2 a further section.

    Attributes:
        root: where its hinge is: a body, or (body, point in its own frame).
        length: of every section, m.
        direction: where it points, world axes as built, across `up`.
        up: against gravity, world axes.
        angle: as built, rad.
        mass: of all sections together, kg, or one number a section.
        sections: how many; the first does not slide.
        stroke: how far each further section slides out, m.
        extension: of the telescope as built, m, all sections together.
        profile: (width, height) of the first section, m; by default 0.06 and 0.07 of its length.
        luff: (least, greatest) angle, rad.
        cylinder: a `HydraulicCylinder` from the root's body to ("boom", point in the frame of the first section, whose
            origin is in its middle and x axis along it); its stroke may be left out, then it follows from `luff`.
        max_moment: of a motor in the hinge, N m, instead of a cylinder.
        max_rate: of that motor, rad/s.
        max_thrust: of the telescope, N.
        max_speed: of the telescope, m/s, all sections together.
        ramp: time from rest to full speed, s.
        collides: whether its sections touch other bodies.
        schedule: functions of time (s) that its controls follow, such as {"luff": taut.Ramps(...)}.
    """

    view = BoomView

    root: Any
    length: float
    direction: Any = (1.0, 0.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    angle: float = 0.0
    mass: Any
    sections: int = 1
    stroke: float | None = None
    extension: float = 0.0
    profile: Any = None
    luff: Any = (0.0, 1.4)
    cylinder: HydraulicCylinder | None = None
    max_moment: float | None = None
    max_rate: float = 0.1
    max_thrust: float | None = None
    max_speed: float = 0.3
    ramp: float = 1.0
    collides: bool = True
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        self.put(root=checked_end("Boom", "root", self.root))
        for name in ("length", "max_rate", "max_speed", "ramp"):
            self.put(**{name: checks.number("Boom", name, getattr(self, name), above=0.0)})
        up = checks.direction("Boom", "up", self.up)
        direction = checks.direction("Boom", "direction", self.direction)
        if abs(up @ direction) > 1e-6:
            raise InputError(f"Boom: direction is {checks.shown(self.direction)}; it must be across up")
        self.put(up=triple(up), direction=triple(direction))
        self.put(luff=checks.interval("Boom", "luff", self.luff), angle=checks.number("Boom", "angle", self.angle))
        if not self.luff[0] <= self.angle <= self.luff[1]:
            raise InputError(f"Boom: angle is {self.angle:g}; it must be within luff, {self.luff}")
        profile = (0.06 * self.length, 0.07 * self.length) if self.profile is None else self.profile
        width, height = checks.vector("Boom", "profile", profile, 2).tolist()
        self.put(profile=(checks.number("Boom", "profile", width, above=0.0), height))
        checks.number("Boom", "profile", height, above=0.0)
        self.put(collides=checks.flag("Boom", "collides", self.collides))
        self.check_sections()
        if self.max_moment is not None:
            self.put(max_moment=checks.number("Boom", "max_moment", self.max_moment, above=0.0))
        if self.cylinder is not None and not isinstance(self.cylinder, HydraulicCylinder):
            raise InputError(f"Boom: cylinder is {checks.shown(self.cylinder)}; it must be a HydraulicCylinder")
        if self.cylinder is not None and self.max_moment is not None:
            raise InputError("Boom: both cylinder and max_moment are given; it has one of them, or neither")
        self.put(schedule=checked_schedules("Boom", self.schedule, [each.name for each in self.inputs()]))

    def check_sections(self) -> None:
        """Check what the telescope is."""
        if checks.place(self.sections, range(1, 100)) is None:
            raise InputError(f"Boom: sections is {checks.shown(self.sections)}; it must be a whole number from 1 to 99")
        given = self.mass if isinstance(self.mass, tuple | list) else None
        if given is not None and len(given) != self.sections:
            raise InputError(f"Boom: mass has {len(given)} numbers for {self.sections} sections; give one, or one each")
        masses = [checks.number("Boom", "mass", each, above=0.0) for each in (given or [self.mass])]
        self.put(mass=tuple(masses) if given else tuple([masses[0] / self.sections] * self.sections))
        if self.sections == 1:
            if self.stroke is not None or self.max_thrust is not None:
                raise InputError("Boom: stroke and max_thrust are for a telescope; give it 2 sections or more")
            self.put(stroke=0.0, max_thrust=0.0)
        for name in ("stroke", "max_thrust"):
            value = checks.number("Boom", name, getattr(self, name), at_least=0.0)
            if self.sections > 1 and value == 0.0:
                raise InputError(f"Boom: {name} is 0; a telescope needs one greater than 0")
            self.put(**{name: value})
        assert self.stroke is not None
        if self.sections > 1 and self.stroke >= self.length:
            raise InputError(f"Boom: stroke is {self.stroke:g}; it must be less than length, {self.length:g}")
        extension = checks.number("Boom", "extension", self.extension, at_least=0.0)
        if extension > self.travel:
            raise InputError(f"Boom: extension is {extension:g}; it must be from 0 to {self.travel:g}")
        self.put(extension=extension)

    @property
    def travel(self) -> float:
        """How far the telescope goes out, m."""
        assert self.stroke is not None
        return (self.sections - 1) * self.stroke

    @property
    def share(self) -> float:
        """Of the telescope's way that each section goes."""
        return 1.0 / max(self.sections - 1, 1)

    def tip(self, name: str) -> tuple[str, tuple[float, float, float]]:
        """The end of the last section of a boom of this name: its body, and the point in that body's frame, m."""
        return f"{name}/{self.sections}", (0.5 * self.length, 0.0, 0.0)

    def axis(self) -> Array:
        """Of the hinge: turns about it lift the boom."""
        return spatial.cross(np.array(self.direction), np.array(self.up))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Bodies `name/1` ... and those of the cylinder, joints `name/foot`, `name/slide-2` ... and the cylinder's."""
        owner = f"boom {name!r}"
        carrier, _, root = end_of(scene, owner, "root", self.root)
        along = math.cos(self.angle) * np.array(self.direction) + math.sin(self.angle) * np.array(self.up)
        across = spatial.cross(self.axis(), along)
        sections = self.add_sections(scene, name, root, along, across)
        sizes: dict[str, float] = {}
        actuators, bodies = self.slides(name), list(sections)
        if self.max_moment is not None:
            actuators.append(self.hinge(name))
        motor = None if self.max_moment is None else Motor(position=0.0, max_force=actuators[-1].held)
        limits = None if self.cylinder is not None else (self.luff[0] - self.angle, self.luff[1] - self.angle)
        foot = Revolute(axis=triple(self.axis()), limits=limits, motor=motor)
        joints = [str(scene.connect(carrier, sections[0], foot, at=root, name=f"{name}/foot"))]
        for inner, outer, slide in zip(sections[:-1], sections[1:], actuators, strict=False):
            ends = slide.ends[0] + slide.zero, slide.ends[1] + slide.zero
            kind = Prismatic(axis=triple(along), limits=ends, motor=Motor(position=0.0, max_force=slide.held))
            joints.append(str(scene.connect(inner, outer, kind, at=root, name=slide.joint)))
        if self.cylinder is not None:
            cylinder, sizes = self.fitted(scene, owner, name, root)
            installed = cylinder.install(scene, f"{name}/cylinder", owner)
            bodies += installed.bodies
            joints += installed.joints
            actuators.append(installed.actuator)
        add_inputs(scene, name, self.inputs(), self.schedule)
        return BuiltPart(name, self, tuple(bodies), tuple(joints), sizes, tuple(actuators))

    def add_sections(self, scene: Scene, name: str, root: Array, along: Array, across: Array) -> list[str]:
        """The sections, each slid out by its share."""
        turn = spatial.from_axes(along, across)
        names, (width, height) = [], self.profile
        for number, mass in enumerate(self.mass):
            shape = Box(self.length, width * SLIMMER**number, height * SLIMMER**number)
            middle = root + (0.5 * self.length + number * self.share * self.extension) * along
            names.append(str(scene.add_body(
                f"{name}/{number + 1}", shape, mass=mass, position=middle, orientation=turn, collides=self.collides,
                group=name,
            )))  # fmt: skip
        scene.ignore_contacts(name, name)
        return names

    def fitted(self, scene: Scene, owner: str, name: str, root: Array) -> tuple[HydraulicCylinder, dict[str, float]]:
        """The cylinder with its stroke, and how its length follows from the angle: see `ends_apart`."""
        assert self.cylinder is not None
        a, _, base = end_of(scene, owner, "cylinder.base", self.cylinder.base)
        _, _, rod = end_of(scene, owner, "cylinder.rod", (f"{name}/1", self.cylinder.rod[1]))
        if a != self.root[0] or self.cylinder.rod[0] != ITSELF:
            raise InputError(
                f"{owner}: its cylinder is from {a!r} to {self.cylinder.rod[0]!r}; it must be from {self.root[0]!r}, "
                f"where its root is, to {ITSELF!r}"
            )
        axis, p, r = self.axis(), base - root, rod - root
        beside = float((p @ axis) * (r @ axis))
        sizes = {
            "square": float(p @ p + r @ r - 2.0 * beside), "cosine": 2.0 * (float(p @ r) - beside),
            "sine": 2.0 * float(axis @ spatial.cross(r, p)),
        }  # fmt: skip
        ways = [ends_apart(sizes, angle - self.angle) for angle in np.linspace(self.luff[0], self.luff[1], 9).tolist()]
        levers = [lever for _, lever in ways]
        if min(levers) * max(levers) <= 0.0:
            raise InputError(
                f"{owner}: its cylinder passes its dead centre between {self.luff[0]:g} and {self.luff[1]:g} rad; "
                "move its ends, or narrow luff"
            )
        stroke = self.cylinder.stroke or sorted((ways[0][0], ways[-1][0]))
        fitted = replace(self.cylinder, rod=(f"{name}/1", self.cylinder.rod[1]), stroke=stroke)
        return fitted, sizes | {"least": stroke[0]}

    def hinge(self, name: str) -> Actuator:
        """How a motor in the hinge goes; its place is the angle."""
        acceleration = self.max_rate / self.ramp
        assert self.max_moment is not None
        return Actuator(
            f"{name}/foot", self.max_moment, self.max_moment, self.max_rate, self.max_rate, acceleration,
            zero=-self.angle, ends=self.luff, cushion=0.5 * self.max_rate * self.ramp,
        )  # fmt: skip

    def slides(self, name: str) -> list[Actuator]:
        """How sections slide; their places are how far they are out."""
        assert self.max_thrust is not None and self.stroke is not None
        speed, thrust = self.share * self.max_speed, self.max_thrust
        return [
            Actuator(
                f"{name}/slide-{number}", thrust, thrust, speed, speed, speed / self.ramp,
                zero=-self.share * self.extension, ends=(0.0, self.stroke), cushion=0.5 * speed * self.ramp,
            )
            for number in range(2, self.sections + 1)
        ]  # fmt: skip

    def inputs(self) -> list[Input]:
        """Its controls."""
        found = []
        if self.cylinder is not None or self.max_moment is not None:
            found.append(Input("luff", "luff_to", self.luff[0], self.luff[1], "rad", self.angle))
        if self.cylinder is not None:
            out, back = self.cylinder.speeds
            found.append(Input("cylinder", "drive_cylinder", -back, out, "m/s"))
        if self.max_moment is not None:
            found.append(Input("luff_speed", "luff", -self.max_rate, self.max_rate, "rad/s"))
        if self.sections > 1:
            found.append(Input("telescope", "telescope_to", 0.0, self.travel, "m", self.extension))
            found.append(Input("telescope_speed", "telescope", -self.max_speed, self.max_speed, "m/s"))
        return found

    @property
    def acts(self) -> bool:
        """Whether anything moves it."""
        return bool(self.inputs())
