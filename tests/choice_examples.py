"""Scenes of which some islands are best solved along their trees."""

from __future__ import annotations

import numpy as np

import taut
from taut.joints import Distance, Revolute, Spherical
from taut.shapes import Box, Sphere


def net(side: int) -> taut.Scene:
    """Balls on a square grid, those side by side at a fixed distance."""
    scene = taut.Scene(collisions=False)
    places = [(i, j) for i in range(side) for j in range(side)]
    for i, j in places:
        scene.add_body(f"ball-{i}-{j}", Sphere(0.1), mass=1.0, position=(i, j, 0.0))
    for i, j in places:
        for k, m in ((i + 1, j), (i, j + 1)):
            if k < side and m < side:
                scene.connect(f"ball-{i}-{j}", f"ball-{k}-{m}", Distance(), at=(0.5 * (i + k), 0.5 * (j + m), 0.0))
    scene.connect("world", "ball-0-0", Spherical(), at=(0.0, 0.0, 0.0))
    return scene


def stars_and_a_pendulum(spokes: int = 60) -> taut.Scene:
    """Two stars, the second of which has a limit at one spoke, and a pendulum that swings within limits."""
    scene = taut.Scene(collisions=False)
    for star in range(2):
        hub = f"hub-{star}"
        scene.add_body(hub, Box(1.0, 1.0, 1.0), mass=10.0, position=(10.0 * star, 0.0, 0.0))
        for spoke in range(spokes):
            angle = 2.0 * np.pi * spoke / spokes
            at = np.array([10.0 * star + np.cos(angle), np.sin(angle), 0.0])
            limits = (-1.0, 1.0) if star == 1 and spoke == 0 else None
            scene.add_body(f"spoke-{star}-{spoke}", Box(0.1, 0.1, 0.1), mass=1.0, position=at)
            scene.connect(hub, f"spoke-{star}-{spoke}", Revolute(axis=(0, 0, 1), limits=limits), at=at)
    scene.add_body("bob", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 5.0))
    scene.connect("world", "bob", Revolute(axis=(0, 1, 0), limits=(-1.0, 1.0)), at=(0.0, 0.0, 6.0))
    return scene
