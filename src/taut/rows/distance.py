"""The distance between two points: rods, ropes and point-to-point springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose, point_rows
from taut.spatial import Array
from taut.tables import RealRows, Wholes


@dataclass(frozen=True)
class DistancePart(PairPart):
    """q = |p_B - p_A| in m; points in body axes from the centre of mass.

    Geometric stiffness: besides the arm blocks, a tension T turns with the line, T/q across it *between* the bodies.
    Two companion rows carry it: sqrt(h beta T/q) t . (dp_B - dp_A) for the two directions t across the line, compliance
    1, so that eliminating them adds h beta (T/q) t t^T to the mass matrix. A pushing force destabilises: clipped away.
    """

    companions: ClassVar[int] = 2
    whole_stiffness: ClassVar[bool] = True
    point_a: tuple[float, float, float]
    point_b: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Distance (1,) in m and its Jacobian (1, 2, 6)."""
        arm_a, arm_b = (pose.rotation @ point for pose, point in zip(poses, (self.point_a, self.point_b), strict=True))
        line = poses[1].position + arm_b - poses[0].position - arm_a
        length = float(np.linalg.norm(line))
        # points that coincide have no direction of their own: any unit vector is a valid subgradient
        normal = line / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])
        return np.array([length]), np.stack([normal @ point_rows(-1.0, arm_a), normal @ point_rows(1.0, arm_b)])[None]


class Distances(NamedTuple):
    """All `DistancePart`s of a model; `companion_entry` is the first Jacobian block of each one's companions."""

    body_a: Wholes
    body_b: Wholes
    row: Wholes
    entry: Wholes
    point_a: RealRows
    point_b: RealRows
    companion_entry: Wholes
