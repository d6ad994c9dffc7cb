"""Scenes in which something falls asleep."""

from __future__ import annotations

import numpy as np

import taut
from taut.model.state import ASLEEP
from taut.shapes import Box, Sphere
from taut.stepping.settings import SLEEP

LONG = round(60 * SLEEP.seconds)
"""Frames after which what rests falls asleep."""

CUBE = Box(0.5, 0.5, 0.5)

STACK = {"left-0", "left-1", "left-2"}
"""Bodies of the stack of `one_stack`."""


def ground() -> taut.Scene:
    """A rough floor."""
    scene = taut.Scene(friction=0.6)
    scene.add_plane()
    return scene


def add_stack(scene: taut.Scene, name: str, x: float, count: int = 3) -> None:
    """Boxes on each other, named name-0 upwards."""
    for number in range(count):
        scene.add_body(f"{name}-{number}", CUBE, mass=100.0, position=(x, 0.0, 0.25 + 0.5 * number))


def add_ball(scene: taut.Scene, x: float, speed: float, name: str = "ball") -> None:
    """A ball that rolls along x."""
    spin = (0.0, speed / 0.2, 0.0)
    scene.add_body(name, Sphere(0.2), mass=50.0, position=(x, 0, 0.2), velocity=(speed, 0, 0), angular_velocity=spin)


def two_stacks(speed: float = 4.0) -> taut.Scene:
    """Two stacks, and a ball that hits the first one after 0.9 s."""
    scene = ground()
    add_stack(scene, "left", 0.0)
    add_ball(scene, -0.45 - 0.9 * speed, speed)
    add_stack(scene, "right", 3.0)
    return scene


def one_stack() -> taut.Scene:
    """A stack."""
    scene = ground()
    add_stack(scene, "left", 0.0)
    return scene


def asleep(simulation: taut.Simulation) -> set[str]:
    """Names of the bodies that sleep."""
    names = simulation.model.bodies.names
    return {names[body] for body in np.flatnonzero(simulation.state.rest == ASLEEP)}


def after(scene: taut.Scene, frames: int = LONG + 5, sleeping: bool = True) -> taut.Simulation:
    """A simulation of a scene after some frames."""
    simulation = taut.Simulation(scene, sleeping=sleeping)
    for _ in range(frames):
        simulation.step()
    return simulation
