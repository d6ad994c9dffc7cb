"""The arm of a forwarder, 1.9 t in 16 links, grasps a log of 400 kg, lifts it and slews it to its load [Lefebvre2020].

The arm reaches out, closes its grapple on a log that lies on two bearers, takes it up 0.6 m from its middle, so that it
tips, slews by 90 degrees while the rotator turns the log back, stops and draws in. Tips of 24 kN press the log against
the frame of the grapple: it must not slip. Friction is 1, and a point gives way by 0.05 mm a kN, as bark does, also
along the surface: of what is stiffer some points have all the load, and the log walks out of them as it swings.

At rest the log hangs below the hinges that it swings on, and the cylinder of the boom has the force F on its lever l,

    F l = sum m g (x - x_0),

that the weights beyond the boom's hinge at x_0 ask for. Claws close about their hinges with the moments that their
cylinder gives them, and links between them share these out.

The paper gives masses, counts, friction and story; dimensions, dampers and the forwarder that the arm stands on, which
is fixed, are ours. So are cylinders without mass where the paper has hydraulics solved apart. Without rolling friction,
a point has 3 rows, and there are 230 rows at most; the paper has 250.
"""

from __future__ import annotations

import math

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_rows, gained
from taut.scenes._forwarder import HINGES, X, Y, Z, add_arm, tip_at
from taut.scenes._forwarder_forces import beside_hinges, claw_moments, lift_moments, work
from taut.scenes._forwarder_looks import add_vehicle, paint_arm
from taut.scenes._ranges import within
from taut.shapes import Box, Cylinder
from taut.spatial import from_two_vectors, rotate_each

DURATION = 20.0
PICTURE = 12.0
FILM = (2.0, 16.0, 2.0)

LOG, BELOW = Cylinder(0.18, 4.0), 0.225
"""The log, and how far its middle is below the hinges of the claws that close on it, m."""
APART = 2.4
"""Of the bearers that it lies on, m."""
LOADS, OFFSETS = (50.0, 500.0), (0.0, 0.7)
"""Least and greatest mass of the log, kg, and way from its middle to where it is held, m."""
BARK, ROLLING = 5e-8, 5.0
"""Compliance of a point where something touches, m/N, and what slows down a log that rolls away, N m s/rad."""
ABOVE, LOW, HIGH = (math.radians(angle) for angle in (33.0, 25.0, 60.0))
"""Angles of the boom: as built, over the log, and raised, rad."""
SHORT, LONG, DRAWN = 0.4, 1.1, 0.1
"""Of the telescope: as built, over the log, and drawn in, m."""
GRASPED, RAISED, SLEWED, LAID = 5.0, 8.5, 13.2, 15.8
"""When the log is held, is up, has come round, and is over the load, s."""
SPEED, TURN = 0.398, 0.5 * math.pi
"""Of the slewing, rad/s, and how far the log is turned back by the rotator, rad."""

SCHEDULES = {
    "slew": {"speed": Ramps((RAISED, 0.0), (RAISED + 0.8, SPEED), (SLEWED - 0.7, SPEED), (SLEWED, 0.0))},
    "boom": {"luff": Ramps((0.5, ABOVE), (2.8, LOW), (GRASPED, LOW), (RAISED, HIGH))},
    "stick": {"telescope": Ramps((0.5, SHORT), (2.8, LONG), (SLEWED, LONG), (LAID, DRAWN))},
    "rotator": {"angle": Ramps((RAISED, 0.0), (SLEWED, -TURN))},
    "grapple": {"close": Ramps((2.6, 0.0), (2.8, 1.0), (4.0, 1.0), (4.4, 0.5))},
}
"""What the controls of each part follow."""


def build(load: float = 400.0, offset: float = 0.6) -> Scene:
    """Build the arm and the log `log`.

    Args:
        load: mass of the log, kg, from 50 to 500.
        offset: how far from its middle it is held, m, up to 0.7.
    """
    owner = "scene 'forwarder'"
    load, offset = within(owner, "load", load, LOADS, "kg"), within(owner, "offset", offset, OFFSETS, "m")
    scene = Scene(friction=1.0, contact_compliance=BARK)
    scene.add_plane()
    add_arm(scene, ABOVE, SHORT, SCHEDULES)
    place = tip_at(LOW, LONG) - (0.0, offset, HINGES + BELOW)
    scene.add_body(
        "log", LOG, mass=load, position=place, orientation=from_two_vectors(Z, Y), angular_damping=ROLLING, group="load"
    )
    bearer = Box(0.8, 0.2, float(place[2]) - LOG.radius)
    for number, side in ((1, -0.5), (2, 0.5)):
        at = (place[0], place[1] + side * APART, 0.5 * bearer.z)
        scene.add_body(f"bearer-{number}", bearer, position=at, fixed=True, group="load")
    add_vehicle(scene)
    paint_arm(scene)
    scene.ignore_contacts("arm", "forwarder")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, nothing sinks in by more than twice what 30 kN press, and energy rises by the work of
    motors alone. From the grasp on the log slips by less than 2 mm along the claws and turns by less than half a degree
    in them. At the end it creeps by less than 1 um/s and hangs below the hinges that it swings on; the cylinder of the
    boom holds the weights beyond its hinge to 1 %, and the claws press as their cylinder does, to 2 %.
    """
    expect_contacts(recording, penetration=2.0 * 30e3 * BARK, violation=1e-5, residual=1e-9)
    done = work(recording)
    beyond = (gained(recording) - done) / max(float(np.abs(done).max()), 1e4)
    expect_below(recording, "energy gained beyond the work of motors, as a share of it", beyond, 1e-3)
    held = int(np.searchsorted(recording.time, GRASPED + 0.5 - 1e-9))
    if held < len(recording):
        check_grasp(recording, held)
    if recording.time[-1] >= DURATION - 1e-9:
        expect_rows(recording, 0.15, most=250)
        check_rest(recording)


def check_grasp(recording: Recording, held: int) -> None:
    """From this frame on the log stays where it is in the grapple, and comes to rest there."""
    frame, log, time = recording.body("grapple/frame"), recording.body("log"), recording.time
    back = frame.orientation * (1.0, -1.0, -1.0, -1.0)
    axis, side = (rotate_each(back, rotate_each(log.orientation, np.tile(own, (len(time), 1)))) for own in (Z, X))
    place = rotate_each(back, log.position - frame.position)
    slip, up = (place - place[held]) @ axis[held], np.cross(axis[held], side[held])
    turn = np.degrees(np.arctan2(side @ up, side @ side[held]))
    expect_below(recording, "slip of the log in m", np.where(time < time[held], 0.0, np.abs(slip)), 2e-3)
    expect_below(recording, "turn of the log in degrees", np.where(time < time[held], 0.0, np.abs(turn)), 0.5)
    if time[-1] >= DURATION - 1e-9:
        last = int(np.searchsorted(time, DURATION - 1.0 - 1e-9))
        creep = float(np.linalg.norm(place[-1] - place[last])) / (time[-1] - time[last])
        expect(creep <= 1e-6, f"the log creeps at {creep:.3g} m/s in the claws; at most 1e-6 is right")


def check_rest(recording: Recording) -> None:
    """At the end the arm is where it was sent, and forces are those of statics."""
    for joint, right in (("boom/foot", HIGH - ABOVE), ("stick/slide-2", DRAWN - SHORT), ("rotator/hinge", -TURN)):
        place = recording.joint(joint).position
        assert place is not None
        expect(abs(place[-1, 0] - right) < 1e-4, f"{joint} is at {place[-1, 0]:.6g}; {right:.6g} is right")
    slewed = recording.joint("slew/hinge").position
    assert slewed is not None
    text = f"the arm has slewed by {np.degrees(slewed[-1, 0]):.4g} degrees; 90 is right, to 2"
    expect(abs(np.degrees(slewed[-1, 0]) - 90.0) < 2.0, text)
    bodies = build(**recording.info.parameters).bodies
    found, right = lift_moments(recording, bodies)
    text = f"the boom is held up with {found:.5g} N m; {right:.5g} N m is right, to 1 %"
    expect(abs(found / right - 1.0) < 0.01, text)
    found, right = claw_moments(recording, bodies)
    text = f"the claws are pressed apart with {found:.5g} N m; {right:.5g} N m is right, to 2 %"
    expect(abs(found / right - 1.0) < 0.02, text)
    aside = beside_hinges(recording, bodies)
    expect(aside < 0.01, f"what swings has its centre {aside:.3g} m beside its hinges; below them is right")
