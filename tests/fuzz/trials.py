"""A random scene to run, and what is known of it beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import taut

Rng = np.random.Generator
Triple = tuple[float, float, float]
EXACT = ("bpp", "bpp-cached", "bpp-dense", "bpp-downdate", "bpp-skyline", "ipm", "linear-time")
"""Solvers that promise to solve; what others leave is not judged here."""


@dataclass
class Trial:
    """A scene with all that a judge has to know.

    Attributes:
        scene: the scene.
        options: of the simulation.
        size: of its bodies, m.
        frames: to run.
        drive: what is done before each frame.
        anchors: bodies and the world point where a joint keeps them together.
        given: energy that springs hold and motors can put in over the run, J.
        pushes: largest force on each body by name, N.
        passive: whether energy cannot rise.
        springs: whether some energy is in springs.
        overlap: deepest that bodies may overlap in a frame that counts as solved, m.
        floor: height below which no centre of mass may be, m.
    """

    scene: taut.Scene
    options: dict[str, Any]
    size: float
    frames: int
    drive: Callable[[taut.Simulation, int], None] | None = None
    anchors: list[tuple[str, str, Any]] = field(default_factory=list)
    given: float = 0.0
    pushes: dict[str, float] = field(default_factory=dict)
    passive: bool = True
    springs: bool = False
    overlap: float = np.inf
    floor: float = -np.inf

    @property
    def duration(self) -> float:
        """Time that the trial runs, s."""
        return self.frames * float(self.options["step"])


def random_options(rng: Rng, step: float) -> dict[str, Any]:
    """Options of a simulation with an exact solver."""
    return {
        "step": step,
        "solver": str(rng.choice(EXACT)),
        "friction": str(rng.choice(["box", "box-refined", "cone"])),
        "integrator": str(rng.choice(["bdf2", "bdf2", "euler"])),
    }


def chance(rng: Rng, share: float) -> bool:
    """True in this share of all draws."""
    return bool(rng.random() < share)


def unit_vector(rng: Rng) -> Triple:
    """A random direction."""
    x, y, z = (vector := rng.normal(size=3)) / np.linalg.norm(vector)
    return float(x), float(y), float(z)


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """A number between two others, each decade as likely as the next."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
