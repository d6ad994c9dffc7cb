"""Two orientations kept together: the three rotation rows of fixed and sliding joints and of compliant links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose
from taut.spatial import Array, matrix, skew
from taut.tables import RealRows, Wholes


@dataclass(frozen=True)
class OrientationPart(PairPart):
    """q = 2 vec(e), e = f_A* q_A* q_B f_B: the rotation from frame A to frame B, 3 rows in the axes of frame A.

    `frame_a` and `frame_b` are unit quaternions body-from-frame that agree where the joint is at rest. q equals the
    rotation vector to third order, and 2 sin(angle/2) in length everywhere, so a spring on it stores k (1 - cos).
    With e = (w, u):  dq/dt = (w 1 - [u]x) Omega, Omega the relative angular velocity in frame A.
    """

    rows: ClassVar[int] = 3
    frame_a: tuple[float, float, float, float]
    frame_b: tuple[float, float, float, float]

    @property
    def matrix_a(self) -> Array:
        """Frame A as a matrix (9,)."""
        return matrix(self.frame_a).ravel()

    @property
    def matrix_b(self) -> Array:
        """Frame B as a matrix (9,)."""
        return matrix(self.frame_b).ravel()

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Rotation (3,) in rad and its Jacobian (3, 2, 6)."""
        world_a = poses[0].rotation @ matrix(self.frame_a)
        world_b = poses[1].rotation @ matrix(self.frame_b)
        error = quaternion_of(world_a.T @ world_b)
        turn = (error[0] * np.eye(3) - skew(error[1:])) @ world_a.T
        block = np.hstack([np.zeros((3, 3)), turn])
        return 2.0 * error[1:], np.stack([-block, block], axis=1)


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
    return np.asarray(quaternion if quaternion[0] >= 0 else -quaternion)


class Orientations(NamedTuple):
    """All `OrientationPart`s of a model, frames as matrices (parts, 9), body-from-frame."""

    body_a: Wholes
    body_b: Wholes
    row: Wholes
    entry: Wholes
    matrix_a: RealRows
    matrix_b: RealRows
