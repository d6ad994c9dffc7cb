"""Two directions kept at right angles: the building row of hinges and universal joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose
from taut.spatial import Array, cross
from taut.tables import RealRows, Reals, Wholes


@dataclass(frozen=True)
class DirectionPart(PairPart):
    """q = a . b for a unit vector a fixed in A and b fixed in B (body axes); zero at right angles.

    Geometric stiffness: q = q_0 + ... + 1/2 (a . d)(b . d) in the relative rotation d. It vanishes where d may only
    turn about a or b alone (hinges); with `spread` (universal joint: d turns about both) its negative part
    |lam| / 2 along g = (a -+ b) / sqrt 2 is bounded by twice itself on each body's own rotation.
    """

    axis_a: tuple[float, float, float]
    axis_b: tuple[float, float, float]
    spread: bool = False

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Cosine (1,) and its Jacobian (1, 2, 6): dq/dt = (b x a) . (omega_B - omega_A)."""
        a, b = (pose.rotation @ axis for pose, axis in zip(poses, (self.axis_a, self.axis_b), strict=True))
        turn = np.concatenate([np.zeros(3), cross(b, a)])
        return np.array([a @ b]), np.stack([-turn, turn])[None]


class Directions(NamedTuple):
    """All `DirectionPart`s of a model."""

    body_a: Wholes
    body_b: Wholes
    row: Wholes
    entry: Wholes
    axis_a: RealRows
    axis_b: RealRows
    spread: Reals
