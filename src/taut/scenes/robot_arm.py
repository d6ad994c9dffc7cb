"""A robot arm of up to seven joints follows a path with servos, until its elbow is asked for more than it can.

Seven hinges in turn about the arm's own line and across it, with the masses, limits and torques of an arm of 26 kg
that works beside people, and a gripper of 4 kg. It starts upright and goes through three poses, stopping at each; in
the last one its elbow is sent a degree beyond its end and stays there. Arms of fewer joints leave some out. Poses and
times are ours.
"""

from __future__ import annotations

import numpy as np

from taut.errors import InputError
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._arm import JOINTS, KEPT, add_arm, expect_within_torques
from taut.scenes._expect import expect_below, expect_joined
from taut.shapes import Box
from taut.spatial import Array

DURATION = 5.0

TIMES = (0.0, 1.5, 3.0, 4.5)
POSES = {
    "base": (0.0, 60.0, -60.0, 0.0),
    "shoulder": (0.0, 50.0, 70.0, -20.0),
    "upper-arm": (0.0, -30.0, 30.0, 0.0),
    "elbow": (0.0, 70.0, 40.0, 121.0),
    "forearm": (0.0, 40.0, -40.0, 0.0),
    "wrist": (0.0, 50.0, 70.0, 60.0),
    "flange": (0.0, 90.0, -90.0, 0.0),
}
"""Angles of the joints at these times (s), degrees."""


def build(links: int = 7) -> Scene:
    """Build the arm.

    Args:
        links: number of joints, each with a link, 2 to 7.
    """
    if links not in KEPT:
        raise InputError(f"scene 'robot_arm': links is {links}; it must be from 2 to 7")
    scene = Scene(collisions=False)
    add_arm(scene, links, path, tool=Box(0.06, 0.16, 0.1), tool_mass=4.0)
    return scene


def path(name: str) -> Ramps:
    """Angle (rad) of a joint over time (s)."""
    return Ramps(*zip(TIMES, np.radians(POSES[name]).tolist(), strict=True))


def check(recording: Recording) -> None:
    """The joints hold to 1e-6 m and follow the path to 1e-6 rad, as far as they can turn, within their torques.

    When the elbow meets its end, the blow may take others off the path, by 2e-3 rad.
    """
    expect_joined(recording, violation=1e-6)
    links = recording.info.parameters["links"]
    before = asked(recording, "elbow") < np.radians(JOINTS["elbow"].limit)
    for name in KEPT[links]:
        limit, found = np.radians(JOINTS[name].limit), recording.joint(f"{name}-servo").position
        assert found is not None
        error = np.abs(found[:, 0] - np.clip(asked(recording, name), -limit, limit))
        expect_below(recording, f"error of the angle of the {name} in rad", np.where(before, error, 0.0), 1e-6)
        expect_below(recording, f"error of the angle of the {name} in rad", error, 2e-3)
    expect_within_torques(recording, links)


def asked(recording: Recording, name: str) -> Array:
    """Angles (frames,) that a joint was asked for, rad."""
    follow = path(name)
    return np.array([follow(time) for time in recording.time])
