"""A ship of 5,450 t: a hull with two ballast tanks, afloat on springs in a beam sea, and how it rolls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.joints.fixed import Fixed
from taut.joints.point_on_plane import PointOnPlane
from taut.results.record import Recording
from taut.scene.looks import Piece
from taut.scene.scene import WORLD, Scene
from taut.shapes import Box, Compound, Convex, Cylinder
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

HULL, HULL_MASS = Box(76.0, 20.0, 8.0), 4.38e6
TANK, TANK_MASS, TANK_AT = Box(15.0, 15.0, 5.0), 535e3, 17.0
"""Ballast, and how far fore and aft of the middle it is, m."""
BULWARK, BOW = Box(50.0, 0.3, 1.0), 12.0
"""On each side of the deck, and length of the bow, to look at, m."""
HOUSE = 19.0
"""Where the deckhouse is, to look at, m."""
DECK, SIDE = 0.5 * HULL.z, 0.5 * HULL.y
"""Height of the deck over still water, and where the sides are, m."""
HEAVE, SPREAD = 1.6e7, 2.05
"""N/m of all springs that carry the ship (1,600 m^2 of waterplane), and how far out they are to each side, m."""
ROLL = HEAVE * SPREAD**2
"""N m/rad: what rights the ship, less what stands on it."""
DAMPING = 0.2 * np.sqrt(HEAVE * 5.5e6)
"""Of these springs, N s/m: a tenth of critical in heave."""
KEEP, KEEP_DAMPING = 6e4, 6e5
"""N/m and N s/m that keep the ship in its place: a minute to and fro."""
BED, DEPTH = Box(400.0, 400.0, 2.0), 12.0
"""Where all ends that a broken rope lets go, and how deep that is, m."""
STILL = ("sea", "seabed")
GRAVITY = 9.81
RED, GREY, WHITE, GREEN = (0.62, 0.16, 0.13), (0.45, 0.47, 0.50), (0.90, 0.90, 0.87), (0.24, 0.42, 0.36)
BLUES, SAND = ((0.10, 0.29, 0.42), (0.12, 0.33, 0.46)), (0.6, 0.55, 0.42)


def add_hull(scene: Scene) -> None:
    """The body `hull` with its bulwarks, its middle at the water's level."""
    scene.add_body(
        "hull", Compound([(HULL, (0.0, 0.0, 0.0)), *bulwarks()]), mass=HULL_MASS, com=(0.0, 0.0, 0.0), group="ship",
        visual=looks(), colour=RED,
    )  # fmt: skip


def float_up(scene: Scene) -> None:
    """Ballast that trims the ship with all that is on it, `ballast-1` and `-2`, and the springs that it floats on."""
    aboard = np.array([body.mass * body.position for body in scene.bodies if not body.fixed])
    x, y, _ = -aboard.sum(axis=0) / (2.0 * TANK_MASS)
    for number, end in enumerate((-TANK_AT, TANK_AT), start=1):
        name, place = f"ballast-{number}", (x + end, y, -1.0)
        scene.add_body(name, TANK, mass=TANK_MASS, position=place, collides=False, group="ship", colour=GREY)
        scene.connect("hull", name, Fixed(), name=name)
    weight = GRAVITY * sum(body.mass for body in scene.bodies if not body.fixed)
    scene.add_load("hull", force=(0.0, 0.0, weight), name="buoyancy")
    for number, (x, y) in enumerate(((x, y) for x in (-25.0, 0.0, 25.0) for y in (-SPREAD, SPREAD)), start=1):
        scene.connect(
            WORLD, "hull", PointOnPlane(), at=(x, y, 0.0), name=f"float-{number}", compliance=6.0 / HEAVE,
            damping=DAMPING / 6.0,
        )  # fmt: skip
    moorings = ((0.0, (1.0, 0.0, 0.0)), (-35.0, (0.0, 1.0, 0.0)), (35.0, (0.0, 1.0, 0.0)))
    for number, (x, way) in enumerate(moorings, start=1):
        scene.connect(
            WORLD, "hull", PointOnPlane(normal=way), at=(x, 0.0, 0.0), name=f"mooring-{number}",
            compliance=1.0 / KEEP, damping=KEEP_DAMPING,
        )  # fmt: skip


def water_level(height: float, period: float, time: Any) -> Any:
    """Level of the water at the ship, m: long waves across it, H/2 sin(w t), that rise from rest in one period.

    Height from trough to crest, m, and period, s; at one time or many, s.
    """
    return 0.5 * height * risen(period, time) * np.sin(2.0 * np.pi / period * time)


def water_slope(height: float, period: float, time: Any) -> Any:
    """Slope of the same water in deep water, -H/2 w^2/g cos(w t), rad; it is higher to port where positive."""
    return -steepness(height, period) * risen(period, time) * np.cos(2.0 * np.pi / period * time)


def steepness(height: float, period: float) -> float:
    """Greatest slope of such waves, rad."""
    return 0.5 * height * (2.0 * np.pi / period) ** 2 / GRAVITY


def risen(period: float, time: Any) -> Any:
    """Share of their height that waves have at a time."""
    share = np.clip(time / period, 0.0, 1.0)
    return share**3 * (10.0 + share * (6.0 * share - 15.0))


def add_sea(scene: Scene, height: float, period: float) -> None:
    """The controls `sea.level` (m) and `sea.slope` (rad), which follow waves, water to look at, and its bed."""
    for name, act, wave, most, unit in (
        ("level", set_level, water_level, max(height, 0.5), "m"),
        ("slope", set_slope, water_slope, max(2.0 * steepness(height, period), 0.02), "rad"),
    ):
        schedule = partial(wave, height, period)
        scene.add_control(f"sea.{name}", act=act, low=-most, high=most, unit=unit, schedule=schedule)
    scene.add_body("sea", visual=water(), fixed=True, collides=False)
    scene.add_body("seabed", BED, position=(0.0, 0.0, -DEPTH - 0.5 * BED.z), fixed=True, colour=SAND)


def set_level(simulation: Simulation, level: float) -> None:
    """What the control of the level does."""
    lift(simulation, level, simulation.controls["sea.slope"].value)


def set_slope(simulation: Simulation, slope: float) -> None:
    """What the control of the slope does."""
    lift(simulation, simulation.controls["sea.level"].value, slope)


def lift(simulation: Simulation, level: float, slope: float) -> None:
    """Lift and tilt the ship as water of this level (m) and slope (rad) does: so the springs that it floats on aim."""
    simulation.body("hull").apply(force=(0.0, 0.0, HEAVE * level), torque=(ROLL * slope, 0.0, 0.0))


def water() -> list[Piece]:
    """Strips of sea, higher and lower by turns."""
    strip = Box(420.0, 6.0, 1.0)
    return [Piece(strip, (0.0, 6.0 * row, -0.5 - 0.08 * (row % 2)), colour=BLUES[row % 2]) for row in range(-35, 36)]


def looks() -> list[Piece]:
    """Hull with a bow, deck, bulwarks, deckhouse with a bridge, funnels."""
    x, y, z = HULL.x, HULL.y, HULL.z
    sections = [(0.5 * x - BOW, 0.5 * y), (0.5 * x, 0.8)]
    bow = Convex([(a, side * b, height) for a, b in sections for side in (-1, 1) for height in (-0.5 * z, 0.5 * z)])
    pieces = [Piece(Box(x - BOW, y, z), (-0.5 * BOW, 0.0, 0.0)), Piece(bow)]
    pieces.append(Piece(Box(x - BOW - 2.0, y - 0.8, 0.06), (-0.5 * BOW, 0.0, DECK), colour=GREEN))
    pieces.append(Piece(Box(x - BOW + 0.1, y + 0.1, 0.25), (-0.5 * BOW, 0.0, DECK - 0.4), colour=WHITE))
    pieces += [Piece(rail, place) for rail, place in bulwarks()]
    house = ((0.0, Box(14.0, 16.0, 5.0)), (5.0, Box(11.0, 14.0, 3.0)), (8.0, Box(8.0, 18.0, 3.0)))
    pieces += [Piece(size, (HOUSE, 0.0, DECK + low + 0.5 * size.z), colour=WHITE) for low, size in house]
    pieces.append(Piece(Box(8.1, 18.1, 1.0), (HOUSE, 0.0, DECK + 9.8), colour=(0.15, 0.22, 0.28)))
    pieces += [Piece(Cylinder(0.9, 5.0), (HOUSE - 6.5, side * 5.0, DECK + 7.0), colour=GREY) for side in (-1.0, 1.0)]
    return pieces


def bulwarks() -> list[tuple[Box, tuple[float, float, float]]]:
    """Low walls along both sides of the deck."""
    return [(BULWARK, (0.0, side * (SIDE - 0.5 * BULWARK.y), DECK + 0.5 * BULWARK.z)) for side in (-1.0, 1.0)]


class ShipRecord:
    """How a ship moves in a recording, and how it must: by the momenta of all bodies, the sea and the springs.

    With the level w and slope s of the water, height z and heel a of the ship, forces and moments on everything are

        dP/dt = K (w - z) - c z'        dL/dt = -g sum m y + (M g + K (w - z) - c z') y + K_roll (s - a) - c_roll a'

    so the means of draught and heel over a time follow from those of the sea and of the weights aboard, and from what
    momenta are at its ends.
    """

    def __init__(self, recording: Recording, height: float, period: float) -> None:
        """The recording of a ship in waves of this height (m) and period (s)."""
        self.recording, hull = recording, recording.body("hull")
        self.height, self.speed = hull.position[:, 2], hull.velocity[:, 2]
        self.heel = 2.0 * np.arctan2(hull.orientation[:, 1], hull.orientation[:, 0])
        self.level, self.slope = (wave(height, period, recording.time) for wave in (water_level, water_slope))
        masses = np.where(np.isin(recording.info.body_names, STILL), 0.0, recording.info.masses)
        weights = GRAVITY * masses * recording.present
        self.weight = float(weights[0].sum())
        lift = self.weight + HEAVE * (self.level - self.height) - DAMPING * self.speed
        aboard = np.nansum(weights * recording.positions[:, :, 1], axis=1)
        self.moment = lift * hull.position[:, 1] - aboard

    def mean_height(self, start: int, end: int) -> tuple[float, float]:
        """Of the hull over still water from one frame to another, m: as it is, and as it must be."""
        time, momentum = self.recording.time, self.recording.momentum[:, 0, 2]
        frames, span = slice(start + 1, end + 1), float(time[end] - time[start])
        gained = momentum[end] - momentum[start] + DAMPING * (self.height[end] - self.height[start])
        return float(self.height[frames].mean()), float(self.level[frames].mean() - gained / (HEAVE * span))

    def mean_heel(self, start: int, end: int) -> tuple[float, float]:
        """Of the hull to starboard from one frame to another, rad: as it is, and as it must be."""
        time, momentum = self.recording.time, self.recording.momentum[:, 1, 0]
        frames, span = slice(start + 1, end + 1), float(time[end] - time[start])
        damped = DAMPING * SPREAD**2 * (self.heel[end] - self.heel[start])
        gained = (momentum[end] - momentum[start] + damped) / span
        right = (float(self.moment[frames].mean()) - gained) / ROLL + float(self.slope[frames].mean())
        return float(self.heel[frames].mean()), right

    def work(self) -> Array:
        """Work of water and buoyancy on the ship (frames,), J."""
        up = np.append(0.0, np.cumsum(self.level[1:] * np.diff(self.height)))
        rolled = np.append(0.0, np.cumsum(self.slope[1:] * np.diff(self.heel)))
        return np.asarray(HEAVE * up + ROLL * rolled + self.weight * (self.height - self.height[0]))
