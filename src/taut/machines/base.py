"""What a part of a machine is: a frozen description that adds bodies, joints and controls to a scene under one name.

    hoist = scene.add(taut.machines.Cable(...), name="hoist")      # bodies hoist/1 ..., joints hoist/joint-0 ...
    sim.part("hoist").tensions                                      # what it reads while it runs
    sim.part("hoist").report()                                      # all readings with their units

A new part is one new file beside this one: a frozen dataclass derived from `MachinePart`, and a `PartView` with its
readings. `after_frame` is what a part does by itself after a frame, such as a winch that pays out: a function of scene
and state alone, so that runs repeat to the bit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.frame import Triple, triple
from taut.scene.scene import Handle, Scene
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit
    from taut.simulation.simulation import Simulation


class Reading(NamedTuple):
    """A number or an array that a part reports, and its unit ("" where it has none)."""

    value: Any
    unit: str


def reading(unit: str) -> Callable[[Callable[[Any], Any]], property]:
    """Make a method of a view a property that `report` lists with this unit; a part that is gone has no readings."""

    def mark(method: Callable[[Any], Any]) -> property:
        @wraps(method)
        def read(view: PartView) -> Any:
            view.check_there(method.__name__)
            return method(view)

        read.unit = unit  # type: ignore[attr-defined]
        return property(read)

    return mark


class PartEnd(NamedTuple):
    """Where a part ends: at a point of a body (own frame, m), with which of its own bodies; how thick this is, m."""

    anchor: str
    point: Triple
    body: str
    thickness: float


@dataclass(frozen=True)
class BuiltPart:
    """A part in a scene: what it is and what it has built.

    Attributes:
        name: of the part.
        part: what was added.
        bodies, joints: their names in the order of the part, along a cable for instance.
        sizes: numbers that follow from the scene it was built in, such as the length of a segment.
        actuators: how its motors go, see `taut.machines.actuator`.
    """

    name: str
    part: MachinePart
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    sizes: dict[str, float] = field(default_factory=dict)
    actuators: tuple[Any, ...] = ()

    def but(self, bodies: Iterable[str], joints: Iterable[str], **sizes: float) -> BuiltPart:
        """The same part with other bodies and joints, and some sizes changed."""
        return replace(self, bodies=tuple(bodies), joints=tuple(joints), sizes=self.sizes | sizes)

    def view(self, simulation: Simulation) -> PartView:
        """The part in a running simulation."""
        return self.part.view(simulation, self.name)

    def cut(self, edit: Edit, at: float | None) -> None:
        """Cut the part in an edit; `at` is where, in m from its start."""
        self.part.cut(edit, self, at)

    def remesh(self, edit: Edit, what: str, most: float, between: tuple[float, float]) -> None:
        """Refine or coarsen the part in an edit; `most` is the length of its segments, m."""
        self.part.remesh(edit, self, what, most, between)

    def ends(self) -> list[PartEnd]:
        """Where the part ends at others."""
        return self.part.ends(self)

    @property
    def acts(self) -> bool:
        """Whether the part does something by itself after a frame."""
        return self.part.acts

    def after_frame(self, simulation: Simulation) -> None:
        """What the part does after a frame, as long as it is there."""
        view = self.view(simulation)
        if not view.lost():
            self.part.after_frame(view)


class PartView:
    """A part of a running simulation; world axes, SI units. Made by `Simulation.part`."""

    vital: ClassVar[slice | None] = None
    """Which of its joints it is nothing without, in the order of the part; None where any that is left will do."""

    def __init__(self, simulation: Simulation, name: str) -> None:
        """`name` is that of a part of the simulation's scene."""
        self.simulation, self.name = simulation, name

    @property
    def handle(self) -> BuiltPart:
        """What the scene keeps of the part."""
        handle: BuiltPart = self.simulation.scene.parts[self.name]
        return handle

    @property
    def part(self) -> Any:
        """What was added: its parameters."""
        return self.handle.part

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of its bodies that are still there, in order."""
        there = self.simulation.model.bodies.names
        return present(self.handle.bodies, there)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of its joints that are still there, in order."""
        return present(self.handle.joints, self.simulation.meter.names)

    def lost(self) -> str:
        """What was removed that the part is nothing without, "" where it is still there."""
        model, handle = self.simulation.model, self.handle
        if self.vital is not None:
            return next((joint for joint in handle.joints[self.vital] if joint not in model.link_numbers), "")
        if any(joint in model.link_numbers for joint in handle.joints):
            return ""
        built = (*handle.bodies, *handle.joints)
        return "" if not built or present(handle.bodies, model.bodies.names) else "all of it"

    def check_there(self, what: str) -> None:
        """Refuse to read or do something where the part is gone."""
        lost = self.lost()
        if lost:
            kind = type(self.part).__name__
            raise InputError(f"part {self.name!r}: {lost} was removed; there is no {what} of this {kind} any more")

    def report(self) -> dict[str, Reading]:
        """All readings by name, with their units."""
        found: dict[str, Reading] = {}
        for kind in reversed(type(self).__mro__):
            for name, member in vars(kind).items():
                unit = getattr(member.fget, "unit", None) if isinstance(member, property) else None
                if unit is not None:
                    found[name] = Reading(getattr(self, name), unit)
        return found

    @reading("kg")
    def mass(self) -> float:
        """Mass of its bodies."""
        return float(self.simulation.model.bodies.mass[self.numbers(self.bodies)].sum())

    @reading("kg m/s")
    def momentum(self) -> Array:
        """Linear momentum (3,) of its bodies."""
        numbers = self.numbers(self.bodies)
        momentum: Array = self.simulation.model.bodies.mass[numbers] @ self.simulation.state.velocity[numbers, :3]
        return momentum

    def numbers(self, bodies: Iterable[str]) -> list[int]:
        """Places of bodies in the arrays of a state."""
        return places_of(self.simulation.model.bodies.names, bodies)

    def points(self, bodies: Iterable[str], own: Array) -> Array:
        """World points (k, 3) of points (k, 3) or (3,) in the own frames of bodies."""
        numbers = self.numbers(bodies)
        arms = np.broadcast_to(own, (len(numbers), 3))
        return self.simulation.origins()[numbers] + spatial.rotate_each(
            self.simulation.state.orientation[numbers], arms
        )

    def reactions(self, joints: Iterable[str]) -> Array:
        """Forces (k, 3) of joints on their bodies B, N; zero for joints that are gone."""
        meter = self.simulation.meter
        self.simulation.read_joints()
        there = dict(zip(meter.names, meter.reaction[:, :3], strict=True))
        return np.array([there.get(joint, np.zeros(3)) for joint in joints]).reshape(-1, 3)


class MachinePart:
    """A part of a machine; see `Cable` for how one is written."""

    registry: ClassVar[dict[str, type[MachinePart]]] = {}
    view: ClassVar[type[PartView]] = PartView

    def __init_subclass__(cls) -> None:
        """Register every part by its class name."""
        MachinePart.registry[cls.__name__] = cls

    def __post_init__(self) -> None:
        """Check what was given."""
        self.check()

    def check(self) -> None:
        """Checks of a kind of part, which put clean values in place with `put`."""

    def put(self, **values: Any) -> None:
        """Set fields of this frozen description while it is checked."""
        names = {each.name for each in fields(self)}  # type: ignore[arg-type]
        for name, value in values.items():
            assert name in names
            object.__setattr__(self, name, value)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Add bodies, joints and controls to a scene, their names beginning with `name/` (controls: `name.`)."""
        raise NotImplementedError

    def cut(self, edit: Edit, handle: BuiltPart, at: float | None) -> None:
        """What `edit.cut` does to the part."""
        raise InputError(
            f"edit: part {handle.name} is a {type(self).__name__}, which cannot be cut; cut one of its joints"
        )

    def ends(self, handle: BuiltPart) -> list[PartEnd]:
        """Where the part ends at others, with bodies that may touch those of other parts."""
        return []

    def remesh(self, edit: Edit, handle: BuiltPart, what: str, most: float, between: tuple[float, float]) -> None:
        """What `edit.refine` and `edit.coarsen` do to the part."""
        raise InputError(f"edit: {what} {handle.name!r}: it is a {type(self).__name__}; only a Cable can be refined")

    @property
    def acts(self) -> bool:
        """Whether `after_frame` does something."""
        return False

    def after_frame(self, view: Any) -> None:
        """What the part does after a frame, a function of scene and state alone."""

    def add_to(self, scene: Scene, name: str) -> Handle:
        """Build under a new name; a part that is refused leaves the scene as it was. Called by `Scene.add`."""
        checks.new_name("part", name, scene.parts)
        lists = [(each, len(each)) for each in (scene.bodies, scene.links, scene.ignored)]
        controls = dict(scene.controls)
        try:
            built = self.build(scene, str(name))
        except InputError:
            for each, count in lists:
                del each[count:]
            scene.controls = controls
            raise
        scene.parts[str(name)] = built
        part_ends(scene, built)
        return Handle(name)


def part_ends(scene: Scene, built: BuiltPart) -> None:
    """Let ends of parts not touch each other where they are at the same point of a body: there they cannot part."""
    others = [end for part in scene.parts.values() for end in part.ends()]
    for mine, other in itertools.product(built.ends(), others):
        near = mine.anchor == other.anchor and math.dist(mine.point, other.point) < mine.thickness
        if near and mine.body != other.body and any(spec.name == other.body for spec in scene.bodies):
            scene.ignored.append((mine.body, other.body))


def stops_now(simulation: Simulation, joint: str) -> tuple[Any, ...]:
    """Stops of a rope that is there, on the bodies that hold them now: those it was built on may have come apart."""
    model = simulation.model
    kind: Any = model.links[model.link_numbers[joint]].spec.kind
    stops: tuple[Any, ...] = kind.stops
    return stops


def present(names: Iterable[str], there: Iterable[str]) -> tuple[str, ...]:
    """The names that are there."""
    known = set(there)
    return tuple(name for name in names if name in known)


def places_of(names: tuple[str, ...], wanted: Iterable[str]) -> list[int]:
    """Places of some names in a list of all."""
    place = {name: number for number, name in enumerate(names)}
    return [place[name] for name in wanted]


def checked_end(owner: str, field: str, value: Any) -> tuple[str, Triple]:
    """An end `body` or `(body, point)` as a name, and the point in that body's own frame."""
    pair = (value, (0.0, 0.0, 0.0)) if isinstance(value, str) else value
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InputError(f"{owner}: {field} is {checks.shown(value)}; it must be a body, or (body, point in its frame)")
    return str(pair[0]), triple(checks.vector(owner, field, pair[1]))


def end_of(scene: Scene, owner: str, field: str, value: Any) -> tuple[str, Array, Array]:
    """An end as a body's name, the point in its own frame, and where it is in the world."""
    name, own = checked_end(owner, field, value)
    point = np.array(own)
    body = scene.bodies[scene.index_of(owner, name)]
    return body.name, point, body.position + spatial.rotate(body.orientation, point)


def own_direction(scene: Scene, body: str, direction: Any) -> Array:
    """A world vector (3,) in the axes that a body has as built."""
    turn = scene.bodies[scene.index_of("machines", body)].orientation
    return spatial.rotate(spatial.conjugate(turn), np.asarray(direction, float))
