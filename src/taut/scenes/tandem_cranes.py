"""Two crawler cranes of 75 t carry a pipe of 3.5 t in slings, in which it slides, and walk with it [Peiret2019].

Docstring to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.machines.base import own_direction
from taut.machines.cable import Cable
from taut.machines.sling import Sling
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._crawler import BLOCK, BLOCK_MASS, HOOK_MASS, OPENING, ROPE, Crawler
from taut.scenes._expect import expect_contacts
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 20.0
PICTURE = 9.0

PIPE, PIPE_MASS, INNER = Cylinder(0.5, 12.0), 3500.0, 0.488
"""Outer radius and length, m; mass, kg; inner radius, m."""
APART, HEIGHT, DROP = 8.0, 8.0, 2.4
"""Between the slings, of the pipe's axis, and from the eye of a sling down to there, m."""
BELT = {
    "segments": 14, "diameter": 0.06, "mass_per_length": 6.0, "axial_stiffness": 1e7, "bending_stiffness": 100.0,
    "torsional_stiffness": 400.0,
}  # fmt: skip
BAR, LEG, EYE_MASS = 0.3, 5e6, 12.0
"""Length of the bar at each end of a belt, from which two legs go up, m; EA of a leg, N; mass of the link, kg."""
DRIVE, WALK = 0.25, 1.5
PUSH = (0.8, 1.0, 1.2)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def build(speed: float = 0.6, friction: float = 0.04) -> Scene:
    """Build the cranes `east` and `west` and the pipe `pipe`.

    Args:
        speed: that the pipe is pushed to along its axis, m/s.
        friction: between the pipe and its slings.
    """
    owner = "scene 'tandem_cranes'"
    speed, friction = checks.number(owner, "speed", speed), checks.number(owner, "friction", friction, at_least=0.0)
    scene = Scene(friction=0.8)
    scene.add_plane()
    driving = Ramps((3.0, 0.0), (4.5, DRIVE), (9.0, DRIVE), (10.5, 0.0))
    still, hoisting = Ramps((0.0, 0.0), (DURATION, 0.0)), Ramps((12.0, 0.0), (13.5, -0.2), (14.5, -0.2), (16.0, 0.0))
    belt, legs = belt_around(friction)
    on_hook = 0.5 * PIPE_MASS + BLOCK_MASS + HOOK_MASS + EYE_MASS + 10.0
    for name, y in (("west", 0.5 * APART), ("east", -0.5 * APART)):
        load = on_hook + ROPE["mass_per_length"] * 16.0
        crane = Crawler(scene, name, y, driving, hoisting if name == "east" else still, load)
        x = crane.head[0]
        if name == "west":
            add_pipe(scene, x, speed, friction)
        hang(scene, crane, np.array((x, y, HEIGHT)), friction)
    return scene


def add_pipe(scene: Scene, x: float, speed: float, friction: float) -> None:
    """The pipe, and what pushes it."""
    outer, inner = PIPE.radius**2, INNER**2
    across = PIPE_MASS * (3.0 * (outer + inner) + PIPE.length**2) / 12.0
    scene.add_body(
        "pipe", PIPE, mass=PIPE_MASS, inertia=(across, across, 0.5 * PIPE_MASS * (outer + inner)),
        position=(x, 0.0, HEIGHT), orientation=from_two_vectors(Z, Y), friction=friction, group="load",
    )  # fmt: skip
    force = PIPE_MASS * speed / (0.5 * (PUSH[2] - PUSH[0]))
    schedule = Ramps((PUSH[0], 0.0), (PUSH[1], force), (PUSH[2], 0.0))
    scene.add_control("pipe.push", act=push, low=-5e4, high=5e4, unit="N", schedule=schedule)


def push(simulation: Simulation, force: float) -> None:
    """Push the pipe along its axis, N."""
    simulation.body("pipe").apply(force=(0.0, force, 0.0))


def belt_around(friction: float) -> tuple[Array, float]:
    """Corners (k, 3) of a belt around the pipe from its middle, and half the angle that it lies around it."""
    count = BELT["segments"]
    radius = PIPE.radius + 0.5 * BELT["diameter"]
    half = np.pi - np.arccos(radius / DROP)
    turn = np.linspace(-half, half, count - 1)
    rim = radius / np.cos(0.5 * (turn[1] - turn[0]))
    arc = rim * np.column_stack([np.sin(turn), np.zeros(count - 1), -np.cos(turn)])
    eye = np.array((0.0, 0.0, DROP))
    chord = np.linalg.norm(arc[1] - arc[0])
    ends = [end + chord * (eye - end) / np.linalg.norm(eye - end) for end in (arc[0], arc[-1])]
    return np.vstack([ends[0], arc, ends[1]]), float(half)


def hang(scene: Scene, crane: Crawler, place: Array, friction: float) -> None:
    """Sling and hook that hold the pipe at a place of its axis (3,), m."""
    name = crane.name
    corners = place + belt_around(friction)[0]
    points = [tuple(point) for point in corners[1:-1]]
    belt = Cable(start=corners[0], end=corners[-1], points=points, friction=friction, group=f"{name}/sling", **BELT)
    scene.add(belt, name=f"{name}/belt")
    eye = place + (0.0, 0.0, DROP + 0.1)
    link = scene.add_body(
        f"{name}/link", Cylinder(0.12, 0.04), mass=EYE_MASS, position=eye, collides=False, group=f"{name}/sling"
    )
    half = 0.5 * scene.parts[f"{name}/belt"].sizes["segment"]
    for side, across in (("front", 0.5 * BAR), ("back", -0.5 * BAR)):
        ends = [
            (body, (0.0, 0.0, end) + across * own_direction(scene, body, Y))
            for body, end in ((f"{name}/belt/1", -half), (f"{name}/belt/{BELT['segments']}", half))
        ]
        scene.add(Sling(eye=(link, (0.0, across, -0.1)), to=ends, axial_stiffness=LEG), name=f"{name}/{side}-legs")
    crane.add_hoist(eye - (0.0, crane.y, 0.0) + (0.0, 0.0, 2.0 * OPENING + BLOCK.z), [link])


def check(recording: Recording) -> None:
    """To come."""
    expect_contacts(recording, penetration=2e-3)
