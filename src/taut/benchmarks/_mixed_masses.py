"""Piles of bodies of very different masses: how many frames are not solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.benchmarks._pile_runs import OwnRun, in_turn
from taut.scene.scene import Scene
from taut.shapes import Box, Capsule, Convex, Shape, Sphere

BODIES = 40
LIGHTEST, HEAVIEST = 0.1, 100.0
SMALLEST, LARGEST = 0.2, 0.4
"""Across, m; whatever they weigh."""
ACROSS, PITCH = 3, 0.45
"""Bodies along each side of a layer, and the room for each, m."""
CORNERS = 16


def mixed_masses(seed: int) -> Scene:
    """Spheres, boxes, capsules and hulls that begin apart in layers and fall on each other."""
    random = np.random.default_rng(seed)
    scene = Scene(name="mixed-masses")
    scene.add_plane()
    for number in range(BODIES):
        layer, place = divmod(number, ACROSS * ACROSS)
        at = PITCH * np.array([*divmod(place, ACROSS), layer + 0.6]) + np.append(
            0.05 * random.uniform(-1.0, 1.0, 2), 0.0
        )
        mass = LIGHTEST * (HEAVIEST / LIGHTEST) ** random.uniform()
        turn = random.normal(size=4)
        shape = shape_of(number, random.uniform(SMALLEST, LARGEST), random)
        scene.add_body(f"body-{number + 1}", shape, mass=mass, position=at, orientation=turn / np.linalg.norm(turn))
    return scene


def shape_of(number: int, across: float, random: np.random.Generator) -> Shape:
    """One kind after the other, each within a ball of this diameter, m."""
    kind = number % 4
    if kind == 0:
        return Sphere(0.5 * across)
    if kind == 1:
        edges = random.uniform(0.4, 1.0, 3)
        return Box(*(across * edges / np.linalg.norm(edges)))
    if kind == 2:
        return Capsule(0.15 * across, 0.7 * across)
    corners = random.normal(size=(CORNERS, 3))
    corners *= 0.5 * across / np.linalg.norm(corners, axis=1)[:, None]
    return Convex(corners - Convex(corners).com)


def mixed_row(seed: int, frames: int) -> dict[str, Any]:
    """Figures of one pile."""
    (own,) = in_turn([OwnRun(mixed_masses(seed))], frames)
    reports = [frame.report for frame in own if frame.report is not None]
    solves = np.array([report.solves for report in reports])
    return {
        "seed": seed, "bodies": BODIES, "frames": len(own), "unsolved": sum(frame.failed for frame in own),
        "target": "0", "median_ms": float(np.median([frame.cpu_ms for frame in own])),
        "solves_mean": float(solves.mean()), "solves_max": int(solves.max()),
        "overlap_mm": 1e3 * max(frame.penetration for frame in own),
        "residual_max": max(report.residual for report in reports),
    }  # fmt: skip
