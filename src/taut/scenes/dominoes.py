"""A line of dominoes: the first is tipped, and each knocks over the next, until all lie.

Twenty stones of 48 x 24 x 7.5 mm and 12 g stand 24 mm apart on the ground; the first one starts with a turn of 3 rad/s.
The stones are those of the game; spacing and push are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box
from taut.spatial import Array

DURATION = 3.0
PICTURE = 0.5

STONE, MASS = Box(0.0075, 0.024, 0.048), 0.012
SPACING = 0.024
PUSH = 3.0
"""Rate of turn of the first stone about its lower edge at the start, rad/s."""


def build(count: int = 20, spacing: float = SPACING, friction: float = 0.4) -> Scene:
    """Build the stones `domino-1` ... along x.

    Args:
        count: stones.
        spacing: from one to the next, m.
        friction: between stones, and on the ground.
    """
    owner = "scene 'dominoes'"
    count = int(checks.number(owner, "count", count, at_least=1))
    spacing = checks.number(owner, "spacing", spacing, above=STONE.x)
    scene = Scene(friction=friction)
    scene.add_plane()
    for number in range(count):
        turning = PUSH if number == 0 else 0.0
        speed = turning * np.array([0.5 * STONE.z, 0.0, -0.5 * STONE.x])
        scene.add_body(
            f"domino-{number + 1}", STONE, mass=MASS, position=(number * spacing, 0.0, 0.5 * STONE.z),
            velocity=speed, angular_velocity=(0.0, turning, 0.0),
        )  # fmt: skip
    return scene


def lean(recording: Recording) -> Array:
    """Angle (frames, stones) of each stone from the vertical, degrees."""
    w, x, y, z = np.moveaxis(recording.orientations, 2, 0)
    return np.asarray(np.degrees(np.arccos(np.clip(w * w + z * z - x * x - y * y, -1.0, 1.0))))


def check(recording: Recording) -> None:
    """Energy only falls, and the stones fall one after the other until all of them lean by more than 45 degrees."""
    expect_contacts(recording, penetration=5e-4)
    scale = 9.81 * STONE.z * sum(recording.info.masses)
    rise = np.diff(recording.energy, prepend=recording.energy[0]) / scale
    expect_below(recording, "rise of energy in a step, as a share of the scene's", rise, 1e-3)
    if recording.time[-1] >= DURATION - 1e-9:
        fallen = lean(recording) > 20.0
        expect(bool(fallen[-1].all()), f"{np.count_nonzero(~fallen[-1])} stones still stand")
        order = np.argmax(fallen, axis=0)
        expect(bool((np.diff(order) >= 0).all()), "a stone fell before the one in front of it")
