"""A suspension of two wishbones and a tie rod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Joint
from taut.joints.five_link import FiveLink
from taut.joints.frame import triple
from taut.machines.base import BuiltPart, MachinePart
from taut.machines.segments import Z
from taut.machines.springing import (
    Spring,
    Springing,
    SpringingView,
    added_hub,
    finished,
    orientation_of,
    side_of,
)  # fmt: skip
from taut.scene.scene import Scene
from taut.shapes import Cylinder


@dataclass(frozen=True, kw_only=True)
class DoubleWishbone(Springing, MachinePart):
    """A hub between two wishbones, held against turning by a tie rod: 5 rows, a spring and a stop.

    Wishbones are two rods without mass each: they are no bodies. All points are in the chassis' own frame, as built.
    The body `name/hub` has its origin at the wheel's centre and its y axis along the wheel's. Where the tie rod does
    not lie in line with the wishbones, the wheel is steered as it rises, as with the real one.

    Attributes:
        chassis: (body, point of the wheel's centre in its own frame, which has x ahead, y to the left and z up).
        upper: (point on the chassis, another one, ball joint on the hub) of the upper wishbone, m.
        lower: likewise of the lower one.
        tie: (point on the chassis, point on the hub) of the tie rod, m.
        mass: of the hub, kg.
        carries, frequency, damping_ratio, stiffness, damping, travel, bump_stiffness, camber, toe, anti_roll: as of
            `Strut`; spring and stops act upwards at the wheel.
    """

    view = SpringingView
    guiding = 5  # parts that hold it: rods
    leverage = 1.0

    upper: Any
    lower: Any
    tie: Any

    def check(self) -> None:
        """Every number."""
        self.check_springing()
        for name, count in (("upper", 3), ("lower", 3), ("tie", 2)):
            points = getattr(self, name)
            if not isinstance(points, tuple | list) or len(points) != count:
                raise InputError(f"DoubleWishbone: {name} is {checks.shown(points)}; it must be {count} points")
            self.put(**{name: tuple(triple(checks.vector("DoubleWishbone", name, point)) for point in points)})

    def rise(self, position: float) -> float:
        """Of the wheel's centre, m."""
        return position

    def guide(self, scene: Scene, springs: list[Spring], gravity: float) -> Joint:
        """Five rods, and a spring along the chassis' z axis."""
        bump, droop = self.travel
        own = spatial.conjugate(self.lean(side_of(scene, self.chassis[0], self.chassis[1])))
        arms = [(self.upper[0], self.upper[2]), (self.upper[1], self.upper[2])]
        arms += [(self.lower[0], self.lower[2]), (self.lower[1], self.lower[2]), self.tie]
        rods = tuple(
            (start, triple(spatial.rotate(own, np.array(end) - np.array(self.chassis[1])))) for start, end in arms
        )
        drive = self.drive(springs[0], 1.0, springs[0].weight - self.mass * gravity, (-droop, bump))
        up = triple(spatial.rotate(orientation_of(scene, self.chassis[0]), Z))
        return FiveLink(rods=rods, axis=up, **vars(drive))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/hub`, joint `name/guide`."""
        size = 0.1 * float(np.cbrt(self.mass / 10.0))
        hub, place = added_hub(scene, name, self, Cylinder(size, size))
        return finished(scene, name, self, hub, place)
