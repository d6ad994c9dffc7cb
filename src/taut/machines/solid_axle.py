"""A suspension of two wheels on one rigid axle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.axle import Axle
from taut.joints.base import Drive, Joint
from taut.joints.frame import triple
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.segments import Z
from taut.machines.springing import Spring, Springing, SpringingView, added_hub, finished, orientation_of
from taut.scene.scene import Scene
from taut.shapes import Capsule, Compound
from taut.spatial import Array


class SolidAxleView(SpringingView):
    """A rigid axle of a running simulation; readings of wheels are (2,), left and right."""

    @reading("N")
    def force(self) -> Array:
        """Of spring, damper and stops of each side, up on the chassis, as if it acted at the wheel's centre."""
        rows = self.rows
        each = len(rows) // 2 if self.part.anti_roll == 0.0 else (len(rows) - 1) // 2
        force = self.simulation.state.force
        sides = [force[rows[:each]].sum(), force[rows[each : 2 * each]].sum()]
        return -np.array(sides) / self.part.leverage

    @reading("rad")
    def roll(self) -> float:
        """Of the axle against the chassis, positive where the left wheel is up."""
        return float(self.simulation.joint(self.handle.joints[0]).position[1])


@dataclass(frozen=True, kw_only=True)
class SolidAxle(Springing, MachinePart):
    """An axle that rises and rolls below the chassis: 4 rows, and a spring and a stop on each side.

    The body `name/hub` is the axle; its origin is in the middle and its y axis along it. Wheels go to its ends, which
    are `("name/hub", (0, track / 2, 0))` and `("name/hub", (0, -track / 2, 0))`.

    Attributes:
        chassis: (body, point of the middle between the wheels' centres in its own frame, which has x ahead, y to the
            left and z up).
        track: distance of the wheels' centres, m.
        spring_track: distance of the springs, m; by default that of the wheels.
        anti_roll: stiffness of an anti-roll bar, N m/rad of roll.
        mass: of the axle, kg.
        carries: kg; a number for each wheel, or (left, right).
        frequency, damping_ratio, stiffness, damping, travel, bump_stiffness: as of `Strut`, of each side, both sides
            going up and down together.
        camber, toe: of both wheels, rad; 0, as the axle is straight.
    """

    view = SolidAxleView
    guiding = 4  # parts that hold it: two slides and two directions
    leverage = 1.0

    track: float
    spring_track: float | None = None
    anti_roll: float = 0.0

    def check(self) -> None:
        """Every number."""
        self.put(track=checks.number("SolidAxle", "track", self.track, above=0.0))
        self.check_springing()
        if self.camber != 0.0 or self.toe != 0.0:
            raise InputError(f"SolidAxle: camber is {self.camber:g} and toe {self.toe:g}; both must be 0")
        springs = self.track if self.spring_track is None else self.spring_track
        self.put(spring_track=checks.number("SolidAxle", "spring_track", springs, above=0.0))

    def check_anti_roll(self, owner: str, put: Any) -> None:
        """A stiffness: it has both sides."""
        put(anti_roll=checks.number(owner, "anti_roll", self.anti_roll, at_least=0.0))

    def check_carries(self, owner: str, put: Any) -> None:
        """One mass, or two."""
        each = self.carries if isinstance(self.carries, tuple | list) else (self.carries, self.carries)
        if len(each) != 2:
            each = (float("nan"), 0.0)
        put(carries=tuple(checks.number(owner, "carries", mass, above=0.0) for mass in each))

    @property
    def seats(self) -> Array:
        """Where wheels are (2, 3), left first, in the chassis' own frame, m."""
        return np.array(self.chassis[1]) + np.outer([0.5, -0.5], (0.0, self.track, 0.0))

    def rise(self, position: Array) -> Array:
        """Of the wheels' centres (2,) where the axle has risen and rolled so far, m."""
        return position[0] + 0.5 * self.track * np.sin(position[1]) * np.array([1.0, -1.0])

    def guide(self, scene: Scene, springs: list[Spring], gravity: float) -> Joint:
        """What it rises and rolls on; the springs' forces are those whose sum and moment are those of the wheels."""
        bump, droop = self.travel
        assert self.spring_track is not None
        turn, wide = orientation_of(scene, self.chassis[0]), self.track / self.spring_track
        held = np.array([spring.weight - 0.5 * self.mass * gravity for spring in springs])
        weights = held.mean() + 0.5 * wide * np.array([1.0, -1.0]) * (held[0] - held[1])
        left, right = (self.drive(*each, (-droop, bump)) for each in zip(springs, (1.0, 1.0), weights, strict=True))
        ahead = spatial.rotate(turn, (1.0, 0.0, 0.0))
        up, roll = spatial.rotate(turn, Z), Drive(stiffness=self.anti_roll)
        return Axle(triple(ahead), triple(up), 0.5 * self.spring_track, left, right, roll)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/hub`, joint `name/guide`."""
        tube = Capsule(0.04 * self.track, self.track)
        shape = Compound([(tube, (0.0, 0.0, 0.0), spatial.from_two_vectors(Z, (0.0, 1.0, 0.0)))])
        hub, place = added_hub(scene, name, self, shape)
        return finished(scene, name, self, hub, place)
