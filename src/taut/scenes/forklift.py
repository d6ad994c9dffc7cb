"""A fork-lift of 3 t picks up a crate of 100 kg, drives around a cone with wheels that skid, and brakes [Lefebvre2020].

It drives up to the crate, lifts it by 0.15 m, leans it back by five degrees, speeds up to 3.4 m/s, drives a full
circle and brakes. Its solid tyres are wide and do not give way sideways, so that in a turn no two points across a wheel
can both roll: of every wheel the edge that carries more rolls, on the outer side of the turn, and the other one skids.
With the differential between them the front wheels go as fast on the mean as the motor turns them,

    v (1 + w / 2R) = r W,        w the width of a wheel, R the radius of the turn, r W the speed of their rims.

The skid turn radius is 2.50 m, of the middle of the front axle, at 0.43 g: what the tie rods are set for, as no wheel
slides out (2.49 m in the run, and with cones of friction). The inner edges skid at w v / R = 0.26 m/s, and 5.6 % of the
rows are then tight where wheels touch; rows of stops that are not reached count as tight as well, and are not among
them. The paper gives masses, mass ratio and rows, that wheels skid, and that up to 5 % of the rows are tight then;
dimensions, bodies, speeds and radii are ours.
"""

from __future__ import annotations

import math

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps, Schedule
from taut.scenes import _forklift_looks as looks
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near, expect_rows
from taut.scenes._forklift import (
    CURVE,
    FRONT,
    HEEL,
    LEANS,
    LIFT,
    MASSES,
    THROW,
    TOP_SPEED,
    TYRE,
    Forklift,
    length_at,
    ram_at,
)
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import Array, Integers, rotate_each

DURATION = 20.0
GRAVITY, HEAVIEST = 9.81, 1000.0
"""m/s^2, and what it can carry, kg."""
PICTURE = 13.8
FILM = (2.5, 16.5, 2.0)
FOLLOW = "forklift/chassis"

CRATE, FOOT = Box(0.94, 1.04, 0.6), Box(0.1, 0.1, 0.12)
FEET = [(0.32 * i, 0.47 * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
"""The crate stands on nine feet, (x, y) m."""
APPROACH, GAP = 1.5, 0.005
"""How far the fork-lift drives to the crate, and how far from the backrest it stops, m."""
TAKEN, RAISED, LEAN = 0.05, 0.15, math.radians(5.0)
"""How far forks rise to take the crate from the ground, and in all, m, and how far they are leant back, rad."""
SPEED, RADIUS = 3.4, 2.5
"""Of the rims, m/s, and of the turn, m."""
CREEP = 0.9
"""Speed up to the crate, m/s."""
STOPPED = 2.3 + APPROACH / CREEP - 0.9
"""When it stands before the crate, s: it speeds up and slows down in 0.9 s each."""
LIFTED, LEANT, FAST, TURN, EASE, BRAKE = 4.5, 5.2, 8.2, 8.5, 1.2, 15.2
"""When the crate is lifted, when it is leant back, when the fork-lift is fast, when it begins to turn, how long it
takes to steer, and when it brakes, s."""
TURNED = TURN + 2.0 * math.pi * RADIUS * (1.0 + 0.5 * FRONT["width"] / RADIUS) / SPEED
"""When it begins to steer back, s: as much is missing while it steers as comes later."""
RIM = Ramps(
    (0.5, 0.0), (1.4, CREEP), (STOPPED - 0.9, CREEP), (STOPPED, 0.0),
    (LEANT, 0.0), (FAST, SPEED), (BRAKE, SPEED), (BRAKE + 0.5, 0.0),
)  # fmt: skip
CURVATURE = Ramps((TURN, 0.0), (TURN + EASE, 1.0 / RADIUS), (TURNED, 1.0 / RADIUS), (TURNED + EASE, 0.0))
LIFTING = Ramps((STOPPED + 0.1, 0.0), (STOPPED + 0.6, TAKEN), (LIFTED - 0.2, RAISED))
LEANING = Ramps((LIFTED, 0.0), (LEANT, LEAN))


def build(load: float = 100.0) -> Scene:
    """Build the fork-lift `forklift/chassis` ..., the `crate` and a `cone` in the middle of its circle.

    Args:
        load: mass of the crate, kg; up to 1000.
    """
    owner = "scene 'forklift'"
    load = checks.number(owner, "load", load, above=0.0)
    if load > HEAVIEST:
        raise InputError(f"{owner}: load is {load:g}; it must be up to {HEAVIEST:g} kg")
    scene = Scene(friction=1.0)
    scene.add_plane()
    schedules: dict[str, Schedule] = {
        "throttle": throttle, "gear": Ramps((0.0, 1.0), (1.0, 1.0)), "brake": Ramps((BRAKE, 0.0), (BRAKE + 0.5, 0.3)),
        "steer": steer, "lift": lift, "tilt": tilt,
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


def lift(time: float) -> float:
    """Extension of the lift cylinder, m."""
    return LIFT[0] + 0.5 * LIFTING(time)


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
    """Joints hold to 2e-5 m, tyres give way by no more than under all of the weight, and energy rises no faster than by
    the motor's 25 kW. The chain lifts the carriage twice as far as the inner mast, to 1e-6 m; the lift cylinder then
    holds twice what the chain does, to 2 %, and its work is what energy has risen by, less a tenth that tyres may take.
    The crate stays where it is on the forks, to 20 mm. It goes all around the cone: 360 degrees to 10, on the skid turn
    radius to 3 %, and as much more slowly as wheels that roll on their outer edges do, to 2 %; the inner edges skid as
    the turn has it, to 15 %, as boxes of friction let wheels slide a little sideways too. That takes 2 to 8 % of the
    rows. Wheels carry the weight, to 2 %, it leans by less than 8 degrees, and in the end it stands and nothing slides.
    """
    weight = GRAVITY * sum(recording.info.masses)
    expect_contacts(recording, penetration=weight / TYRE["tyre_stiffness"], violation=2e-5)
    power = np.diff(recording.energy, prepend=recording.energy[0]) / recording.info.step
    expect_below(recording, "power in W", power, 1.01 * max(speed * torque for speed, torque in CURVE))
    up = rotate_each(recording.body("forklift/chassis").orientation, np.tile((0.0, 0.0, 1.0), (len(recording), 1)))
    expect_below(recording, "lean of the chassis in degrees", np.degrees(np.arccos(np.minimum(up[:, 2], 1.0))), 8.0)
    check_lift(recording)
    if recording.time[-1] < DURATION - 1e-9:
        return
    expect_rows(recording, 0.15, mean=162, most=300)
    check_turn(recording)
    check_wheels(recording, weight)
    speed = np.linalg.norm(recording.body("forklift/chassis").velocity[recording.time > DURATION - 1.0], axis=1)
    expect(speed.max() < 1e-3, f"it goes on at {speed.max():.3g} m/s in the end")


def check_lift(recording: Recording) -> None:
    """The chain, the cylinder's force and work, and where the crate is on the forks."""
    inner, carriage = (recording.joint(f"forklift/{name}").position for name in ("mast-inner", "inner-carriage"))
    push = recording.joint("forklift/lift/motor").reaction
    assert inner is not None and carriage is not None and push is not None
    expect_near(recording, "the carriage's travel by the chain in m", carriage[:, 0], inner[:, 0], 1e-6)
    before, after = np.searchsorted(recording.time, (STOPPED, LIFTED))
    if after >= len(recording):
        return
    lifted = 2.0 * (MASSES["carriage"] + float(recording.info.parameters["load"])) + MASSES["inner"]
    force, right = float(push[after, 2]), GRAVITY * lifted
    expect(abs(force / right - 1.0) < 0.02, f"the lift cylinder holds {force:.4g} N; {right:.4g} N is right")
    work = float(np.sum(push[before + 1 : after + 1, 2] * np.diff(inner[before : after + 1, 0])))
    gained = float(recording.energy[after] - recording.energy[before])
    text = f"energy rises by {gained:.4g} J in the lift; {work:.4g} J is right, of which a tenth may be lost"
    expect(0.9 * work < gained < 1.01 * work, text)
    place, shift = on_forks(recording), np.zeros(len(recording))
    shift[after:] = np.linalg.norm(place[after:] - place[after], axis=1)
    expect_below(recording, "way of the crate on the forks in m", shift, 0.02)


def check_turn(recording: Recording) -> None:
    """How far, on which circle and how fast it turns."""
    chassis = recording.body("forklift/chassis")
    yaw = np.unwrap(2.0 * np.arctan2(chassis.orientation[:, 3], chassis.orientation[:, 0]))
    turned = math.degrees(yaw[-1] - yaw[0])
    expect(abs(turned - 360.0) < 10.0, f"it has turned by {turned:.4g} degrees; 360 is right, to 10")
    turning = steady(recording)
    path, time = chassis.position[turning, :2], recording.time[turning]
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    radius, speed = length / (yaw[turning][-1] - yaw[turning][0]), length / (time[-1] - time[0])
    expect(abs(radius / RADIUS - 1.0) < 0.03, f"it turns on {radius:.4g} m; {RADIUS:.4g} m is right")
    right = SPEED / (1.0 + 0.5 * FRONT["width"] / RADIUS)
    expect(abs(speed / right - 1.0) < 0.02, f"it turns at {speed:.4g} m/s; {right:.4g} m/s is right")
    away = np.linalg.norm(path - recording.body("cone").position[turning, :2], axis=1)
    worst = abs(away - RADIUS).max()
    expect(worst < 0.3, f"it is {worst:.3g} m off the circle around the cone; at most 0.3 m is right")


def check_wheels(recording: Recording, weight: float) -> None:
    """What they carry, and where they slide: on one edge each in the turn, nowhere at rest."""
    resting = np.flatnonzero(recording.time > DURATION - 0.5)
    for frames, least, most in ((steady(recording), 0.02, 0.08), (resting, 0.0, 0.0)):
        load, tight, skid = np.mean([on_ground(recording, int(frame)) for frame in frames], axis=0).tolist()
        expect(abs(load / weight - 1.0) < 0.02, f"wheels carry {load:.4g} N; {weight:.4g} N is right")
        allowed = f"{100.0 * least:g} to {100.0 * most:g} % is right"
        expect(least <= tight <= most, f"{100.0 * tight:.3g} % of the rows are of wheels that slide; {allowed}")
        right = FRONT["width"] * SPEED / (RADIUS + 0.5 * FRONT["width"]) if most > 0.0 else 0.0
        text = f"wheels skid at {skid:.4g} m/s; {right:.4g} m/s is right"
        expect(abs(skid - right) < 0.15 * right + 1e-6, text)


def on_ground(recording: Recording, frame: int) -> tuple[float, float, float]:
    """What wheels carry, N, the share of rows that are tight where they slide, and how fast they do, m/s."""
    contacts = recording.contacts(frame)
    wheels = contacts.index_a == 0
    tight = np.count_nonzero(contacts.index_set[wheels, 1:]) / recording.column("rows")[frame]
    skid = np.linalg.norm(contacts.slip[wheels], axis=1).max()
    return float(contacts.normal_force[wheels].sum()), float(tight), float(skid)


def steady(recording: Recording) -> Integers:
    """Frames in which it goes round evenly."""
    return np.flatnonzero((recording.time > TURN + EASE + 0.5) & (recording.time < TURNED))


def on_forks(recording: Recording) -> Array:
    """Where the crate is in the frame of the carriage (frames, 3), m."""
    carriage = recording.body("forklift/carriage")
    back = carriage.orientation * (1.0, -1.0, -1.0, -1.0)
    return rotate_each(back, recording.body("crate").position - carriage.position)
