"""A dump truck of 8 t in 22 bodies: chassis, cab, dump body with hoist cylinders, three sprung axles, six wheels."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.joints.cylindrical import Cylindrical
from taut.joints.distance import Distance
from taut.joints.drive import Drive, Motor
from taut.joints.fixed import Fixed
from taut.joints.point_on_line import PointOnLine
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.machines import visuals
from taut.scene.looks import Piece
from taut.scene.scene import Scene
from taut.shapes import Box, Capsule, Compound, Cylinder, Sphere
from taut.shapes.base import Shape
from taut.spatial import Array, from_two_vectors, multiply, rotate

AXLES = (2.2, -1.0, -2.3)
"""Where the axles are along the truck, m from the middle of its chassis."""
TRACK, LOW, ARM = 2.6, -0.65, 0.6
"""From wheel to wheel, axles below the middle of the chassis, and length of the links that hold them, m."""
CAB, AXLE, RAIL = Box(1.6, 2.2, 1.5), Capsule(0.12, 2.2), Capsule(0.2, 5.6)
WHEEL, LINK, PART = Sphere(0.5), Box(ARM, 0.12, 0.12), Cylinder(0.08, 0.7)
SPRING, DAMPER, TRAVEL = 1e5, 8e3, 0.25
"""Of a wheel, N/m and N s/m, and how far an axle goes up or down before its links are at their ends, m."""
HOIST = 2e7
"""Stiffness of a hoist cylinder along itself, N/m: the oil in it."""
PUSH, STROKE = 2e5, 0.5
"""Largest force of a hoist cylinder, N, several times what the dump body takes in a fall, and its stroke, m."""
BRAKE = 2e3
"""Largest torque of a wheel's brake, N m."""
YELLOW, GLASS = (0.93, 0.68, 0.12), (0.2, 0.3, 0.38)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Truck:
    """Builds a truck whose chassis has its middle at a point, turned by a quaternion; names begin with `truck/`."""

    def __init__(self, scene: Scene, origin: Array, turn: Array) -> None:
        """Build it at once; all of it is in the group "truck" and does not touch itself."""
        self.scene, self.origin, self.turn = scene, origin, turn
        self.body("chassis", chassis(), 3800.0, (0.0, 0.0, 0.0))
        self.body("cab", CAB, 700.0, (2.2, 0.0, 1.15), colour=YELLOW, visual=cab())
        self.join("chassis", "cab", Fixed(), (2.2, 0.0, 0.4))
        self.add_dump_body()
        for number, x in enumerate(AXLES, start=1):
            self.add_axle(number, x)
        scene.ignore_contacts("truck", "truck")

    def at(self, point: tuple[float, float, float]) -> Array:
        """World point of a point of the truck, m."""
        return self.origin + rotate(self.turn, np.array(point))

    def way(self, direction: tuple[float, float, float]) -> tuple[float, float, float]:
        """World vector of a direction in the truck."""
        x, y, z = rotate(self.turn, np.array(direction)).tolist()
        return x, y, z

    def body(
        self, name: str, shape: Shape, mass: float, place: tuple[float, float, float], axis: Array | None = None,
        colour: visuals.Colour = visuals.DARK, visual: Any = None,
    ) -> None:  # fmt: skip
        """Add a part of the truck; its own z axis along `axis` of the truck, if one is given."""
        own = self.turn if axis is None else multiply(self.turn, from_two_vectors(Z, axis))
        self.scene.add_body(
            f"truck/{name}", shape, mass=mass, position=self.at(place), orientation=own, group="truck",
            angular_damping=0.1, colour=colour, visual=visual,
        )  # fmt: skip

    def join(self, a: str, b: str, joint: object, place: tuple[float, float, float], name: str | None = None) -> None:
        """Join two parts at a point of the truck."""
        name = f"{a}-{b}" if name is None else name
        self.scene.connect(f"truck/{a}", f"truck/{b}", joint, at=self.at(place), name=f"truck/{name}")  # type: ignore[arg-type]

    def add_dump_body(self) -> None:
        """A body of five plates on a hinge at the rear, held by two cylinders."""
        plates = [
            (Box(4.2, 2.2, 0.1), (0.0, 0.0, 0.0)), (Box(4.2, 0.1, 0.9), (0.0, 1.05, 0.5)),
            (Box(4.2, 0.1, 0.9), (0.0, -1.05, 0.5)), (Box(0.1, 2.0, 0.9), (2.05, 0.0, 0.5)),
            (Box(0.1, 2.0, 0.9), (-2.05, 0.0, 0.5)),
        ]  # fmt: skip
        self.body("dump", Compound(plates), 1800.0, (-0.9, 0.0, 0.5), colour=YELLOW)
        self.join("chassis", "dump", Revolute(axis=self.way(Y)), (-2.9, 0.0, 0.45))
        for side, y in (("left", 0.6), ("right", -0.6)):
            low, high = np.array((-1.2, y, -0.2)), np.array((0.6, y, 0.45))
            along = (high - low) / np.linalg.norm(high - low)
            barrel, rod, middle = low + 0.25 * (high - low), low + 0.75 * (high - low), 0.5 * (low + high)
            self.body(f"{side}-barrel", PART, 50.0, tuple(barrel), along)
            self.body(f"{side}-rod", PART, 50.0, tuple(rod), along)
            motor = Motor(position=0.0, stiffness=HOIST, damping=0.02 * HOIST, max_force=PUSH)
            slide = Cylindrical(axis=self.way(tuple(along)), slide=Drive(motor=motor))
            self.join("chassis", f"{side}-barrel", Spherical(), tuple(low))
            self.join(f"{side}-barrel", f"{side}-rod", slide, tuple(middle), f"{side}-hoist")
            self.join(f"{side}-rod", "dump", Spherical(), tuple(high))
            self.scene.add_control(f"truck.{side}-hoist", joint=f"truck/{side}-hoist", low=0.0, high=STROKE)

    def add_axle(self, number: int, x: float) -> None:
        """An axle on two links that lead forward to the chassis, and a rod above it, with springs and wheels.

        One link holds it by a ball, the other one by a ball that slides along it, so that it can tilt.
        """
        name, half = f"axle-{number}", 0.5 * TRACK
        self.body(name, AXLE, 220.0, (x, 0.0, LOW), np.array(Y))
        swing = np.arcsin(TRAVEL / ARM)
        for side, y in (("left", 0.8), ("right", -0.8)):
            link = f"{side}-link-{number}"
            self.body(link, LINK, 20.0, (x + 0.5 * ARM, y, LOW))
            hinge = Revolute(axis=self.way(Y), limits=(-swing, swing), limit_stiffness=2e6, limit_damping=2e4)
            self.join("chassis", link, hinge, (x + ARM, y, LOW))
            hold = Spherical() if side == "left" else PointOnLine(axis=self.way(Y))
            self.join(link, name, hold, (x, y, LOW))
            self.scene.add_spring(
                "truck/chassis", f"truck/{name}", (x, y, 0.3), (0.0, 0.0, y), SPRING, DAMPER,
                name=f"truck/{side}-spring-{number}",
            )  # fmt: skip
            wheel, out = f"{side}-wheel-{number}", np.sign(y) * half
            self.body(wheel, WHEEL, 120.0, (x, out, LOW), np.array(Y), visual=visuals.wheel(WHEEL.radius, 0.4))
            self.join(name, wheel, Revolute(axis=self.way(Y), friction=BRAKE), (x, out, LOW))
        rod = Distance(point_a=(x + ARM, 0.0, LOW + 0.3), point_b=(0.0, -0.3, 0.0))
        self.join("chassis", name, rod, (x, 0.0, LOW), f"rod-{number}")


def chassis() -> Compound:
    """Two round rails with three round beams across, and a plate on top of them."""
    along, across = from_two_vectors(Z, (1.0, 0.0, 0.0)), from_two_vectors(Z, Y)
    rails = [(RAIL, (0.0, y, -0.2), along) for y in (-0.5, 0.5)]
    beams = [(Capsule(0.15, 2.0), (x, 0.0, -0.15), across) for x in (-2.9, 0.6, 2.9)]
    return Compound([*rails, *beams, (Box(6.0, 2.2, 0.3), (0.0, 0.0, 0.25))])


def cab() -> list[Piece]:
    """A cab with windows in front and at its sides."""
    front = Piece(Box(0.02, 1.9, 0.6), (0.5 * CAB.x, 0.0, 0.3), colour=GLASS)
    sides = Piece(Box(0.9, CAB.y + 0.02, 0.55), (0.1, 0.0, 0.3), colour=GLASS)
    return [Piece(CAB), front, sides]
