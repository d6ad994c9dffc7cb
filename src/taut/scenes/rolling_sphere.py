"""A sphere rolls down 15 degrees without slipping: v = 5/7 g sin(15) t.

A solid ball of 1 kg and 0.1 m radius, at rest on a plane with a friction of 0.5, which is more than the 2/7 tan(15)
that rolling needs. Closed form of every textbook; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_contacts, expect_near
from taut.scenes._slope import add_slope
from taut.shapes import Sphere

DURATION = 1.0

RADIUS = 0.1


def build(angle: float = 15.0, friction: float = 0.5) -> Scene:
    """Build the slope and the ball.

    Args:
        angle: of the slope, degrees.
        friction: between ball and slope.
    """
    scene = Scene(friction=friction)
    _, out, _ = add_slope(scene, angle)
    scene.add_body("ball", Sphere(RADIUS), mass=1.0, position=RADIUS * out)
    return scene


def check(recording: Recording) -> None:
    """Speed and rate of turn are within 1 % of the closed form, for rolling or, where friction is too low, sliding."""
    expect_contacts(recording, penetration=1e-6)
    parameters = recording.info.parameters
    slope = np.radians(parameters["angle"])
    grip = min(parameters["friction"] * np.cos(slope), 2.0 / 7.0 * np.sin(slope))
    ball = recording.body("ball")
    speed = np.linalg.norm(ball.velocity, axis=1)
    turning = RADIUS * np.linalg.norm(ball.angular_velocity, axis=1)
    final = 9.81 * recording.time[-1]
    expected = 9.81 * (np.sin(slope) - grip) * recording.time
    expect_near(recording, "speed in m/s", speed, expected, 0.01 * np.sin(slope) * final)
    spin = 2.5 * 9.81 * grip * recording.time
    expect_near(recording, "radius times rate of turn in m/s", turning, spin, 0.025 * grip * final)
