"""Random edits of a running scene: bodies, joints, springs and hands come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from dense_twins import random_quaternion
from joint_examples import example

import taut
from taut.joints import Revolute, Spherical
from taut.shapes import Box, Capsule, Cylinder, Shape, Sphere
from taut.simulation.grab import Grab

JOINTS = (
    "Cylindrical", "Distance", "Fixed", "Link", "Planar", "PointOnLine", "PointOnPlane", "Prismatic", "Revolute",
    "Rope", "Screw", "Spherical", "Translational", "Universal",
)  # fmt: skip
"""Joints between any two bodies; the others refer to a third one."""

SOLVERS = ("bpp", "bpp-dense", "ipm", "linear-time")


def random_shape(rng: np.random.Generator) -> Shape:
    """A body of 10 to 25 cm."""
    a, b, c = rng.uniform(0.05, 0.25, 3)
    shapes = (Sphere(a), Box(a, b, c), Capsule(0.4 * a, b), Cylinder(0.5 * a, b))
    return shapes[int(rng.integers(4))]


def hanging_row(rng: np.random.Generator) -> taut.Scene:
    """Five bodies of any mass in a row of ball joints, which falls on the ground."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    last = "world"
    for index in range(5):
        mass, place = 10.0 ** rng.uniform(-1, 2), (0.6 * index, 0.0, 1.5)
        name = scene.add_body(
            f"b{index}", random_shape(rng), mass=mass, position=place, orientation=random_quaternion(rng)
        )
        scene.connect(last, name, Spherical(), at=(0.6 * index - 0.3, 0, 1.5))
        last = name
    return scene


@dataclass
class Editor:
    """Someone who cannot leave a simulation alone."""

    rng: np.random.Generator
    simulation: taut.Simulation
    count: int = 0
    hands: list[Grab] = field(default_factory=list)

    def edit(self) -> str:
        """Make one random edit and say which."""
        kinds = (self.add, self.add, self.remove, self.join, self.join, self.cut, self.spring, self.hold, self.let_go,
                 self.pull, self.build)  # fmt: skip
        chosen = kinds[int(self.rng.integers(len(kinds)))]
        self.count += 1
        chosen()
        return chosen.__name__

    @property
    def bodies(self) -> list[str]:
        """Names of all bodies but the world."""
        return list(self.simulation.model.bodies.names[1:])

    def some(self, names: list[str], count: int = 1) -> list[str]:
        """Some of these names, none twice; fewer where there are not as many."""
        return [str(name) for name in self.rng.permutation(names)[:count]]

    def place(self) -> np.ndarray:
        """A point above the ground, m."""
        return self.rng.normal(size=3) + (0.0, 0.0, 3.0)

    def add(self) -> None:
        """A body from the sky."""
        mass, turned = 10.0 ** self.rng.uniform(-1, 2), random_quaternion(self.rng)
        with self.simulation.edit() as edit:
            edit.add_body(
                f"n{self.count}", random_shape(self.rng), mass=mass, position=self.place(), orientation=turned,
                velocity=self.rng.normal(size=3),
            )  # fmt: skip

    def remove(self) -> None:
        """A body goes, with all that holds it."""
        for name in self.some(self.bodies) if len(self.bodies) > 2 else []:
            with self.simulation.edit() as edit:
                edit.remove_body(name)

    def join(self) -> None:
        """Two bodies are joined where they are; this closes loops."""
        a, b = self.some(["world", *self.bodies], 2)
        with self.simulation.edit() as edit:
            edit.connect(a, b, example(self.some(list(JOINTS))[0]))

    def cut(self) -> None:
        """A joint or spring goes."""
        for name in self.some(list(self.simulation.meter.names)):
            with self.simulation.edit() as edit:
                edit.remove_joint(name)

    def spring(self) -> None:
        """A spring between two bodies."""
        pair = self.some(self.bodies, 2)
        if len(pair) == 2:
            with self.simulation.edit() as edit:
                edit.add_spring(*pair, stiffness=10.0 ** self.rng.uniform(0, 6), damping=1.0)

    def hold(self) -> None:
        """A hand takes a body."""
        for name in self.some(self.bodies):
            self.hands.append(self.simulation.grab(name, point=0.1 * self.rng.normal(size=3)))

    def let_go(self) -> None:
        """A hand opens."""
        if self.hands:
            self.hands.pop(int(self.rng.integers(len(self.hands)))).release()

    def pull(self) -> None:
        """A hand moves, if what it holds is still there."""
        if self.hands and self.hands[-1].name in self.simulation.meter.names:
            self.hands[-1].move_to(self.place())

    def build(self) -> None:
        """Several things at once, one of them at times undone."""
        others = self.some(self.bodies)
        with self.simulation.edit() as edit:
            body = edit.add_body(f"n{self.count}", random_shape(self.rng), mass=1.0, position=self.place())
            edit.connect("world", body, Revolute(axis=tuple(self.rng.normal(size=3))))
            for other in others:
                edit.add_spring(body, other, stiffness=50.0)
            if self.rng.random() < 0.3:
                edit.remove_body(str(body))
