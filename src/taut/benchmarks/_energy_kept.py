"""How much energy each integrator keeps of motion that has no friction, of what it has above its lowest place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.scene.scene import Scene
from taut.scenes import build
from taut.shapes import Cylinder
from taut.simulation.simulation import Simulation
from taut.spatial import from_axis_angle

Y = (0.0, 1.0, 0.0)
GRAVITY = 9.81
SCHEMES = ("euler", "bdf2", "low-damping")
SECONDS, STEP = 30.0, 1 / 60


def bars(count: int, length: float, mass: float) -> tuple[Scene, float]:
    """Bars in a row on hinges that fall from level, and their energy where they hang, J."""
    scene, last = Scene(gravity=(0.0, 0.0, -GRAVITY), collisions=False), "world"
    for number in range(count):
        name, middle = f"bar-{number + 1}", (number + 0.5) * length
        scene.add_body(
            name, Cylinder(radius=0.02, length=length), mass=mass, position=(middle, 0.0, 0.0),
            orientation=from_axis_angle(Y, 0.5 * np.pi),
        )  # fmt: skip
        scene.connect(last, name, Revolute(axis=Y), at=(number * length, 0.0, 0.0))
        last = name
    return scene, -GRAVITY * mass * length * 0.5 * count**2


def linkage() -> tuple[Scene, float]:
    """The scene `four_bar`, and its energy where it hangs."""
    return build("four_bar"), -GRAVITY * (2.0 * 1.0 * 0.25 + 2.0 * 0.5)


def tumbler(pinned: bool) -> tuple[Scene, float]:
    """A body of three moments of inertia that spins at 20 rad/s, free or, at 10 rad/s, pinned at its centre."""
    scene, rate = Scene(gravity=(0.0, 0.0, 0.0), collisions=False), 10.0 if pinned else 20.0
    spin = tuple(rate / np.sqrt(3.0) * np.ones(3))
    scene.add_body("body", mass=1.0, inertia=(1.0, 2.0, 3.0), angular_velocity=spin)
    if pinned:
        scene.connect("world", "body", Spherical(), at=(0.0, 0.0, 0.0))
    return scene, 0.0


CASES: dict[str, Callable[[], tuple[Scene, float]]] = {
    "bar": lambda: bars(1, 1.0, 1.0),
    "two bars": lambda: bars(2, 1.0, 1.0),
    "four-bar": linkage,
    "ten links": lambda: bars(10, 0.2, 0.25),
    "free spin": lambda: tumbler(pinned=False),
    "pinned spin": lambda: tumbler(pinned=True),
}


def energy_kept(
    cases: Iterable[str] = tuple(CASES), schemes: Iterable[str] = SCHEMES, seconds: float = SECONDS, step: float = STEP
) -> list[dict[str, object]]:
    """One row for each case and scheme: the share of energy lost, the most it rose by, and what the frames took."""
    rows: list[dict[str, object]] = []
    for case in cases:
        for scheme in schemes:
            scene, lowest = CASES[case]()
            simulation = Simulation(scene, step=step, integrator=scheme)
            start = simulation.report.energy - lowest
            reports = [simulation.step() for _ in range(round(seconds / step))]
            energy = np.array([report.energy - lowest for report in reports]) / start
            rows.append(
                {
                    "case": case, "integrator": scheme, "step": step, "seconds": seconds,
                    "energy_lost": float(1.0 - energy[-1]), "energy_rise": float(max(energy.max() - 1.0, 0.0)),
                    "solves_mean": float(np.mean([report.solves for report in reports])),
                    "unconverged_steps": sum(report.unconverged for report in reports),
                }
            )  # fmt: skip
    return rows


def measure(quick: bool, out: Path) -> list[dict[str, object]]:
    """The table of `taut bench stepping`: 30 s of every case, or 1 s of two of them."""
    return energy_kept(("two bars", "four-bar"), seconds=1.0) if quick else energy_kept()
