"""Two bodies that nearly touch, and the step that finds their contact, for tests of contact rows."""

from __future__ import annotations

import numpy as np
from staged_steps import Staged

import taut
from taut.integrators import EULER
from taut.rows.table import Places
from taut.shapes import Box, Capsule, Sphere
from taut.spatial_kernels import rotation_matrices

CASES = {
    "ball on ball": (Sphere(0.3), Sphere(0.2), 0.501),
    "crossed capsules": (Capsule(0.1, 1.0), Capsule(0.1, 1.0), 0.205),
    "ball on box": (Box(1.0, 1.0, 1.0), Sphere(0.2), 0.701),
}


def two_bodies(first: taut.shapes.Shape, second: taut.shapes.Shape, height: float, **options: float) -> taut.Simulation:
    """Two free bodies, the second above the first by this height, turned so that nothing is aligned."""
    scene = taut.Scene(**options)
    tilt = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])
    level = np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0])
    scene.add_body("a", first, mass=2.0, orientation=level)
    scene.add_body("b", second, mass=3.0, position=(0.02, 0.03, height), orientation=tilt)
    return taut.Simulation(scene)


def linearised(simulation: taut.Simulation) -> Staged:
    """The next step, by Euler, with the contacts of the present state and their rows evaluated there."""
    step = Staged(simulation.stepper, simulation.state, simulation.settings.step, EULER)
    step.collide()
    step.linearise()
    return step


def moved(step: Staged, body: int, twist: np.ndarray) -> Places:
    """Where bodies are with one of them moved by a small twist (6,)."""
    here = step.scratch.places
    places = Places(here.position.copy(), here.orientation.copy(), np.empty_like(here.rotation))
    places.position[body] += twist[:3]
    places.orientation[body] = taut.spatial.multiply(taut.spatial.exponential(twist[3:]), places.orientation[body])
    rotation_matrices(places.orientation, places.rotation)
    return places
