"""A fork-lift of 3 t picks up a crate of 100 kg, drives once around a cone with skidding wheels and brakes [Lefebvre2020].

It drives up to the crate, lifts it by 0.15 m, leans it back by five degrees, speeds up to 3.4 m/s, drives a full
circle and brakes. Its solid tyres are wide and do not give way sideways, so that in a turn no two points across a wheel
can both roll: of every wheel the edge that carries more rolls, on the outer side of the turn, and the other one skids.
With the differential between them the front wheels go as fast as the motor turns them on the mean,

    v (1 + w / 2R) = r W,        w the width of a wheel, R the radius of the turn, r W the speed of their rims.

The skid turn radius is 2.50 m, of the middle of the front axle, at 0.44 g: what the tie rods are set for, as no wheel
slides out; the inner edges skid at w v / R = 0.26 m/s. The paper gives masses, mass ratio and rows, that wheels skid and
that up to 5 % of the rows are then tight; all dimensions, speeds and radii are ours. Rows at a bound are here counted
where wheels touch the ground: rows of stops that are not reached are at a bound as well.
"""

from __future__ import annotations

import math

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps, Schedule
from taut.scenes import _forklift_looks as looks
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near, expect_rows, gained
from taut.scenes._forklift import (
    BASE,
    FORK,
    FRONT,
    HEEL,
    HEIGHT,
    LEANS,
    LIFT,
    MASSES,
    THROW,
    TOP_SPEED,
    Forklift,
    length_at,
    ram_at,
)
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import Array, conjugate, multiply_each, rotate_each

DURATION = 20.0
PICTURE = 10.6
FILM = (2.5, 16.5, 2.0)
FOLLOW = "forklift/chassis"

CRATE, FOOT = Box(0.94, 1.04, 0.6), Box(0.1, 0.1, 0.12)
FEET = [(0.32 * i, 0.47 * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
"""The crate stands on nine feet, (x, y) m."""
APPROACH, GAP = 1.5, 0.005
"""How far the fork-lift drives to the crate, and how far from the backrest it stops, m."""
RAISED, LEAN = 0.15, math.radians(5.0)
"""How far the crate is lifted, m, and leant back, rad."""
SPEED, RADIUS = 3.4, 2.5
"""Of the rims, m/s, and of the turn, m."""
CREEP = 0.9
"""Speed up to the crate, m/s."""
STOPPED = 2.3 + APPROACH / CREEP - 0.9
"""When it stands before the crate, s: it speeds up and slows down in 0.9 s each."""
LIFTED, LEANT, FAST, TURN, EASE, BRAKE = 4.2, 5.0, 7.6, 8.0, 1.2, 14.6
"""When the crate is lifted, when it is leant back, when the fork-lift is fast, when it begins to turn, how long it
takes to steer, and when it brakes, s."""
TURNED = TURN + 2.0 * math.pi * RADIUS * (1.0 + 0.5 * FRONT["width"] / RADIUS) / SPEED
"""When it begins to steer back, s: as much is missing while it steers as comes later."""
RIM = Ramps(
    (0.5, 0.0), (1.4, CREEP), (STOPPED - 0.9, CREEP), (STOPPED, 0.0),
    (LEANT, 0.0), (FAST, SPEED), (BRAKE, SPEED), (BRAKE + 0.5, 0.0),
)  # fmt: skip
CURVATURE = Ramps((TURN, 0.0), (TURN + EASE, 1.0 / RADIUS), (TURNED, 1.0 / RADIUS), (TURNED + EASE, 0.0))
LEANING = Ramps((LIFTED, 0.0), (LEANT, LEAN))


def build(load: float = 100.0) -> Scene:
    """Build the fork-lift `forklift/chassis` ..., the `crate` and a `cone` in the middle of its circle.

    Args:
        load: mass of the crate, kg; up to 1000.
    """
    owner = "scene 'forklift'"
    load = checks.number(owner, "load", load, above=0.0)
    scene = Scene(friction=1.0)
    scene.add_plane()
    schedules: dict[str, Schedule] = {
        "throttle": throttle, "gear": Ramps((0.0, 1.0), (1.0, 1.0)), "brake": Ramps((BRAKE, 0.0), (BRAKE + 0.5, 0.3)),
        "steer": steer, "lift": Ramps((STOPPED + 0.1, LIFT[0]), (LIFTED, LIFT[0] + 0.5 * RAISED)), "tilt": tilt,
    }  # fmt: skip
    Forklift(scene, schedules)
    feet = [(FOOT, (x, y, 0.5 * FOOT.z)) for x, y in FEET]
    crate = Compound([*feet, (CRATE, (0.0, 0.0, FOOT.z + 0.5 * CRATE.z))])
    place = HEEL + APPROACH + GAP + 0.5 * CRATE.x
    scene.add_body("crate", crate, mass=load, position=(place, 0.0, 0.0), visual=looks.crate(CRATE, FOOT, FEET))
    centre = middle_of_circle()
    scene.add_body(
        "cone", Cylinder(0.2, 0.7), fixed=True, position=(*centre, 0.35), visual=looks.cone(0.2, 0.7, RADIUS)
    )
    return scene


def throttle(time: float) -> float:
    """Of the motor."""
    return RIM(time) / TOP_SPEED


def steer(time: float) -> float:
    """Extension of the ram, m."""
    return THROW + ram_at(CURVATURE(time))


def tilt(time: float) -> float:
    """Extension of the tilt cylinder, m."""
    return length_at(LEANING(time)) - length_at(LEANS[1])


def way(times: Array) -> tuple[Array, Array]:
    """Where the middle of the front axle is (n, 2), m, and its yaw (n,), rad, by the speed above."""
    rim, curvature = np.array([(RIM(time), CURVATURE(time)) for time in times.tolist()]).T
    way = rim / (1.0 + 0.5 * FRONT["width"] * curvature) * np.diff(times, prepend=times[0])
    yaw = np.cumsum(curvature * way)
    return np.cumsum(way[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1), axis=0), yaw


def middle_of_circle() -> Array:
    """Where the turn has its middle (2,), m."""
    places, yaw = way(np.linspace(0.0, 0.5 * (TURN + EASE + TURNED), 2001))
    return places[-1] + RADIUS * np.array([-math.sin(yaw[-1]), math.cos(yaw[-1])])


def check(recording: Recording) -> None:
    """Later."""
    expect_contacts(recording, penetration=1e-2)
    if recording.time[-1] < DURATION - 1e-9:
        return
    expect_rows(recording, 0.15, mean=162, most=300)
    _ = expect, expect_below, expect_near, gained, multiply_each, conjugate, rotate_each, MASSES, FORK, HEIGHT, BASE
