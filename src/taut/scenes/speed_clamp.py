"""A crank under constant torque whirls a bob whose free motion is clamped: the clamp brakes, and no joint opens.

The bob of 2 kg is pinned to the end of a crank of 0.5 m and 1 kg; a motor turns the crank with 5 N m. Before every
solve the bob's velocity without joints is shortened to 2 m/s; then the joints are closed. A step of length h takes the
bob's momentum beyond the clamp away and the torque gives some back, so the bob settles at the clamp's speed plus h F /
m, F = 10 N being the torque at the pin. A puck pushed by 4 N beside it, without joints, never gets beyond the clamp.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.forces.projections import SpeedClamp
from taut.joints.base import Motor
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_joined, expect_near
from taut.shapes import Cylinder, Sphere
from taut.spatial import from_axis_angle

DURATION = 5.0

LENGTH, TORQUE, BOB_MASS, PUSH, PUCK_MASS = 0.5, 5.0, 2.0, 4.0, 1.0
Z = (0.0, 0.0, 1.0)
SETTLED = 3.0
"""Time in s after which the bob goes round steadily."""


def build(speed: float = 2.0) -> Scene:
    """Build the crank and the puck.

    Args:
        speed: that free motion of bob and puck is clamped to, m/s.
    """
    clamp = checks.number("scene 'speed_clamp'", "speed", speed, above=0.0)
    scene = Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    scene.add_body(
        "crank", Cylinder(radius=0.02, length=LENGTH), mass=1.0, position=(0.5 * LENGTH, 0.0, 0.0),
        orientation=from_axis_angle((0.0, 1.0, 0.0), 0.5 * np.pi),
    )  # fmt: skip
    motor = Motor(speed=1e3, max_force=TORQUE)
    scene.connect("world", "crank", Revolute(axis=Z, motor=motor), at=(0.0, 0.0, 0.0), name="pivot")
    scene.add_body("bob", Sphere(0.1), mass=BOB_MASS, position=(LENGTH, 0.0, 0.0))
    scene.connect("crank", "bob", Revolute(axis=Z), at=(LENGTH, 0.0, 0.0), name="pin")
    scene.add_body("puck", Sphere(0.05), mass=PUCK_MASS, position=(-5.0, 1.0, 0.0))
    scene.add_load("puck", force=(PUSH, 0.0, 0.0))
    scene.projections.append(SpeedClamp(("bob", "puck"), clamp))
    return scene


def check(recording: Recording) -> None:
    """Joints hold, the puck keeps to the clamp, and the bob settles where clamp and torque balance."""
    expect_joined(recording, violation=1e-5)
    clamp = float(recording.info.parameters.get("speed", 2.0))
    puck = recording.body("puck").velocity[:, 0]
    expect_near(recording, "puck's speed in m/s", puck, np.minimum(PUSH / PUCK_MASS * recording.time, clamp), 1e-9)
    bob = np.linalg.norm(recording.body("bob").velocity, axis=1)
    settled = clamp + recording.info.step * TORQUE / LENGTH / BOB_MASS
    late = recording.time >= SETTLED
    expect_below(recording, "bob's speed in m/s", bob, 1.01 * settled)
    steady = np.where(late, bob, settled)
    expect_near(recording, "bob's steady speed in m/s", steady, np.full(bob.size, settled), 0.01 * settled)
