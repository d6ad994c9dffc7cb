"""A pile of convex rocks of 80 to 250 kg is pushed by a stiff shovel of 1 kg [Peiret2019].

Rocks are hulls of 24 points around ellipsoids, the same for the same seed, and begin apart in layers above the ground
between two walls; the blade (1 kg, 3 m wide) slides on a prismatic joint, moved at 0.5 m/s by a motor as strong as it
has to be. The paper gives masses; numbers and dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.prismatic import Prismatic
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box, Convex

DURATION = 8.0

DENSITY = 2600.0
LIGHTEST, HEAVIEST = 80.0, 250.0
CORNERS = 24
BLADE, BLADE_MASS = Box(0.1, 3.0, 1.2), 1.0
WALL = Box(8.0, 0.2, 1.5)
IN_A_LAYER, PITCH = 4, 0.75
"""Rocks across a layer, and the room for each, m."""


def build(rocks: int = 64, seed: int = 1, speed: float = 0.5, friction: float = 0.5) -> Scene:
    """Build the pile between x = 0 and 3 m, and the blade behind it.

    Args:
        rocks: number of rocks.
        seed: of their shapes, masses and orientations.
        speed: of the blade along x, m/s.
        friction: between all bodies.
    """
    owner = "scene 'rock_pile'"
    count = int(checks.number(owner, "rocks", rocks, at_least=1))
    random = np.random.default_rng(int(checks.number(owner, "seed", seed, at_least=0)))
    scene = Scene(friction=friction)
    scene.add_plane()
    for side in (-1.0, 1.0):
        middle = (0.5 * WALL.x - 1.0, side * 0.5 * (BLADE.y + WALL.y), 0.5 * WALL.z)
        scene.add_body("left-wall" if side < 0.0 else "right-wall", WALL, position=middle, fixed=True)
    for number in range(count):
        layer, place = divmod(number, IN_A_LAYER * IN_A_LAYER)
        column, row = divmod(place, IN_A_LAYER)
        at = PITCH * np.array([column + 0.5, row - 0.5 * (IN_A_LAYER - 1), layer + 0.6])
        add_rock(scene, f"rock-{number + 1}", at, random)
    scene.add_body("shovel", BLADE, mass=BLADE_MASS, position=(-0.5, 0.0, 0.5 * BLADE.z + 0.01))
    scene.connect("world", "shovel", Prismatic(axis=(1.0, 0.0, 0.0), motor=Motor(speed=speed)), name="drive")
    scene.add_control("shovel", joint="drive", keys=("J", "L"))
    return scene


def add_rock(scene: Scene, name: str, place: np.ndarray, random: np.random.Generator) -> None:
    """A rock with its centre of mass at a place (3,)."""
    mass = random.uniform(LIGHTEST, HEAVIEST)
    corners = random.normal(size=(CORNERS, 3))
    corners *= random.uniform(0.7, 1.0, 3) / np.linalg.norm(corners, axis=1)[:, None]
    corners *= (mass / DENSITY / Convex(corners).volume) ** (1.0 / 3.0)
    shape = Convex(corners - Convex(corners).com)
    turn = random.normal(size=4)
    scene.add_body(name, shape, mass=mass, position=place, orientation=turn / np.linalg.norm(turn))


def check(recording: Recording) -> None:
    """Every frame is solved, no rock is lost or sinks into the ground, and the shovel goes its way and moves rocks."""
    # an accepted step may leave 2.5 % of a rock's half thickness, which is 0.3 m at most
    expect_contacts(recording, penetration=8e-3)
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
