"""Binary trees of rods that hang from the origin, for scenes whose joints close no loop."""

from __future__ import annotations

import numpy as np

from taut.joints.base import Joint
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import LINK, LINK_MASS
from taut.scenes._expect import expect_energy
from taut.shapes import Shape
from taut.spatial import Array, from_two_vectors

TILT = np.radians(30.0)
"""Of the trunk from the vertical."""
SPREAD = np.radians(25.0)
"""Of each of two branches from the rod they begin at."""


def add_tree(scene: Scene, count: int, joint: Joint, flat: bool, leaves: dict[int, Shape] | None = None) -> list[Array]:
    """Add rods `rod-1` ... at rest, the first joined to the world at the origin, each other to the end of its parent.

    Rods are 0.2 m long and of 0.25 kg; rod i carries 2 i and 2 i + 1. All rods of a `flat` tree lie in the x-z plane,
    else the plane of two branches is across that of the two before. `leaves` gives some rods another shape, about their
    end, of the same mass. Joints are `joint-1` ...; returns the rods' ends (m), the origin first.
    """
    ends = [np.zeros(3)]
    along, across = [np.array([np.sin(TILT), 0.0, -np.cos(TILT)])], [np.array([np.cos(TILT), 0.0, np.sin(TILT)])]
    for number in range(1, count + 1):
        parent = number // 2
        if number > 1:
            lean = SPREAD if number % 2 else -SPREAD
            d, n = along[parent - 1], across[parent - 1]
            along.append(np.cos(lean) * d + np.sin(lean) * n)
            across.append(np.cos(lean) * n - np.sin(lean) * d if flat else np.cross(d, n))
        start, way = ends[parent], LINK.length * along[-1]
        end_shape = (leaves or {}).get(number)
        shape, middle = (LINK, 0.5 * way) if end_shape is None else (end_shape, way)
        turn = from_two_vectors((0.0, 0.0, 1.0), along[-1])
        name = scene.add_body(
            f"rod-{number}", shape, mass=LINK_MASS, position=start + middle, orientation=turn,
            collides=end_shape is not None,
        )  # fmt: skip
        scene.connect(f"rod-{parent}" if parent else "world", name, joint, at=start, name=f"joint-{number}")
        ends.append(start + way)
    return ends


def expect_tree_energy(recording: Recording) -> None:
    """Energy does not rise by more than 1e-5 of what the whole mass gains by falling through the height of the tree."""
    levels = int(np.log2(len(recording.info.masses))) + 1
    expect_energy(recording, scale=9.81 * sum(recording.info.masses) * levels * LINK.length, loss=np.inf, gain=1e-5)
