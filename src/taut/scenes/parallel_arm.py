"""A robot arm of two parallelograms keeps its tool level while two motors move it (mujoco#2698).

Upper arm and forearm of 0.4 m, each with a parallel rod beside it, a bracket at the elbow and a tool: eight hinges
close two loops, with six redundant rows. Links of 0.05 kg carry a tool of 5 kg, 100:1. Shoulder and elbow turn at
constant speed, so the tool moves on a known curve and must not turn. The report has meshes of a printed arm with such
loops; dimensions are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from taut import checks
from taut.joints.drive import Motor
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import direction
from taut.scenes._expect import expect_below, expect_joined, expect_near
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 3.0

LENGTH = 0.4
"""Length of the upper arm and of the forearm, m."""
OFFSET = np.array([-0.06, 0.0, 0.06])
"""From each arm's hinge to that of the rod beside it, m."""
LINK_MASS = 0.05
UPPER_START, FORE_START = 100.0, -10.0
"""Angles of the arms above the x axis at the start, degrees."""
UPPER_SPEED, FORE_SPEED = -0.3, -0.4
"""Rates of those angles, rad/s."""
AXIS = (0.0, -1.0, 0.0)
"""Turning about it raises an angle above the x axis."""


def build(tool: float = 5.0) -> Scene:
    """Build the arm.

    Args:
        tool: mass of the tool, kg.
    """
    mass = checks.number("scene 'parallel_arm'", "tool", tool, above=0.0)
    scene = Scene(collisions=False)
    upper, fore = LENGTH * direction(UPPER_START), LENGTH * direction(FORE_START)
    elbow_velocity = UPPER_SPEED * np.cross(AXIS, upper)
    wrist_velocity = elbow_velocity + FORE_SPEED * np.cross(AXIS, fore)
    bracket, wrist = upper + 0.5 * OFFSET, upper + fore
    add_link(scene, "upper-arm", (0.0, 0.0, 0.0), upper, UPPER_SPEED, (0.0, 0.0, 0.0))
    add_link(scene, "upper-rod", OFFSET, upper, UPPER_SPEED, (0.0, 0.0, 0.0))
    scene.add_body("bracket", Box(0.1, 0.02, 0.1), mass=LINK_MASS, position=bracket, velocity=elbow_velocity)
    add_link(scene, "forearm", upper, fore, FORE_SPEED, elbow_velocity)
    add_link(scene, "fore-rod", upper + OFFSET, fore, FORE_SPEED, elbow_velocity)
    scene.add_body("tool", Box(0.1, 0.1, 0.1), mass=mass, position=wrist, velocity=wrist_velocity)
    shoulder = Revolute(axis=AXIS, motor=Motor(speed=UPPER_SPEED))
    elbow = Revolute(axis=AXIS, motor=Motor(speed=FORE_SPEED))
    hinge = Revolute(axis=AXIS)
    for a, b, joint, at in (
        ("world", "upper-arm", shoulder, np.zeros(3)), ("world", "upper-rod", hinge, OFFSET),
        ("upper-arm", "bracket", hinge, upper), ("upper-rod", "bracket", hinge, upper + OFFSET),
        ("bracket", "forearm", elbow, upper), ("bracket", "fore-rod", hinge, upper + OFFSET),
        ("forearm", "tool", hinge, wrist), ("fore-rod", "tool", hinge, wrist + OFFSET),
    ):  # fmt: skip
        scene.connect(a, b, joint, at=at)
    scene.add_control("shoulder", joint="world-upper-arm", low=-1.0, high=1.0, keys=("J", "L"))
    scene.add_control("elbow", joint="bracket-forearm", low=-1.0, high=1.0, keys=("K", "I"))
    return scene


def add_link(scene: Scene, name: str, start: ArrayLike, along: Array, speed: float, velocity: ArrayLike) -> None:
    """A rod from `start` (m, moving with `velocity`) along a vector (m), turning at this speed (rad/s)."""
    spin = speed * np.array(AXIS)
    scene.add_body(
        name, Cylinder(radius=0.01, length=LENGTH), mass=LINK_MASS, position=np.asarray(start) + 0.5 * along,
        orientation=from_two_vectors((0.0, 0.0, 1.0), along), angular_velocity=spin,
        velocity=np.asarray(velocity) + np.cross(spin, 0.5 * along),
    )  # fmt: skip


def check(recording: Recording) -> None:
    """The loops stay closed to 1e-6 m, the tool does not turn and follows its curve to 0.1 mm."""
    expect_joined(recording, violation=1e-6)
    tool = recording.body("tool")
    expect_below(recording, "turn of the tool in rad", 2.0 * np.linalg.norm(tool.orientation[:, 1:], axis=1), 1e-5)
    expect_near(recording, "the tool's position in m", tool.position, closed_form(recording.time), 1e-4)


def closed_form(time: Array) -> Array:
    """Position (frames, 3) of the tool at these times (s), m."""
    angles = [np.radians(UPPER_START) + UPPER_SPEED * time, np.radians(FORE_START) + FORE_SPEED * time]
    x, z = (sum(LENGTH * function(angle) for angle in angles) for function in (np.cos, np.sin))
    return np.stack([x, np.zeros_like(time), z], axis=1)
