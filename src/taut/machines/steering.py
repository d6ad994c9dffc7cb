"""Steering of wheels: knuckles on the hubs, turned so that all wheels roll about one point, or in parallel.

With x_i, y_i the places of the hubs ahead and to the left of the middle of the axle that is not steered, and the turn
centre at (0, R), every wheel turns by

    tan(angle_i) = x_i / (R - y_i)          R = wheelbase / tan(angle)

which for two wheels of an axle is cot(outer) - cot(inner) = track / wheelbase [Ackermann]; the wheelbase is the
largest |x_i|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

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
from taut.machines.servo import add_angle, approach, checked_angle, checked_servo
from taut.scene.scene import Scene
from taut.shapes import Cylinder
from taut.spatial import Array

KINDS = ("ackermann", "parallel")
"""How the angles of knuckles belong together."""

STOP = 0.05
"""By how much more than the steering asks for a knuckle can be turned, rad: a blow on its wheel does not turn it right
round."""


class SteeringView(PartView):
    """A steering of a running simulation."""

    vital = slice(None)

    @property
    def kingpins(self) -> list[Any]:
        """Hinges of its knuckles."""
        return [self.simulation.joint(joint) for joint in self.handle.joints[:-1]]

    @property
    def places(self) -> Array:
        """Of the hubs (k, 2), ahead and to the left of the axle that is not steered, m."""
        sizes = self.handle.sizes
        count = range(len(self.handle.joints) - 1)
        return np.array([[sizes[f"ahead-{number}"], sizes[f"left-{number}"]] for number in count])

    @reading("rad")
    def angles(self) -> Array:
        """How far each knuckle is turned on its hub (k,), about the hub's z axis."""
        return np.array([float(kingpin.position) for kingpin in self.kingpins])

    @reading("rad")
    def angle(self) -> float:
        """Angle of a wheel in the middle of the vehicle, at the wheelbase: positive turns it to the left."""
        return self.part.angle_of(self.angles, self.places)

    @reading("rad")
    def wanted(self) -> float:
        """The angle that it goes to."""
        return float(self.simulation.joint(self.handle.joints[-1]).target())

    @reading("m")
    def wheelbase(self) -> float:
        """From the axle that is not steered to the knuckles farthest from it."""
        return float(np.abs(self.places[:, 0]).max())

    @reading("1/m")
    def curvature(self) -> float:
        """1 / R: of the way of the middle of the axle that is not steered, positive to the left."""
        return math.tan(self.angle) / self.wheelbase

    @reading("N m")
    def torques(self) -> Array:
        """Of the servos on their knuckles (k,)."""
        force = self.simulation.state.force
        return np.array([float(force[kingpin.motor_row(None)]) for kingpin in self.kingpins])

    @reading("")
    def at_limit(self) -> bool:
        """Whether a servo gives all it has."""
        return bool((np.abs(self.torques) >= (1.0 - 1e-9) * self.part.max_torque).any())

    def steer(self, angle: float) -> None:
        """Go to this angle, rad, positive to the left, as fast as `rate` allows."""
        self.check_there("angle")
        angle = checked_angle(f"steering {self.name!r}", angle, self.part.max_angle)
        self.simulation.joint(self.handle.joints[-1]).drive(angle)


@dataclass(frozen=True, kw_only=True)
class Steering(MachinePart):
    """A knuckle with a kingpin on each hub, turned by a servo each. Wheels go onto the bodies `name/knuckle-1` ...

    Positive angles turn the vehicle to the left, whichever end is steered. What is stronger than a servo turns its
    knuckle against it, up to a stop a little beyond `max_angle`. Control: `name.angle` (rad).

    Attributes:
        chassis: (body, point in its own frame): the middle of the axle that is not steered, about whose line the
            vehicle turns. The frame has x ahead, y to the left and z up.
        hubs: bodies, or (body, point in its own frame), such as the hubs of suspensions: where wheels are steered.
        kind: "ackermann", in which all wheels roll about one point, or "parallel", in which all turn alike.
        mass: of a knuckle, kg.
        max_angle: largest angle, rad.
        rate: of the angle, rad/s.
        max_torque: of a servo, N m.
        schedule: its angle as a function of time (s), such as `taut.Ramps`, which it follows by itself.
    """

    view = SteeringView

    chassis: Any
    hubs: Any
    kind: str = "ackermann"
    mass: float = 10.0
    max_angle: float = 0.6
    rate: float = 0.5
    max_torque: float
    schedule: Any = None

    def check(self) -> None:
        """Every number."""
        self.put(chassis=checked_end("Steering", "chassis", self.chassis))
        if not isinstance(self.hubs, tuple | list) or not self.hubs:
            raise InputError(
                f"Steering: hubs is {checks.shown(self.hubs)}; it must be a list of bodies or (body, point)"
            )
        self.put(hubs=tuple(checked_end("Steering", "hubs", hub) for hub in self.hubs))
        if self.kind not in KINDS:
            raise InputError(f"Steering: kind is {checks.shown(self.kind)}; it must be one of {', '.join(KINDS)}")
        self.put(mass=checks.number("Steering", "mass", self.mass, above=0.0))
        self.put(**checked_servo(self))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Bodies `name/knuckle-1` ..., joints `name/kingpin-1` ... and `name/lever`."""
        owner = f"steering {name!r}"
        chassis, _, origin = end_of(scene, owner, "chassis", self.chassis)
        own = spatial.conjugate(scene.bodies[scene.index_of(owner, chassis)].orientation)
        places = np.array([spatial.rotate(own, end_of(scene, owner, "hubs", hub)[2] - origin) for hub in self.hubs])
        for (hub, _), ahead in zip(self.hubs, places[:, 0], strict=True):
            if abs(ahead) < 1e-6:
                raise InputError(
                    f"{owner}: hub {hub!r} is beside the axle that is not steered; it must be before or behind it"
                )
        ends = [self.angles_at(side * self.max_angle, places[:, :2]) for side in (-1.0, 1.0)]
        low, high = np.sort(ends, axis=0) + np.array([[-STOP], [STOP]])
        knuckles: list[str] = []
        joints: list[str] = []
        size = 0.08 * float(np.cbrt(self.mass / 10.0))
        for number, end in enumerate(self.hubs):
            hub, _, place = end_of(scene, owner, "hubs", end)
            turn = scene.bodies[scene.index_of(owner, hub)].orientation
            knuckles.append(scene.add_body(
                f"{name}/knuckle-{number + 1}", Cylinder(size, 2.0 * size), mass=self.mass, position=place,
                orientation=turn, collides=False, colour=visuals.DARK,
            ))  # fmt: skip
            hinge = Revolute(
                axis=triple(spatial.rotate(turn, Z)), limits=(float(low[number]), float(high[number])),
                motor=Motor(position=0.0, max_force=self.max_torque),
            )  # fmt: skip
            joints.append(scene.connect(hub, knuckles[-1], hinge, at=place, name=f"{name}/kingpin-{number + 1}"))
        sizes = {f"ahead-{number}": float(place[0]) for number, place in enumerate(places)}
        sizes |= {f"left-{number}": float(place[1]) for number, place in enumerate(places)}
        scene.connect(self.hubs[0][0], knuckles[0], Lever(axis=hinge.axis), name=f"{name}/lever")
        add_angle(scene, name, self, partial(set_angle, name))
        return BuiltPart(name, self, tuple(map(str, knuckles)), (*map(str, joints), f"{name}/lever"), sizes)

    def angles_at(self, angle: float, places: Array) -> Array:
        """Angles (k,) of knuckles at places (k, 2) for an angle of the whole, rad."""
        ahead, left = places.T
        farthest = ahead[np.abs(ahead).argmax()]
        if self.kind == "parallel":
            return np.full(len(ahead), math.copysign(angle, angle * farthest))
        curvature = math.tan(angle) / abs(farthest)
        turned: Array = np.sign(ahead) * np.arctan2(np.abs(ahead) * curvature, 1.0 - left * curvature)
        return turned

    def angle_of(self, angles: Array, places: Array) -> float:
        """The angle of the whole, mean over knuckles (k,), rad."""
        ahead, left = places.T
        farthest = ahead[np.abs(ahead).argmax()]
        if self.kind == "parallel":
            return float(np.sign(farthest) * angles.mean())
        slope = np.tan(angles)
        return math.atan(abs(farthest) * float((slope / (ahead + left * slope)).mean()))

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: SteeringView) -> None:
        """Turn all knuckles to where the angle is to be after the next frame."""
        kingpins, places = view.kingpins, view.places
        now = self.angle_of(np.array([kingpin.target() for kingpin in kingpins]), places)
        angle = approach(now, view.wanted, self.rate * view.simulation.settings.step)
        if angle != now:
            for kingpin, turned in zip(kingpins, self.angles_at(angle, places).tolist(), strict=True):
                kingpin.drive(turned)


def set_angle(name: str, simulation: Any, value: float) -> None:
    """What the control of the angle does."""
    simulation.part(name).steer(value)
