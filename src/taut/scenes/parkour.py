"""An armoured vehicle of 15 t on eight driven wheels goes over stairs, a washboard and hills [Lefebvre2020].

An engine of 220 kW turns all wheels through clutch, gearbox and a tree of differentials, those of the axles open, those
between axles open or locked. The driver locks them on the stairs, where axles leave the ground, and in the hills,
changes gear between, changes lane on the crest of a hill, and brakes on a slope of twelve degrees. The lightest bodies
are the pinions of 0.6 kg, 20,000:1. `shafts="bodies"` adds a half shaft of 0.6 kg between each differential and wheel.

The paper gives masses, rows and what it drives over. Dimensions, ratios and the course are ours, and tyres: rigid
wheels of 0.2 t on edges of steps push with other forces in every step, and friction follows those of the step before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.errors import InputError
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._armoured import AXLE_RATIO, AXLES, GEARS, HEIGHT, POWER, SUNK, TRANSFER_RATIO, TYRE, add_vehicle
from taut.scenes._armoured_log import Log
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_rows, gained
from taut.scenes._ranges import within
from taut.shapes import Box, Heightfield
from taut.spatial import Array, rotate_each

DURATION = 20.0
PICTURE = 5.9
FILM, FOLLOW = (2.0, 15.5, 1.5), "hull"

STEPS, RISE, TREAD, LANDING, STAIRS = 8, 0.15, 0.4, 3.0, 4.0
"""Of the stairs: steps, their sizes, length of the landing, and where they begin, m."""
BARS, BAR, PITCH, WASHBOARD = 10, Box(0.15, 1.6, 0.08), 1.1, 15.5
"""Of the washboard: bars on each side, their size, the distance between them, and where it begins, m."""
HILLS, LENGTH, WIDTH, FLANK, CELL = 26.5, 40.0, 16.0, 3.0, 0.25
"""Where hills begin, their sizes, how far from their middle they fall off, and their cells, m."""
BELOW = 0.3
"""How far under the level ground hills reach, so that nothing stands on both of them for long, m."""
LANE, TURN = 0.3, 0.18
"""How far to the left hills are, m, and the angle by which the vehicle steers on its way there, rad."""
HUMPS = (13.5, -1.1), (17.8, 1.1)
"""Where humps are in the hills: under wheels at opposite corners at the same time."""
SLOPE, SLOPE_BEGIN = 12.0, 18.5
"""Of the ridge on which the vehicle stops, degrees, and where in the hills it begins to rise, m."""
STORY = {
    "throttle": ((0.4, 0.0), (1.3, 1.0), (15.8, 1.0), (16.3, 0.0)),
    "gear": ((0.2, 0.0), (0.4, 1.0), (6.8, 1.0), (7.0, 2.0)),
    "lock": ((0.4, 0.0), (0.5, 1.0), (7.2, 1.0), (7.3, 0.0), (10.0, 0.0), (10.1, 1.0)),
    "angle": ((10.6, 0.0), (11.2, TURN), (11.8, 0.0), (12.4, -TURN), (13.0, 0.0)),
    "brake": ((16.0, 0.0), (16.8, 1.0)),
}
"""What controls follow: (time in s, value) each."""
LANE_TIMES = STORY["angle"][0][0], STORY["angle"][2][0]
"""When it begins to turn to the left, and has done so, s."""
SHAFTS = ("massless", "bodies")
FRICTIONS = 0.5, 1.5
"""Least and greatest that the story is for: with less it slides on where it brakes, with more it hardly turns."""
PRESSED, TILT = 0.095, 30.0
"""How far tyres are pressed in at most, m, and how far the hull leans, degrees."""
STONES, WOOD = ((0.62, 0.6, 0.57), (0.52, 0.5, 0.48)), (0.55, 0.4, 0.25)
SAND = (0.66, 0.6, 0.48)


def build(friction: float = 1.0, shafts: str = "massless") -> Scene:
    """Build the course and the vehicle, `hull` and so on.

    Args:
        friction: of all that touches, from 0.5 to 1.5.
        shafts: "massless", or "bodies" with a half shaft of 0.6 kg for every wheel.
    """
    owner = "scene 'parkour'"
    friction = within(owner, "friction", friction, FRICTIONS)
    if shafts not in SHAFTS:
        raise InputError(f"{owner}: shafts is {checks.shown(shafts)}; it must be one of {', '.join(SHAFTS)}")
    scene = Scene(friction=friction)
    scene.add_plane()
    add_stairs(scene)
    add_washboard(scene)
    add_hills(scene)
    add_vehicle(scene, shafts == SHAFTS[1], {name: Ramps(*points) for name, points in STORY.items()})
    return scene


def add_stairs(scene: Scene) -> None:
    """Steps up, a landing and steps down: every slab is shorter than the one that it lies on."""
    whole = 2.0 * TREAD * STEPS + LANDING
    for step in range(STEPS):
        size = Box(whole - 2.0 * TREAD * step, 5.0, RISE)
        place = (STAIRS + 0.5 * whole, 0.0, (step + 0.5) * RISE)
        scene.add_body(f"step-{step + 1}", size, position=place, fixed=True, colour=STONES[step % 2])


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
        "hills", Heightfield(heights, size=(LENGTH, WIDTH)), position=(HILLS + 0.5 * LENGTH, LANE, 0.0), fixed=True,
        colour=SAND,
    )  # fmt: skip


def height(x: Array, y: Array) -> Array:
    """Height in m of the hills at places x (m from where they begin) and y: a crest, humps, and a ridge with a slope.

    They are nowhere hollow, and end under the level ground.
    """
    crest = 1.3 * (1.0 - ((x - 7.0) / 7.0) ** 2)
    humps = [0.6 * (1.0 - ((x - at) ** 2 + (y - side) ** 2) / 1.8**2) for at, side in HUMPS]
    ridge = np.tan(np.radians(SLOPE)) * np.minimum(x - SLOPE_BEGIN, LENGTH - x)
    flank = 1.0 - (np.maximum(np.abs(y) - FLANK, 0.0) / (0.5 * WIDTH - FLANK)) ** 2
    return flank * np.maximum.reduce(np.broadcast_arrays(crest, *humps, ridge, 0.0)) - BELOW


def check(recording: Recording) -> None:
    """Tyres are not pressed flat, and the vehicle does not tip over. Speeds in its drivetrain are as differentials say,
    and its engine's work is found again to 2 %; energy rises by no more than that. A wheel that alone of its axle is in
    the air turns the faster and leaves the other one next to no torque. It goes over stairs and hills, turns as it is
    steered, and stands on the slope without creeping.
    """
    expect_contacts(recording, penetration=PRESSED)
    log, hull = Log(recording), recording.body("hull")
    up = rotate_each(hull.orientation, np.tile((0.0, 0.0, 1.0), (len(recording), 1)))
    expect_below(recording, "tilt of the hull in degrees", np.degrees(np.arccos(np.minimum(up[:, 2], 1.0))), TILT)
    shares = log.gear_errors() / max(float(np.abs(log.pinions).max()), 1.0)
    expect_below(recording, "error of speeds in differentials, as a share", shares, 5e-4)
    work, scale = log.engine_work(), 15e3 * 9.81 * RISE * STEPS
    missed = np.abs(work - log.spent()) / np.maximum(work, scale)
    expect_below(recording, "work of the engine that is not found, as a share", missed, 0.02)
    beyond = (gained(recording) - work - log.steering_work()) / scale
    expect_below(recording, "energy gained beyond the work of engine and servos, as a share", beyond, 1e-3)
    if recording.info.parameters["shafts"] == SHAFTS[0]:
        expect_rows(recording, 0.15, most=260)
    air = log.loads() == 0.0
    air[0] = False
    expect(int(air.sum(axis=1).max()) <= 6, f"{air.sum(axis=1).max()} wheels are in the air at the same time")
    if recording.time[-1] >= DURATION - 1e-9:
        expect_wheels_that_spin(log, air)
        expect_way(recording)
        expect_stand(recording, log)


def expect_wheels_that_spin(log: Log, air: NDArray[np.bool_]) -> None:
    """With differentials that are open a wheel in the air gets what it takes to turn faster, and the other no more."""
    alone = log.alone(air)
    full = max(torque for _, torque in POWER) * GEARS[0] * TRANSFER_RATIO * AXLE_RATIO
    torque = np.abs(np.repeat(log.wheel_torques(), 2, axis=0).T[alone])
    spin, mean = np.transpose(log.wheels)[alone], np.repeat(np.mean(log.wheels, axis=0)[:, None], 8, axis=1)[alone]
    expect(torque.size > 30, f"wheels are alone in the air in {torque.size} frames only")
    expect(torque.mean() < 0.02 * full, f"wheels beside those in the air get {torque.mean():.4g} N m on the average")
    most = (spin / mean).max()
    expect(most > 1.3, f"a wheel in the air is {most:.3g} times as fast as the others on the average, at most")


def expect_way(recording: Recording) -> None:
    """It goes over the landing, turns, and comes to the slope, where it stands over the ground."""
    place = recording.body("hull").position
    top = STAIRS + STEPS * TREAD + 0.5 * LANDING
    landing = place[np.abs(place[:, 0] - top) < 0.1, 2]
    over = landing.mean() - STEPS * RISE if landing.size else 0.0
    expect(abs(over - HEIGHT + SUNK) < 0.06, f"the hull is {over:.3g} m over the landing; {HEIGHT - SUNK:.3g} is right")
    expect(place[-1, 0] > 45.0, f"the vehicle came to x = {place[-1, 0]:.4g} m only")
    expect_turn(recording)
    over = place[-1, 2] - float(height(place[-1, 0] - HILLS, place[-1, 1] - LANE))
    right = (HEIGHT - SUNK) / np.cos(np.radians(SLOPE))
    expect(abs(over - right) < 0.1, f"the hull stands {over:.3g} m over the slope; {right:.3g} is right")


def expect_turn(recording: Recording) -> None:
    """It turns as a car does, psi' = v tan(angle) / wheelbase, or less: of four axles two are in the way."""
    hull, schedule = recording.body("hull"), Ramps(*STORY["angle"])
    wheelbase = AXLES[0] - 0.5 * (AXLES[2] + AXLES[3])
    pairs = zip(recording.time, hull.velocity[:, 0], strict=True)
    turned = np.cumsum([max(schedule(time), 0.0) * speed for time, speed in pairs]) * recording.info.step / wheelbase
    ahead = rotate_each(hull.orientation, np.tile((1.0, 0.0, 0.0), (len(recording), 1)))
    begin, middle = (int(np.searchsorted(recording.time, time)) for time in LANE_TIMES)
    heading = np.arctan2(ahead[:, 1], ahead[:, 0])
    share = float((heading[middle] - heading[begin]) / turned[middle])
    expect(0.5 < share < 1.1, f"it turns {share:.3g} times as far as a car would; 0.5 to 1.1 is right")


def expect_stand(recording: Recording, log: Log) -> None:
    """In the last quarter of a second wheels stand, do not creep, and are pressed in by what the vehicle weighs."""
    last = recording.time > recording.time[-1] - 0.25
    turning = np.abs(np.array(log.wheels)[:, last]).max()
    expect(turning < 1e-5, f"wheels turn at {turning:.3g} rad/s with their brakes on")
    tables = [recording.contacts(int(frame)) for frame in np.flatnonzero(last)]
    creep = max(float(np.linalg.norm(table.slip, axis=1).max()) for table in tables)
    expect(creep < 1e-6, f"the vehicle creeps at {creep:.3g} m/s")
    moving = ("hull", "turret", "arm-", "steering/", "wheel-", "drive/", "half-shaft-")
    names, masses = recording.info.body_names, recording.info.masses
    weight = 9.81 * sum(mass for name, mass in zip(names, masses, strict=True) if name.startswith(moving))
    carried = float(tables[-1].force[:, 2].sum())
    expect(abs(carried / weight - 1.0) < 1e-3, f"wheels carry {carried:.6g} N; {weight:.6g} N is right")
    pressed, load = -0.5 * TYRE * float(tables[-1].gap.sum()), float(tables[-1].normal_force.sum())
    expect(abs(pressed / load - 1.0) < 0.01, f"tyres are pressed in by {pressed:.4g} N; {load:.4g} N is right")
