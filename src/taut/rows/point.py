"""Two points kept together: the three rows of a ball joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from taut.rows.part import PairPool, Part, Pose, point_rows
from taut.spatial import Array


@dataclass(frozen=True)
class PointPart(Part):
    """q = p_B - p_A in world axes, 3 rows; points in body axes from the centre of mass, m.

    Geometric stiffness: a force f at arm r turns with the body, K~ = r f^T - (f . r) 1 on the body's own rotation.
    """

    rows: ClassVar[int] = 3
    whole_stiffness: ClassVar[bool] = True
    body_a: int
    body_b: int
    point_a: tuple[float, float, float]
    point_b: tuple[float, float, float]

    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies."""
        return self.body_a, self.body_b

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Gap between the points (3,) in m and its Jacobian (3, 2, 6)."""
        arm_a, arm_b = (pose.rotation @ point for pose, point in zip(poses, (self.point_a, self.point_b), strict=True))
        gap = poses[1].position + arm_b - poses[0].position - arm_a
        return gap, np.stack([point_rows(-1.0, arm_a), point_rows(1.0, arm_b)], axis=1)

    @classmethod
    def pool(cls, members: Sequence[tuple[Any, int]], layout: Any) -> PointPool:
        """Arrays of all ball joints of a model."""
        return PointPool(members, layout)


class PointPool(PairPool):
    """All `PointPart`s of a model."""

    fields = ("point_a", "point_b")
    point_a: Array
    point_b: Array

    def evaluate(self, position: Array, rotation: Array, work: Any) -> None:
        """Write gaps, Jacobians and arm blocks."""
        from taut.rows.point_kernels import evaluate_points

        evaluate_points(
            self.body_a, self.body_b, self.point_a, self.point_b, self.row, self.entry,
            position, rotation, work.force, work.value, work.jacobian, work.stiffness,
        )  # fmt: skip
