"""Two points kept together: the three rows of a ball joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose, point_rows
from taut.spatial import Array
from taut.tables import RealRows, Wholes


@dataclass(frozen=True)
class PointPart(PairPart):
    """q = p_B - p_A in world axes, 3 rows; points in body axes from the centre of mass, m.

    Geometric stiffness: a force f at arm r turns with the body, K~ = r f^T - (f . r) 1 on the body's own rotation.
    """

    rows: ClassVar[int] = 3
    balanced: ClassVar[bool] = False
    whole_stiffness: ClassVar[bool] = True
    point_a: tuple[float, float, float]
    point_b: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Gap between the points (3,) in m and its Jacobian (3, 2, 6)."""
        arm_a, arm_b = (pose.rotation @ point for pose, point in zip(poses, (self.point_a, self.point_b), strict=True))
        gap = poses[1].position + arm_b - poses[0].position - arm_a
        return gap, np.stack([point_rows(-1.0, arm_a), point_rows(1.0, arm_b)], axis=1)


class Points(NamedTuple):
    """All `PointPart`s of a model."""

    body_a: Wholes
    body_b: Wholes
    row: Wholes
    entry: Wholes
    point_a: RealRows
    point_b: RealRows
