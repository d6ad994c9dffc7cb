"""Errors fall as the order of the scheme says when the step is halved."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from verification.mechanisms import Y, point_pendulum

import taut
from taut.joints import Revolute, Spherical, Universal

DURATION = 0.8


def double_pendulum() -> taut.Scene:
    scene = taut.Scene()
    for number in range(2):
        scene.add_body(f"body-{number}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(number + 0.5, 0, 0))
    scene.connect("world", "body-0", Revolute(axis=Y), at=(0, 0, 0))
    scene.connect("body-0", "body-1", Revolute(axis=Y), at=(1, 0, 0))
    return scene


def space_pendulum(joint: str) -> taut.Scene:
    """A stout body that swings round in space on a ball or universal joint."""
    scene = taut.Scene()
    turn, arm = np.array([0.0, 0.0, 2.0]), np.array([0.8, 0.0, -0.2])
    scene.add_body(
        "body", mass=2.0, inertia=(0.1, 0.2, 0.25), position=arm, velocity=np.cross(turn, arm), angular_velocity=turn
    )
    kind = Spherical() if joint == "ball" else Universal(axis_a=(0, 0, 1), axis_b=(0, 1, 0))
    scene.connect("world", "body", kind, at=(0, 0, 0))
    return scene


def free_body() -> taut.Scene:
    scene = taut.Scene()
    scene.add_body("body", mass=1.0, inertia=(1.0, 2.0, 2.5), angular_velocity=(1.0, 2.0, 3.0))
    return scene


def spring() -> taut.Scene:
    scene = taut.Scene()
    scene.add_body("body", mass=1.0, inertia=(1, 1, 1), position=(0.5, 0, 0))
    scene.add_spring("world", "body", stiffness=40.0, damping=0.5, rest_length=0.3)
    return scene


SYSTEMS = {
    "rod": functools.partial(point_pendulum, "rod"),
    "double pendulum": double_pendulum,
    "ball joint": functools.partial(space_pendulum, "ball"),
    "universal joint": functools.partial(space_pendulum, "universal"),
    "free body": free_body,
    "spring": spring,
}


def end(system: str, integrator: str, steps: int) -> np.ndarray:
    """Positions and orientations of all bodies after the duration."""
    simulation = taut.Simulation(SYSTEMS[system](), step=DURATION / steps, integrator=integrator)
    for _ in range(steps):
        assert not simulation.step().unconverged
    return np.concatenate([simulation.state.position.ravel(), simulation.state.orientation.ravel()])


@functools.cache
def reference(system: str) -> np.ndarray:
    """Extrapolated from two fine runs of the second-order scheme."""
    coarse, fine = end(system, "bdf2", 1000), end(system, "bdf2", 2000)
    return fine + (fine - coarse) / 3.0


@pytest.mark.parametrize(
    ("integrator", "steps", "lowest", "highest"), [("euler", 400, 1.8, 2.2), ("bdf2", 100, 3.5, 4.5)]
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_error_ratio_under_halving(system, integrator, steps, lowest, highest):
    errors = [np.linalg.norm(end(system, integrator, count) - reference(system)) for count in (steps, 2 * steps)]
    assert lowest <= errors[0] / errors[1] <= highest
