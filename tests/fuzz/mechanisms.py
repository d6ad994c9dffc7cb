"""Random mechanisms: trees and loops of all joints, 1 mm to 100 m, any masses, with or without ground and wind."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from fuzz.random_joints import COUPLINGS, POINTED, Draw, coupling
from fuzz.trials import Rng, Trial, chance, log_uniform, random_options, unit_vector

import taut
from taut import shapes
from taut.joints import Joint

FRAMES = 40
PARTS_OF_MACHINES = {
    "AntiRoll", "Axle", "Bearing", "CompliantLink", "DistanceDrive", "FiveLink", "Lever", "Route", "Shafts",
    "SlideGear",
}  # fmt: skip
"""Joints that machine parts are made of: most need stops, points or a carrier of their own. Contracts test them."""

TREE_KINDS = sorted(set(Joint.registry) - set(COUPLINGS) - PARTS_OF_MACHINES)


def random_shape(rng: Rng, size: float) -> shapes.Shape:
    """A shape of 0.1 to 0.5 times a size (m)."""
    a, b, c = size * rng.uniform(0.1, 0.5, 3)
    kinds = (shapes.Sphere(a), shapes.Box(a, b, c), shapes.Capsule(0.4 * a, b), shapes.Cylinder(0.5 * a, b))
    return kinds[rng.integers(4)]


@dataclass
class Growth:
    """A mechanism while it grows: bodies in order, the world first, with their places (m) and masses (kg)."""

    rng: Rng
    scene: taut.Scene
    draw: Draw
    base: float
    ratio: float
    rate: float
    names: list[str] = field(default_factory=lambda: ["world"])
    places: list[np.ndarray] = field(default_factory=lambda: [np.zeros(3)])
    masses: list[float] = field(default_factory=lambda: [math.inf])
    anchors: list[tuple[str, str, np.ndarray]] = field(default_factory=list)

    def add_body(self) -> None:
        """Add a body, joined to one of the last three in nine of ten cases."""
        rng, size = self.rng, self.draw.size
        parent = int(rng.integers(max(0, len(self.names) - 3), len(self.names)))
        place = self.places[parent] + size * rng.uniform(0.5, 1.5) * np.array(unit_vector(rng))
        mass = self.base * log_uniform(rng, 1.0, self.ratio)
        quaternion = rng.normal(size=4)
        name = self.scene.add_body(
            f"body-{len(self.names)}", random_shape(rng, size), mass=mass, position=place,
            orientation=quaternion / np.linalg.norm(quaternion), velocity=self.rate * size * rng.normal(size=3),
            angular_velocity=self.rate * rng.normal(size=3), restitution=float(rng.choice([0.0, 0.0, 0.5, 1.0])),
        )  # fmt: skip
        self.names.append(name), self.places.append(place), self.masses.append(mass)
        if parent or chance(rng, 0.9):
            kind = str(rng.choice(TREE_KINDS)) if chance(rng, 0.6) else str(rng.choice(["Spherical", "Revolute"]))
            self.join(parent, len(self.names) - 1, kind, float(rng.choice([0.0, 0.5, 1.0])))

    def join(self, a: int, b: int, kind: str, share: float) -> None:
        """Join two bodies at a point this share of the way from one to the other."""
        rng, mass = self.rng, min(self.masses[a], self.masses[b])
        way = self.places[b] - self.places[a]
        at = self.places[a] + share * way
        joint = self.draw.joint(kind, mass, float(np.linalg.norm(way)))
        soft = kind in POINTED and chance(rng, 0.1)
        self.draw.springs |= soft
        self.scene.connect(
            self.names[a], self.names[b], joint, at=at, compliance=1e-6 / mass * soft, damping=0.1 * mass * soft,
            collide=chance(rng, 0.1),
        )  # fmt: skip
        if kind in POINTED and not soft:
            self.anchors.append((self.names[a], self.names[b], at))

    def close_loop(self) -> None:
        """Join two bodies that are there already, or put a spring between them."""
        rng = self.rng
        a, b = (int(each) for each in rng.choice(len(self.names), 2, replace=False))
        if chance(rng, 0.1):
            mass = min(self.masses[a], self.masses[b])
            stiffness, self.draw.springs = mass * log_uniform(rng, 1.0, 1e6), True
            damping = 2.0 * math.sqrt(stiffness * mass) * rng.uniform()
            self.scene.add_spring(self.names[a], self.names[b], stiffness=stiffness, damping=damping)
        else:
            self.join(a, b, str(rng.choice(TREE_KINDS)), 0.5)

    def couple(self) -> None:
        """Couple the velocities of two or three bodies."""
        a, b, c = self.rng.choice(self.names[1:], 3, replace=False)
        self.scene.connect(str(a), str(b), coupling(self.draw, str(self.rng.choice(COUPLINGS)), str(c)))


def random_mechanism(rng: Rng) -> Trial:
    """A mechanism of 2 to 15 bodies."""
    size, step = log_uniform(rng, 1e-3, 100.0), 1.0 / log_uniform(rng, 30.0, 1000.0)
    count, loops = int(rng.integers(2, 16)), int(rng.choice([0, 0, 1, 2, 4]))
    touching, coupled = chance(rng, 0.5), count > 2 and chance(rng, 0.3)
    scene = taut.Scene(collisions=touching, friction=float(rng.uniform(0.0, 1.2)), name="mechanism")
    draw = Draw(rng, size, FRAMES * step, unbounded=not (loops or touching or coupled))
    base, ratio = log_uniform(rng, 0.01, 100.0) * size**1.5, float(rng.choice([1.001, 1e3, 1e6, 1e9]))
    rate = log_uniform(rng, 0.01, 20.0) if chance(rng, 0.7) else 0.0
    growth = Growth(rng, scene, draw, base, ratio, rate)
    for _ in range(count):
        growth.add_body()
    for _ in range(loops):
        growth.close_loop()
    if coupled:
        growth.couple()
    if touching:
        lowest = min(float(place[2]) for place in growth.places)
        scene.add_plane(offset=lowest - size * rng.uniform(0.5, 2.0), restitution=float(rng.choice([0.0, 0.5])))
    trial = Trial(scene, random_options(rng, step), size, FRAMES, anchors=growth.anchors, given=draw.given)
    trial.passive, trial.springs = not draw.active, draw.springs
    if chance(rng, 0.4):
        blow(trial, growth)
    return trial


def blow(trial: Trial, growth: Growth) -> None:
    """Let a wind of up to three times their weights blow on every second body."""
    chosen = list(zip(growth.names, growth.masses, strict=True))[1::2]
    trial.passive = False
    trial.pushes = {name: 3.3 * 9.81 * mass for name, mass in chosen}
    step, size = float(trial.options["step"]), trial.size

    def drive(sim: taut.Simulation, frame: int) -> None:
        for number, (name, mass) in enumerate(chosen):
            gust = mass * 9.81 * 3.0 * math.sin(7.0 * frame * step + number) * np.array([1.0, 0.4, 0.2])
            sim.body(name).apply(force=gust, torque=0.01 * size * gust)

    trial.drive = drive
