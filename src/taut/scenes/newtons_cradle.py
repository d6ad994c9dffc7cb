"""Newton's cradle: a ball hits a row of balls at rest, and the last one flies off with its speed.

Five steel balls of 0.5 kg and 25 mm radius on hinges 0.5 m above them, touching each other, with a restitution of 1;
the first is let go from 30 degrees. Closed form of every textbook; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_contacts, expect_energy
from taut.shapes import Sphere
from taut.spatial import Array

DURATION = 2.0

BALL, MASS, LENGTH = Sphere(0.025), 0.5, 0.5
HINGE = Revolute(axis=(0.0, 1.0, 0.0))


def build(balls: int = 5, angle: float = 30.0, restitution: float = 1.0) -> Scene:
    """Build the balls `ball-1` ... along x.

    Args:
        balls: in the row.
        angle: from which the first is let go, degrees.
        restitution: of the balls.
    """
    count = int(checks.number("scene 'newtons_cradle'", "balls", balls, at_least=2))
    turn = np.radians(checks.number("scene 'newtons_cradle'", "angle", angle))
    scene = Scene(friction=0.0)
    for number in range(count):
        hinge = np.array([2.0 * BALL.radius * number, 0.0, 0.0])
        lift = turn if number == 0 else 0.0
        place = hinge - LENGTH * np.array([np.sin(lift), 0.0, np.cos(lift)])
        name = scene.add_body(f"ball-{number + 1}", BALL, mass=MASS, position=place, restitution=restitution)
        scene.connect("world", name, HINGE, at=hinge, name=f"hinge-{number + 1}")
    return scene


def heights(recording: Recording) -> Array:
    """Height (frames, balls) of each ball above its lowest place, as a share of the first one's at the start."""
    height = recording.positions[:, :, 2] + LENGTH
    return np.asarray(height / height[0, 0])


def check(recording: Recording) -> None:
    """Balls do not overlap; without loss the last rises as high as the first was, and energy is kept."""
    expect_contacts(recording, penetration=1e-4)
    height = heights(recording)
    lossless = recording.info.parameters["restitution"] == 1.0
    start = 9.81 * MASS * (recording.positions[0, 0, 2] + LENGTH)
    expect_energy(recording, scale=start, loss=0.07 if lossless else 1.0, gain=1e-3)
    if lossless and recording.time[-1] >= DURATION - 1e-9:
        risen = height[:, -1].max()
        expect(abs(risen - 1.0) <= 0.05, f"the last ball rose to {risen:.3f} of the first one's height; 1 is right")
        expect(height[:, 1:-1].max() <= 0.01, f"a ball between rose to {height[:, 1:-1].max():.3g} of that height")
