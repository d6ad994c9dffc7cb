"""A wall of loose bricks, and a thin sheet behind it, are hit by fast bullets of several kinds: nothing gets through.

Balls, cubes, short rods and octahedra of 50 g fly at the wall, the fastest first, many times their size in a frame. The
bricks stand on each other without mortar; those bullets that fly over them hit a fixed sheet of 2 mm.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_contacts, expect_energy
from taut.shapes import Box, Capsule, Convex, Cylinder, Shape, Sphere

DURATION = 2.0

BRICK, BRICK_MASS = Box(0.12, 0.25, 0.1), 6.0
JOINT = 1e-4
"""Gap between bricks of a row, m."""
SHEET = Box(0.002, 3.0, 3.0)
BEHIND = 1.0
"""Distance of the sheet from the wall, m."""
BULLET_MASS = 0.05


def build(
    rows: int = 6, columns: int = 6, bullets: int = 8, speed: float = 150.0, friction: float = 0.6
) -> Scene:  # fmt: skip
    """Build the wall in the plane x = 0, the sheet behind it and the bullets before it.

    Args:
        rows, columns: of bricks.
        bullets: how many are fired; half of them at the wall, half at the sheet, beside the wall.
        speed: of the first bullet, m/s; the last has half of it.
        friction: between all bodies.
    """
    owner = "scene 'bullet_wall'"
    high = int(checks.number(owner, "rows", rows, at_least=1))
    wide = int(checks.number(owner, "columns", columns, at_least=1))
    count = int(checks.number(owner, "bullets", bullets, at_least=1))
    speed = checks.number(owner, "speed", speed, at_least=0.0)
    scene = Scene(friction=friction)
    scene.add_plane()
    for row in range(high):
        for column in range(wide):
            shift = 0.25 if row % 2 else -0.25
            place = (0.0, (column - 0.5 * (wide - 1) + shift) * (BRICK.y + JOINT), (row + 0.5) * BRICK.z)
            scene.add_body(f"brick-{row + 1}-{column + 1}", BRICK, mass=BRICK_MASS, position=place)
    scene.add_body("sheet", SHEET, position=(BEHIND, 0.0, 0.5 * SHEET.z), fixed=True)
    for number in range(count):
        add_bullet(scene, number, count, speed, wide * BRICK.y, high * BRICK.z)
    return scene


def add_bullet(scene: Scene, number: int, count: int, fastest: float, width: float, height: float) -> None:
    """One of `count` bullets, at the wall of this width and height (m), or over it at the sheet."""
    kinds: tuple[Shape, ...] = (
        Sphere(0.02), Box(0.03, 0.03, 0.03), Capsule(0.015, 0.03), Cylinder(0.02, 0.035), octahedron()
    )  # fmt: skip
    pace = fastest * (1.0 - 0.5 * number / max(count - 1, 1))
    across = 0.6 * width * ((number + 0.5) / count - 0.5)
    up = 0.7 * height if number % 2 == 0 else height + 0.3 + 0.1 * number
    start = np.array([-1.0 - 0.7 * number, across, up])
    scene.add_body(
        f"bullet-{number + 1}", kinds[number % len(kinds)], mass=BULLET_MASS, position=start,
        velocity=(pace, 0.0, 0.0), orientation=(np.cos(0.7), 0.0, np.sin(0.7), 0.0),
    )  # fmt: skip


def octahedron() -> Convex:
    """One of 6 cm from corner to corner."""
    return Convex([*(0.03 * np.eye(3)), *(-0.03 * np.eye(3))])


def check(recording: Recording) -> None:
    """Every frame is solved, no bullet gets through the wall, the sheet or the ground, and energy only falls."""
    expect_contacts(recording, penetration=2e-3)
    chosen = np.array([name.startswith("bullet-") for name in recording.info.body_names])
    place = recording.positions[:, chosen]
    # every other bullet flies at the wall
    for what, there, at in (("wall", place[:, ::2, 0], 0.0), ("sheet", place[:, :, 0], BEHIND)):
        expect_below(recording, f"way of a bullet through the {what} in m", there.max(axis=1) - at, 0.0)
    expect_below(recording, "depth of a bullet's centre under the ground in m", -place[:, :, 2].min(axis=1), 0.0)
    expect_energy(recording, scale=float(recording.energy[0]), loss=1.0)
