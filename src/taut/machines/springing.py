"""What all suspensions have in common: spring, damper and stops at the wheel, and the height that they stand at.

A suspension stands at the height it was built at: its spring is preloaded with the weight that it carries. Who gives
none (`carries`) gets a share of what is joined to the chassis when the last suspension is added. Shares are those of a
rigid chassis on equal springs: w_i = a + b x_i + c y_i with sum w = M, sum w x = M X, sum w y = M Y.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.anti_roll import AntiRoll
from taut.joints.base import Drive, Joint
from taut.joints.frame import triple
from taut.machines import visuals
from taut.machines.base import BuiltPart, PartView, checked_end, end_of, reading
from taut.machines.segments import Z
from taut.scene.scene import WORLD, Scene
from taut.shapes.base import Shape
from taut.spatial import Array

MOST_LEAN = 0.5
"""Largest camber and toe, rad: above it, degrees were given."""


class Spring(NamedTuple):
    """Of one wheel, at its centre: N/m, N s/m, and the weight that it holds, N."""

    stiffness: float
    damping: float
    weight: float


class SpringingView(PartView):
    """A suspension of a running simulation. Readings are numbers, or one a wheel, left first, where it has two."""

    vital = slice(1)  # what holds it to the chassis

    @property
    def rows(self) -> list[int]:
        """Rows of its stops and its spring, in order."""
        model = self.simulation.model
        first = model.layout.first_rows(model.link_numbers[self.handle.joints[0]])
        return [int(row) for row in first[self.part.guiding :]]

    @reading("m")
    def travel(self) -> Any:
        """How far the wheel's centre is above where it was built, along the chassis' z axis."""
        return self.part.rise(self.simulation.joint(self.handle.joints[0]).position)

    @reading("N")
    def force(self) -> Any:
        """Of spring, damper and stops, up on the chassis, as if it acted at the wheel's centre."""
        rows = self.rows
        return -float(self.simulation.state.force[rows].sum()) / self.part.leverage

    @reading("")
    def bottomed(self) -> bool:
        """Whether a bump stop or a droop stop is reached."""
        bump, droop = self.part.travel
        travel = np.asarray(self.travel)
        slack = 1e-6 * (bump + droop)
        return bool((travel > bump - slack).any() or (travel < slack - droop).any())


@dataclass(frozen=True, kw_only=True)
class Springing:
    """Fields of every suspension; see `Strut` for what they mean."""

    chassis: Any
    mass: float
    carries: Any = None
    frequency: float = 1.5
    damping_ratio: float = 0.4
    stiffness: float | None = None
    damping: float | None = None
    travel: tuple[float, float] = (0.1, 0.1)
    bump_stiffness: float = math.inf
    camber: float = 0.0
    toe: float = 0.0
    anti_roll: Any = None

    def check_springing(self) -> None:
        """Every number."""
        put: Any = self.put  # type: ignore[attr-defined]
        owner = type(self).__name__
        put(chassis=checked_end(owner, "chassis", self.chassis))
        if self.chassis[0] == WORLD:
            raise InputError(f"{owner}: chassis is the world; it must be a body that moves")
        for name in ("mass", "frequency"):
            put(**{name: checks.number(owner, name, getattr(self, name), above=0.0)})
        put(damping_ratio=checks.number(owner, "damping_ratio", self.damping_ratio, at_least=0.0))
        if self.stiffness is not None:
            put(stiffness=checks.number(owner, "stiffness", self.stiffness, above=0.0))
        if self.damping is not None:
            put(damping=checks.number(owner, "damping", self.damping, at_least=0.0))
        for name in ("camber", "toe"):
            put(**{name: checked_lean(owner, name, getattr(self, name))})
        bump, droop = checks.vector(owner, "travel", self.travel, 2).tolist()
        if not (bump > 0.0 and droop > 0.0):
            raise InputError(f"{owner}: travel is {checks.shown(self.travel)}; it must be (bump, droop), both > 0")
        put(travel=(bump, droop), bump_stiffness=checks.strength(owner, "bump_stiffness", self.bump_stiffness))
        if self.carries is not None:
            self.check_carries(owner, put)
        self.check_anti_roll(owner, put)

    def check_carries(self, owner: str, put: Any) -> None:
        """One mass a wheel."""
        put(carries=checks.number(owner, "carries", self.carries, above=0.0))

    def check_anti_roll(self, owner: str, put: Any) -> None:
        """The other side's name, and a stiffness."""
        if self.anti_roll is not None:
            pair = self.anti_roll if isinstance(self.anti_roll, tuple | list) and len(self.anti_roll) == 2 else (0, 0)
            if not isinstance(pair[0], str):
                wanted = "it must be (suspension of the other side, stiffness in N m/rad)"
                raise InputError(f"{owner}: anti_roll is {checks.shown(self.anti_roll)}; {wanted}")
            put(anti_roll=(str(pair[0]), checks.number(owner, "anti_roll", pair[1], above=0.0)))

    @property
    def seats(self) -> Array:
        """Where wheels are (wheels, 3), in the chassis' own frame, m."""
        return np.array([self.chassis[1]])

    @property
    def middle(self) -> Array:
        """Where its own centre of mass is (3,), likewise."""
        middle: Array = self.seats.mean(axis=0)
        return middle

    def spring(self, carried: float, gravity: float) -> Spring:
        """Spring and damper at a wheel that carries so much, kg, and holds its share of the suspension's mass too."""
        mass = carried + self.mass / len(self.seats)
        stiffness = (2.0 * math.pi * self.frequency) ** 2 * carried if self.stiffness is None else self.stiffness
        damping = 2.0 * self.damping_ratio * math.sqrt(stiffness * carried) if self.damping is None else self.damping
        return Spring(stiffness, damping, mass * gravity)

    def drive(
        self, spring: Spring, leverage: float, weight: float, ends: tuple[float, float], bend: float = 0.0
    ) -> Drive:
        """What acts along the coordinate q of a joint by which the wheel's centre rises r(q).

        Args:
            spring: at the wheel.
            leverage: dr/dq where it was built.
            weight: force along q that the spring holds there.
            ends: of q, where the stops are.
            bend: d^2r/dq^2 there, which makes the weight a part of the stiffness: k r'^2 + F r''.
        """
        stiffness = spring.stiffness * leverage**2 + spring.weight * bend
        if stiffness <= 0.0:
            raise InputError(f"{type(self).__name__}: pivot is so far above or below the wheel that no spring holds it")
        soft = 0.0 if self.bump_stiffness == math.inf else self.bump_stiffness * leverage**2
        return Drive(
            limits=ends, limit_stiffness=soft, stiffness=stiffness, damping=spring.damping * leverage**2,
            rest=-weight / stiffness,
        )  # fmt: skip

    def guide(self, scene: Scene, springs: list[Spring], gravity: float) -> Joint:
        """The joint that holds and springs it."""
        raise NotImplementedError

    def lean(self, side: float) -> Array:
        """Orientation of a hub in the chassis, by camber and toe; `side` is +1 on the left."""
        camber = spatial.from_axis_angle((1.0, 0.0, 0.0), -side * self.camber)
        return spatial.multiply(spatial.from_axis_angle(Z, -side * self.toe), camber)


def checked_lean(owner: str, name: str, value: Any) -> float:
    """An angle that a wheel can lean or point by, rad."""
    angle = checks.number(owner, name, value)
    if abs(angle) > MOST_LEAN:
        raise InputError(f"{owner}: {name} is {angle:g} rad; it must be from {-MOST_LEAN:g} to {MOST_LEAN:g}")
    return angle


def orientation_of(scene: Scene, body: str) -> Array:
    """World-from-body quaternion of a body as built."""
    return scene.bodies[scene.index_of("suspension", body)].orientation


def side_of(scene: Scene, chassis: str, point: Any) -> float:
    """+1 for points on the left of the chassis' centre of mass, -1 on its right, 0 in its middle."""
    across = float(point[1]) - float(scene.bodies[scene.index_of("suspension", chassis)].com[1])
    return float(np.sign(across)) if abs(across) > 1e-9 else 0.0


def gravity_along(scene: Scene, chassis: str) -> float:
    """Weight of a kilogram down the chassis' z axis, N."""
    up = spatial.rotate(orientation_of(scene, chassis), Z)
    return max(-float(np.asarray(scene.gravity, float) @ up), 0.0)


def level(scene: Scene, part: Any, guide: str) -> None:
    """Give every suspension of a chassis the spring that holds its share at the height it was built at.

    Writes:  kinds of the joints that guide them
    """
    chassis = part.chassis[0]
    others = [each for each in scene.parts.values() if isinstance(each.part, Springing)]
    stations = [(each.part, each.joints[0]) for each in others if each.part.chassis[0] == chassis] + [(part, guide)]
    place = {link.name: at for at, link in enumerate(scene.links)}
    stations = [each for each in stations if each[1] in place]
    gravity = gravity_along(scene, chassis)
    shares = carried_by([each for each, _ in stations], *standing(scene, chassis, [joint for _, joint in stations]))
    for (station, joint), masses in zip(stations, shares, strict=True):
        link = scene.links[place[joint]]
        kind = station.guide(scene, [station.spring(mass, gravity) for mass in masses], gravity)
        if kind != link.kind:
            scene.links[place[joint]] = replace(link, kind=kind)


def standing(scene: Scene, chassis: str, guides: Iterable[str]) -> tuple[float, Array]:
    """Mass (kg) and centre of mass (3,) in the chassis' own frame of what is joined to it, but not by these joints."""
    start = scene.index_of("suspension", chassis)
    without, reached = set(guides), {start}
    held = [
        (link.a, link.b) for link in scene.links
        if link.name not in without and isinstance(link.kind, Joint) and link.kind.freedom is not None
        and not (scene.bodies[link.a].fixed or scene.bodies[link.b].fixed)
    ]  # fmt: skip
    grown = True
    while grown:
        more = {end for pair in held for end in pair if reached & set(pair)} - reached
        reached, grown = reached | more, bool(more)
    bodies = [scene.bodies[index] for index in sorted(reached)]
    masses = np.array([body.mass for body in bodies])
    centres = np.array([body.position + spatial.rotate(body.orientation, body.com) for body in bodies])
    spec = scene.bodies[start]
    middle = masses @ centres / masses.sum() - spec.position
    return float(masses.sum()), spatial.rotate(spatial.conjugate(spec.orientation), middle)


def carried_by(stations: list[Any], mass: float, centre: Array) -> list[list[float]]:
    """What every wheel of every suspension carries, kg: what is given, and equal springs' shares of the rest.

    Suspensions weigh something too, at a place of their own; their wheels hold that as well.
    """
    rest = np.array([mass, *(mass * centre[:2])])
    own = [np.full(len(station.seats), station.mass / len(station.seats)) for station in stations]
    free = [number for number, station in enumerate(stations) if station.carries is None]
    for number, station in enumerate(stations):
        rest += station.mass * np.array([1.0, *station.middle[:2]])
        if number not in free:
            held = own[number] + station.carries
            rest -= np.array([held.sum(), *(held @ station.seats[:, :2])])
    shares = [np.zeros(0)] * len(stations)
    if free:
        points, least = (np.concatenate([each[n] for n in free]) for each in ([s.seats for s in stations], own))
        split = np.cumsum([len(stations[number].seats) for number in free])[:-1]
        for number, share in zip(free, np.split(equal_springs(points[:, :2], rest, least), split), strict=True):
            shares[number] = share - own[number]
    return [
        share.tolist() if station.carries is None else (np.zeros(len(station.seats)) + station.carries).tolist()
        for share, station in zip(shares, stations, strict=True)
    ]


def equal_springs(points: Array, rest: Array, least: Array) -> Array:
    """Shares (n,) of a mass on equal springs at points (n, 2), from its sum and first moments (3,); where springs there
    cannot carry it alone, as long as there are too few, it is shared in equal parts. Each is above its `least` (n,).
    """
    moments = np.vstack([np.ones(len(points)), points.T])
    shares: Any = np.linalg.lstsq(moments, rest, rcond=None)[0]
    off = np.abs(moments @ shares - rest).max()
    if off > 1e-9 * np.abs(rest).max() or (shares <= least).any():
        shares = least + max(float(rest[0] - least.sum()), 1.0) / len(points)
    return np.asarray(shares)


def added_hub(scene: Scene, name: str, part: Any, shape: Shape) -> tuple[str, Array]:
    """The body `name/hub` at a wheel's centre, and where that is."""
    owner = f"{type(part).__name__.lower()} {name!r}"
    chassis, own, place = end_of(scene, owner, "chassis", part.chassis)
    turn = spatial.multiply(orientation_of(scene, chassis), part.lean(side_of(scene, chassis, own)))
    hub = scene.add_body(
        f"{name}/hub", shape, mass=part.mass, position=place, orientation=turn, collides=False, colour=visuals.DARK
    )
    return str(hub), place


def finished(scene: Scene, name: str, part: Any, hub: str, at: Array) -> BuiltPart:
    """The joint `name/guide`, with the springs that it needs in this scene."""
    one = [part.spring(1.0, 0.0) for _ in part.seats]
    guide = scene.connect(part.chassis[0], hub, part.guide(scene, one, 0.0), at=at, name=f"{name}/guide")
    joints = [str(guide)]
    if isinstance(part.anti_roll, tuple):
        joints.append(bar_to_other_side(scene, name, part, hub))
    level(scene, part, str(guide))
    return BuiltPart(name, part, (hub,), tuple(joints))


def bar_to_other_side(scene: Scene, name: str, part: Any, hub: str) -> str:
    """The joint `name/anti-roll` to a suspension that was added before: a torque k roll is a force k roll / track at
    the wheels, and so k / track^2 of the difference of their heights.
    """
    owner, (other, stiffness) = f"{type(part).__name__.lower()} {name!r}", part.anti_roll
    built = scene.parts.get(other)
    if built is None or not isinstance(built.part, Springing) or built.part.chassis[0] != part.chassis[0]:
        raise InputError(f"{owner}: anti_roll is with {other!r}; it must be a suspension of the same chassis")
    track = float(np.linalg.norm(built.part.seats.mean(axis=0) - part.seats.mean(axis=0)))
    up = triple(spatial.rotate(orientation_of(scene, part.chassis[0]), Z))
    bar = AntiRoll(carrier=part.chassis[0], axis=up, stiffness=stiffness / track**2)
    return str(scene.connect(built.bodies[0], hub, bar, name=f"{name}/anti-roll"))
