"""A four-legged robot of 19 kg trots across the ground, its twelve motors following a script.

A trunk of 12 kg on four legs of three hinges each: hip (about the trunk's length), thigh and knee (across it), thigh
and shank 0.2 m long, feet that are spheres. Each motor is a spring and a damper about a scripted angle, of at most 35
N m, as in robots of this size. The script moves the feet in a trot, diagonal legs together, and knows nothing of the
ground: nobody balances the robot. Dimensions and gait are ours.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_contacts, torque_about
from taut.shapes import Box, Capsule, Compound, Sphere
from taut.spatial import from_axis_angle, rotate_each

DURATION = 6.0

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES = {"hip": X, "thigh": Y, "shank": Y}
TRUNK, TRUNK_MASS = Box(0.42, 0.18, 0.1), 12.0
HIP_MASS, THIGH_MASS, SHANK_MASS = 0.6, 0.9, 0.25
LENGTH, FOOT = 0.2, 0.022
"""Of thigh and shank, and radius of the feet, m."""
LEGS = {"front-left": (1, 1), "front-right": (1, -1), "back-left": (-1, 1), "back-right": (-1, -1)}
"""Signs of their places along x and y."""
HIP_X, HIP_Y, LEG_Y = 0.19, 0.06, 0.13
"""Places of the hips' axes along x and y, and of the legs along y, m."""
STIFFNESS, DAMPING, TORQUE = 400.0, 6.0, 35.0
"""Of the motors, N m/rad, N m s/rad and N m."""

HEIGHT = 0.3
"""From the thighs' axes to the middle of the feet where they stand, m."""
PERIOD, DUTY, STRIDE, LIFT = 0.4, 0.6, 0.12, 0.07
"""Seconds of a pace, the share of it that a foot is down, how far that takes the trunk, and how high feet go, m."""
START = Ramps((0.3, 0.0), (1.1, 1.0))
"""Share of the stride over time."""
PACE = STRIDE / (DUTY * PERIOD)
"""Speed of the trunk where feet do not slip, m/s."""


def build(friction: float = 0.8) -> Scene:
    """Build the robot.

    Args:
        friction: between feet and ground.
    """
    scene = Scene(friction=checks.number("scene 'quadruped'", "friction", friction, at_least=0.0))
    scene.add_plane()
    scene.add_body("trunk", TRUNK, mass=TRUNK_MASS, position=(0.0, 0.0, HEIGHT + FOOT), group="robot")
    for leg in LEGS:
        add_leg(scene, leg)
    scene.ignore_contacts("robot", "robot")
    return scene


def add_leg(scene: Scene, leg: str) -> None:
    """Hip, thigh and shank of a leg as it stands, with their motors."""
    (front, left), (thigh, knee) = LEGS[leg], leg_angles(0.0, -HEIGHT)
    x, y, z = front * HIP_X, left * LEG_Y, HEIGHT + FOOT
    bend = np.array([x - LENGTH * math.sin(thigh), y, z - LENGTH * math.cos(thigh)])
    foot = np.array([x, y, FOOT])
    scene.add_body(
        f"{leg}-hip", Sphere(0.045), mass=HIP_MASS, position=(x, left * 0.5 * (HIP_Y + LEG_Y), z), group="robot"
    )
    scene.add_body(
        f"{leg}-thigh", Capsule(0.02, LENGTH), mass=THIGH_MASS, position=0.5 * (np.array([x, y, z]) + bend),
        orientation=from_axis_angle(Y, thigh), group="robot",
    )  # fmt: skip
    shank = Compound([(Capsule(0.012, LENGTH), (0.0, 0.0, 0.0)), (Sphere(FOOT), (0.0, 0.0, -0.5 * LENGTH))])
    scene.add_body(
        f"{leg}-shank", shank, mass=SHANK_MASS, position=0.5 * (bend + foot),
        orientation=from_axis_angle(Y, thigh + knee), group="robot",
    )  # fmt: skip
    joints = (
        ("hip", "trunk", (x, left * HIP_Y, z), 0.8), ("thigh", f"{leg}-hip", (x, y, z), 1.2),
        ("shank", f"{leg}-thigh", bend, 1.0),
    )  # fmt: skip
    for part, parent, at, limit in joints:
        motor = Motor(position=0.0, max_force=TORQUE, stiffness=STIFFNESS, damping=DAMPING)
        hinge = Revolute(axis=AXES[part], limits=(-limit, limit), motor=motor)
        name = scene.connect(parent, f"{leg}-{part}", hinge, at=at, name=f"{leg}-{part}-motor")
        if part != "hip":
            scene.add_control(f"{leg}-{part}", joint=name, schedule=partial(gait, leg, part))


def leg_angles(x: float, z: float) -> tuple[float, float]:
    """Angles (rad) about y of thigh, and of shank from it, that bring the foot to x, z (m) from the thigh's axis.

    The knee points back.
    """
    bend = 2.0 * math.acos(min(math.hypot(x, z) / (2.0 * LENGTH), 1.0))
    return math.atan2(-x, -z) + 0.5 * bend, -bend


def gait(leg: str, part: str, time: float) -> float:
    """Angle (rad) of a leg's thigh or shank at a time (s), zero where it stands."""
    (front, left), size = LEGS[leg], START(time)
    share, lift = pace((time / PERIOD + (0.0 if front == left else 0.5)) % 1.0)
    there = leg_angles(0.5 * STRIDE * size * share, LIFT * size * lift - HEIGHT)
    standing, number = leg_angles(0.0, -HEIGHT), ("thigh", "shank").index(part)
    return there[number] - standing[number]


def pace(phase: float) -> tuple[float, float]:
    """Where a foot is from 1 (front) to -1 (back), and its height from 0 to 1, at a phase from 0 to 1 of its pace."""
    if phase < DUTY:
        return 1.0 - 2.0 * phase / DUTY, 0.0
    swing = (phase - DUTY) / (1.0 - DUTY)
    return -math.cos(math.pi * swing), math.sin(math.pi * swing) ** 2


def check(recording: Recording) -> None:
    """The joints hold to 0.5 mm and so do feet, motors keep to their torque; it walks ahead at its pace, upright.

    It stays at its height to 3 cm and heads ahead to 0.5 rad: nobody steers it.
    """
    expect_contacts(recording, penetration=5e-4, violation=5e-4)
    trunk = recording.body("trunk")
    rise = np.abs(trunk.position[:, 2] - trunk.position[0, 2])
    expect_below(recording, "change of the trunk's height in m", rise, 0.03)
    up, ahead = (rotate_each(trunk.orientation, np.tile(axis, (len(recording), 1))) for axis in (Z, X))
    expect_below(recording, "tilt of the trunk in rad", np.arccos(np.clip(up[:, 2], -1.0, 1.0)), 0.2)
    expect_below(recording, "turn of the trunk in rad", np.abs(np.arctan2(ahead[:, 1], ahead[:, 0])), 0.5)
    for leg in LEGS:
        for part, axis in AXES.items():
            torque = np.abs(torque_about(recording, f"{leg}-{part}-motor", f"{leg}-{part}", axis))
            expect_below(recording, f"torque of the {leg}-{part} in N m", torque, 1.001 * TORQUE)
    walked = recording.time[-1] - START.times[1]
    if walked > 1.0:
        begin = int(np.searchsorted(recording.time, START.times[1]))
        speed = float(np.linalg.norm(trunk.position[-1, :2] - trunk.position[begin, :2])) / walked
        expect(0.7 * PACE < speed < 1.2 * PACE, f"it walks at {speed:.3g} m/s; about {PACE:.3g} is right")
