"""Where a joint sits, and the rows most joints are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.rows.coordinate import Angle, Slide, Spin
from taut.rows.direction import DirectionPart
from taut.rows.law import Law, hold
from taut.rows.orientation import OrientationPart, quaternion_of
from taut.rows.part import Part, Pose
from taut.rows.point import PointPart
from taut.spatial import Array, conjugate, cross, multiply, perpendicular

Triple = tuple[float, float, float]
Rows = list[tuple[Part, Law | tuple[Law, ...]]]


def triple(values: Array) -> Triple:
    """Three plain floats: parts are hashable, so equal coordinates are found to be equal."""
    x, y, z = np.asarray(values, float).tolist()
    return x, y, z


def quadruple(values: Array) -> tuple[float, float, float, float]:
    """Four plain floats."""
    w, x, y, z = np.asarray(values, float).tolist()
    return w, x, y, z


@dataclass(frozen=True)
class JointFrame:
    """Where a joint sits in the initial configuration: world point `at`, and the poses of its two bodies.

    `origin` is where a body's own frame sits, `com` its centre of mass. `body` looks up further bodies by name (index,
    centre of mass, orientation quaternion, rotation matrix), and `origin` where their own frames sit.
    """

    a: int
    b: int
    at: Array
    origin_a: Array
    origin_b: Array
    com_a: Array
    com_b: Array
    quaternion_a: Array
    quaternion_b: Array
    rotation_a: Array
    rotation_b: Array
    body: Callable[[Any], tuple[int, Array, Array, Array]]
    origin: Callable[[Any], Array]

    def point_a(self, world: Array) -> Triple:
        """A world point in A's axes from its centre of mass."""
        return triple(self.rotation_a.T @ (world - self.com_a))

    def point_b(self, world: Array) -> Triple:
        """A world point in B's axes from its centre of mass."""
        return triple(self.rotation_b.T @ (world - self.com_b))

    def vector_a(self, world: Array) -> Triple:
        """A world vector in A's axes."""
        return triple(self.rotation_a.T @ world)

    def vector_b(self, world: Array) -> Triple:
        """A world vector in B's axes."""
        return triple(self.rotation_b.T @ world)

    def slide(self, axis: Array) -> Slide:
        """Displacement of B's joint point from A's along a world axis that moves with A."""
        return Slide(self.a, self.b, self.point_a(self.at), self.point_b(self.at), self.vector_a(axis))

    def angle(self, axis: Array) -> Angle:
        """Turn of B about a world axis fixed in A, zero in the initial configuration."""
        x = perpendicular(axis)
        y = cross(axis, x)
        return Angle(self.a, self.b, self.vector_a(x), self.vector_a(y), self.vector_b(x))

    def own_point_a(self, point: Triple) -> Triple:
        """A point in A's own frame, from its centre of mass."""
        return self.point_a(self.origin_a + self.rotation_a @ np.array(point))

    def own_point_b(self, point: Triple) -> Triple:
        """A point in B's own frame, from its centre of mass."""
        return self.point_b(self.origin_b + self.rotation_b @ np.array(point))

    def separation(self, part: Part) -> float:
        """Value of a two-body part in the initial configuration."""
        value, _ = part.evaluate([Pose(self.com_a, self.rotation_a), Pose(self.com_b, self.rotation_b)])
        return float(value[0])

    def turn_about(self, basis: list[Array]) -> OrientationPart:
        """Relative rotation, zero at the start, in the axes of a right-handed world basis fixed in A."""
        world = quaternion_of(np.column_stack(basis))
        frame_a = multiply(conjugate(self.quaternion_a), world)
        frame_b = multiply(conjugate(self.quaternion_b), world)
        return OrientationPart(self.a, self.b, quadruple(frame_a), quadruple(frame_b))

    def spin(self, axis: Array) -> Spin:
        """Rate of turn of B about a world axis fixed in A."""
        return Spin(self.a, self.b, self.vector_a(axis))


def point_row(frame: JointFrame) -> tuple[Part, Law]:
    """Keep the joint's point of B on that of A."""
    return PointPart(frame.a, frame.b, frame.point_a(frame.at), frame.point_b(frame.at)), hold()


def orientation_row(frame: JointFrame) -> tuple[Part, Law]:
    """Keep B's orientation relative to A."""
    return frame.turn_about(list(np.eye(3))), hold()


def axis_rows(frame: JointFrame, axis: Triple) -> Rows:
    """Keep an axis of A and the same axis of B together: two directions of B across it stay at right angles to A's."""
    world = np.array(axis)
    x = perpendicular(world)
    across = (x, cross(world, x))
    return [(DirectionPart(frame.a, frame.b, frame.vector_a(world), frame.vector_b(side)), hold()) for side in across]


def line_rows(frame: JointFrame, axis: Triple) -> Rows:
    """Keep the joint's point of B on the line of A along an axis."""
    x = perpendicular(axis)
    return [(frame.slide(side), hold()) for side in (x, cross(axis, x))]


def spin_of(frame: JointFrame, carrier: Any, body: int, axis: Array) -> Spin:
    """Spin of a body about a world axis fixed in a carrier, relative to it."""
    index, _, _, rotation = frame.body(carrier)
    return Spin(index, body, triple(rotation.T @ axis))
