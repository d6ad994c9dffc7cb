"""Suspensions whose wheel is at the end of an arm on a hinge: trailing arms and swing axles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Joint
from taut.joints.frame import triple
from taut.joints.revolute import Revolute
from taut.machines.base import BuiltPart, MachinePart, end_of
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
from taut.shapes import Capsule, Compound
from taut.spatial import Array


@dataclass(frozen=True, kw_only=True)
class TrailingArm(Springing, MachinePart):
    """An arm on a hinge across the chassis, with the wheel at its end: 5 rows, a spring and a stop.

    The body `name/hub` is the arm; its origin is the wheel's centre and its y axis the wheel's. With an axis along the
    chassis it is a swing axle (see `SwingAxle`), in between a semi-trailing arm. Spring, damper and stops turn about
    the hinge; they are given at the wheel, where the arm is as built.

    Attributes:
        chassis: (body, point of the wheel's centre in its own frame, which has x ahead, y to the left and z up).
        pivot: a point of the hinge, in the chassis' own frame, m.
        axis: of the hinge, in the chassis' own frame.
        mass: of the arm, kg.
        carries, frequency, damping_ratio, stiffness, damping, travel, bump_stiffness, camber, toe, anti_roll: as of
            `Strut`.
    """

    view = SpringingView
    guiding = 3  # parts that hold it: a point and two directions

    pivot: Any
    axis: Any = (0.0, 1.0, 0.0)

    def check(self) -> None:
        """Every number; the arm must be able to lift the wheel as far as its travel."""
        self.check_springing()
        owner = type(self).__name__
        axis = checks.direction(owner, "axis", self.axis)
        self.put(axis=triple(axis), pivot=triple(checks.vector(owner, "pivot", self.pivot)))
        length = float(np.linalg.norm(self.arm))
        if abs(self.leverage) < 0.05 * length or length == 0.0:
            raise InputError(
                f"{owner}: pivot is {self.pivot}; a turn about it must lift the wheel at {self.chassis[1]}"
            )
        if self.leverage < 0.0:
            self.put(axis=triple(-axis))
        bump, droop = self.travel
        if not abs(self.sag) + max(bump, droop) < math.hypot(self.leverage, self.sag):
            raise InputError(f"{owner}: travel is {self.travel}; the arm of {length:g} m does not reach so far")

    @property
    def arm(self) -> Array:
        """From the pivot to the wheel's centre (3,), in the chassis' own frame, without what is along the axis, m."""
        arm = np.array(self.chassis[1]) - np.array(self.pivot)
        return arm - (arm @ np.array(self.axis)) * np.array(self.axis)

    @property
    def leverage(self) -> float:
        """Rise of the wheel by the turn of the arm as built, m/rad."""
        return float(spatial.cross(self.axis, self.arm)[2])

    @property
    def sag(self) -> float:
        """Height of the wheel's centre over the hinge as built, m."""
        return float(self.arm[2])

    def rise(self, position: float) -> float:
        """Of the wheel's centre where the arm has turned so far (rad), m."""
        return self.leverage * math.sin(position) - self.sag * (1.0 - math.cos(position))

    def turn_for(self, rise: float) -> float:
        """How far the arm turns for a rise, rad."""
        reach = math.hypot(self.leverage, self.sag)
        return math.asin((rise + self.sag) / reach) - math.atan2(self.sag, self.leverage)

    @property
    def middle(self) -> Array:
        """Where its own centre of mass is (3,), in the chassis' own frame: half-way to the hinge, m."""
        return 0.5 * (np.array(self.chassis[1]) + np.array(self.pivot))

    def guide(self, scene: Scene, springs: list[Spring], gravity: float) -> Joint:
        """A hinge."""
        bump, droop = self.travel
        torque = (springs[0].weight - 0.5 * self.mass * gravity) * self.leverage
        ends = self.turn_for(-droop), self.turn_for(bump)
        drive = self.drive(springs[0], self.leverage, torque, ends, bend=-self.sag)
        axis = spatial.rotate(orientation_of(scene, self.chassis[0]), self.axis)
        return Revolute(axis=triple(axis), **vars(drive))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/hub`, joint `name/guide`."""
        chassis, _, foot = end_of(scene, f"suspension {name!r}", "chassis", (self.chassis[0], self.pivot))
        lean = self.lean(side_of(scene, chassis, self.chassis[1]))
        along = spatial.rotate(spatial.conjugate(lean), np.array(self.pivot) - np.array(self.chassis[1]))
        length = float(np.linalg.norm(along))
        rod = Capsule(0.08 * length, length)
        shape = Compound([(rod, 0.5 * along, spatial.from_two_vectors(Z, along))])
        hub, _ = added_hub(scene, name, self, shape)
        return finished(scene, name, self, hub, foot)


@dataclass(frozen=True, kw_only=True)
class SwingAxle(TrailingArm):
    """Half an axle that swings about a hinge along the chassis: 5 rows, a spring and a stop.

    Its camber changes with its travel, and its wheels jack the chassis up in curves, as those of the real one do.

    Attributes:
        chassis: (body, point of the wheel's centre in its own frame, which has x ahead, y to the left and z up).
        pivot: a point of the hinge, in the chassis' own frame, m.
        axis: of the hinge, in the chassis' own frame.
        mass: of the half axle, kg.
        carries, frequency, damping_ratio, stiffness, damping, travel, bump_stiffness, camber, toe, anti_roll: as of
            `Strut`.
    """

    axis: Any = (1.0, 0.0, 0.0)
