"""Editing a running simulation: bodies, joints and springs come and go between two steps, all else goes on.

    with sim.edit() as edit:
        edit.remove_joint("hinge")

The edit is made in a copy of the scene and takes effect when the block ends; if it ends with an error, nothing has
changed. What was there before keeps its state: motion, history, forces (the warm start), coordinates counted over
turns, targets, contacts. So an edit that changes nothing changes no bit of what follows. Only what changed is compiled
(`taut.model.revise`), and an `IndexMap` carries the rest over (`taut.simulation.carry`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Joint
from taut.model.revise import compare, revise_model
from taut.results.events import Added, Cut, Event, Merged, Remeshed, Removed, Reweighed, Split, Spooled
from taut.scene.scene import WORLD, Handle, Scene
from taut.scene.specs import BodySpec, LinkSpec
from taut.simulation.carry import Given, Past, carry_over
from taut.simulation.newcomers import take_in
from taut.simulation.reshape import check_names, check_pieces, merge_bodies, split_body
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


class Edit:
    """What changes at the end of a `with sim.edit() as edit:` block, between two steps.

    Nothing may be stepped, restored or edited by anyone else inside the block.
    """

    def __init__(self, simulation: Simulation, smooth: bool = False) -> None:
        """Made by `Simulation.edit`."""
        self.simulation = simulation
        self.source, self.state = simulation.scene, simulation.state
        self.draft = simulation.scene.branch()
        self.open = False
        self.new_bodies: set[str] = set()
        self.new_links: set[str] = set()
        self.own_links: set[str] = set()
        self.given = Given(smooth)
        self.events: list[Event] = []
        self.changed = False

    def __enter__(self) -> Edit:
        """Begin."""
        self.open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        """Put the edit into force, unless the block ended with an error or nothing was changed."""
        self.open = False
        if kind is not None or not self.changed:
            return
        simulation, scene, before = self.simulation, self.draft, self.simulation.model
        if simulation.scene is not self.source or simulation.state is not self.state:
            raise InputError("edit: the simulation was stepped, restored or edited inside the block; this edit is void")
        change = compare(self.source, scene, self.new_bodies, self.new_links, self.given.reweighed)
        model, index = revise_model(before, scene, change)
        joined = simulation.stepper.mechanism.links.joined
        state = carry_over(before, self.state, model, scene, index, self.given, joined)
        simulation.adopt(scene, model, state, index)
        simulation.events += self.events
        take_in(simulation, index, self.given.heirs)

    @property
    def scene(self) -> Scene:
        """The scene as it is to be. Outside the block nobody would see what is done to it, so that is refused."""
        if not self.open:
            raise InputError("edit: it acts only inside its block; write `with sim.edit() as edit:` around it")
        return self.draft

    def note(self, kind: type[Event], name: str, *details: Any) -> None:
        """Note what happens, for the report of the next step."""
        self.events.append(kind(self.simulation.time, str(name), *details))

    @contextmanager
    def as_one(self, kind: type[Event], name: str, *details: Any) -> Iterator[None]:
        """Note several changes as one event."""
        known = len(self.events)
        yield
        del self.events[known:]
        self.note(kind, name, *details)

    def spooling(self, winch: str, way: str) -> AbstractContextManager[None]:
        """Note several changes as a segment that comes off the drum of a winch, "out", or goes back onto it, "in"."""
        return self.as_one(Spooled, winch, way)

    def remove_joint(self, name: str) -> None:
        """Remove a joint or spring, with its controls; the bodies go on as they move.

        Two bodies that did not touch each other because of the joint still do not: they overlap where it was.
        """
        scene, place = self.scene, self.place_of(name)
        link = scene.links[place]
        pair = scene.bodies[link.a].name, scene.bodies[link.b].name
        if isinstance(link.kind, Joint) and not link.collide and WORLD not in pair and pair not in scene.ignored:
            scene.ignored.append(pair)
        self.drop_links([place])
        self.note(Removed, name, link.called)

    def remove_body(self, name: str) -> None:
        """Remove a body, with its joints, springs, loads and controls, and the joints that refer to it."""
        scene = self.scene
        index = scene.index_of("edit", name)
        if index == 0:
            raise InputError(f"edit: body {name!r} cannot be removed; the world is always there")
        self.drop_links(
            [place for place, link in enumerate(scene.links) if index in (link.a, link.b) or name in link.referred_to]
        )
        scene.bodies.pop(index)
        for place, link in enumerate(scene.links):
            if link.a > index or link.b > index:
                if link.name not in self.own_links:  # a copy: the scene before has the others in common
                    self.own_links.add(link.name)
                    scene.links[place] = link = copy(link)
                link.a, link.b = link.a - (link.a > index), link.b - (link.b > index)
        scene.loads = {
            key: replace(load, body=load.body - (load.body > index))
            for key, load in scene.loads.items()
            if load.body != index
        }
        scene.ignored = [pair for pair in scene.ignored if name not in pair]
        self.new_bodies.discard(name)
        self.given.reweighed.discard(name)
        for known in (self.given.motion, self.given.past):
            known.pop(name, None)
        self.note(Removed, name, "body")
        self.changed = True

    def place_of(self, joint: str, parts: Iterable[str] = ()) -> int:
        """Place of a joint of the edited scene, mostly as before; a wrong name is answered with parts, too."""
        links, known = self.scene.links, self.simulation.meter.names
        place = known.index(joint) if isinstance(joint, str) and joint in known else len(links)
        if place < len(links) and links[place].name == joint:
            return place
        names = [link.name for link in links]
        return names.index(checks.known("edit", "part or joint" if parts else "joint", joint, parts, names))

    def drop_links(self, places: list[int]) -> None:
        """Remove joints and springs, by their places in rising order, and the controls of their motors."""
        gone = {self.scene.links.pop(place).name for place in reversed(places)}
        self.scene.controls = {key: spec for key, spec in self.scene.controls.items() if spec.joint not in gone}
        self.new_links -= gone
        self.given.heirs -= gone
        self.given.force = {name: force for name, force in self.given.force.items() if name not in gone}
        self.changed = True

    def add_spring(self, a: str, b: str, *points: Any, **options: Any) -> Handle:
        """Add a spring as `Scene.add_spring` does; its rest length is by default the present length."""
        return self.placed(self.scene.add_spring(a, b, *points, **options))

    def connect(self, a: str, b: str, joint: Joint, at: Any = None, **options: Any) -> Handle:
        """Join two bodies as `Scene.connect` does, `at` and axes in world coordinates in the *present* configuration.

        By default `at` is where b's origin is now, and the joint's coordinates are zero now.
        """
        point = self.pose_of(self.scene.index_of(f"connect {a!r} to {b!r}", b))[0] if at is None else at
        return self.placed(self.scene.connect(a, b, joint, point, **options))

    def attach(self, a: str, b: str, name: str | None = None, **options: Any) -> Handle:
        """Hold two bodies together as they are now, by a `Fixed` joint; options are those of `Scene.connect`."""
        return self.connect(a, b, Joint.registry["Fixed"](), name=name, **options)

    def detach(self, a: str, b: str) -> None:
        """Remove every joint and spring between two bodies."""
        scene = self.scene
        ends = {scene.index_of("edit", a), scene.index_of("edit", b)}
        names = [link.name for link in scene.links if {link.a, link.b} == ends]
        if not names:
            raise InputError(f"edit: no joint or spring connects {a!r} and {b!r}, so they cannot be detached")
        for name in names:
            self.remove_joint(name)

    def add_body(self, name: str, *shape: Any, **options: Any) -> Handle:
        """Add a body as `Scene.add_body` does, with this motion from now on."""
        handle = self.scene.add_body(name, *shape, **options)
        self.new_bodies.add(str(name))
        self.note(Added, name, "body")
        self.changed = True
        return handle

    def ignore_contacts(self, a: str, b: str) -> None:
        """Let nothing of `a` touch anything of `b` from now on, as `Scene.ignore_contacts` does."""
        self.scene.ignore_contacts(a, b)
        self.changed = True

    def add(self, part: Any, name: str) -> Any:
        """Add a part of `taut.machines` as `Scene.add` does, to bodies where they are now; what it adds is at rest."""
        scene = self.scene
        bodies, links = list(scene.bodies), len(scene.links)
        poses = [self.pose_of(index) for index in range(len(bodies))]
        scene.bodies[:] = [
            replace(spec, position=position, orientation=turn)
            for spec, (position, turn) in zip(bodies, poses, strict=True)
        ]
        try:
            handle = scene.add(part, name)
        finally:
            scene.bodies[: len(bodies)] = bodies
        self.new_bodies |= {spec.name for spec in scene.bodies[len(bodies) :]}
        with self.as_one(Added, name, "part"):
            for link in scene.links[links:]:
                self.place(link)
        self.changed = True
        return handle

    def cut(self, name: str, at: float | None = None) -> None:
        """Cut a joint or spring, or a cable or other machine part that can be cut, at `at` m from its start."""
        part = self.scene.parts.get(name) if isinstance(name, str) else None
        where = None if at is None else checks.number(f"edit: cut {name!r}", "at", at, at_least=0.0)
        joint = None if part is not None else self.place_of(name, self.scene.parts)
        if joint is not None and where is not None:
            raise InputError(f"edit: cut {name!r}: at is {where:g}; a joint or spring is cut as a whole, without at")
        with self.as_one(Cut, name, where):
            if part is not None:
                part.cut(self, where)
            else:
                self.remove_joint(name)

    def refine(self, name: str, segment_length: float, between: Any = (0.0, math.inf)) -> None:
        """Make segments of a cable at most `segment_length` long, m: longer ones are split into equal pieces.

        `between` are places in m from its start: only segments are split whose middle is between them. Mass, length,
        stiffness, tension and momentum stay as they are, and the scheme that looks back goes on.
        """
        self.remesh("refine", name, segment_length, between)

    def coarsen(self, name: str, segment_length: float, between: Any = (0.0, math.inf)) -> None:
        """Make one segment of neighbours of a cable where together they are at most `segment_length` long, m.

        `between` is as in `refine`, and what stays as it is, too.
        """
        self.remesh("coarsen", name, segment_length, between)

    def remesh(self, what: str, name: str, segment_length: float, between: Any) -> None:
        """Refine or coarsen a cable."""
        part = self.scene.parts[checks.known(f"edit: {what}", "part", name, self.scene.parts)]
        owner = f"edit: {what} {name!r}"
        most = checks.number(owner, "segment_length", segment_length, above=0.0)
        first, last = checks.interval(owner, "between", between)
        known = len(self.events)
        part.remesh(self, what, most, (first, last))
        if len(self.events) > known:
            self.events[known:] = [Remeshed(self.simulation.time, name, len(self.scene.parts[name].bodies))]

    def split_body(
        self, name: str, pieces: Mapping[str, Mapping[str, Any]], joints: Mapping[str, str] | None = None,
        touching: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Let a body come apart; linear and angular momentum stay as they are.

        Args:
            name: of the body, which is gone then.
            pieces: what `Scene.add_body` takes, by the new bodies' names; `position` and `orientation` are in the own
                frame of the body. They weigh together what it weighs. Pieces of its visual go to the nearest of them.
            joints: which piece a joint or spring holds, by its name; by default the piece that is nearest to it.
            touching: bodies that it is joined to, and that pieces may touch which are not joined to them; by default
                pieces touch nothing that it did not touch.
        """
        joints = {} if joints is None else joints
        check_pieces(f"edit: body {name!r}", pieces, joints)
        with self.as_one(Split, name, tuple(pieces)):
            split_body(self, name, pieces, joints, touching)

    def merge_bodies(self, names: Sequence[str], into: str, **options: Any) -> None:
        """Make one body of several; linear and angular momentum stay as they are.

        Joints and springs between them go, those to others hold the new body where they held the old ones. Options are
        those of `Scene.add_body`: by default its origin is their centre of mass, turned as the first of them is, with
        their inertia together and without a shape, and it looks as they do.
        """
        bodies = check_names(f"edit: body {into!r}", names)
        with self.as_one(Merged, into, bodies):
            merge_bodies(self, bodies, into, options)

    def set_past(self, body: str, velocity: Any, displacement: Any) -> None:
        """Say how a new body would have moved in the last step, had it been there: the two-step scheme goes on with it.

        Args:
            body: one that this edit adds.
            velocity: its twist (6,) one step earlier, m/s and rad/s, world axes.
            displacement: translation (m) and rotation vector (rad) of that step, (6,).
        """
        owner = f"edit: body {body!r}"
        name = self.scene.bodies[self.scene.index_of("edit", body)].name
        if name not in self.new_bodies:
            raise InputError(f"{owner} is not one that this edit adds; only a new body can be given a past")
        self.given.past[name] = Past(
            checks.vector(owner, "velocity", velocity, 6), checks.vector(owner, "displacement", displacement, 6)
        )

    def set_velocity(self, body: str, velocity: Any, angular_velocity: Any) -> None:
        """Give a body another velocity (m/s, of its centre of mass) and angular velocity (rad/s), world axes."""
        owner = f"edit: body {body!r}"
        spec = self.scene.bodies[self.scene.index_of("edit", body)]
        if spec.fixed:
            raise InputError(f"{owner} is fixed; its velocity cannot be set")
        twist = [checks.vector(owner, "velocity", velocity), checks.vector(owner, "angular_velocity", angular_velocity)]
        self.given.motion[spec.name] = np.concatenate(twist)
        self.changed = True

    def set_force(self, joint: str, force: Any) -> None:
        """Say what force the first rows of a joint, or all, carry, N or N m by measure: the next step starts from it.

        What a new joint takes over from one that is removed keeps tight cables calm, see `Simulation.edit`.
        """
        name = self.scene.links[self.place_of(joint)].name
        try:
            values = np.atleast_1d(np.asarray(force, float))
        except (TypeError, ValueError):
            values = np.full(1, np.nan)
        if values.ndim != 1 or not np.isfinite(values).all():
            shown = checks.shown(force)
            raise InputError(f"edit: joint {joint!r}: force is {shown}; it must be finite numbers, one a row")
        self.given.force[name] = values
        self.changed = True

    def set_mass(self, body: str, mass: float, inertia: Any = None) -> None:
        """Change a body's mass (kg) and inertia about its centre of mass (kg m^2); it keeps its velocity, and its past.

        Without `inertia` that changes in proportion. The momentum that comes or goes is reported by nobody else: it is
        that of what was added to the body or taken from it.
        """
        index, owner = self.scene.index_of("edit", body), f"edit: body {body!r}"
        old = self.scene.bodies[index]
        if old.fixed:
            raise InputError(f"{owner} is fixed; its mass has no meaning")
        mass = checks.number(owner, "mass", mass, above=0.0)
        tensor = old.inertia * (mass / old.mass) if inertia is None else checks.inertia(owner, inertia)
        self.replace_body(index, replace(old, mass=mass, inertia=tensor))
        self.note(Reweighed, body, mass)

    def replace_body(self, index: int, spec: BodySpec) -> None:
        """Put another spec in the place of a body that stays, with its motion."""
        name, self.scene.bodies[index] = self.scene.bodies[index].name, spec
        if name not in self.new_bodies:
            self.given.reweighed.add(name)
            self.given.motion[name] = self.motion_of(name)
        self.changed = True

    def motion_of(self, name: str) -> Array:
        """Twist (6,) of a body from now on, m/s and rad/s."""
        if name in self.new_bodies:
            spec = self.scene.bodies[self.scene.index_of("edit", name)]
            return np.concatenate([spec.velocity, spec.angular_velocity])
        number = self.simulation.model.bodies.names.index(name)
        return self.given.motion.get(name, self.state.velocity[number].copy())

    def past_of(self, name: str) -> Past | None:
        """How a body moved in the last step; None where its scheme does not look back on that."""
        if name in self.new_bodies:
            return self.given.past.get(name)
        number = self.simulation.model.bodies.names.index(name)
        if self.simulation.model.bodies.moves[number] and not self.state.history[number]:
            return None
        return Past(self.state.previous_velocity[number].copy(), self.state.displacement[number].copy())

    def spin_of(self, name: str) -> Array | None:
        """Angular momentum (3,) of a body that goes on as it was, kg m^2/s; None for any other."""
        if name in self.new_bodies or name in self.given.motion:
            return None
        return self.state.spin[self.simulation.model.bodies.names.index(name)].copy()

    def placed(self, handle: Handle) -> Handle:
        """Note that the latest link is meant in the present configuration."""
        self.place(self.scene.links[-1])
        return handle

    def place(self, link: LinkSpec) -> None:
        """Note that a new link is meant in the present configuration."""
        scene = self.scene
        own = [scene.bodies[link.a].name, scene.bodies[link.b].name, *link.referred_to]
        link.poses = {name: self.pose_of(scene.index_of(link.name, name)) for name in own}
        self.new_links.add(link.name)
        self.note(Added, link.name, link.called)
        self.changed = True

    def pose_of(self, index: int) -> tuple[Array, Array]:
        """Present position and orientation of a body of the edited scene."""
        spec = self.scene.bodies[index]
        if spec.name in self.new_bodies:
            return spec.position.copy(), spec.orientation.copy()
        bodies, state = self.simulation.model.bodies, self.state
        number = bodies.names.index(spec.name)
        turn = state.orientation[number].copy()
        return state.position[number] - spatial.rotate(turn, bodies.com[number]), turn
