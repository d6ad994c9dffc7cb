"""A robot arm of seven joints with servos, of which shorter arms leave some out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taut.joints.base import Triple
from taut.joints.drive import Motor
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.scenes._expect import expect_below, torque_about
from taut.shapes import Capsule, Compound, Cylinder, Shape

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class ArmJoint(NamedTuple):
    """A joint of the arm and the link above it, the arm being upright.

    Attributes:
        height: of the joint above the ground, m.
        axis: it turns about.
        limit: how far it turns either way, degrees.
        torque: most that its motor can do, N m.
        mass: of the link up to the next joint, kg.
        radius: of that link, m.
    """

    height: float
    axis: Triple
    limit: float
    torque: float
    mass: float
    radius: float


JOINTS = {
    "base": ArmJoint(0.16, Z, 170.0, 320.0, 5.8, 0.08),
    "shoulder": ArmJoint(0.36, Y, 120.0, 320.0, 6.4, 0.08),
    "upper-arm": ArmJoint(0.56, Z, 170.0, 176.0, 3.5, 0.07),
    "elbow": ArmJoint(0.78, Y, 120.0, 176.0, 3.5, 0.07),
    "forearm": ArmJoint(0.96, Z, 170.0, 110.0, 3.5, 0.06),
    "wrist": ArmJoint(1.18, Y, 120.0, 40.0, 1.8, 0.06),
    "flange": ArmJoint(1.26, Z, 175.0, 40.0, 1.2, 0.05),
}
"""About those of an arm for 14 kg that works beside people: 26 kg, 1.3 m high where it is upright."""

TIP = 1.31
"""Height of the flange's face where the arm is upright, m."""

REACH = 0.1
"""From the flange's face to the middle of the tool, m."""

KEPT = {
    2: ("shoulder", "elbow"),
    3: ("base", "shoulder", "elbow"),
    4: ("base", "shoulder", "elbow", "wrist"),
    5: ("base", "shoulder", "elbow", "forearm", "wrist"),
    6: ("base", "shoulder", "elbow", "forearm", "wrist", "flange"),
    7: tuple(JOINTS),
}
"""Joints of arms by their number; links without a joint between them are one."""


def add_arm(scene: Scene, links: int, path: Callable[[str], Schedule], tool: Shape, tool_mass: float) -> None:
    """Add an upright arm on the ground at the origin, its angles all zero, and servos that follow a path.

    Bodies are `pedestal`, which is fixed, and links that are named after the joints below them; the last one holds the
    tool. Links do not touch each other.

    Args:
        scene: to add it to.
        links: 2 to 7.
        path: angle in rad as a function of time in s, by the name of a joint.
        tool: what the flange holds, its middle `REACH` above the flange's face.
        tool_mass: kg.
    """
    first = JOINTS[KEPT[links][0]].height
    shape = Cylinder(radius=0.1, length=first)
    parent: str = scene.add_body("pedestal", shape, position=(0.0, 0.0, 0.5 * first), fixed=True, group="arm")
    for name, after in zip(KEPT[links], (*KEPT[links][1:], None), strict=True):
        joint, limit = JOINTS[name], float(np.radians(JOINTS[name].limit))
        add_link(scene, name, after, tool, tool_mass)
        servo = Motor(position=0.0, max_force=joint.torque)
        hinge = Revolute(axis=joint.axis, limits=(-limit, limit), motor=servo)
        scene.connect(parent, name, hinge, at=(0.0, 0.0, joint.height), name=f"{name}-servo")
        scene.add_control(name, joint=f"{name}-servo", low=-np.pi, high=np.pi, schedule=path(name))
        parent = name
    scene.ignore_contacts("arm", "arm")


def add_link(scene: Scene, name: str, after: str | None, tool: Shape, tool_mass: float) -> None:
    """The link from one joint to the next one, or to the flange's face and with the tool."""
    joint, names = JOINTS[name], list(JOINTS)
    end = None if after is None else names.index(after)
    mass = sum(JOINTS[each].mass for each in names[names.index(name) : end])
    top = TIP if after is None else JOINTS[after].height
    shape: Shape = Capsule(joint.radius, top - joint.height)
    if after is None:
        shape = Compound([(shape, (0.0, 0.0, 0.0)), (tool, (0.0, 0.0, 0.5 * (top - joint.height) + REACH))])
        mass += tool_mass
    scene.add_body(name, shape, mass=mass, position=(0.0, 0.0, 0.5 * (joint.height + top)), group="arm")


def expect_within_torques(recording: Recording, links: int) -> None:
    """No motor did more than it can; where a joint is at an end, what that does cannot be told from the motor's."""
    for name in KEPT[links]:
        joint, angle = JOINTS[name], recording.joint(f"{name}-servo").position
        assert angle is not None
        torque = np.abs(torque_about(recording, f"{name}-servo", name, joint.axis))
        torque[np.abs(angle[:, 0]) > np.radians(joint.limit) - 1e-4] = 0.0
        expect_below(recording, f"torque of the {name} in N m", torque, 1.001 * joint.torque)
