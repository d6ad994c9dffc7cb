"""A small motor lifts a 500 kg load through two stages of gears and a drum.

Three shafts on hinges: a pinion of 0.1 kg driven by a torque of 16 N m, two 4:1 stages of outer gears (each shaft
turns against the one before), and a drum of 0.05 m radius on the last shaft whose rope runs like a rack on the load.
Wheels of 5 kg and 20 kg. The load is 5,000 times heavier than the pinion and rises with a constant acceleration, with
r the drum's radius and n the ratio of a stage:

    (I_1 + I_2/n^2 + (I_3 + m r^2)/n^4) alpha = torque - m g r/n^2,      a = r alpha/n^2
"""

from __future__ import annotations

import numpy as np

from taut.joints.gear import Gear
from taut.joints.rack import Rack
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Box, Cylinder
from taut.spatial import from_axis_angle

DURATION = 3.0

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TORQUE = 16.0
STAGE = 4.0
"""Turns of a shaft for one of the next, n."""
DRUM_RADIUS = 0.05
SHAFTS = (("motor", 0.1, 0.04), ("middle", 5.0, 0.2), ("drum", 20.0, 0.2))
"""Name, mass (kg) and radius (m) of the wheel on each shaft."""


def build(load: float = 500.0) -> Scene:
    """Build the hoist.

    Args:
        load: mass of the load, kg.
    """
    scene = Scene(collisions=False)
    turn = from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi)  # a wheel's own z axis along the world's y
    for number, (name, mass, radius) in enumerate(SHAFTS):
        place = (0.25 * number, 0.0, 1.0)
        scene.add_body(name, Cylinder(radius, 0.05), mass=mass, position=place, orientation=turn)
        scene.connect("world", name, Revolute(axis=Y), at=place, name=f"{name}-bearing")
    scene.add_body("load", Box(0.5, 0.5, 0.5), mass=load, position=(0.5 + DRUM_RADIUS, 0.0, -1.0))
    for a, b in (("motor", "middle"), ("middle", "drum")):
        scene.connect(a, b, Gear(ratio=-STAGE, axis_a=Y, axis_b=Y), name=f"{a}-{b}-gear")
    # the rope leaves the drum at +x, where a positive turn about y moves down; so the motor winds up backwards
    scene.connect("drum", "load", Rack(radius=-DRUM_RADIUS, axis=Y, axis_rack=Z), name="rope")
    scene.add_load("motor", torque=(0.0, -TORQUE, 0.0), name="torque")
    return scene


def check(recording: Recording) -> None:
    """The bearings hold to 1e-5 m, speeds keep their ratios to 1e-9, and the load rises as it must, to 0.5 %."""
    expect_joined(recording, violation=1e-5)
    motor, middle, drum = (recording.body(name).angular_velocity[:, 1] for name, _, _ in SHAFTS)
    scale = max(1.0, float(np.abs(motor).max()))
    expect_near(recording, "the first stage's ratio", motor / scale, -STAGE * middle / scale, 1e-9)
    expect_near(recording, "the second stage's ratio", middle / scale, -STAGE * drum / scale, 1e-9)
    load = recording.body("load")
    speed = acceleration(load.mass) * recording.time
    rise = 0.5 * speed * recording.time
    for quantity, value, reference in (
        ("speed", load.velocity[:, 2], speed), ("height", load.position[:, 2] - load.position[0, 2], rise),
    ):  # fmt: skip
        error = (value - reference) / (5e-4 + 5e-3 * np.abs(reference))
        expect_near(recording, f"the load's {quantity}, as a share of what is allowed", error, 0.0 * error, 1.0)


def acceleration(load: float) -> float:
    """Upward acceleration of a load of this mass (kg), m/s^2."""
    first, middle, last = (0.5 * mass * radius**2 for _, mass, radius in SHAFTS)
    inertia = first + middle / STAGE**2 + (last + load * DRUM_RADIUS**2) / STAGE**4
    return DRUM_RADIUS / STAGE**2 * (TORQUE - load * 9.81 * DRUM_RADIUS / STAGE**2) / inertia
