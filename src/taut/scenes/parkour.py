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

STEPS, RISE, TREAD, LANDING, STAIRS = 8, 0.15, 0.4, 3.0, 5.0
"""Of the stairs: steps, their sizes, length of the landing, and where they begin, m."""
BARS, BAR, PITCH, WASHBOARD = 12, Box(0.15, 1.6, 0.08), 0.9, 17.0
"""Of the washboard: bars on each side, their size, the distance between them, and where it begins, m."""
HILLS, LENGTH, WIDTH, CELL = 28.5, 40.0, 10.0, 0.25
"""Where hills begin, their sizes, and their cells, m."""
SLOPE = 12.0
"""On which the vehicle stops, degrees."""
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
        "throttle": Ramps((0.5, 0.0), (2.0, 1.0), (17.0, 1.0), (17.5, 0.0)),
        "gear": Ramps((0.3, 0.0), (0.5, 1.0), (7.4, 1.0), (7.6, 2.0)),
        "lock": Ramps((0.5, 0.0), (0.6, 1.0), (8.0, 1.0), (8.1, 0.0), (12.0, 0.0), (12.1, 1.0)),
        "brake": Ramps((17.2, 0.0), (18.0, 1.0)),
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
        "hills", Heightfield(heights, size=(LENGTH, WIDTH)), position=(HILLS + 0.5 * LENGTH, 0.03, 0.0), fixed=True
    )


def height(x: Array, y: Array) -> Array:
    """Height in m of the hills at places x (m from where they begin) and y."""
    crest = np.where((x > 1.0) & (x < 10.0), 0.6 * (1.0 - np.cos(2.0 * np.pi * (x - 1.0) / 9.0)), 0.0)
    left = 0.4 * np.exp(-((x - 13.5) ** 2) / 0.8 - (y - 1.1) ** 2 / 0.6)
    right = 0.4 * np.exp(-((x - 11.5) ** 2) / 0.8 - (y + 1.1) ** 2 / 0.6)
    slope = np.tan(np.radians(SLOPE)) * 0.4 * np.logaddexp(0.0, (x - 16.5) / 0.4)
    return np.asarray(crest + left + right + slope - 0.3)


def check(recording: Recording) -> None:
    """Every frame is solved."""
    expect_contacts(recording, penetration=5e-3)
