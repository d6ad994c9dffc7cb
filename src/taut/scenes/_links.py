"""Chains of capsules with universal joints, which touch what they meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from taut.joints.universal import Universal
from taut.scene.scene import Scene
from taut.shapes import Capsule, Sphere
from taut.spatial import Array, from_two_vectors

Y = (0.0, 1.0, 0.0)


def add_links(
    scene: Scene, corners: ArrayLike, radius: float, mass: float, anchor: str | None = None, beads: bool = False
) -> str:
    """Add capsules along corners (n + 1, 3) in a plane y = const, or with `beads` spheres at their middles.

    All have this radius (m) and mass (kg); returns the name of the last. Bodies are named `link-1` ..., joints
    `joint-1` ...; neighbours are joined with universal joints whose first axis is y, and do not touch each other. The
    first link is joined to the body `anchor` if one is given.
    """
    corners = np.asarray(corners, dtype=float)
    previous = anchor
    for number, (start, end) in enumerate(zip(corners[:-1], corners[1:], strict=True), start=1):
        along = end - start
        turn = from_two_vectors((0.0, 0.0, 1.0), along)
        shape = Sphere(radius) if beads else Capsule(radius, float(np.linalg.norm(along)))
        name = scene.add_body(f"link-{number}", shape, mass=mass, position=0.5 * (start + end), orientation=turn)
        if previous is not None:
            scene.connect(previous, name, bend(along), at=start, name=f"joint-{number}")
        previous = name
    return str(previous)


def bend(along: Array) -> Universal:
    """A universal joint that bends about y and across, and does not twist about `along` (3,)."""
    across = np.cross(Y, along)
    return Universal(axis_a=Y, axis_b=tuple(across / np.linalg.norm(across)))
