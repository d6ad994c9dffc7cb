"""One example of every joint, and a small scene to put it in, for tests that run over the registry."""

from __future__ import annotations

from typing import Any

import numpy as np
from dense_twins import random_quaternion

import taut
from taut import joints
from taut.joints import Joint

EXAMPLES: dict[str, Joint] = {
    "Fixed": joints.Fixed(),
    "Revolute": joints.Revolute(axis=(1, 2, -1)),
    "Prismatic": joints.Prismatic(axis=(1, 0, 2)),
    "Cylindrical": joints.Cylindrical(axis=(0, 1, 1)),
    "Spherical": joints.Spherical(),
    "Universal": joints.Universal(axis_a=(1, 1, 0), axis_b=(1, -1, 0.0)),
    "Planar": joints.Planar(normal=(0.2, 0.3, 1.0)),
    "PointOnLine": joints.PointOnLine(axis=(2, 1, 0)),
    "PointOnPlane": joints.PointOnPlane(normal=(0, 0.5, 1)),
    "Distance": joints.Distance(point_a=(0.1, 0.2, -0.1), point_b=(0.3, 0.0, 0.1)),
    "Rope": joints.Rope(point_a=(0.1, 0.2, -0.1), point_b=(0.3, 0.0, 0.1)),
    "Route": joints.Route(
        stops=(
            joints.attach("a", (0.1, 0.2, -0.1)),
            joints.sheave("b", (0.3, 0.0, 0.1), radius=0.1, axis=(0.3, 1.0, 0.2)),
            joints.attach("world", (0.0, 0.5, 0.9)),
        )
    ),
    "Link": joints.Link(
        axis=(1, 1, 0), stretch=1e5, shear=1e4, bend=10.0, twist=5.0, bend_damping=1.0, twist_damping=1.0
    ),
    "CompliantLink": joints.CompliantLink(
        point_a=(0.1, 0.2, -0.1), point_b=(0.3, 0.0, 0.1), stretch=5.0, bend=0.2, twist=0.1, twist_damping=0.1
    ),
    "DistanceDrive": joints.DistanceDrive(
        point_a=(0.1, 0.2, -0.1), point_b=(0.3, 0.0, 0.1), stiffness=20.0, damping=1.0, rest=1.0
    ),
    "SlideGear": joints.SlideGear(ratio=-1.5, axis_a=(0, 1, 0.5), axis_b=(1, 0, 0.2), carrier="carrier"),
    "Gear": joints.Gear(ratio=-2.5, axis_a=(0, 0, 1), axis_b=(0, 1, 1)),
    "Screw": joints.Screw(axis=(1, 0, 1), pitch=0.3),
    "Differential": joints.Differential(other="c", ratio=1.5, axis_a=(1, 0, 0), carrier="carrier"),
    "Bearing": joints.Bearing(axis=(1, 2, -1)),
    "Shafts": joints.Shafts(
        (("a", "b", (0, 1, 1), 1.0), ("carrier", "c", (1, 0, 0), -2.5), ("world", "c", (0, 0, 1), 0.5)),
        torque=(-3.0, 5.0),
    ),
    "KnifeEdge": joints.KnifeEdge(axis=(1, 2, 0)),
    "Translational": joints.Translational(),
    "AntiRoll": joints.AntiRoll(carrier="carrier", axis=(0, 1, 2), stiffness=5.0, damping=0.1),
    "Axle": joints.Axle(axis=(2, 1, 0), axis_up=(0, 0, 3), arm=0.4),
    "FiveLink": joints.FiveLink(
        rods=[
            ((0.3, 0.1, 0.2), (0.0, 0.1, 0.3)),
            ((-0.3, 0.1, 0.2), (0.0, 0.1, 0.3)),
            ((0.3, 0.1, -0.2), (0.0, 0.1, -0.3)),
            ((-0.3, 0.1, -0.2), (0.0, 0.1, -0.3)),
            ((-0.4, 0.1, 0.0), (-0.3, 0.2, 0.0)),
        ],
        axis=(0, 1, 3),
    ),
    "Rack": joints.Rack(radius=0.3, axis=(0, 1, 0), axis_rack=(1, 0, 0)),
}
"""Joints as users write them: axes need not be unit vectors. A new joint needs one line here."""

NAMES = sorted(Joint.registry)


def example(name: str) -> Joint:
    """The example of a registered joint: the one here, else the joint with its defaults."""
    return EXAMPLES[name] if name in EXAMPLES else Joint.registry[name]()


def joint_scene(
    joint: Joint, base: str = "a", spin: float = 1.0, seed: int = 5, scene: taut.Scene | None = None, **options: Any
) -> taut.Scene:
    """Bodies a, b, c and carrier with random inertia, orientation and velocity; `joint` joins b to `base`.

    They are added to `scene`, or to an empty one.

    Body a hangs on a ball joint, so that the joint carries load whatever it lets go. Velocities agree with no joint:
    the first step has to put them right.
    """
    rng = np.random.default_rng(seed)
    scene = taut.Scene() if scene is None else scene
    for index, name in enumerate(("a", "b", "c", "carrier")):
        scene.add_body(
            name, mass=1.0 + index, inertia=rng.uniform(0.3, 0.5, 3), com=0.1 * rng.normal(size=3),
            position=(0.7 * index, 0.3 * index, -0.4 * index), orientation=random_quaternion(rng),
            angular_velocity=spin * rng.normal(size=3), velocity=spin * 0.2 * rng.normal(size=3),
        )  # fmt: skip
    scene.connect("world", "a", joints.Spherical(), at=(-0.5, 0.0, 0.2), name="hook")
    scene.connect(base, "b", joint, at=(0.5, 0.2, 0.1), name="joint", **options)
    return scene
