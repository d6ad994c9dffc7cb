"""Rocks tumble down a rough slope and come to rest where it ends.

The ground is a heightfield of cells of 0.5 m: a slope that runs out into the flat, between banks, with bumps of random
heights. Rocks are those of `rock_pile`; they begin apart in layers above the slope, and hit the ground as they
are: edges and corners of hulls on edges and corners of cells.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.scenes._rocks import OVERLAP, PITCH, add_rock
from taut.scenes._slope import STEEPEST
from taut.shapes import Heightfield

DURATION = 8.0
PICTURE = 3.0

LENGTH, WIDTH, CELL = 32.0, 12.0, 0.5
"""Of the ground along and across the slope, and of its cells, m."""
FOOT, BEND = 2.0, 1.0
"""Where along x the slope ends, and the length over which it bends into the flat, m."""
BANK = 0.15
"""Banks rise by this times the square of the distance from the middle half of the ground, 1/m."""
TOP, ACROSS, ALONG = -10.0, 6, 5
"""Where along x the first rocks begin, m, and rocks across and along the slope in a layer."""


def build(rocks: int = 60, seed: int = 1, roughness: float = 0.08, slope: float = 35.0, friction: float = 0.6) -> Scene:
    """Build the ground and the rocks above it.

    Args:
        rocks: number of rocks.
        seed: of their shapes, masses and orientations, and of the ground.
        roughness: largest height of bumps above and below the slope, m.
        slope: its angle, degrees.
        friction: between all bodies.
    """
    owner = "scene 'scree'"
    count = int(checks.number(owner, "rocks", rocks, at_least=1))
    random = np.random.default_rng(int(checks.number(owner, "seed", seed, at_least=0)))
    rough = checks.number(owner, "roughness", roughness, at_least=0.0)
    if not 0.0 <= checks.number(owner, "slope", slope) <= STEEPEST:
        raise InputError(f"{owner}: slope is {slope:g}; it must be from 0 to {STEEPEST:g} degrees")
    steep = float(np.tan(np.radians(slope)))
    scene = Scene(friction=friction)
    scene.add_body("ground", ground(steep, rough, random), fixed=True)
    for number in range(count):
        layer, place = divmod(number, ACROSS * ALONG)
        row, column = divmod(place, ACROSS)
        x, y = TOP + PITCH * row, PITCH * (column - 0.5 * (ACROSS - 1))
        # the ground leans: rocks of a layer are as far from it as those of the layer below are from them
        lift = PITCH * (layer + 0.6) * np.hypot(1.0, steep) + rough
        add_rock(scene, f"rock-{number + 1}", np.array([x, y, height(x, y, steep) + lift]), random)
    return scene


def ground(steep: float, rough: float, random: np.random.Generator) -> Heightfield:
    """The slope with banks and bumps."""
    x = np.linspace(-0.5, 0.5, round(LENGTH / CELL) + 1) * LENGTH
    y = np.linspace(-0.5, 0.5, round(WIDTH / CELL) + 1) * WIDTH
    heights = height(x[None, :], y[:, None], steep)
    return Heightfield(heights + random.uniform(-rough, rough, heights.shape), size=(LENGTH, WIDTH))


def height(x: np.ndarray | float, y: np.ndarray | float, steep: float) -> np.ndarray:
    """Height in m of the ground without bumps; `steep` is the tangent of its slope."""
    down = steep * BEND * np.logaddexp(0.0, (FOOT - np.asarray(x)) / BEND)
    beyond = np.maximum(np.abs(y) - 0.25 * WIDTH, 0.0)
    behind = np.maximum(np.asarray(x) - 0.25 * LENGTH, 0.0)
    return np.asarray(down + BANK * (beyond**2 + behind**2))


def check(recording: Recording) -> None:
    """Every frame is solved, no rock sinks in or leaves the ground, and rocks that tumbled come to rest."""
    expect_contacts(recording, penetration=OVERLAP)
    parameters = recording.info.parameters
    rocks = np.array([name.startswith("rock-") for name in recording.info.body_names])
    places = recording.positions[:, rocks]
    outside = (np.abs(places[:, :, :2]) - 0.5 * np.array([LENGTH, WIDTH])).max(axis=(1, 2))
    expect_below(recording, "way of a rock beyond the edge in m", outside, 0.0)
    steep = np.tan(np.radians(parameters["slope"]))
    lowest = height(places[:, :, 0], places[:, :, 1], steep) - parameters["roughness"] - places[:, :, 2]
    expect_below(recording, "depth of a rock's centre under the ground in m", lowest.max(axis=1), 0.0)
    if recording.time[-1] >= DURATION - 1e-9:
        speed = np.linalg.norm(np.diff(places, axis=0), axis=2) / np.diff(recording.time)[:, None]
        fastest, last = speed.max(), np.median(speed[-1])
        expect(bool(last <= 0.01 * fastest), f"rocks were at {fastest:.3g} m/s and still are at {last:.3g}")
