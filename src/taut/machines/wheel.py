"""A wheel on a hinge, with a brake, a motor, rolling resistance and a tyre."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Motor
from taut.joints.frame import triple
from taut.joints.lever import Lever
from taut.joints.revolute import Revolute
from taut.machines import visuals
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading
from taut.machines.segments import Z
from taut.scene.scene import Scene
from taut.scene.surfaces import checked_friction
from taut.shapes import Compound, Cylinder, Sphere
from taut.shapes.base import Shape
from taut.spatial import Array

SHAPES = ("cylinder", "two spheres", "sphere")
"""What wheels collide as."""


class Shaft(NamedTuple):
    """What turns a wheel or a sprocket: the hinge's name, the body that carries it, its body, the axis (world, as
    built)."""

    hinge: str
    carrier: str
    wheel: str
    axis: tuple[float, float, float]


class WheelView(PartView):
    """A wheel of a running simulation."""

    vital = slice(1)  # its hinge, without which it is a body like any other

    @property
    def hinge(self) -> Any:
        """Its hinge, as `sim.joint` gives it."""
        return self.simulation.joint(self.handle.joints[0])

    @property
    def axis(self) -> Array:
        """Its axis (3,) in the world."""
        turn = self.simulation.state.orientation[self.numbers(self.bodies)[0]]
        return spatial.rotate(turn, Z)

    def heading(self, up: Array) -> Array:
        """Unit vector (3,) along which it rolls on ground with this normal."""
        ahead = spatial.cross(self.axis, up)
        return ahead / max(float(np.linalg.norm(ahead)), 1e-12)

    @reading("rad/s")
    def spin(self) -> float:
        """How fast it turns on its carrier, positive where it rolls forward."""
        return float(self.hinge.velocity)

    @reading("m/s")
    def speed(self) -> float:
        """Speed of its centre along its heading."""
        velocity = self.simulation.state.velocity[self.numbers(self.bodies)[0], :3]
        return float(velocity @ self.heading(up_of(self.simulation.scene)))

    @reading("")
    def contact(self) -> bool:
        """Whether it touches something that pushes it."""
        return len(self.simulation.body(self.bodies[0]).contacts) > 0

    @reading("N")
    def load(self) -> float:
        """Sum of the normal forces on it."""
        return float(self.simulation.body(self.bodies[0]).contacts.normal_force.sum())

    @reading("m/s")
    def slip(self) -> float:
        """How fast its rim slides back over the ground, mean by load; negative where it is braked, 0 in the air."""
        return self.sliding()[0]

    @reading("m/s")
    def side_slip(self) -> float:
        """How fast it slides along its axis, likewise."""
        return self.sliding()[1]

    def sliding(self) -> tuple[float, float]:
        """Slip along and across, m/s."""
        touching = self.simulation.body(self.bodies[0]).contacts
        weight = np.maximum(touching.normal_force, 0.0)
        if weight.sum() == 0.0:
            return 0.0, 0.0
        slip = weight @ touching.slip / weight.sum()
        ahead = self.heading(weight @ touching.normal / weight.sum())
        return -float(slip @ ahead), float(slip @ self.axis)

    @reading("N m")
    def brake_torque(self) -> float:
        """Largest torque of its brake as it is now."""
        return float(self.simulation.joint(f"{self.name}/brake").force_limit()) if self.part.brake > 0.0 else 0.0

    def brake(self, share: float) -> None:
        """Pull the brake with a share from 0 to 1 of its largest torque."""
        share = checks.number(f"wheel {self.name!r}", "brake", share, at_least=0.0)
        self.check_there("brake")
        if self.part.brake == 0.0 or share > 1.0:
            most = f"it must be from 0 to 1, of a torque > 0, and that is {self.part.brake:g} N m"
            raise InputError(f"wheel {self.name!r}: brake is {share:g}; {most}")
        self.simulation.joint(f"{self.name}/brake").set_force_limit(share * self.part.brake)

    def drive(self, speed: float) -> None:
        """Let its motor turn it so that the rim has this speed, m/s."""
        self.check_there("motor")
        if self.part.motor == 0.0:
            raise InputError(f"wheel {self.name!r}: it has no motor; give it a torque, motor > 0")
        self.hinge.drive(checks.number(f"wheel {self.name!r}", "speed", speed) / self.part.radius)


@dataclass(frozen=True, kw_only=True)
class Wheel(MachinePart):
    """A wheel on a body, which it turns on by a hinge. A positive turn about its axis rolls it forward: with an axis to
    the left, along +y, it rolls along +x.

    Bodies of the carrier, and what they are joined to when the wheel is added, do not touch it. Controls: `name.brake`
    (0 to 1 of its torque) where it has a brake, `name.speed` (m/s of the rim) where it has a motor. Other drives act on
    the hinge `name/hinge`; `taut.machines.wheel.shaft_of(scene, name)` says between what.

    Attributes:
        carrier: a body, or (body, point of the wheel's centre in its own frame), such as the hub of a suspension.
        axis: in the carrier's own frame.
        radius, width: m.
        mass: kg.
        inertia: about its axis, kg m^2; by default that of a solid cylinder.
        shape: "cylinder"; "two spheres", half the width apart, which roll over steps without hitting them with an
            edge; or "sphere", which touches in one point.
        friction: coefficient; by default the scene's. That of a contact is the geometric mean of both.
        rolling_resistance: c_rr: the torque against rolling is c_rr times radius times load. Not 0, it takes three rows
            more a contact point.
        tyre_stiffness: N/m: its load on even ground by how far it is pressed in; infinite = rigid.
        tyre_damping: N s/m, likewise.
        brake: largest torque of its brake, N m; 0 = none.
        motor: largest torque of a motor in its hinge, N m; 0 = none.
    """

    view = WheelView

    carrier: Any
    axis: Any = (0.0, 1.0, 0.0)
    radius: float
    width: float
    mass: float
    inertia: float | None = None
    shape: str = "cylinder"
    friction: float | None = None
    rolling_resistance: float = 0.0
    tyre_stiffness: float = math.inf
    tyre_damping: float = 0.0
    brake: float = 0.0
    motor: float = 0.0

    def check(self) -> None:
        """Every number."""
        self.put(carrier=checked_end("Wheel", "carrier", self.carrier))
        self.put(axis=triple(checks.direction("Wheel", "axis", self.axis)))
        for name in ("radius", "width", "mass"):
            self.put(**{name: checks.number("Wheel", name, getattr(self, name), above=0.0)})
        inertia = 0.5 * self.mass * self.radius**2 if self.inertia is None else self.inertia
        self.put(inertia=checks.number("Wheel", "inertia", inertia, above=0.0))
        if self.shape not in SHAPES:
            raise InputError(f"Wheel: shape is {checks.shown(self.shape)}; it must be one of {', '.join(SHAPES)}")
        for name in ("rolling_resistance", "tyre_damping", "brake", "motor"):
            self.put(**{name: checks.number("Wheel", name, getattr(self, name), at_least=0.0)})
        self.put(
            friction=checked_friction("Wheel", self.friction),
            tyre_stiffness=checks.strength("Wheel", "tyre_stiffness", self.tyre_stiffness),
        )
        if self.tyre_damping > 0.0 and self.tyre_stiffness == math.inf:
            raise InputError(f"Wheel: tyre_damping is {self.tyre_damping:g} without tyre_stiffness; it needs one")

    def solid(self) -> Shape:
        """What it collides as, its axis along z."""
        if self.shape == "cylinder":
            return Cylinder(self.radius, self.width)
        ball = Sphere(self.radius)
        if self.shape == "sphere":
            return ball
        return Compound([(ball, (0.0, 0.0, side * 0.25 * self.width)) for side in (-1.0, 1.0)])

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/wheel`, joints `name/hinge` and `name/brake`."""
        owner = f"wheel {name!r}"
        carrier, _, place = end_of(scene, owner, "carrier", self.carrier)
        turn = scene.bodies[scene.index_of(owner, carrier)].orientation
        axis = triple(spatial.rotate(turn, self.axis))
        balls = 2.0 if self.shape == SHAPES[1] else 1.0
        assert self.inertia is not None
        across = 0.5 * self.inertia + self.mass * self.width**2 / 12.0
        wheel = scene.add_body(
            f"{name}/wheel", self.solid(), mass=self.mass, inertia=(across, across, self.inertia), com=(0.0, 0.0, 0.0),
            position=place, orientation=spatial.multiply(turn, spatial.from_two_vectors(Z, self.axis)),
            friction=self.friction, rolling_friction=self.rolling_resistance * self.radius, group=name,
            contact_stiffness=self.tyre_stiffness / balls, contact_damping=self.tyre_damping / balls,
            visual=visuals.wheel(self.radius, self.width),
        )  # fmt: skip
        for other in around(scene, carrier):
            scene.ignore_contacts(other, name)
        motor = Motor(speed=0.0, max_force=self.motor) if self.motor > 0.0 else None
        joints = [scene.connect(carrier, wheel, Revolute(axis=axis, motor=motor), at=place, name=f"{name}/hinge")]
        if self.motor > 0.0:
            scene.add_control(f"{name}.speed", act=partial(set_speed, name), low=-30.0, high=30.0, unit="m/s")
        if self.brake > 0.0:
            # a motor that is told to stand still, with the torque of the brake
            joints.append(scene.connect(carrier, wheel, Lever(axis=axis), at=place, name=f"{name}/brake"))
            scene.add_control(f"{name}.brake", act=partial(set_brake, name))
        return BuiltPart(name, self, (str(wheel),), tuple(map(str, joints)))


def around(scene: Scene, carrier: str) -> list[str]:
    """The carrier of a wheel, what is joined to it, and what is joined to that: bodies that collide, not the world."""
    start, near = scene.index_of("wheel", carrier), set()
    near.add(start)
    for _ in range(2):
        near |= {end for link in scene.links for end in (link.a, link.b) if {link.a, link.b} & (near - {0})}
    return [scene.bodies[body].name for body in sorted(near) if scene.bodies[body].collides and body > 0]


def shaft_of(scene: Scene, name: str) -> Shaft:
    """Between what a wheel or the sprocket of a track turns, for what drives or brakes it."""
    link = next((link for link in scene.links if name in scene.parts and link.name == f"{name}/hinge"), None)
    if link is None or not isinstance(link.kind, Revolute):
        raise InputError(f"scene: no wheel or track {name!r}")
    return Shaft(link.name, scene.bodies[link.a].name, scene.bodies[link.b].name, link.kind.axis)


def up_of(scene: Scene) -> Array:
    """Against gravity, or z without it."""
    up = -np.asarray(scene.gravity, float)
    return up / np.linalg.norm(up) if up.any() else np.array(Z)


def set_speed(name: str, simulation: Any, value: float) -> None:
    """What the control of the motor does."""
    simulation.part(name).drive(value)


def set_brake(name: str, simulation: Any, value: float) -> None:
    """What the control of the brake does."""
    simulation.part(name).brake(value)
