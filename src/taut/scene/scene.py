"""The scene: what a user edits. Everything is checked when it is added; `compile` turns it into a frozen `Model`."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.forces import Load, Spring
from taut.joints.base import Joint
from taut.joints.softening import checked_softness
from taut.scene.group_names import HeadDirectory, checked_group, heads
from taut.scene.looks import checked_colour, checked_visual
from taut.scene.specs import DEFAULT_GROUP, BodySpec, Directory, GroundSpec, LinkSpec, Numbers, copied
from taut.scene.surfaces import checked_friction, checked_restitution, checked_surface, mass_properties
from taut.shapes import Plane, Shape

if TYPE_CHECKING:
    from taut.scene.controls import ControlSpec

WORLD = "world"
"""Name of body 0, which never moves, and of the group that only it is in."""


class Handle(str):
    """The name of a body, joint or force in a scene; usable wherever the name is."""


@dataclass
class Scene:
    """Bodies, joints and forces.

    Args:
        gravity: acceleration of free fall (3,), m/s^2.
        friction: coefficient of friction of bodies that give none.
        name: of the scene, for reports and recordings.
        contact_compliance: how far one contact point gives way under load, m/N; greater than 0.
        contact_damping: of a contact point while it is closed, N s/m; None is five times critical for the two bodies,
            so that nothing rings.
        contact_margin: gap below which bodies count as near each other, m; None chooses it by their sizes.
        collisions: False for mechanisms whose shapes only give masses: nothing touches, and that costs nothing.

    The other fields are what the `add_*` methods, `connect` and `ignore_contacts` fill.
    """

    gravity: Any = (0.0, 0.0, -9.81)
    friction: float = 0.5
    name: str = "scene"
    contact_compliance: float = 1e-9
    contact_margin: float | None = None
    collisions: bool = True
    contact_damping: float | None = None
    bodies: list[BodySpec] = field(default_factory=list)
    links: list[LinkSpec] = field(default_factory=list)
    loads: dict[str, Load] = field(default_factory=dict)
    planes: list[GroundSpec] = field(default_factory=list)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    controls: dict[str, ControlSpec] = field(default_factory=dict)
    projections: list[Any] = field(default_factory=list)
    """Of what bodies would do without joints and contacts, in their order, see `taut.projections`."""
    parts: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    """What a reference scene was built with; kept in recordings."""

    def __post_init__(self) -> None:
        """Check the numbers, and add the world."""
        self.name = checks.text("scene", "name", self.name)
        self.gravity = checks.vector("scene", "gravity", self.gravity)
        self.friction = checks.number("scene", "friction", self.friction, at_least=0.0)
        self.contact_compliance = checks.number("scene", "contact_compliance", self.contact_compliance, above=0.0)
        if self.contact_damping is not None:
            self.contact_damping = checks.number("scene", "contact_damping", self.contact_damping, at_least=0.0)
        if self.contact_margin is not None:
            self.contact_margin = checks.number("scene", "contact_margin", self.contact_margin, at_least=0.0)
        self.collisions = checks.flag("scene", "collisions", self.collisions)
        self.make_directories()
        self.add_body(WORLD, mass=1.0, inertia=(1.0, 1.0, 1.0), fixed=True, group=WORLD)

    def add_body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        mass: float | None = None,
        density: float | None = None,
        inertia: Any = None,
        com: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
        fixed: bool = False,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        friction: float | None = None,
        restitution: float = 0.0,
        rolling_friction: float = 0.0,
        torsional_friction: float = 0.0,
        contact_stiffness: float = math.inf,
        contact_damping: float = 0.0,
        collides: bool = True,
        group: str = DEFAULT_GROUP,
        visual: Any = None,
        colour: Any = None,
    ) -> Handle:
        """Add a rigid body and return its handle.

        Args:
            name: unique name.
            shape: geometry in the body's own frame; gives the inertia, and with `density` the mass.
            mass: kg; or `density` in kg/m^3 with a shape.
            inertia: principal moments (3,) or tensor (3, 3) about the centre of mass in body axes, kg m^2.
            com: centre of mass in the body's own frame, m; by default the shape's.
            position: of the body's origin, world, m.
            orientation: world-from-body unit quaternion (w, x, y, z).
            velocity: of the centre of mass, world, m/s.
            angular_velocity: world axes, rad/s.
            fixed: never moves.
            linear_damping: force per speed, N s/m.
            angular_damping: torque per rate of turn, N m s/rad.
            friction: Coulomb's coefficient; by default the scene's.
            restitution: share of the approach speed that bodies bounce back with, 0 to 1.
            rolling_friction: largest torque against rolling over the normal force, m.
            torsional_friction: largest torque against spinning on the spot over the normal force, m.
            contact_stiffness, contact_damping: N/m and N s/m of a soft surface, such as a tyre, where it is pressed.
            collides: whether the body touches others at all.
            group: of bodies that `ignore_contacts` speaks of together; "crane/cable" is part of "crane".
            visual: what it looks like, if not like `shape`: a shape, or a list of shapes, of (shape, position) or
                (shape, position, orientation) and of `taut.Piece`, in the body's own frame. Nothing collides with it.
            colour: red, green and blue, each 0 to 1.
        """
        names = self._bodies.places(self.bodies)
        owner = checks.new_name("body", name, names)
        group = checked_group(owner, name, group, names, self._groups.places(self.bodies))
        fixed = checks.flag(owner, "fixed", fixed)
        kilograms, moments, centre = mass_properties(owner, shape, mass, density, inertia, com, fixed)
        self.bodies.append(
            BodySpec(
                name,
                shape,
                kilograms,
                moments,
                centre,
                checks.vector(owner, "position", position),
                checks.quaternion(owner, "orientation", orientation),
                checks.vector(owner, "velocity", velocity),
                checks.vector(owner, "angular_velocity", angular_velocity),
                fixed,
                checks.number(owner, "linear_damping", linear_damping, at_least=0.0),
                checks.number(owner, "angular_damping", angular_damping, at_least=0.0),
                checked_friction(owner, friction),
                checked_restitution(owner, restitution),
                *checked_surface(owner, rolling_friction, torsional_friction, contact_stiffness, contact_damping),
                checks.flag(owner, "collides", collides),
                group,
                checked_visual(owner, visual),
                checked_colour(owner, colour),
            )
        )
        return Handle(name)

    def add_plane(
        self,
        normal: Any = (0.0, 0.0, 1.0),
        offset: float = 0.0,
        friction: float | None = None,
        restitution: float = 0.0,
    ) -> Plane:
        """Add static ground to the world: everything below the plane is solid. `offset` in m along the normal."""
        plane = Plane(normal, offset)
        friction = checked_friction("plane", friction)
        self.planes.append(GroundSpec(plane, friction, checked_restitution("plane", restitution)))
        return plane

    def ignore_contacts(self, a: str, b: str) -> None:
        """Let nothing of `a` touch anything of `b`, each the name of a body or of a group with all that is below it.

        The same group twice: its bodies do not touch each other. Planes are of the body "world".
        """
        known = self._bodies.places(self.bodies), self._heads.places(self.bodies), (DEFAULT_GROUP,)
        first, second = (checks.known("ignore_contacts", "body or group", name, *known) for name in (a, b))
        if first == second and first not in self.groups()[1:]:
            raise InputError(f"ignore_contacts: both are body {first!r}; give two bodies, or groups")
        self.ignored.append((first, second))

    def connect(
        self,
        a: str,
        b: str,
        joint: Joint,
        at: Any = None,
        name: str | None = None,
        compliance: Any = 0.0,
        damping: Any = 0.0,
        collide: bool = False,
        break_force: float = math.inf,
        break_torque: float = math.inf,
    ) -> Handle:
        """Join body `b` to body `a` and return the joint's handle.

        Args:
            a: body or "world"; the joint's axes move with it.
            b: body or "world".
            joint: one of `taut.joints`.
            at: the joint's point in world coordinates in the initial configuration, m; by default b's origin.
            name: unique name; by default "a-b" with a number where needed.
            compliance: makes the joint's hard rows and limits soft, m/N (rad/(N m) for rotations); 0 = hard. One number
                for all, one a row, or by name, such as {"z": 1e-6, "rx": 1e-4}: see `taut.joints.softening`.
            damping: damping of rows made soft, N s/m (N m s/rad), likewise.
            collide: whether the two bodies touch each other; what is joined to the world touches planes anyway.
            break_force: what the joint bears, N, the mean over a step; a step in which it is more ends without it.
            break_torque: the same about the joint's point, N m.
        """
        if not isinstance(joint, Joint):
            raise InputError(f"connect {a!r} to {b!r}: joint is {joint!r}; it must be one of taut.joints")
        index_a, index_b = self.two_bodies(f"connect {a!r} to {b!r}", a, b)
        owner, name = self.link_name(name, a, b)
        point = self.bodies[index_b].position if at is None else checks.vector(owner, "at", at)
        for other in joint.refers_to():
            self.index_of(owner, other)
        compliance, damping = checked_softness(owner, compliance, damping)
        collide = checks.flag(owner, "collide", collide)
        self.links.append(
            LinkSpec(
                name, index_a, index_b, joint, point, compliance, damping, collide,
                break_force=checks.strength(owner, "break_force", break_force),
                break_torque=checks.strength(owner, "break_torque", break_torque),
            )
        )  # fmt: skip
        return Handle(name)

    def add_spring(
        self,
        a: str,
        b: str,
        point_a: Any = (0.0, 0.0, 0.0),
        point_b: Any = (0.0, 0.0, 0.0),
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        rest_length: float | None = None,
        name: str | None = None,
        frequency: float = 0.0,
        damping_ratio: float = 0.0,
        break_force: float = math.inf,
    ) -> Handle:
        """Add a spring and damper between two points and return its handle.

        Args:
            a: body or "world".
            b: body or "world".
            point_a: end on a, in its own frame (world frame for "world"), m.
            point_b: end on b, likewise.
            stiffness: N/m, or a `taut.forces.Curve`; with `damping`, or `frequency` in Hz with `damping_ratio`.
            damping: N s/m, or a curve.
            rest_length: m; by default the length at the start.
            name: unique among joints and springs; by default "a-b".
            frequency: undamped frequency of the two bodies on this spring, Hz.
            damping_ratio: 1 is critical.
            break_force: what it bears, N, the mean over a step.
        """
        index_a, index_b = self.two_bodies(f"spring between {a!r} and {b!r}", a, b)
        owner, name = self.link_name(name, a, b)
        spring = Spring(point_a, point_b, stiffness, damping, rest_length, frequency, damping_ratio).check(owner)
        bears = checks.strength(owner, "break_force", break_force)
        self.links.append(LinkSpec(name, index_a, index_b, spring, np.zeros(3), collide=True, break_force=bears))
        return Handle(name)

    def add_load(
        self,
        body: str,
        force: Any = (0.0, 0.0, 0.0),
        point: Any = (0.0, 0.0, 0.0),
        torque: Any = (0.0, 0.0, 0.0),
        follows: bool = False,
        name: str | None = None,
    ) -> Handle:
        """Add a constant force (N) at a point of a body (own frame, m) and a torque (N m), and return its handle.

        Force and torque are in world axes, or with `follows` in the body's axes, turning with it.
        """
        if name is None:
            name = self._numbers.next("load", self.loads, 1)
        owner = checks.new_name("load", name, self.loads)
        self.loads[name] = Load(self.index_of(owner, body), force, point, torque, follows).check(owner)
        return Handle(name)

    def add_control(
        self,
        name: str,
        joint: str | None = None,
        motor: int | None = None,
        act: Callable[[Any, float], Any] | None = None,
        low: float | None = None,
        high: float | None = None,
        value: float | None = None,
        unit: str | None = None,
        keys: tuple[str, str] | None = None,
        schedule: Callable[[float], float] | None = None,
    ) -> Handle:
        """Declare an input of the machine, which viewers show and `sim.controls[name].value = ...` sets.

        Args:
            name: unique among controls.
            joint: the joint whose motor it drives; its value is that motor's target.
            motor: number of the motor, from 0, where the joint has several.
            act: instead of `joint`, what to do when the value changes: `act(simulation, value)`.
            low: least value; by default 0, or by the motor (see `taut.simulation.controls`).
            high: greatest value; by default 1, or by the motor.
            value: at the start, for `act` only; by default 0, or `low` where 0 is out of range.
            unit: shown beside the value; by default the motor's. "on/off" is that of a switch: 0 is off, 1 is on;
                viewers move a "gear" and a "number" by whole numbers.
            keys: two characters, (decrease, increase), that no other control has.
            schedule: its value as a function of time (s), such as `taut.Ramps`, which it follows by itself.
        """
        from taut.scene.controls import checked_control

        owner = checks.new_name("control", name, self.controls)
        self.controls[name] = checked_control(
            self, owner, name, joint, motor, act, low, high, value, unit, keys, schedule
        )
        return Handle(name)

    def add(self, part: Any, name: str) -> Any:
        """Add a part of `taut.machines`, with bodies and joints named `name/...`, and return its handle."""
        if not callable(getattr(part, "add_to", None)) or isinstance(part, type):
            raise InputError(f"part {name!r}: it is {checks.shown(part)}; it must be one of taut.machines")
        return part.add_to(self, name)

    def copy(self) -> Scene:
        """An independent copy; shapes, joints, springs and controls, which never change, are shared."""
        twin = copy(self)
        for name, value in vars(self).items():
            setattr(twin, name, copy(value) if isinstance(value, list | dict | np.ndarray) else value)
        twin.bodies, twin.links = [copied(body) for body in self.bodies], [copied(link) for link in self.links]
        twin.make_directories()
        return twin

    def branch(self) -> Scene:
        """A copy for an edit, which has specs in common with this one: what changes is replaced, not written to."""
        twin = copy(self)
        for name, value in vars(self).items():
            setattr(twin, name, copy(value) if isinstance(value, list | dict) else value)
        twin.make_directories()
        twin._numbers = Numbers(self._numbers)
        return twin

    def make_directories(self) -> None:
        """Find names by place from now on: to search the lists for every name would make large scenes slow to build."""
        self._bodies, self._links = Directory("name"), Directory("name")
        self._groups, self._heads = Directory("group"), HeadDirectory()
        self._numbers = Numbers()

    def index_of(self, owner: str, body: str) -> int:
        """Index of a body by name or handle."""
        places = self._bodies.places(self.bodies)
        there = isinstance(body, str) and body in places
        return places[body if there else checks.known(owner, "body", body, places)]

    def groups(self) -> list[str]:
        """Names of the groups, with those that they are parts of; the world's and the default one first."""
        return list(dict.fromkeys([WORLD, DEFAULT_GROUP, *self._heads.places(self.bodies)]))

    def members(self, group: str) -> list[str]:
        """Names of the bodies in a group and in those below it."""
        checks.known("scene", "group", group, self.groups())
        return [body.name for body in self.bodies if group in heads(body.group)]

    def paint(self, name: str, colour: Any = None, visual: Any = None) -> None:
        """Give a body, or all in a group such as a machine part's, a colour or a visual, as in `add_body`."""
        owner, places = f"paint {name!r}", self._bodies.places(self.bodies)
        checks.known("paint", "body or group", name, places, self.groups())
        colour, visual = checked_colour(owner, colour), checked_visual(owner, visual)
        grouped = name in self._heads.places(self.bodies)
        for index in range(len(self.bodies)) if grouped else [places[name]]:
            body = self.bodies[index]
            if body.name == name or name in heads(body.group):
                self.bodies[index] = replace(body, colour=colour or body.colour, visual=visual or body.visual)

    def two_bodies(self, owner: str, a: str, b: str) -> tuple[int, int]:
        """Indices of two different bodies, at least one of which can move."""
        index_a, index_b = self.index_of(owner, a), self.index_of(owner, b)
        if index_a == index_b:
            raise InputError(f"{owner}: both ends are body {a!r}; they must be two different bodies")
        if self.bodies[index_a].fixed and self.bodies[index_b].fixed:
            raise InputError(f"{owner}: both bodies are fixed; at least one of them must be able to move")
        return index_a, index_b

    def link_name(self, name: str | None, a: str, b: str) -> tuple[str, str]:
        """Checked name of a new joint or spring, and how messages call it."""
        taken = self._links.places(self.links)
        if name is None:
            stem = f"{a}-{b}"
            name = self._numbers.next(stem, taken, 2) if stem in taken else stem
        return checks.new_name("joint", name, taken), name
