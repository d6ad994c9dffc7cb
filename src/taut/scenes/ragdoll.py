"""A ragdoll of 75 kg falls on stairs, tumbles down and comes to rest.

Eleven parts of a body of 1.75 m: pelvis, chest and head, joined by universal joints, arms and legs on ball joints with
dry friction, elbows and knees on hinges; spine, neck, elbows and knees have limits. It starts upright, leaning, above
three stairs of 0.2 m. Masses are shares usual in biomechanics; dimensions and stairs are ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut import checks
from taut.joints.drive import Drive
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.joints.universal import Universal
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box, Capsule, Shape, Sphere
from taut.spatial import Array, exponential, rotate

DURATION = 4.0

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
SHARES = {"pelvis": 0.15, "chest": 0.34, "head": 0.08, "upper-arm": 0.03, "forearm": 0.025, "thigh": 0.11, "shin": 0.05}
"""Of the whole mass; limbs count twice."""
SWING, TURN = Drive(limits=(-0.5, 0.8)), Drive(limits=(-0.5, 0.5))
"""Limits of spine and neck forward and sideways, rad."""
SHOULDER, HIP = Spherical(friction=2.0), Spherical(friction=5.0)
ELBOW, KNEE = Revolute(limits=(-2.4, 0.0), friction=1.0), Revolute(limits=(0.0, 2.4), friction=2.0)
STAIRS, RISE, TREAD = 3, 0.2, 0.4

Place = tuple[float, float, float]
TRUNK: dict[str, tuple[Shape, Place]] = {
    "pelvis": (Box(0.2, 0.3, 0.16), (0.0, 0.0, 1.0)),
    "chest": (Box(0.22, 0.34, 0.4), (0.0, 0.0, 1.32)),
    "head": (Sphere(0.11), (0.0, 0.0, 1.66)),
}
LIMBS: dict[str, tuple[Shape, Place]] = {
    "upper-arm": (Capsule(0.04, 0.22), (0.0, 0.24, 1.3)),
    "forearm": (Capsule(0.035, 0.24), (0.0, 0.24, 0.99)),
    "thigh": (Capsule(0.07, 0.3), (0.0, 0.1, 0.7)),
    "shin": (Capsule(0.05, 0.36), (0.0, 0.1, 0.25)),
}
"""Shapes and places of the parts, those of the left limbs, m above the soles."""


def build(mass: float = 75.0, lean: float = 20.0, friction: float = 0.6) -> Scene:
    """Build stairs and ragdoll.

    Args:
        mass: of the whole body, kg.
        lean: forward, down the stairs, degrees; and somewhat to the side.
        friction: between all surfaces.
    """
    owner = "scene 'ragdoll'"
    weight = checks.number(owner, "mass", mass, above=0.0)
    turn = exponential(np.radians(checks.number(owner, "lean", lean)) * np.array([0.4, 1.0, 0.2]))
    forward, left = tuple(rotate(turn, X)), tuple(rotate(turn, Y))
    scene = Scene(friction=friction)
    scene.add_plane()
    for number in range(STAIRS):
        height, depth = RISE * (STAIRS - number), TREAD if number else 4.0 * TREAD
        middle = TREAD * number - (0.0 if number else 1.5 * TREAD)
        scene.add_body(f"stair-{number + 1}", Box(depth, 3.0, height), position=(middle, 0.0, 0.5 * height), fixed=True)
    parts = {name: (*part, SHARES[name]) for name, part in TRUNK.items()}
    for limb, (shape, (x, y, z)) in LIMBS.items():
        parts[f"left-{limb}"] = (shape, (x, y, z), SHARES[limb])
        parts[f"right-{limb}"] = (shape, (x, -y, z), SHARES[limb])
    for name, (shape, place, share) in parts.items():
        scene.add_body(name, shape, mass=weight * share, position=lifted(turn, place), orientation=turn)
    bend = Universal(axis_a=left, axis_b=forward, first=SWING, second=TURN)
    scene.connect("pelvis", "chest", bend, at=lifted(turn, (0.0, 0.0, 1.1)), name="spine")
    scene.connect("chest", "head", bend, at=lifted(turn, (0.0, 0.0, 1.54)), name="neck")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for a, b, joint, at, name in (
            ("chest", f"{side}-upper-arm", SHOULDER, (0.0, 0.24 * sign, 1.45), "shoulder"),
            (f"{side}-upper-arm", f"{side}-forearm", replace(ELBOW, axis=left), (0.0, 0.24 * sign, 1.15), "elbow"),
            ("pelvis", f"{side}-thigh", HIP, (0.0, 0.1 * sign, 0.92), "hip"),
            (f"{side}-thigh", f"{side}-shin", replace(KNEE, axis=left), (0.0, 0.1 * sign, 0.48), "knee"),
        ):
            scene.connect(a, b, joint, at=lifted(turn, at), name=f"{side}-{name}")
    return scene


def lifted(turn: Array, place: Place) -> Array:
    """Where a place of the body that stands upright is at the start (3,), m: a little above the top stair."""
    return rotate(turn, place) + np.array([-0.2, 0.0, RISE * STAIRS + 0.1])


def check(recording: Recording) -> None:
    """Joints hold to 1 mm, surfaces to 0.5 mm, energy only falls, and at the end all is at rest.

    Who leans by less than 10 degrees may balance for a while and fall later.
    """
    expect_contacts(recording, penetration=5e-4, violation=1e-3)
    scale = 9.81 * recording.info.parameters["mass"] * RISE * STAIRS
    rise = np.diff(recording.energy, prepend=recording.energy[0]) / scale
    expect_below(recording, "rise of energy in a step, as a share of the scene's", rise, 1e-4)
    if recording.time[-1] >= DURATION - 1e-9 and recording.info.parameters["lean"] >= 10.0:
        speed = float(np.linalg.norm(recording.velocities[-1], axis=1).max())
        expect(speed < 0.05, f"something still moves at {speed:.3g} m/s; less than 0.05 is right")
