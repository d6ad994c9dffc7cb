"""What a recording is of, and what it says of one body or one joint."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

BODY_ARRAYS = {"positions": 3, "orientations": 4, "velocities": 3, "angular_velocities": 3}
"""Arrays recorded for every body, with the numbers per body."""

JOINT_ARRAYS = (
    "joint_positions", "joint_velocities", "joint_reactions", "joint_violations", "joint_tensions", "joint_tight",
)  # fmt: skip
"""Arrays recorded for every joint where the first frame has them."""

Block = dict[str, np.ndarray]
"""Frames of all arrays by name; "reports" is one of them."""


@dataclass(frozen=True)
class RecordingInfo:
    """What a recording is of.

    Attributes:
        scene: name of the scene.
        body_names: names of the bodies in the order of the arrays, without the world.
        masses: mass of each body (kg).
        joint_names: names of the joints in the order of the arrays.
        step: step size (s).
        solver: name of the solver.
        integrator: name of the integrator.
        coordinates: "maximal" or "reduced".
        friction: "box", "box-refined" or "cone".
        parameters: parameters the scene was built with (JSON values).
    """

    scene: str
    body_names: tuple[str, ...]
    masses: tuple[float, ...] = ()
    joint_names: tuple[str, ...] = ()
    step: float = 1 / 60
    solver: str = "auto"
    integrator: str = "bdf2"
    coordinates: str = "maximal"
    friction: str = "box"
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BodyHistory:
    """One body over time: views of shape (frames, 3) or (frames, 4); NaN in frames in which it was not there."""

    name: str
    mass: float
    """Mass (kg), the last where it changed."""
    position: np.ndarray
    """(frames, 3) position of the body's origin (m)."""
    orientation: np.ndarray
    """(frames, 4) quaternion (w, x, y, z), world from body."""
    velocity: np.ndarray
    """(frames, 3) velocity (m/s)."""
    angular_velocity: np.ndarray
    """(frames, 3) angular velocity in world axes (rad/s)."""


@dataclass(frozen=True)
class JointHistory:
    """One joint over time, NaN in frames in which it was not there; an array that was not recorded is None."""

    name: str
    position: np.ndarray | None
    """(frames, ...) joint coordinate (m or rad)."""
    velocity: np.ndarray | None
    """(frames, ...) rate of the joint coordinate (m/s or rad/s)."""
    reaction: np.ndarray | None
    """(frames, ...) reaction force (N) and torque (N m)."""
    violation: np.ndarray | None
    """(frames,) constraint violation (m)."""
    tension: np.ndarray | None
    """(frames,) pull of a rod, rope or spring (N), negative where it pushes; NaN for other joints."""
    tight: np.ndarray | None
    """(frames,) rows of the joint that are at a bound: limits that hold, motors at their largest force."""


def united(known: RecordingInfo, other: RecordingInfo) -> RecordingInfo:
    """All bodies and joints of both in the order in which they came; masses are those of the other where it has any."""
    mass = dict(zip(known.body_names, known.masses, strict=False)) | dict(
        zip(other.body_names, other.masses, strict=False)
    )
    names = tuple(dict.fromkeys([*known.body_names, *other.body_names]))
    joints = tuple(dict.fromkeys([*known.joint_names, *other.joint_names]))
    masses = tuple(mass.get(name, float("nan")) for name in names) if mass else ()
    return replace(known, body_names=names, masses=masses, joint_names=joints)
