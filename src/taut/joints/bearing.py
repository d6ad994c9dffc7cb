"""A bearing of a shaft that turns fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Joint, JointFrame, Rows, Triple, point_row
from taut.rows.law import follow
from taut.spatial import cross, perpendicular


@dataclass(frozen=True)
class Bearing(Joint):
    """B's point stays on A's, and B turns relative to A about `axis` only: 5 rows.

    Unlike those of a `Revolute` the two rows across the axis hold velocities, not angles: a . (omega_B - omega_A) = 0.
    So a shaft may turn by more than half a turn a step, where the directions of a hinge make it wobble. `axis` is fixed
    in A; where A turns as well, that of B's shape may stray from it. Meant for bodies with the same inertia about all
    axes, to which that makes no difference, with the centre of mass on the axis.
    """

    freedom: ClassVar[int] = 3
    axis: Triple = (0.0, 0.0, 1.0)

    def rows(self, frame: JointFrame) -> Rows:
        """A point, and two spins across the axis."""
        first = perpendicular(np.array(self.axis))
        across = (first, cross(np.array(self.axis), first))
        return [point_row(frame), *((frame.spin(side), follow()) for side in across)]
