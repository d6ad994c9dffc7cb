"""A fork-lift of 3 t picks up a crate of 100 kg, drives once around a cone so that wheels skid, and brakes [Lefebvre2020].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps, Schedule
from taut.scenes._expect import expect_contacts
from taut.scenes._forklift import HEEL, THROW, TOP_SPEED, Forklift, ram_at
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import Array

DURATION = 20.0
PICTURE = 11.0

PALLET_MASS = 20.0
DECK, BLOCK = Box(1.0, 1.1, 0.03), Box(0.1, 0.1, 0.1)
CRATE = Box(0.8, 0.8, 0.6)
APPROACH, GAP = 1.5, 0.03
SPEED, RADIUS = 3.4, 2.5
TURN = (8.0, 1.2)
BRAKE = 14.5

CURVE_HOLD = 2.0 * math.pi * RADIUS / SPEED - TURN[1]
DRIVE = Ramps(
    (0.5, 0.0), (1.4, 0.9), (1.4 + APPROACH / 0.9 - 0.9, 0.9), (2.3 + APPROACH / 0.9 - 0.9, 0.0),
    (4.6, 0.0), (7.6, SPEED), (BRAKE, SPEED), (BRAKE + 0.5, 0.0),
)
CURVATURE = Ramps(
    (TURN[0], 0.0), (TURN[0] + TURN[1], 1.0 / RADIUS), (TURN[0] + TURN[1] + CURVE_HOLD, 1.0 / RADIUS), (TURN[0] + 2.0 * TURN[1] + CURVE_HOLD, 0.0)
)


def throttle(time: float) -> float:
    return DRIVE(time) / TOP_SPEED


def steer(time: float) -> float:
    return THROW + ram_at(CURVATURE(time))


def schedules() -> dict[str, Schedule]:
    return {
        "throttle": throttle, "steer": steer, "gear": Ramps((0.0, 1.0), (1.0, 1.0)),
        "brake": Ramps((BRAKE, 0.0), (BRAKE + 0.5, 0.3)), "lock": Ramps((6.0, 0.0), (6.1, 0.0)),
        "lift": Ramps((3.1, 0.02), (4.1, 0.095)), "tilt": Ramps((3.7, 0.0), (4.6, 0.087)),
    }


def build(load: float = 100.0) -> Scene:
    """Build it.

    Args:
        load: of crate and pallet, kg.
    """
    scene = Scene(friction=1.0)
    scene.add_plane()
    Forklift(scene, schedules())
    x = HEEL + APPROACH + GAP + 0.5 * DECK.x
    blocks = [(BLOCK, (i * 0.45, j * 0.5, 0.5 * BLOCK.z)) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    pallet = Compound([*blocks, (DECK, (0.0, 0.0, BLOCK.z + 0.5 * DECK.z))])
    scene.add_body("pallet", pallet, mass=PALLET_MASS, position=(x, 0.0, 0.0))
    scene.add_body("crate", CRATE, mass=load - PALLET_MASS, position=(x, 0.0, BLOCK.z + DECK.z + 0.5 * CRATE.z))
    return scene


def way(times: Array) -> tuple[Array, Array]:
    """Where the middle of the front axle is (n, 2), m, and yaw (n,), rad, where no wheel slips."""
    speed, curvature = np.array([(DRIVE(time), CURVATURE(time)) for time in times.tolist()]).T
    step = np.diff(times, prepend=times[0])
    yaw = np.cumsum(speed * curvature * step)
    return np.cumsum(speed[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1) * step[:, None], axis=0), yaw


def check(recording: Recording) -> None:
    """Later."""
    expect_contacts(recording, penetration=1e-3)
