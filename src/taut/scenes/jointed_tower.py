"""A leaning tower of 1 kg blocks with 100 kg on top, held by fixed joints, does not bend (Jolt#1392).

Cubes of 0.5 m and planks of 1.5 m alternate, each 0.1 m further out than the one below, so that every joint carries a
moment; the lowest one is fixed to the world and the heavy cube is at the top. Nothing may move, whatever the masses.
The report shows nine blocks and loads of 1 to 100 kg; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.fixed import Fixed
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_joined
from taut.shapes import Box

DURATION = 10.0

CUBE, PLANK = Box(0.5, 0.5, 0.5), Box(1.5, 0.5, 0.25)
BLOCK_MASS = 1.0
OVERHANG = 0.1


def build(blocks: int = 9, load: float = 100.0) -> Scene:
    """Build the tower.

    Args:
        blocks: number of 1 kg blocks under the load.
        load: mass of the top cube, kg.
    """
    count = int(checks.number("scene 'jointed_tower'", "blocks", blocks, at_least=1))
    scene = Scene(collisions=False)
    below, height = "world", 0.0
    for number in range(count + 1):
        top = number == count
        shape = CUBE if top or number % 2 == 0 else PLANK
        name = "load" if top else f"block-{number + 1}"
        place = (OVERHANG * number, 0.0, height + 0.5 * shape.z)
        scene.add_body(name, shape, mass=load if top else BLOCK_MASS, position=place)
        scene.connect(below, name, Fixed(), at=(place[0], 0.0, height))
        below, height = name, height + shape.z
    return scene


def check(recording: Recording) -> None:
    """The joints hold to 1e-6 m, and no block moves by more than 1e-6 m or turns by more than 1e-6 rad."""
    expect_joined(recording, violation=1e-6)
    shift = np.linalg.norm(recording.positions - recording.positions[0], axis=2).max(axis=1)
    turn = 2.0 * np.linalg.norm(recording.orientations[:, :, 1:], axis=2).max(axis=1)
    expect_below(recording, "shift of a block in m", shift, 1e-6)
    expect_below(recording, "turn of a block in rad", turn, 1e-6)
