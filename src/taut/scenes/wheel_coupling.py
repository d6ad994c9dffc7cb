"""Wheels on a swinging chain turn at fixed ratios of speed, one twice as fast as another, whatever the chain does.

Three arms of 0.5 m and 1 kg hang on each other; a wheel of 2 kg and 0.1 m radius turns at the end of each. The first
turns twice as fast as the last [Baraff1996, section 2.2], the middle one at the mean of the two: one row over two and
one over three bodies that no joint joins, on velocities alone. A torque on the first wheel drives all; hinges through
their centres hand on none of it, so with all motion in a plane

    (I_1 + (3/4)^2 I_2 + (1/2)^2 I_3) alpha_1 = torque

whatever the arms do. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.differential import Differential
from taut.joints.gear import Gear
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Cylinder
from taut.spatial import from_axis_angle

DURATION = 3.0

Y = (0.0, 1.0, 0.0)
ARM, ARM_MASS = Cylinder(radius=0.02, length=0.5), 1.0
WHEEL, WHEEL_MASS = Cylinder(radius=0.1, length=0.04), 2.0
RATIO = 2.0
"""Speed of the first wheel over that of the last."""
SHARES = (1.0, 0.5 * (1.0 + 1.0 / RATIO), 1.0 / RATIO)
"""Speeds of the wheels over that of the first."""


def build(torque: float = 0.2) -> Scene:
    """Build arms and wheels, the arms level.

    Args:
        torque: on the first wheel, N m.
    """
    twist = checks.number("scene 'wheel_coupling'", "torque", torque)
    scene = Scene(collisions=False)
    along_x, along_y = from_axis_angle(Y, 0.5 * np.pi), from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi)
    previous = "world"
    for number in (1, 2, 3):
        start, end = (number - 1) * ARM.length, number * ARM.length
        middle = (0.5 * (start + end), 0.0, 0.0)
        arm = scene.add_body(f"arm-{number}", ARM, mass=ARM_MASS, position=middle, orientation=along_x)
        wheel = scene.add_body(f"wheel-{number}", WHEEL, mass=WHEEL_MASS, position=(end, 0.0, 0.0), orientation=along_y)
        scene.connect(previous, arm, Revolute(axis=Y), at=(start, 0.0, 0.0), name=f"hinge-{number}")
        scene.connect(arm, wheel, Revolute(axis=Y), at=(end, 0.0, 0.0), name=f"bearing-{number}")
        previous = arm
    scene.connect("wheel-1", "wheel-3", Gear(ratio=RATIO, axis_a=Y, axis_b=Y), name="twice")
    mean = Differential(other="wheel-3", axis_a=Y, axis_b=Y, axis_other=Y)
    scene.connect("wheel-2", "wheel-1", mean, name="mean")
    scene.add_load("wheel-1", torque=(0.0, twist, 0.0), name="torque")
    return scene


def check(recording: Recording) -> None:
    """Hinges hold to 1e-5 m, speeds keep their ratios to 1e-9 and grow as they must, to 1e-6 of the fastest."""
    expect_joined(recording, violation=1e-5)
    inertia = WHEEL.inertia(WHEEL_MASS)[2, 2] * sum(share**2 for share in SHARES)
    rate = recording.info.parameters["torque"] / inertia
    speeds = [recording.body(f"wheel-{number}").angular_velocity[:, 1] for number in (1, 2, 3)]
    scale = max(1.0, abs(rate) * float(recording.time[-1]))
    for number, (speed, share) in enumerate(zip(speeds, SHARES, strict=True), start=1):
        expect_near(recording, f"the ratio of wheel {number}", speed / scale, share * speeds[0] / scale, 1e-9)
    expect_near(recording, "the first wheel's speed", speeds[0] / scale, rate * recording.time / scale, 1e-6)
