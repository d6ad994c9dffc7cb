"""An armoured vehicle of 15 t on eight driven wheels goes over stairs, a washboard and hills [Lefebvre2020]."""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._armoured import add_vehicle
from taut.scenes._expect import expect_contacts
from taut.shapes import Box, Heightfield
from taut.spatial import Array

DURATION = 20.0
PICTURE = 5.0
FOLLOW = "hull"

STEPS, RISE, TREAD, LANDING, STAIRS = 8, 0.15, 0.4, 3.0, 4.0
"""Of the stairs: steps, their sizes, length of the landing, and where they begin, m."""
BARS, BAR, PITCH, WASHBOARD = 10, Box(0.15, 1.6, 0.08), 1.1, 15.5
"""Of the washboard: bars on each side, their size, the distance between them, and where it begins, m."""
HILLS, LENGTH, WIDTH, CELL = 26.5, 40.0, 10.0, 0.25
"""Where hills begin, their sizes, and their cells, m."""
BELOW = 0.3
"""How far under the level ground hills reach, so that nothing stands on both of them for long, m."""
LANE, TURN = 0.6, 0.12
"""How far to the left hills are, m, and the angle by which the vehicle steers on its way there, rad."""
HUMPS = (13.5, -1.1), (17.8, 1.1)
"""Where humps are in the hills: under wheels at opposite corners at the same time."""
SLOPE, SLOPE_BEGIN = 12.0, 18.5
"""On which the vehicle stops, degrees, and where in the hills it begins to rise, m."""
STONE, WOOD = (0.62, 0.6, 0.57), (0.55, 0.4, 0.25)


def build(friction: float = 1.0, shafts: str = "massless") -> Scene:
    """Build the course and the vehicle, `hull` and so on.

    Args:
        friction: of all that touches.
        shafts: "massless", or "bodies" with a half shaft of 0.6 kg for every wheel.
    """
    scene = Scene(friction=friction)
    scene.add_plane()
    add_stairs(scene)
    add_washboard(scene)
    add_hills(scene)
    schedules = {
        "throttle": Ramps((0.4, 0.0), (1.6, 1.0), (15.8, 1.0), (16.3, 0.0)),
        "gear": Ramps((0.2, 0.0), (0.4, 1.0), (6.8, 1.0), (7.0, 2.0)),
        "lock": Ramps((0.4, 0.0), (0.5, 1.0), (7.2, 1.0), (7.3, 0.0), (10.0, 0.0), (10.1, 1.0)),
        "angle": Ramps((10.6, 0.0), (11.2, TURN), (11.8, 0.0), (12.4, -TURN), (13.0, 0.0)),
        "brake": Ramps((16.0, 0.0), (16.8, 1.0)),
    }
    add_vehicle(scene, shafts == "bodies", schedules)
    return scene


def add_stairs(scene: Scene) -> None:
    """Steps up, a landing and steps down: every slab is shorter than the one that it lies on."""
    whole = 2.0 * TREAD * STEPS + LANDING
    for step in range(STEPS):
        size = Box(whole - 2.0 * TREAD * step, 5.0, RISE)
        place = (STAIRS + 0.5 * whole, 0.0, (step + 0.5) * RISE)
        scene.add_body(f"step-{step + 1}", size, position=place, fixed=True, colour=STONE)


def add_washboard(scene: Scene) -> None:
    """Bars under the left wheels, and half a pitch later under the right ones."""
    for number in range(BARS):
        for side, y, late in (("left", 1.1, 0.0), ("right", -1.1, 0.5)):
            place = (WASHBOARD + (number + late) * PITCH, y, 0.5 * BAR.z)
            scene.add_body(f"bar-{number + 1}-{side}", BAR, position=place, fixed=True, colour=WOOD)


def add_hills(scene: Scene) -> None:
    """The hills, a heightfield."""
    x = np.linspace(0.0, LENGTH, round(LENGTH / CELL) + 1)
    y = np.linspace(-0.5, 0.5, round(WIDTH / CELL) + 1) * WIDTH
    heights = height(x[None, :], y[:, None])
    scene.add_body(
        "hills", Heightfield(heights, size=(LENGTH, WIDTH)), position=(HILLS + 0.5 * LENGTH, LANE, 0.0), fixed=True
    )


def height(x: Array, y: Array) -> Array:
    """Height in m of the hills at places x (m from where they begin) and y: none of them is hollow."""
    crest = 1.3 * (1.0 - ((x - 7.0) / 7.0) ** 2)
    humps = [0.6 * (1.0 - ((x - at) ** 2 + (y - side) ** 2) / 1.8**2) for at, side in HUMPS]
    slope = np.tan(np.radians(SLOPE)) * (x - SLOPE_BEGIN)
    return np.maximum.reduce(np.broadcast_arrays(crest, *humps, slope, 0.0)) - BELOW


def check(recording: Recording) -> None:
    """Every frame is solved."""
    expect_contacts(recording, penetration=5e-3)
