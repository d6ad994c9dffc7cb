"""A point of B kept on a plane of A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.joints.base import Joint, JointFrame, Rows, Triple
from taut.joints.motion import ANY_TURN, Motion, sliding
from taut.rows.law import hold
from taut.spatial import cross, perpendicular


@dataclass(frozen=True)
class PointOnPlane(Joint):
    """The point `at` of B stays on the plane of A through it with this `normal`; B may turn freely: 1 row."""

    freedom: ClassVar[int] = 5
    normal: Triple = (0.0, 0.0, 1.0)

    def rows(self, frame: JointFrame) -> Rows:
        """One slide along the normal."""
        return [(frame.slide(np.array(self.normal)), hold())]

    def motion(self, frame: JointFrame) -> Motion:
        """Slides along the plane and any turn."""
        x = perpendicular(self.normal)
        return sliding(frame, [x, cross(self.normal, x)], ANY_TURN)
