"""A pile of convex rocks of 80 to 250 kg is pushed by a stiff shovel of 1 kg [Peiret2019].

Rocks are hulls of 24 points around ellipsoids, the same for the same seed, and begin apart in at most four layers above
the ground between two walls; the blade (1 kg, as wide as the field: 3 m for 64 rocks, 10.5 m for 500) slides on a
prismatic joint, moved at 0.5 m/s by a motor as strong as it has to be. The paper gives masses; numbers and dimensions
are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.prismatic import Prismatic
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.scenes._rocks import OVERLAP, PITCH, add_rock
from taut.shapes import Box

DURATION = 8.0

LAYERS = 4
"""Of rocks at most, and rocks across a layer at least: more rocks make a wider field, not a column."""
BLADE_THICK, BLADE_HIGH, BLADE_MASS = 0.1, 1.2, 1.0
WALL_THICK, WALL_HIGH = 0.2, 1.5
ROOM = 0.25
"""By how much walls are farther apart for every rock more across a layer, as a share of a rock's room: among more rocks
there are larger ones, which should not begin in a wall."""
RUN = 5.0
"""Length of the walls before and behind the rocks, m."""


def build(rocks: int = 64, seed: int = 1, speed: float = 0.5, friction: float = 0.5) -> Scene:
    """Build the pile from x = 0 on, and the blade behind it.

    Args:
        rocks: number of rocks.
        seed: of their shapes, masses and orientations.
        speed: of the blade along x, m/s.
        friction: between all bodies.
    """
    owner = "scene 'rock_pile'"
    count = int(checks.number(owner, "rocks", rocks, at_least=1))
    random = np.random.default_rng(int(checks.number(owner, "seed", seed, at_least=0)))
    across = rocks_across(count)
    width = PITCH * (across + ROOM * (across - LAYERS))
    scene = Scene(friction=friction)
    scene.add_plane()
    add_walls(scene, width)
    for number in range(count):
        layer, place = divmod(number, across * across)
        column, row = divmod(place, across)
        at = PITCH * np.array([column + 0.5, row - 0.5 * (across - 1), layer + 0.6])
        add_rock(scene, f"rock-{number + 1}", at, random)
    blade = Box(BLADE_THICK, width, BLADE_HIGH)
    scene.add_body("shovel", blade, mass=BLADE_MASS, position=(-0.5, 0.0, 0.5 * blade.z + 0.01))
    scene.connect("world", "shovel", Prismatic(axis=(1.0, 0.0, 0.0), motor=Motor(speed=speed)), name="drive")
    scene.add_control("shovel", joint="drive", keys=("J", "L"))
    return scene


def rocks_across(count: int) -> int:
    """Rocks along each side of a layer, so that there are at most `LAYERS` layers."""
    across = LAYERS
    while LAYERS * across * across < count:
        across += 1
    return across


def add_walls(scene: Scene, width: float) -> None:
    """Walls on both sides of a field of this width and length, m, and before it where the rocks are pushed to."""
    wall = Box(RUN + width, WALL_THICK, WALL_HIGH)
    for side, name in ((-1.0, "left-wall"), (1.0, "right-wall")):
        middle = (0.5 * wall.x - 1.0, side * 0.5 * (width + wall.y), 0.5 * wall.z)
        scene.add_body(name, wall, position=middle, fixed=True)


def check(recording: Recording) -> None:
    """Every frame is solved, no rock is lost or sinks into the ground, and the shovel goes its way and moves rocks."""
    expect_contacts(recording, penetration=OVERLAP)
    parameters = recording.info.parameters
    rocks = np.array([name.startswith("rock-") for name in recording.info.body_names])
    lowest = -recording.positions[:, rocks, 2].min(axis=1)
    expect_below(recording, "depth of a rock's centre under the ground in m", lowest, 0.0)
    way = recording.body("shovel").position[-1, 0] - recording.body("shovel").position[0, 0]
    wanted = parameters["speed"] * recording.time[-1]
    expect(abs(way - wanted) <= 0.01 + 0.01 * abs(wanted), f"the shovel went {way:.3g} m; {wanted:.3g} is right")
    if recording.time[-1] >= DURATION - 1e-9 and parameters["speed"] > 0.0:
        behind = recording.positions[-1, rocks, 0].min() - recording.body("shovel").position[-1, 0]
        expect(bool(behind > 0.0), f"a rock is {-behind:.3g} m behind the shovel")
