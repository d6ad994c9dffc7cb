"""Small systems that several verification tests simulate."""

from __future__ import annotations

import numpy as np

import taut
from taut.joints import Distance, Revolute, Spherical
from taut.results.record import Recording
from taut.shapes import Cylinder
from taut.spatial import from_two_vectors

Y = (0.0, 1.0, 0.0)


def run(scene: taut.Scene, duration: float, step: float, **options: object) -> Recording:
    """A run that took every step as it should."""
    recording = taut.Simulation(scene, step=step, **options).run(duration)
    missed = recording.column("unconverged")
    assert not missed.any(), f"{missed.sum()} of {len(missed) - 1} steps: {set(np.array(recording.status)[missed])}"
    return recording


def point_pendulum(joint: str) -> taut.Scene:
    """1 kg on 1 m from rest at the horizontal: on a massless rod, a hinge or a ball joint."""
    scene = taut.Scene()
    scene.add_body("bob", mass=1.0, inertia=(1e-7, 1e-7, 1e-7), position=(1.0, 0.0, 0.0))
    if joint == "rod":
        scene.connect("world", "bob", Distance(length=1.0))
    else:
        scene.connect("world", "bob", Revolute(axis=Y) if joint == "hinge" else Spherical(), at=(0.0, 0.0, 0.0))
    return scene


def rods(scene: taut.Scene, points: np.ndarray, mass: float, radius: float = 0.01, **options: object) -> list[str]:
    """Thin rods of this mass (kg) from each point (n + 1, 3) to the next, not joined; their names."""
    names = []
    for number, (start, end) in enumerate(zip(points[:-1], points[1:], strict=True), start=1):
        along = end - start
        names.append(
            scene.add_body(
                f"rod-{number}", Cylinder(radius, float(np.linalg.norm(along))), mass=mass,
                position=0.5 * (start + end), orientation=from_two_vectors((0.0, 0.0, 1.0), along), **options,
            )
        )  # fmt: skip
    return names
