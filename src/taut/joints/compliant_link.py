"""A compliant link between given points: the joint between two segments of a cable that was built bent or stretched."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple, check_points
from taut.joints.frame import quadruple
from taut.joints.link import Link
from taut.joints.motion import ANY_TURN, Motion
from taut.rows.orientation import OrientationPart, quaternion_of
from taut.rows.point import PointPart
from taut.spatial import conjugate, cross, from_two_vectors, multiply, perpendicular

MET = 1e-9
"""Distance of points in m up to which they are the same: trees of joint coordinates have no gaps."""

BEND_AND_TWIST = ("bend", "twist", "bend_damping", "twist_damping")


@dataclass(frozen=True)
class CompliantLink(Joint):
    """Pulls a point of B to a point of A, and the cable's direction in B to that in A: 3 rows, or 6 with the rotation.

    Unlike `Link`, which is at rest where it is made, this one is at rest where the points meet and the axes agree,
    without twist as it was made; so it can be made under load. Points and axes are in each body's own frame (world
    frame for "world").

    Attributes:
        point_a, point_b: m.
        axis_a, axis_b: direction of the cable in each body.
        stretch: stiffness between the points, whatever the direction, N/m; infinite = hard.
        bend, twist: stiffness about the axes across and along, N m/rad; both zero and undamped = no rows for rotation.
        stretch_damping: N s/m.
        bend_damping, twist_damping: N m s/rad.
    """

    point_a: Triple = (0.0, 0.0, 0.0)
    point_b: Triple = (0.0, 0.0, 0.0)
    axis_a: Triple = (0.0, 0.0, 1.0)
    axis_b: Triple = (0.0, 0.0, 1.0)
    stretch: float = math.inf
    bend: float = 0.0
    twist: float = 0.0
    stretch_damping: float = 0.0
    bend_damping: float = 0.0
    twist_damping: float = 0.0

    def check(self) -> None:
        """Points are vectors, nothing is negative, and only the stretch may be hard."""
        check_points(self)
        object.__setattr__(self, "stretch", checks.bound("CompliantLink", "stretch", self.stretch))
        for name in ("stretch_damping", *BEND_AND_TWIST):
            object.__setattr__(self, name, checks.number("CompliantLink", name, getattr(self, name), at_least=0.0))

    def rows(self, frame: JointFrame) -> Rows:
        """The gap between the points in world axes, and a rotation whose first axis is the cable."""
        points = PointPart(frame.a, frame.b, frame.own_point_a(self.point_a), frame.own_point_b(self.point_b))
        rows: Rows = [(points, Link.law(self.stretch, self.stretch_damping))]
        if any(getattr(self, name) > 0.0 for name in BEND_AND_TWIST):
            twist, bend = Link.law(self.twist, self.twist_damping), Link.law(self.bend, self.bend_damping)
            rows.append((self.turn(frame), (twist, bend, bend)))
        return rows

    def turn(self, frame: JointFrame) -> OrientationPart:
        """Rotation from the cable's frame in A to that in B, which is A's swung onto B's axis by the shortest way."""
        axis, other = frame.rotation_a @ np.array(self.axis_a), frame.rotation_b @ np.array(self.axis_b)
        across = perpendicular(axis)
        world = quaternion_of(np.column_stack([axis, across, cross(axis, across)]))
        frame_a = multiply(conjugate(frame.quaternion_a), world)
        frame_b = multiply(conjugate(frame.quaternion_b), multiply(from_two_vectors(axis, other), world))
        return OrientationPart(frame.a, frame.b, quadruple(frame_a), quadruple(frame_b))

    def motion(self, frame: JointFrame) -> Motion | None:
        """Any turn, where the points stay together and the joint was connected at them."""
        points = (frame.own_point_a(self.point_a), frame.own_point_b(self.point_b))
        there = (frame.point_a(frame.at), frame.point_b(frame.at))
        met = bool(np.abs(np.subtract(points, there)).max() <= MET)
        return Motion(turn=ANY_TURN) if self.stretch == math.inf and met else None
