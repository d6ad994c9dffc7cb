"""Two directions kept at right angles: the building row of hinges and universal joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.rows.part import PairPool, Part, Pose
from taut.spatial import Array


@dataclass(frozen=True)
class DirectionPart(Part):
    """q = a . b for a unit vector a fixed in A and b fixed in B (body axes); zero at right angles.

    Geometric stiffness: q = q_0 + ... + 1/2 (a . d)(b . d) in the relative rotation d. It vanishes where d may only
    turn about a or b alone (hinges); with `spread` (universal joint: d turns about both) its negative part
    |lam| / 2 along g = (a -+ b) / sqrt 2 is bounded by twice itself on each body's own rotation.
    """

    body_a: int
    body_b: int
    axis_a: tuple[float, float, float]
    axis_b: tuple[float, float, float]
    spread: bool = False

    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies."""
        return self.body_a, self.body_b

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Cosine (1,) and its Jacobian (1, 2, 6): dq/dt = (b x a) . (omega_B - omega_A)."""
        a, b = (pose.rotation @ axis for pose, axis in zip(poses, (self.axis_a, self.axis_b), strict=True))
        turn = np.concatenate([np.zeros(3), np.cross(b, a)])
        return np.array([a @ b]), np.stack([-turn, turn])[None]

    @classmethod
    def pool(cls, members: Sequence[tuple[Any, int]], layout: Any) -> DirectionPool:
        """Arrays of all direction rows of a model."""
        return DirectionPool(members, layout)


class DirectionPool(PairPool):
    """All `DirectionPart`s of a model."""

    fields = ("axis_a", "axis_b", "spread")
    axis_a: Array
    axis_b: Array
    spread: Array

    def evaluate(self, position: Array, rotation: Array, work: Any) -> None:
        """Write cosines, Jacobians and the bound on the geometric stiffness."""
        from taut.rows.direction_kernels import evaluate_directions

        evaluate_directions(
            self.body_a, self.body_b, self.axis_a, self.axis_b, self.spread, self.row, self.entry,
            rotation, work.force, work.value, work.jacobian, work.stiffness,
        )  # fmt: skip
