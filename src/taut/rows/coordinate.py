"""Joint coordinates: a slide, a hinge angle, a spin. Rows are linear combinations of them (see `coupling`).

A coordinate is evaluated once however many rows use it: limit, motor and friction of one hinge share its angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.rows.part import PairPart, Pose, point_rows
from taut.spatial import Array, cross
from taut.tables import RealRows, Wholes


class Coordinate(PairPart):
    """One number between two bodies."""


@dataclass(frozen=True)
class Slide(Coordinate):
    """q = a . (p_B - p_A) in m, along the unit vector a fixed in A; points in body axes from the centre of mass.

    Geometric stiffness: with d = p_B - x_A the arm at which A feels the force, the arm blocks of d on A and of r_B on B
    are exact for motions that keep the joint; the rest, between sliding and turning A, is indefinite and clipped away.
    """

    point_a: tuple[float, float, float]
    point_b: tuple[float, float, float]
    axis_a: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Displacement (1,) in m and its Jacobian (1, 2, 6)."""
        axis = poses[0].rotation @ self.axis_a
        arm_b = poses[1].rotation @ self.point_b
        arm = poses[1].position + arm_b - poses[0].position
        value = axis @ (arm - poses[0].rotation @ self.point_a)
        return np.array([value]), np.stack([axis @ point_rows(-1.0, arm), axis @ point_rows(1.0, arm_b)])[None]


@dataclass(frozen=True)
class Angle(Coordinate):
    """q = atan2(y . u, x . u) in rad: the angle of B's unit vector u about the axis x x y of A, counted over turns.

    x, y are unit vectors fixed in A. dq/dt = Omega . (c (u x y) - s (u x x)) / (c^2 + s^2), c = x . u, s = y . u.
    """

    x_a: tuple[float, float, float]
    y_a: tuple[float, float, float]
    u_b: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Angle (1,) in (-pi, pi] and its Jacobian (1, 2, 6)."""
        x, y = poses[0].rotation @ self.x_a, poses[0].rotation @ self.y_a
        u = poses[1].rotation @ self.u_b
        cosine, sine = x @ u, y @ u
        turn = (cosine * cross(u, y) - sine * cross(u, x)) / (cosine**2 + sine**2)
        block = np.concatenate([np.zeros(3), turn])
        return np.array([np.arctan2(sine, cosine)]), np.stack([-block, block])[None]


@dataclass(frozen=True)
class Spin(Coordinate):
    """Rate a . (omega_B - omega_A) about the unit vector a fixed in A; no position (nonholonomic), q = 0."""

    axis_a: tuple[float, float, float]

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Zero (1,) and the Jacobian (1, 2, 6) of the rate."""
        block = np.concatenate([np.zeros(3), poses[0].rotation @ self.axis_a])
        return np.zeros(1), np.stack([-block, block])[None]


class Slides(NamedTuple):
    """All `Slide`s of a model, each with its slot."""

    body_a: Wholes
    body_b: Wholes
    slot: Wholes
    point_a: RealRows
    point_b: RealRows
    axis_a: RealRows


class Angles(NamedTuple):
    """All `Angle`s of a model, each with its slot."""

    body_a: Wholes
    body_b: Wholes
    slot: Wholes
    x_a: RealRows
    y_a: RealRows
    u_b: RealRows


class Spins(NamedTuple):
    """All `Spin`s of a model, each with its slot."""

    body_a: Wholes
    body_b: Wholes
    slot: Wholes
    axis_a: RealRows
