"""A block thrown along the ground slides to a stop after v0^2 / (2 mu g) and stays there.

A flat block of 1 kg, 0.4 x 0.4 x 0.1 m, with 3 m/s and a friction of 0.5: 0.917 m in 0.61 s. Closed form of every
textbook; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts, expect_near
from taut.shapes import Box

DURATION = 2.0

BLOCK = Box(0.4, 0.4, 0.1)


def build(speed: float = 3.0, friction: float = 0.5) -> Scene:
    """Build the ground and the block.

    Args:
        speed: at the start, along x, m/s.
        friction: between block and ground.
    """
    scene = Scene(friction=friction)
    scene.add_plane()
    scene.add_body("block", BLOCK, mass=1.0, position=(0.0, 0.0, 0.5 * BLOCK.z), velocity=(speed, 0.0, 0.0))
    return scene


def check(recording: Recording) -> None:
    """The way is the closed form's within 1 % and half a step; once stopped the block does not creep."""
    expect_contacts(recording, penetration=1e-6)
    speed, friction = recording.info.parameters["speed"], recording.info.parameters["friction"]
    stops = abs(speed) / (friction * 9.81)
    time = np.minimum(recording.time, stops)
    way = speed * time - np.sign(speed) * 0.5 * friction * 9.81 * time**2
    bound = 0.01 * abs(way[-1]) + 0.5 * abs(speed) * recording.info.step
    expect_near(recording, "way in m", recording.body("block").position[:, 0], way, bound)
    expect_at_rest(recording, ["block"], since=stops + 0.2, drift=1e-6, creep=1e-6)
