"""A track: shoes in a loop around a sprocket, an idler and rollers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor
from taut.joints.frame import triple
from taut.joints.planar import Planar
from taut.joints.point_on_line import PointOnLine
from taut.joints.prismatic import Prismatic
from taut.joints.revolute import Revolute
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading
from taut.machines.segments import Z
from taut.machines.track_path import links_around
from taut.machines.wheel import around, set_speed
from taut.scene.scene import Scene
from taut.scene.surfaces import checked_friction
from taut.shapes import Box, Capsule, Compound, Shape, Sphere
from taut.spatial import Array

Y = (0.0, 1.0, 0.0)


class TrackView(PartView):
    """A track of a running simulation."""

    vital = slice(1)  # the hinge of its sprocket

    @property
    def hinge(self) -> Any:
        """The sprocket's hinge, as `sim.joint` gives it."""
        return self.simulation.joint(self.handle.joints[0])

    @property
    def shoes(self) -> tuple[str, ...]:
        """Its shoes in order, the way they run when it drives ahead."""
        return tuple(body for body in self.bodies if body.startswith(f"{self.name}/shoe"))

    @reading("rad/s")
    def spin(self) -> float:
        """How fast the sprocket turns on its frame, positive ahead."""
        return float(self.hinge.velocity)

    @reading("m/s")
    def speed(self) -> float:
        """How fast it runs around its frame, mean over its shoes, positive where it drives ahead."""
        state, numbers = self.simulation.state, self.numbers(self.shoes)
        frame = self.numbers([self.part.frame[0]])[0]
        arms = state.position[numbers] - state.position[frame]
        carried = state.velocity[frame, :3] + np.cross(state.velocity[frame, 3:], arms)
        ways = np.roll(arms, -1, axis=0) - np.roll(arms, 1, axis=0)
        along = ((state.velocity[numbers, :3] - carried) * ways).sum(axis=1) / np.linalg.norm(ways, axis=1)
        return float(along.mean())

    @reading("N")
    def tensions(self) -> Array:
        """Pull of the pin behind every shoe (shoes,), along the track; negative where shoes push each other."""
        pins = [joint for joint in self.handle.joints if joint.startswith(f"{self.name}/pin")]
        places = self.points(self.shoes, np.zeros(3))
        ways = places - np.roll(places, 1, axis=0)
        return np.asarray(-(self.reactions(pins) * ways).sum(axis=1) / np.linalg.norm(ways, axis=1))

    @reading("N")
    def tension(self) -> float:
        """The least of the pulls in its upper half, where nothing but its own weight bends it."""
        upper = self.shoes_above()
        return float(self.tensions[upper].min()) if upper.any() else 0.0

    @reading("m")
    def sag(self) -> float:
        """How far its upper run hangs below where it was built, straight over its sprocket and its idler."""
        upper = self.shoes_above()
        height = self.own_places()[upper, 1]
        return max(self.handle.sizes["top"] - float(height.min()), 0.0) if upper.any() else 0.0

    @reading("")
    def thrown(self) -> bool:
        """Whether it came off: no shoe lies on the sprocket."""
        touching = self.simulation.body(f"{self.name}/sprocket").contacts.body_a
        return not any(body.startswith(f"{self.name}/shoe") for body in touching)

    def own_places(self) -> Array:
        """Where shoes are in the plane of the track (shoes, 2), ahead and up, m."""
        body, point = self.part.frame
        frame = self.numbers([body])[0]
        turn = spatial.matrix(self.simulation.state.orientation[frame])
        places = self.points(self.shoes, np.zeros(3)) - self.points([body], np.array(point))[0]
        return np.asarray((places @ turn)[:, [0, 2]])

    def shoes_above(self) -> Any:
        """Which shoes are between the sprocket and the idler, above both their centres (shoes,)."""
        part, places = self.part, self.own_places()
        low, high = sorted((part.sprocket[0], part.idler[0]))
        above = places[:, 1] > max(part.sprocket[1], part.idler[1])
        return above & (places[:, 0] > low) & (places[:, 0] < high)

    def drive(self, speed: float) -> None:
        """Let its motor run it at this speed, m/s."""
        self.check_there("motor")
        if self.part.motor == 0.0:
            raise InputError(f"track {self.name!r}: it has no motor; give it a torque, motor > 0")
        self.hinge.drive(checks.number(f"track {self.name!r}", "speed", speed) / self.handle.sizes["radius"])


@dataclass(frozen=True, kw_only=True)
class Track(MachinePart):
    """Shoes that are pinned to each other around a sprocket, an idler and rollers on a frame.

    Shoes stay in the plane of the track, as between guides, and turn in it: 5 rows each, none of them redundant.
    Wheels touch them in one point. The sprocket holds by friction that is as good as teeth while shoes lie on it:
    speed of the track = `radius` times speed of the sprocket, where `radius` is the pitch over the angle of a shoe.
    The idler tightens the track on a slide with a spring. The bodies are `name/shoe-1` ..., `name/sprocket`,
    `name/idler` and `name/roller-1` ...; drives act on the hinge `name/hinge`. Control: `name.speed` (m/s), with a
    motor.

    Attributes:
        frame: (body, point in its own frame) that places below are measured from; x is ahead and z up in that frame.
        sprocket: (x, z, radius), m; the radius is where the inner faces of shoes lie.
        idler: likewise, at the other end.
        rollers: a list of the same.
        links: number of shoes; their length follows. `scene.parts[name].sizes` has it as `pitch`. What is to stand on
            the ground has its frame's point at the height `-track.ground`.
        width, thickness: of a shoe, m.
        grouser: height of the bar across its outer face, under the pin behind it, on which it stands, m. With one it
            touches the ground in two points and lies on that of the next shoe; 0 = it has none, and lies flat on four.
        mass: of a shoe, kg.
        wheel_mass: of the sprocket and of the idler, kg.
        roller_mass: of a roller, kg.
        tension: with which the idler tightens the track, N; 0 = the idler stays where it is.
        stroke: of the spring behind the idler, by which it gives way under twice that, m; by default half a shoe.
        friction: of shoes; by default the scene's.
        grip: coefficient of friction between sprocket and shoes.
        motor: largest torque of a motor at the sprocket, N m; 0 = none.
        damping: of shoes against turning, N m s/rad: what their pins resist. Without, an upper run swings for long.
    """

    view = TrackView

    frame: Any
    sprocket: Any
    idler: Any
    rollers: Any = ()
    links: int = 40
    width: float = 0.5
    thickness: float = 0.05
    grouser: float = 0.0
    mass: float
    wheel_mass: float
    roller_mass: float
    tension: float = 0.0
    stroke: float | None = None
    friction: float | None = None
    grip: float = 5.0
    motor: float = 0.0
    damping: float = 0.0

    def check(self) -> None:
        """Every number."""
        self.put(frame=checked_end("Track", "frame", self.frame))
        for name in ("sprocket", "idler"):
            self.put(**{name: checked_disc(name, getattr(self, name))})
        if not isinstance(self.rollers, tuple | list):
            raise InputError(f"Track: rollers is {checks.shown(self.rollers)}; it must be a list of (x, z, radius)")
        self.put(rollers=tuple(checked_disc("rollers", roller) for roller in self.rollers))
        count = checks.place(self.links, range(8, 100_001))
        if count is None:
            raise InputError(f"Track: links is {checks.shown(self.links)}; it must be a whole number from 8 on")
        self.put(links=count, friction=checked_friction("Track", self.friction))
        for name in ("width", "thickness", "mass", "wheel_mass", "roller_mass", "grip"):
            self.put(**{name: checks.number("Track", name, getattr(self, name), above=0.0)})
        for name in ("tension", "motor", "damping", "grouser"):
            self.put(**{name: checks.number("Track", name, getattr(self, name), at_least=0.0)})
        if self.stroke is not None:
            self.put(stroke=checks.number("Track", "stroke", self.stroke, above=0.0))
        if abs(self.idler[0] - self.sprocket[0]) < self.idler[2] + self.sprocket[2]:
            raise InputError(f"Track: idler is {self.idler} and sprocket {self.sprocket}; they must be apart along x")

    @cached_property
    def way(self) -> tuple[Array, float]:
        """Where its pins are, ahead and up (links, 2), and its pitch, m."""
        discs = np.array([self.sprocket, self.idler, *self.rollers])
        return links_around(discs[:, :2], discs[:, 2], self.links, self.thickness)

    @property
    def ground(self) -> float:
        """How high above the frame's point the lowest outer faces are, m (negative): where ground would be."""
        return float(self.way[0][:, 1].min()) - 0.5 * self.thickness - self.grouser

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Shoes, wheels, and the joints `name/hinge`, `name/pin-1` ..., `name/guide-1` ..."""
        owner = f"track {name!r}"
        frame, _, origin = end_of(scene, owner, "frame", self.frame)
        turn = scene.bodies[scene.index_of(owner, frame)].orientation
        pins, pitch = self.way
        radius = pitch / (2.0 * math.atan(0.5 * pitch / (self.sprocket[2] + 0.5 * self.thickness)))
        sizes = {"pitch": pitch, "radius": radius, "top": float(pins[:, 1].max()), "ground": self.ground}
        plane = Plane(scene, name, frame, origin, turn)
        near = around(scene, frame)
        wheels, hinges = self.add_wheels(plane, pitch)
        shoes, joints = self.add_shoes(plane, pins, pitch)
        for group in (plane.shoes, plane.wheels):
            scene.ignore_contacts(group, group)
            for other in near:
                scene.ignore_contacts(other, group)
        if self.motor > 0.0:
            scene.add_control(f"{name}.speed", act=partial(set_speed, name), low=-5.0, high=5.0, unit="m/s")
        return BuiltPart(name, self, (*shoes, *wheels), (*hinges, *joints), sizes)

    def add_wheels(self, plane: Plane, pitch: float) -> tuple[list[str], list[str]]:
        """Sprocket, idler and rollers on their hinges, the sprocket's first."""
        own = plane.scene.friction if self.friction is None else self.friction
        toothed = self.grip**2 / own if own > 0.0 else 0.0
        axis = triple(plane.direction(Y))
        motor = Motor(speed=0.0, max_force=self.motor) if self.motor > 0.0 else None
        sprocket = plane.wheel("sprocket", self.sprocket, self.wheel_mass, toothed)
        hinges = [plane.join(plane.frame, sprocket, Revolute(axis=axis, motor=motor), "hinge")]
        idler, carrier = plane.wheel("idler", self.idler, self.wheel_mass, None), plane.frame
        bodies = [sprocket, idler]
        if self.tension > 0.0:
            carrier = plane.body("tensioner", Box(0.1, 0.1, 0.1), 0.2 * self.wheel_mass, self.idler[:2])
            bodies.append(carrier)
            way = math.copysign(1.0, self.idler[0] - self.sprocket[0])
            stroke = 0.5 * pitch if self.stroke is None else self.stroke
            stiffness = 2.0 * self.tension / stroke
            damping = 2.0 * math.sqrt(stiffness * (self.wheel_mass + 0.5 * self.links * self.mass))
            ahead = triple(plane.direction((way, 0.0, 0.0)))
            slide = Prismatic(
                axis=ahead, stiffness=stiffness, damping=damping, rest=stroke, limits=(-stroke, 4.0 * stroke)
            )
            hinges.append(plane.join(plane.frame, carrier, slide, "slide"))
        hinges.append(plane.join(carrier, idler, Revolute(axis=axis), "idler-hinge"))
        for number, roller in enumerate(self.rollers, 1):
            bodies.append(plane.wheel(f"roller-{number}", roller, self.roller_mass, None))
            hinges.append(plane.join(plane.frame, bodies[-1], Revolute(axis=axis), f"roller-hinge-{number}"))
        return bodies, hinges

    def shoe(self, pitch: float) -> Shape:
        """A plate, and the bar that it stands on."""
        plate = Box(0.98 * pitch, self.width, self.thickness)
        if self.grouser == 0.0:
            return plate
        radius = 0.5 * self.grouser
        place = (-0.5 * pitch, 0.0, 0.5 * self.thickness + radius)  # z looks outwards
        bar = Capsule(radius, self.width - 2.0 * radius)
        return Compound([(plate, (0.0, 0.0, 0.0)), (bar, place, spatial.from_two_vectors(Z, Y))])

    def add_shoes(self, plane: Plane, pins: Array, pitch: float) -> tuple[list[str], list[str]]:
        """Shoes between pins, each kept in the plane, and pinned to the one before."""
        shape, shoes, joints = self.shoe(pitch), [], []
        for number, (tail, head) in enumerate(zip(pins, np.roll(pins, -1, axis=0), strict=True), 1):
            ahead, up = (head - tail).tolist()
            turn = spatial.from_axis_angle(Y, -math.atan2(up, ahead))
            place, options = 0.5 * (tail + head), {"friction": self.friction, "angular_damping": self.damping}
            shoes.append(plane.body(f"shoe-{number}", shape, self.mass, place, turn, **options))
        across = plane.direction(Y)
        for number, shoe in enumerate(shoes, 1):
            joints.append(plane.join(plane.frame, shoe, Planar(normal=triple(across)), f"guide-{number}"))
        for number, (before, shoe, pin) in enumerate(zip(np.roll(shoes, 1).tolist(), shoes, pins, strict=True), 1):
            joints.append(plane.join(before, shoe, PointOnLine(axis=triple(across)), f"pin-{number}", plane.place(pin)))
        return shoes, joints


class Plane:
    """The plane of a track in a scene: what is added to it is placed ahead and up from its origin."""

    def __init__(self, scene: Scene, name: str, frame: str, origin: Array, turn: Array) -> None:
        """Of the track called `name`; `turn` is the orientation of its frame."""
        self.scene, self.name, self.frame, self.origin, self.turn = scene, name, frame, origin, turn
        self.shoes, self.wheels = f"{name}/shoes", f"{name}/wheels"

    def direction(self, own: Any) -> Array:
        """A direction of the frame in the world."""
        return spatial.rotate(self.turn, own)

    def place(self, point: Any) -> Array:
        """A point of the plane in the world, m."""
        return self.origin + self.direction((float(point[0]), 0.0, float(point[1])))

    def body(self, what: str, shape: Any, mass: float, at: Any, turn: Any = None, **options: Any) -> str:
        """A shoe, or what carries the idler and touches nothing."""
        orientation = self.turn if turn is None else spatial.multiply(self.turn, turn)
        return str(self.scene.add_body(
            f"{self.name}/{what}", shape, mass=mass, position=self.place(at), orientation=orientation,
            collides=turn is not None, group=self.shoes, **options,
        ))  # fmt: skip

    def wheel(self, what: str, disc: tuple[float, float, float], mass: float, friction: float | None) -> str:
        """A wheel that touches shoes in one point, with the inertia of a disc."""
        radius = disc[2]
        about = 0.5 * mass * radius**2
        return str(self.scene.add_body(
            f"{self.name}/{what}", Sphere(radius), mass=mass, inertia=(0.6 * about, 0.6 * about, about),
            position=self.place(disc), orientation=spatial.multiply(self.turn, spatial.from_two_vectors(Z, Y)),
            friction=friction, group=self.wheels,
        ))  # fmt: skip

    def join(self, a: str, b: str, joint: Any, what: str, at: Any = None) -> str:
        """Join two bodies, at the second one's origin where no other place is given."""
        return str(self.scene.connect(a, b, joint, at=at, name=f"{self.name}/{what}"))


def checked_disc(field: str, value: Any) -> tuple[float, float, float]:
    """(x, z, radius) of a wheel."""
    x, z, radius = checks.vector("Track", field, value).tolist()
    return x, z, checks.number("Track", f"radius of {field}", radius, above=0.0)
