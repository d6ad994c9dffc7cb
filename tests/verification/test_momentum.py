"""Chains that float freely keep linear and angular momentum, to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import rods, run

import taut
from taut.joints import Revolute, Spherical, Universal
from taut.spatial import perpendicular

DRIFT = np.array([0.3, -0.2, 0.5])
TURN = np.array([0.4, 1.0, 2.0])


def floating(points: np.ndarray, closed: bool, kind: str, masses: tuple[float, ...] = (1.0,)) -> taut.Scene:
    """Rods through the points, joined into a chain or ring, turning and drifting as one at the start."""
    scene = taut.Scene(gravity=(0, 0, 0))
    names = rods(scene, points, mass=1.0, radius=0.05)
    for number, body in enumerate(scene.bodies[1:]):
        factor = masses[number % len(masses)]
        body.mass, body.inertia = body.mass * factor, body.inertia * factor
        body.velocity, body.angular_velocity = DRIFT + np.cross(TURN, body.position), TURN
    pairs = list(zip(names[:-1], names[1:], points[1:-1], strict=True))
    pairs += [(names[-1], names[0], points[0])] if closed else []
    for a, b, at in pairs:
        along = points[1] - points[0]
        across = perpendicular(along)
        joint = {"ball": Spherical(), "hinge": Revolute(axis=(0, 0, 1)),
                 "universal": Universal(axis_a=tuple(across), axis_b=tuple(np.cross(along, across)))}[kind]  # fmt: skip
        scene.connect(a, b, joint, at=at)
    return scene


def ring(count: int) -> np.ndarray:
    angle = np.linspace(0.0, 2.0 * np.pi, count + 1)
    return np.stack([np.cos(angle), np.sin(angle), 0.2 * np.sin(2.0 * angle)], axis=1)


def line(count: int) -> np.ndarray:
    return np.stack([np.linspace(0.0, 2.0, count + 1), np.zeros(count + 1), np.zeros(count + 1)], axis=1)


def assert_momentum_kept(scene: taut.Scene, coordinates: str = "maximal") -> None:
    recording = run(scene, 3.0, step=1 / 60, coordinates=coordinates)
    masses = np.array(recording.info.masses)
    flow = float((masses * np.linalg.norm(recording.velocities[0], axis=1)).sum())
    momentum = recording.momentum
    linear = np.linalg.norm(momentum[:, 0] - momentum[0, 0], axis=1).max()
    angular = np.linalg.norm(momentum[:, 1] - momentum[0, 1], axis=1).max()
    assert linear <= 1e-10 * flow
    assert angular <= 1e-10 * np.linalg.norm(momentum[0, 1])


BOTH = pytest.mark.parametrize("coordinates", ["maximal", "reduced"])


@BOTH
def test_closed_chain(coordinates):
    assert_momentum_kept(floating(ring(12), closed=True, kind="ball"), coordinates)


@BOTH
@pytest.mark.parametrize("kind", ["ball", "hinge", "universal"])
def test_open_chain(kind, coordinates):
    assert_momentum_kept(floating(line(8), closed=False, kind=kind), coordinates)


@BOTH
def test_closed_chain_of_light_and_heavy_links(coordinates):
    assert_momentum_kept(floating(ring(12), closed=True, kind="ball", masses=(1.0, 1.0, 1000.0)), coordinates)
