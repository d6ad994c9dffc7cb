"""What is done to taut chains while they run: pushes, gusts, and hands that pull and let go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from stress.cases import FRAMES, Drive, Rng, log_uniform, random_direction

import taut
from taut.simulation.grab import Grab

PUSHED = FRAMES // 3
"""Frames in which a push, a gust or a hand acts."""


def push(rng: Rng, names: Sequence[str], mass: float, largest: float = 2e4) -> Drive:
    """A force on one of these bodies, 1 N to `largest` N for each kg, in any direction; then none."""
    name, force = str(rng.choice(names)), log_uniform(rng, 1.0, largest) * mass * random_direction(rng)

    def drive(sim: taut.Simulation, frame: int) -> None:
        sim.body(name).apply(force=force if frame < PUSHED else np.zeros(3))

    return drive


def wind(rng: Rng, names: Sequence[str], mass: float, frames: int = 2 * PUSHED) -> Drive:
    """Forces on all of these bodies at once, other ones for each and in every frame; then none."""
    size = log_uniform(rng, 1.0, 5e3) * mass
    forces, gust = size * rng.normal(size=(len(names), 3)), rng.normal(size=FRAMES)

    def drive(sim: taut.Simulation, frame: int) -> None:
        for name, force in zip(names, forces, strict=True):
            sim.body(name).apply(force=force * gust[frame] if frame < frames else np.zeros(3))

    return drive


def lift(rng: Rng, name: str, weight: float) -> Drive:
    """A force up and sideways on a load, 1.2 to 3 times its weight (N), that then lets it fall."""
    force = weight * (rng.uniform(1.2, 3.0) * np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=3) * [1.0, 1.0, 0.0])

    def drive(sim: taut.Simulation, frame: int) -> None:
        sim.body(name).apply(force=force if frame < PUSHED else np.zeros(3))

    return drive


class Hand:
    """A hand that takes hold of a body, pulls it to a place within ten frames, and lets go."""

    def __init__(self, name: str, pull: np.ndarray, stiffness: float, takes: int, lets_go: int) -> None:
        """`pull` (3,) in m from where the body is then, `stiffness` in N/m, frames of taking hold and letting go."""
        self.name, self.pull, self.stiffness, self.takes, self.lets_go = name, pull, stiffness, takes, lets_go
        self.grab: Grab | None = None

    def __call__(self, sim: taut.Simulation, frame: int) -> None:
        """Act before a frame."""
        if frame == self.takes:
            self.grab = sim.grab(self.name, stiffness=self.stiffness)
            self.start = self.grab.position
        if self.grab is not None and frame == self.lets_go:
            self.grab.release()
            self.grab = None
        if self.grab is not None:
            share = min(1.0, (frame - self.takes) / 10.0)
            self.grab.move_to(self.start + share * self.pull)


def hands(rng: Rng, names: Sequence[str], count: int, stiffness: float = 1e4, reach: float = 0.3) -> Drive:
    """Hands at different links, each with its own pull, that let go one after the other."""
    held = rng.choice(names, size=min(count, len(names)), replace=False)
    each = [
        Hand(str(name), reach * random_direction(rng), stiffness, 2 + 2 * turn, PUSHED + 4 * turn)
        for turn, name in enumerate(held)
    ]

    def drive(sim: taut.Simulation, frame: int) -> None:
        for hand in each:
            hand(sim, frame)

    return drive
