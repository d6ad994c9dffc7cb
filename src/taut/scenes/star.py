"""A hub that spins freely carries 64 spokes on ball joints: all rows meet in one body, and it is still a tree.

A disc of 10 kg and 0.5 m radius turns at 5 rad/s without gravity; rods of 0.25 kg and 0.2 m begin on its rim, lean up
and down in turn by 30 degrees from its plane, and flap. J M^-1 J^T is dense, the graph of bodies and joints is a star
[Baraff1996]. Nothing acts from outside, so momentum stays. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import LINK, LINK_MASS
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.shapes import Cylinder
from taut.spatial import from_two_vectors

DURATION = 2.0

HUB, HUB_MASS = Cylinder(radius=0.5, length=0.1), 10.0
LEAN = np.radians(30.0)
"""Of the spokes from the hub's plane at the start."""


def build(spokes: int = 64, speed: float = 5.0) -> Scene:
    """Build the star.

    Args:
        spokes: number of rods.
        speed: of hub and spokes about z at the start, rad/s.
    """
    owner = "scene 'star'"
    count = int(checks.number(owner, "spokes", spokes, at_least=1))
    spin = np.array([0.0, 0.0, checks.number(owner, "speed", speed)])
    scene = Scene(collisions=False, gravity=(0.0, 0.0, 0.0))
    scene.add_body("hub", HUB, mass=HUB_MASS, angular_velocity=spin)
    for number in range(1, count + 1):
        turn, lean = 2.0 * np.pi * number / count, LEAN if number % 2 else -LEAN
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        along = np.cos(lean) * out + np.sin(lean) * np.array([0.0, 0.0, 1.0])
        rim = HUB.radius * out
        middle = rim + 0.5 * LINK.length * along
        scene.add_body(
            f"spoke-{number}", LINK, mass=LINK_MASS, position=middle, velocity=np.cross(spin, middle),
            angular_velocity=spin, orientation=from_two_vectors((0.0, 0.0, 1.0), along),
        )  # fmt: skip
        scene.connect("hub", f"spoke-{number}", Spherical(), at=rim, name=f"ball-{number}")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, energy does not rise, momentum stays to 1e-9 of the star's."""
    expect_joined(recording, violation=1e-5)
    expect_energy(recording, scale=float(recording.energy[0]) + 1e-9, loss=np.inf, gain=1e-5)
    momentum = recording.momentum.reshape(-1, 6)
    scale = np.abs(momentum[0]).max() + 1e-9
    expect_near(recording, "momentum, as a share of the star's", momentum / scale, momentum[0] / scale, 1e-9)
