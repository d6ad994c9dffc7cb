"""Random scenes with contact: piles, throws, stacks, jams, belts and grips of all shapes."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from fuzz.trials import Rng, Trial, chance, log_uniform, random_options, unit_vector

import taut
from taut import joints, shapes

FRAMES = 60
OVERLAP = 5e-2
"""Of two bodies in a frame that counts as solved, as a share of their size."""


def random_quaternion(rng: Rng) -> np.ndarray:
    """Any orientation (4,)."""
    quaternion = rng.normal(size=4)
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def random_shape(rng: Rng, size: float) -> shapes.Shape:
    """Any shape of about this size (m)."""
    a, b, c = size * rng.uniform(0.3, 1.0, 3)
    arm = shapes.Box(a, 0.3 * b, 0.3 * c)
    kinds: tuple[Callable[[], shapes.Shape], ...] = (
        lambda: shapes.Sphere(0.5 * a),
        lambda: shapes.Capsule(0.3 * a, b),
        lambda: shapes.Box(a, b, c),
        lambda: shapes.Box(a, b, 0.05 * size),
        lambda: shapes.Cylinder(0.4 * a, b),
        lambda: shapes.Convex(0.4 * size * rng.normal(size=(int(rng.integers(6, 24)), 3))),
        lambda: shapes.Compound([(arm, (0, 0, 0)), (shapes.Sphere(0.3 * b), (0.5 * a, 0, 0))]),
    )
    return kinds[rng.integers(len(kinds))]()


@dataclass
class Yard:
    """A scene that is being filled with bodies of about one size (m)."""

    rng: Rng
    scene: taut.Scene
    size: float
    count: int
    trial: Trial

    def add(self, number: int, place: Any, shape: shapes.Shape | None = None, **options: Any) -> str:
        """Add a body at a place in sizes; by default it comes down as if it had fallen by two sizes."""
        defaults = {
            "mass": log_uniform(self.rng, 0.1, 100.0),
            "orientation": random_quaternion(self.rng),
            "velocity": (0.0, 0.0, -2.0 * math.sqrt(9.81 * self.size)),
        }
        position = self.size * np.asarray(place, dtype=float)
        return self.scene.add_body(
            f"body-{number}", shape or random_shape(self.rng, self.size), position=position, **(defaults | options)
        )

    def floor(self, restitution: float = 0.0) -> None:
        """Add the ground, which nothing may fall through."""
        self.scene.add_plane(restitution=restitution)
        self.trial.floor = 0.0

    def near(self, spread: float) -> tuple[float, float]:
        """Two random coordinates about 0."""
        return float(spread * self.rng.normal()), float(spread * self.rng.normal())


def pile(yard: Yard) -> None:
    """Bodies fall onto each other, with masses from 1 g to 1 t in half of all cases."""
    heaviest = 1e3 if chance(yard.rng, 0.5) else 1.0
    yard.floor()
    for number in range(yard.count):
        mass = log_uniform(yard.rng, 1.0 / heaviest, 1.001 * heaviest)
        yard.add(number, (*yard.near(0.4), 2.2 * (number + 1)), mass=mass)


def bouncing(yard: Yard) -> None:
    """Bodies that bounce fall apart from each other."""
    restitution = float(yard.rng.uniform(0.2, 1.0))
    yard.floor(restitution)
    for number in range(yard.count):
        yard.add(number, (*yard.near(2.0), 2.0 * (number + 1)), restitution=restitution)


def plates(yard: Yard) -> None:
    """Thin plates fall flat onto each other, farther in a step than they are thick: some pass through others."""
    yard.floor()
    yard.trial.overlap = np.inf  # a known limit, see docs/status.md
    for number in range(yard.count):
        thin = yard.size * log_uniform(yard.rng, 1e-2, 0.1)
        plate = shapes.Box(yard.size, yard.size * yard.rng.uniform(0.3, 1.0), thin)
        yard.add(number, (*yard.near(0.2), 1.2 * (number + 1)), plate)


def fast(yard: Yard) -> None:
    """Bodies are thrown about at 50 m/s."""
    yard.floor(float(yard.rng.choice([0.0, 0.5])))
    for number in range(yard.count):
        velocity = 50.0 * np.array(unit_vector(yard.rng)) * [1.0, 1.0, 0.5]
        yard.add(number, (3.0 * number, *(3.0 * np.abs(yard.near(1.0)) + 1.5)), velocity=velocity)


def overlapping(yard: Yard) -> None:
    """Bodies that start inside each other are pushed apart."""
    yard.scene.add_plane()
    yard.trial.passive, yard.trial.overlap = False, np.inf
    for number in range(min(yard.count, 5)):
        yard.add(number, (*yard.near(0.3), 0.3 * abs(yard.rng.normal())), velocity=(0, 0, 0))
    mass = sum(body.mass for body in yard.scene.bodies[1:])
    yard.trial.given = mass * (9.81 * 2.0 * yard.size + 1.0)


def terrain(yard: Yard) -> None:
    """Bodies fall onto rough land."""
    cells = int(yard.rng.integers(4, 20))
    heights = yard.size * yard.rng.uniform(0.05, 0.4) * yard.rng.normal(size=(cells, cells))
    yard.scene.add_body("land", shapes.Heightfield(heights, (12 * yard.size, 12 * yard.size)), fixed=True)
    for number in range(yard.count):
        yard.add(number, (*yard.near(1.5), 3.0 + 2.2 * number))


def spinning(yard: Yard) -> None:
    """Bodies that spin at 300 rad/s come down."""
    yard.floor()
    yard.trial.passive = False  # the energy of what turns by 5 rad a step is not resolved: a known limit
    for number in range(min(yard.count, 6)):
        yard.add(number, (3.0 * number, 0.0, 2.0), angular_velocity=300.0 * np.array(unit_vector(yard.rng)))


def stack(yard: Yard) -> None:
    """Boxes of 0.1 kg to 10 t stand on each other, not quite straight."""
    yard.floor()
    top = 0.0
    for number in range(yard.count):
        height = float(yard.rng.uniform(0.2, 1.0))
        box, mass = shapes.Box(yard.size, yard.size, height * yard.size), log_uniform(yard.rng, 0.1, 1e4)
        still = {"mass": mass, "orientation": (1, 0, 0, 0), "velocity": (0, 0, 0)}
        yard.add(number, (*yard.near(0.02), top + 0.5 * height), box, **still)
        top += height


def wedge(yard: Yard) -> None:
    """Bodies fall into a narrow groove."""
    half = math.radians(yard.rng.uniform(5.0, 40.0))
    for sign in (-1.0, 1.0):
        yard.scene.add_plane(normal=(sign * math.cos(half), 0.0, math.sin(half)))
        yard.scene.add_plane(normal=(0.0, sign, 0.0), offset=-3.0 * yard.size)
    for number in range(yard.count):
        yard.add(number, (0.0, 0.3 * yard.rng.normal(), (4.0 + 2.2 * number) / math.sin(half) ** 0.5))


def belt(yard: Yard) -> None:
    """A belt that goes to and fro carries bodies."""
    size, trial = yard.size, yard.trial
    yard.floor()
    yard.scene.add_body("belt", shapes.Box(4 * size, 2 * size, 0.2 * size), mass=50.0, position=(0, 0, 0.3 * size))
    motor = joints.Motor(speed=size)
    yard.scene.connect("world", "belt", joints.Prismatic(axis=(1, 0, 0), motor=motor), name="track")
    for number in range(min(yard.count, 6)):
        yard.add(number, (*yard.near(0.3), 2.0 + 2.2 * number))
    mass = sum(body.mass for body in yard.scene.bodies[1:])
    trial.passive, trial.given = False, mass * size**2 * (1.0 + FRAMES)
    trial.drive = lambda sim, frame: sim.joint("track").drive(size if frame // 20 % 2 == 0 else -size)


def grip(yard: Yard) -> None:
    """Two fingers close on a box and lift it."""
    size, scene, trial = yard.size, yard.scene, yard.trial
    yard.floor()
    mass = log_uniform(yard.rng, 0.1, 100.0)
    still = {"mass": mass, "orientation": (1, 0, 0, 0), "velocity": (0, 0, 0)}
    yard.add(0, (0.0, 0.0, 0.5), shapes.Box(size, size, size), **still)
    scene.add_body("palm", shapes.Box(0.3 * size, 0.3 * size, 0.1 * size), mass=5.0, position=(0, 0, 2.0 * size))
    lift = joints.Prismatic(axis=(0, 0, 1), motor=joints.Motor(position=0.0))
    scene.connect("world", "palm", lift, name="lift")
    squeeze = 4.0 * 9.81 * mass + 20.0
    for sign in (-1.0, 1.0):
        finger = shapes.Box(0.1 * size, 0.6 * size, 0.8 * size)
        name = scene.add_body(f"finger{sign:+.0f}", finger, mass=0.5, position=(0.7 * sign * size, 0, 0.6 * size))
        motor = joints.Motor(speed=0.5 * size, max_force=squeeze)
        scene.connect("palm", name, joints.Prismatic(axis=(-sign, 0, 0), motor=motor))
    trial.passive, trial.given = False, 2.0 * squeeze * size + 9.81 * (mass + 6.0) * size
    step = float(trial.options["step"])
    trial.drive = lambda sim, frame: sim.joint("lift").drive(0.5 * size * max(0.0, frame * step - 0.3))


KINDS = {
    maker.__name__: maker
    for maker in (pile, bouncing, plates, fast, overlapping, terrain, spinning, stack, wedge, belt, grip)
}


def random_contacts(kind: str, seed: int) -> Trial:
    """A scene of a kind with 3 to 12 bodies."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    size, step = log_uniform(rng, 0.05, 2.0), 1.0 / float(rng.choice([60, 60, 120]))
    scene = taut.Scene(friction=float(rng.choice([0.0, 0.3, 0.6, 1.0, 2.0])), name=kind)
    trial = Trial(scene, random_options(rng, step), size, FRAMES, overlap=OVERLAP * size)
    KINDS[kind](Yard(rng, scene, size, int(rng.integers(3, 13)), trial))
    return trial
