"""Scenes of jointed rods for benchmarks: hinged chains and trees with limits, and the trees of [Baraff1996, 9]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from taut.benchmarks._jointed_bodies import LENGTH, SLENDER, parents
from taut.joints import Joint
from taut.scene.scene import Scene
from taut.shapes import Box, Sphere
from taut.spatial import Array, from_two_vectors

KINDS: Mapping[str, Any] = Joint.registry
ROD = Box(SLENDER, SLENDER, LENGTH)
FOOT = Sphere(0.05)
SPREAD = np.radians(25.0)
"""Between a branch of a tree and the rod it begins at."""


def hinged(family: str, count: int, limited: int) -> Scene:
    """A chain or tree of `count` hinged rods, the hinges of `limited` of them, evenly spread, held by tight limits."""
    kept = set(np.linspace(0, count - 1, limited).astype(int).tolist())

    def hinge(number: int) -> Joint:
        axis = (0.0, 1.0, 0.0) if number % 2 else (0.0, 0.6, 0.8)
        found: Joint = KINDS["Revolute"](axis=axis, limits=(-1e-4, 1e-4) if number in kept else None)
        return found

    scene = Scene(collisions=False)
    add_rods(scene, family, [hinge(number) for number in range(count)], flat=False)
    return scene


def planar_tree(joints: int, loops: int = 0, limited: int = 0) -> Scene:
    """A flat tree whose joints have two rows each.

    `loops` further joints between its tips close loops; the last `limited` of its joints have a limit as well, on the
    way across the plane.
    """
    across = (0.0, 1.0, 0.0)
    pin, limit = KINDS["PointOnLine"](axis=across), KINDS["PointOnLine"](axis=across, limits=(-1e-3, 1e-3))
    scene = Scene(collisions=False)
    ends = add_rods(scene, "tree", [pin] * (joints - limited) + [limit] * limited, flat=True)
    for number in range(loops):
        a, b = joints - 2 - 2 * number, joints - 1 - 2 * number
        scene.connect(f"rod-{a}", f"rod-{b}", pin, at=0.5 * (ends[a] + ends[b]), name=f"loop-{number}")
    return scene


def spatial_tree(joints: int, on_ground: bool = False) -> Scene:
    """A tree with ball joints; if asked, three of its leaves are balls on ground without friction."""
    scene = Scene(collisions=on_ground, friction=0.0)
    if not on_ground:
        add_rods(scene, "tree", [KINDS["Spherical"]()] * joints, flat=False)
        return scene
    leaves = np.linspace(joints // 2 + 1, joints - 1, 3).astype(int)
    ends = add_rods(scene, "tree", [KINDS["Spherical"]()] * joints, flat=False, feet=leaves.tolist())
    scene.ignore_contacts("feet", "feet")
    a, b, c = ends[leaves]
    normal = np.cross(b - a, c - a)
    normal *= np.sign(normal[2]) / np.linalg.norm(normal)
    scene.add_plane(normal, float(normal @ a) - FOOT.radius)
    return scene


def add_rods(scene: Scene, family: str, joints: list[Joint], flat: bool, feet: Sequence[int] = ()) -> Array:
    """Add rods `rod-0` ... at rest, the first joined to the world, each other to the end of its parent.

    Branches lean to either side; unless `flat`, the plane of two branches is across that of the two before. Returns
    the rods' ends (rods, 3), m; the ends of `feet` are balls.
    """
    parent = parents(family, len(joints))
    ends, along, across = (np.zeros((len(joints), 3)) for _ in range(3))
    along[0], across[0] = (0.5, 0.0, -np.sqrt(0.75)), (np.sqrt(0.75), 0.0, 0.5)
    for number, joint in enumerate(joints):
        start, before = np.zeros(3), parent[number]
        if before >= 0:
            lean = SPREAD if number % 2 else -SPREAD
            d, n, start = along[before], across[before], ends[before]
            along[number] = np.cos(lean) * d + np.sin(lean) * n
            across[number] = np.cos(lean) * n - np.sin(lean) * d if flat else np.cross(d, n)
        ends[number] = start + LENGTH * along[number]
        foot = number in feet
        name = scene.add_body(
            f"rod-{number}", FOOT if foot else ROD, mass=1.0, collides=foot, group="feet" if foot else "rods",
            position=ends[number] if foot else 0.5 * (start + ends[number]),
            orientation=from_two_vectors((0.0, 0.0, 1.0), along[number]),
        )  # fmt: skip
        scene.connect(f"rod-{before}" if before >= 0 else "world", name, joint, at=start, name=f"joint-{number}")
    return ends
