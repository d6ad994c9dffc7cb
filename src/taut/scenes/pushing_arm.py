"""A robot arm of seven joints pushes boxes across the ground, forward and then aside.

The arm of `robot_arm` with a paddle of 0.36 m: it bends down, pushes three boxes of 1, 3 and 6 kg in front of it
forward, lifts the paddle over them, turns it and pushes them aside, each against the next. A small box rides on the
middle one. The arm is never told of the boxes: its servos follow the paddle's path whatever is in the way, as far as
their torques go. Path and boxes are ours.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps, Schedule
from taut.scenes._arm import JOINTS, REACH, TIP, add_arm, expect_within_torques
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box
from taut.spatial import matrix

DURATION = 8.5
PICTURE = 3.2

LINKS = 7
PADDLE = Box(0.03, 0.36, 0.12)
EDGE, RIDER = 0.1, 0.06
"""Edges of the boxes and of the small one, m."""
BOXES = {"light": (1.0, -0.12), "middle": (3.0, 0.0), "heavy": (6.0, 0.12)}
"""Mass (kg) and place along y (m) of the boxes."""
FRONT = 0.52
"""Where they stand along x, m."""

TIMES = (1.5, 2.0, 3.5, 4.0, 5.0, 5.5, 7.5, 8.0)
PLACES = {
    "x": (0.44, 0.44, 0.62, 0.58, 0.67, 0.67, 0.67, 0.67),
    "y": (0.0, 0.0, 0.0, 0.0, -0.35, -0.35, 0.1, 0.06),
    "z": (0.25, 0.08, 0.08, 0.25, 0.25, 0.08, 0.08, 0.25),
    "turn": (0.0, 0.0, 0.0, 0.0, 0.5 * np.pi, 0.5 * np.pi, 0.5 * np.pi, 0.5 * np.pi),
}
"""Middle of the paddle (m) and its turn about z (rad) at these times (s); before the first it is raised upright."""
RISE = Ramps((0.0, 0.0), (TIMES[0], 1.0))
"""Share of the first angles that the arm has bent to."""
WAYS = {key: Ramps(*zip(TIMES, values, strict=True)) for key, values in PLACES.items()}


def build(friction: float = 0.5) -> Scene:
    """Build arm and boxes.

    Args:
        friction: between all surfaces.
    """
    scene = Scene(friction=checks.number("scene 'pushing_arm'", "friction", friction, at_least=0.0))
    scene.add_plane()
    add_arm(scene, LINKS, path, tool=PADDLE, tool_mass=1.5)
    for name, (mass, y) in BOXES.items():
        scene.add_body(name, Box(EDGE, EDGE, EDGE), mass=mass, position=(FRONT, y, 0.5 * EDGE))
    scene.add_body("rider", Box(RIDER, RIDER, RIDER), mass=0.5, position=(FRONT, 0.0, EDGE + 0.5 * RIDER))
    return scene


def path(name: str) -> Schedule:
    """Angle (rad) of a joint over time (s)."""
    return partial(angle, name)


def angle(name: str, time: float) -> float:
    """Angle (rad) of a joint at a time (s): from upright to the paddle's first place, then as the paddle goes."""
    here = angles(max(time, TIMES[0])).get(name, 0.0)
    return RISE(time) * here


def angles(time: float) -> dict[str, float]:
    """Angles (rad) of the joints that bring the paddle where it is to be, pointing down; the others are zero.

    The upper arm l and the forearm m reach from the shoulder to the wrist, d away: cos(elbow) = (d^2 - l^2 - m^2)/2lm.
    """
    x, y, z, turn = (WAYS[key](time) for key in ("x", "y", "z", "turn"))
    shoulder, elbow, wrist = (JOINTS[name].height for name in ("shoulder", "elbow", "wrist"))
    out, up = math.hypot(x, y), z + TIP + REACH - wrist - shoulder
    upper, fore, base = elbow - shoulder, wrist - elbow, math.atan2(y, x)
    bend = math.acos((out**2 + up**2 - upper**2 - fore**2) / (2.0 * upper * fore))
    lean = math.atan2(out, up) - math.atan2(fore * math.sin(bend), upper + fore * math.cos(bend))
    return {"base": base, "shoulder": lean, "elbow": bend, "wrist": math.pi - lean - bend, "flange": base - turn}


def check(recording: Recording) -> None:
    """The joints hold to 1e-6 m and surfaces to 0.5 mm, motors keep to their torques, boxes stand where pushed."""
    expect_contacts(recording, penetration=5e-4, violation=1e-6)
    expect_within_torques(recording, LINKS)
    for name in (*BOXES, "rider"):
        edge = RIDER if name == "rider" else EDGE
        corner = np.array([np.abs(matrix(turn)[2]).sum() for turn in recording.body(name).orientation])
        sunk = 0.5 * edge * corner - recording.body(name).position[:, 2]
        expect_below(recording, f"depth of {name} under the ground in m", sunk, 1e-3)
    for time, along in ((TIMES[2], "x"), (TIMES[6], "y")):
        frame = int(np.searchsorted(recording.time, time - 1e-9))
        if frame < len(recording):
            expect_pushed(recording, frame, along)


def expect_pushed(recording: Recording, frame: int, along: str) -> None:
    """Boxes touch the paddle, or each other in turn, where a push ends."""
    face = WAYS[along](recording.time[frame]) + 0.5 * PADDLE.x
    column = "xyz".index(along)
    for place, name in enumerate(BOXES):
        expected = face + EDGE * (0.5 + (place if along == "y" else 0))
        found = recording.body(name).position[frame, column]
        text = f"{name} is at {along} = {found:.4g} m after the push; {expected:.4g} m is right"
        expect(abs(found - expected) < 0.01, text)
