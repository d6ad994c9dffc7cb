"""A blade that may not slip sideways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.joints.base import Joint, JointFrame, Rows, Triple
from taut.rows.law import follow
from taut.rows.slip import SlipPart


@dataclass(frozen=True)
class KnifeEdge(Joint):
    """A skate or wheel: the point `at` of B moves over A in any direction but `axis`, which turns with B: 1 row.

    A constraint of velocities alone (nonholonomic): B can get anywhere by turning, but not sideways at once. What keeps
    the blade on a surface is another joint, such as `Planar` or `PointOnPlane`.
    """

    axis: Triple = (0.0, 1.0, 0.0)

    def rows(self, frame: JointFrame) -> Rows:
        """One rate of slip."""
        axis = frame.vector_b(np.array(self.axis))
        return [(SlipPart(frame.a, frame.b, frame.point_b(frame.at), axis), follow())]
