"""A suspension whose wheel slides up and down along a strut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Joint
from taut.joints.frame import triple
from taut.joints.prismatic import Prismatic
from taut.machines.base import BuiltPart, MachinePart
from taut.machines.springing import Spring, Springing, SpringingView, added_hub, finished, orientation_of
from taut.scene.scene import Scene
from taut.shapes import Cylinder


@dataclass(frozen=True, kw_only=True)
class Strut(Springing, MachinePart):
    """A wheel's hub that slides along `axis` in the chassis: 5 rows, a spring and a stop.

    The body `name/hub` has its origin at the wheel's centre and its y axis along the wheel's: a `Wheel` goes there with
    `carrier="name/hub"`. It stands at the height it is built at, see `taut.machines.springing`.

    Attributes:
        chassis: (body, point of the wheel's centre in its own frame, which has x ahead, y to the left and z up).
        axis: up, in the chassis' own frame.
        mass: of the hub, kg.
        carries: mass of the chassis that rests on it, kg; by default its share of what is joined to the chassis when
            the last suspension is added. Add suspensions after what they carry, and before their wheels.
        frequency, damping_ratio: of that mass on its spring, Hz and a share of critical.
        stiffness, damping: instead, at the wheel, N/m and N s/m.
        travel: (bump, droop) from the height it is built at, m.
        bump_stiffness: of the stops at both ends, N/m at the wheel; infinite = hard.
        camber: by which the wheel's top leans outwards, rad.
        toe: by which the wheel's front points inwards, rad.
        anti_roll: (name of the suspension on the other side, added before; stiffness of the bar between them, N m/rad).
    """

    view = SpringingView
    guiding = 3  # parts that hold it: two slides and an orientation

    axis: Any = (0.0, 0.0, 1.0)

    def check(self) -> None:
        """Every number."""
        self.check_springing()
        self.put(axis=triple(checks.direction("Strut", "axis", self.axis)))
        if self.leverage < 0.1:
            raise InputError(f"Strut: axis is {self.axis}; it must point up in the chassis' frame")

    @property
    def leverage(self) -> float:
        """Rise of the wheel by the slide."""
        return float(self.axis[2])

    def rise(self, position: float) -> float:
        """Of the wheel's centre where the hub has slid so far, m."""
        return position * self.leverage

    def guide(self, scene: Scene, springs: list[Spring], gravity: float) -> Joint:
        """A slide."""
        bump, droop = self.travel
        along = (springs[0].weight - self.mass * gravity) * self.leverage
        drive = self.drive(springs[0], self.leverage, along, (-droop / self.leverage, bump / self.leverage))
        axis = spatial.rotate(orientation_of(scene, self.chassis[0]), self.axis)
        return Prismatic(axis=triple(axis), **vars(drive))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/hub`, joint `name/guide`."""
        size = 0.1 * float(np.cbrt(self.mass / 10.0))
        hub, place = added_hub(scene, name, self, Cylinder(size, size))
        return finished(scene, name, self, hub, place)
