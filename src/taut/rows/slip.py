"""How fast a point of a body slips sideways over another body: the row of blades and wheels that only roll ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose, point_rows
from taut.spatial import Array
from taut.tables import RealRows, Wholes


@dataclass(frozen=True)
class SlipPart(PairPart):
    """Rate b . (v_B - v_A) at the point p of B, along the unit vector b fixed in B; no position (nonholonomic), q = 0.

    v_A is the velocity of A's material where p is now. The force turns with B; its change with the configuration,
    lam (theta x b), is that of no potential and neither damps nor drives, so there is no geometric stiffness.
    """

    point_b: tuple[float, float, float]
    axis_b: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Zero (1,) and the Jacobian (1, 2, 6) of the rate, m/s."""
        axis, arm_b = poses[1].rotation @ self.axis_b, poses[1].rotation @ self.point_b
        arm_a = poses[1].position + arm_b - poses[0].position
        return np.zeros(1), np.stack([axis @ point_rows(-1.0, arm_a), axis @ point_rows(1.0, arm_b)])[None]


class Slips(NamedTuple):
    """All `SlipPart`s of a model."""

    body_a: Wholes
    body_b: Wholes
    row: Wholes
    entry: Wholes
    point_b: RealRows
    axis_b: RealRows
