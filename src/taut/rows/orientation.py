"""Two orientations kept together: the three rotation rows of fixed and sliding joints and of compliant links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from taut.rows.part import PairPool, Part, Pose
from taut.spatial import Array, matrix, skew


@dataclass(frozen=True)
class OrientationPart(Part):
    """q = 2 vec(e), e = f_A* q_A* q_B f_B: the rotation from frame A to frame B, 3 rows in the axes of frame A.

    `frame_a` and `frame_b` are unit quaternions body-from-frame that agree where the joint is at rest. q equals the
    rotation vector to third order, and 2 sin(angle/2) in length everywhere, so a spring on it stores k (1 - cos).
    With e = (w, u):  dq/dt = (w 1 - [u]x) Omega, Omega the relative angular velocity in frame A.
    """

    rows: ClassVar[int] = 3
    body_a: int
    body_b: int
    frame_a: tuple[float, float, float, float]
    frame_b: tuple[float, float, float, float]

    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies."""
        return self.body_a, self.body_b

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Rotation (3,) in rad and its Jacobian (3, 2, 6)."""
        world_a = poses[0].rotation @ matrix(self.frame_a)
        world_b = poses[1].rotation @ matrix(self.frame_b)
        error = quaternion_of(world_a.T @ world_b)
        turn = (error[0] * np.eye(3) - skew(error[1:])) @ world_a.T
        block = np.hstack([np.zeros((3, 3)), turn])
        return 2.0 * error[1:], np.stack([-block, block], axis=1)

    @classmethod
    def pool(cls, members: Sequence[tuple[Any, int]], layout: Any) -> OrientationPool:
        """Arrays of all orientation rows of a model."""
        return OrientationPool(members, layout)


def quaternion_of(rotation: Array) -> Array:
    """Unit quaternion with w >= 0 of a rotation matrix (3, 3), by its largest component."""
    diagonal = np.array([np.trace(rotation), rotation[0, 0], rotation[1, 1], rotation[2, 2]])
    outer = np.zeros((4, 4))
    outer[0, 0] = 1 + diagonal[0]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        outer[i + 1, i + 1] = 1 + 2 * diagonal[i + 1] - diagonal[0]
        outer[0, i + 1] = outer[i + 1, 0] = rotation[k, j] - rotation[j, k]
        outer[j + 1, k + 1] = outer[k + 1, j + 1] = rotation[j, k] + rotation[k, j]
    row = outer[np.argmax(np.diagonal(outer))]
    quaternion = row / np.linalg.norm(row)
    return quaternion if quaternion[0] >= 0 else -quaternion


class OrientationPool(PairPool):
    """All `OrientationPart`s of a model."""

    fields = ("frame_a", "frame_b")
    frame_a: Array
    frame_b: Array

    def __init__(self, members: Sequence[tuple[OrientationPart, int]], layout: Any) -> None:
        """Pack (part, first row) pairs; frames become matrices."""
        super().__init__(members, layout)
        self.matrix_a = np.array([matrix(frame).ravel() for frame in self.frame_a])
        self.matrix_b = np.array([matrix(frame).ravel() for frame in self.frame_b])

    def evaluate(self, position: Array, rotation: Array, work: Any) -> None:
        """Write rotations and Jacobians; a torque through aligned frames has no geometric stiffness to add."""
        from taut.rows.orientation_kernels import evaluate_orientations

        evaluate_orientations(
            self.body_a, self.body_b, self.matrix_a, self.matrix_b, self.row, self.entry,
            rotation, work.value, work.jacobian,
        )  # fmt: skip
