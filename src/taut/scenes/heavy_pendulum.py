"""A pendulum of ten light rods with a ball of 50,000 times their mass swings like a point pendulum.

Ten rods of 0.02 kg (0.2 m long, 0.01 m in radius), ball joints, a ball of 1,000 kg (0.3 m in radius) joined at its
centre, released at rest 60 degrees from the vertical. The mass ratio is that of the heavy pendulum shown for
augmented vertex block descent (Giles, Diaz, Yuksel 2025); dimensions are ours. The ball on its centre does not turn,
so the closed form is that of a straight pendulum of the same first and second moment.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import add_rods, direction
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.scenes._pendulum import pendulum_angle
from taut.shapes import Cylinder, Sphere
from taut.spatial import Array

DURATION = 5.0

ROD = Cylinder(radius=0.01, length=0.2)
ROD_MASS = 0.02


def build(links: int = 10, ratio: float = 50_000.0, angle: float = 60.0) -> Scene:
    """Build the pendulum.

    Args:
        links: number of rods.
        ratio: mass of the ball over that of a rod.
        angle: from the vertical at the start, degrees.
    """
    mass = checks.number("scene 'heavy_pendulum'", "ratio", ratio, above=0.0) * ROD_MASS
    scene = Scene(collisions=False)
    end = add_rods(scene, links, (0.0, 0.0, 0.0), direction(angle - 90.0), ROD, ROD_MASS)
    scene.add_body("load", Sphere(0.3), mass=mass, position=end)
    scene.connect(f"link-{links}", "load", Spherical(), at=end, name=f"ball-{links + 1}")
    return scene


def check(recording: Recording) -> None:
    """The joints hold to 1e-6 m; let go below the horizontal, energy keeps to 0.2 % and the ball follows the point
    pendulum to 1 % of its length.
    """
    expect_joined(recording, violation=1e-6)
    load = recording.body("load")
    length = float(np.linalg.norm(load.position[0]))
    if load.position[0, 2] > 0.0:  # it goes slack before it swings
        return
    expect_energy(recording, scale=9.81 * load.mass * length, loss=2e-3)
    expect_near(recording, "the ball's position in m", load.position, closed_form(recording), 0.01 * length)


def closed_form(recording: Recording) -> Array:
    """Position (frames, 3) of the ball on a straight pendulum with the mass and moments of this one, m."""
    ball = recording.body("load")
    length, rods = float(np.linalg.norm(ball.position[0])), sum(recording.info.masses) - ball.mass
    equivalent = length * (ball.mass + rods / 3.0) / (ball.mass + rods / 2.0)
    start = float(np.arctan2(ball.position[0, 0], -ball.position[0, 2]))
    angle = pendulum_angle(recording.time, start, equivalent)
    return length * np.stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)], axis=1)
