"""Random bodies of every shape dropped on the ground and on each other: nothing is lost, nothing explodes."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.shapes import Box, Capsule, Compound, Convex, Cylinder, Shape, Sphere

BODIES = 25
"""A scene; half of them fall on the ground alone, the others in pairs on top of each other."""

SECONDS = 1.5


def random_shape(rng: np.random.Generator) -> Shape:
    size = rng.uniform(0.05, 0.4, 3)
    kind = rng.integers(6)
    if kind == 0:
        return Sphere(size[0])
    if kind == 1:
        return Capsule(size[0], size[1])
    if kind == 2:
        return Cylinder(size[0], size[1])
    if kind == 3:
        return Box(*(2.0 * size))
    if kind == 4:
        return Convex(rng.normal(size=(int(rng.integers(5, 20)), 3)) * size)
    return Compound([(Box(0.3, 0.1, 0.1), (0.0, 0.0, 0.0)), (Sphere(0.1), (0.2, 0.0, 0.1))])


def drop(seed: int) -> tuple[taut.Simulation, float]:
    """A scene of random drops after its time, and the energy it started with."""
    rng = np.random.default_rng(seed)
    scene = taut.Scene(friction=float(rng.uniform(0.0, 1.0)))
    scene.add_plane(restitution=float(rng.choice([0.0, 0.5])))
    for index in range(BODIES):
        cell = index // 2 if index % 2 else index
        x, y = 3.0 * (cell % 10), 3.0 * (cell // 10)
        quaternion = rng.normal(size=4)
        scene.add_body(
            f"body-{index}", random_shape(rng), density=float(10.0 ** rng.uniform(2.0, 4.0)),
            position=(x + rng.uniform(-0.2, 0.2), y, 1.0 + 1.2 * (index % 2)),
            orientation=quaternion / np.linalg.norm(quaternion),
            velocity=rng.normal(size=3), angular_velocity=5.0 * rng.normal(size=3),
        )  # fmt: skip
    simulation = taut.Simulation(scene)
    energy = simulation.state.energy
    for _ in range(int(60 * SECONDS)):
        simulation.step()
    return simulation, energy


def check(seed: int) -> None:
    simulation, energy = drop(seed)
    position, velocity = simulation.state.position[1:], simulation.state.velocity[1:]
    assert np.isfinite(position).all() and np.isfinite(velocity).all()
    assert simulation.state.energy <= energy * 1.001, f"drop {seed}: energy rose"
    lowest = position[:, 2] + 0.8  # no shape reaches farther than that from its centre
    assert lowest.min() > 0.0, f"drop {seed}: body {int(lowest.argmin())} fell through the ground"
    assert np.abs(velocity[:, :3]).max() < 15.0, f"drop {seed}: a body flew off"


@pytest.mark.parametrize("seed", range(4))
def test_random_drops(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_ten_thousand_random_drops(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        check(1000 + seed)
