"""Two linkages draw straight lines: Peaucellier's of seven bars exactly, Chebyshev's of three bars nearly.

Flat loops of moving bars with hinges in 3-D, side by side, 1 m apart; motors turn their cranks at 1.5 rad/s.
Peaucellier's cell has arms of L = 1 m on the origin, a rhombus of sides s = 0.5 m, and a crank of r = 0.5 m whose
circle goes through the origin. The far corner P is the inverse of the crank's end C in a circle about the origin, and a
circle through the origin inverts to a line:

    P = (L^2 - s^2) / |C|^2 C,      P_x = (L^2 - s^2) / (2 r)

Ten hinges, one degree of freedom, nine redundant rows. Chebyshev's lambda linkage has bars of 1 : 2.5 : 5 times 0.2 m
on pivots twice that apart; for half a turn of the crank its tip stays near the height of 4 times 0.2 m. Speeds and
sizes are ours.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors, rotate

DURATION = 2.0

SPEED = 1.5
"""Of both cranks, rad/s."""
AXIS = (0.0, -1.0, 0.0)
"""Turning about it raises an angle above the x axis."""
ARM, SIDE, CRANK = 1.0, 0.5, 0.5
UNIT = 0.2
FIRST_START, SECOND_START = -0.5 * SPEED * DURATION, np.pi - 0.5 * SPEED * DURATION
"""Angles of the cranks at the start, rad: half-way they are where their lines are symmetric."""

PEAUCELLIER = ("DC", "OA", "OB", "CA", "CB", "AP", "BP")
CHEBYSHEV = ("KE", "EQ", "RF")
"""Bars, by the points they join; the crank is the first, and letters of `GROUND` are pivots on the world."""
GROUND = "ODKR"

Points = dict[str, Array]


def peaucellier(angle: float) -> Points:
    """Points of the first linkage (m) for an angle of its crank (rad)."""
    origin, pivot = np.zeros(3), np.array([CRANK, 0.0, 0.0])
    c = pivot + CRANK * np.array([np.cos(angle), 0.0, np.sin(angle)])
    p = (ARM**2 - SIDE**2) / (c @ c) * c
    middle, across = 0.5 * (c + p), np.cross(c, (0.0, 1.0, 0.0)) / np.linalg.norm(c)
    side = np.sqrt(ARM**2 - middle @ middle) * across
    return {"O": origin, "D": pivot, "C": c, "P": p, "A": middle + side, "B": middle - side}


def chebyshev(angle: float) -> Points:
    """Points of the second linkage (m) for an angle of its crank (rad)."""
    pivot = np.array([0.0, 1.0, 0.0])
    end, far = pivot + UNIT * np.array([np.cos(angle), 0.0, np.sin(angle)]), pivot + np.array([2.0 * UNIT, 0.0, 0.0])
    half = 0.5 * (far - end)
    across = np.cross(half, (0.0, 1.0, 0.0)) / np.linalg.norm(half)
    knee = end + half + np.sqrt((2.5 * UNIT) ** 2 - half @ half) * across
    return {"K": pivot, "R": far, "E": end, "F": knee, "Q": 2.0 * knee - end}


def build(mass: float = 1.0) -> Scene:
    """Build both linkages, moving as their motors want them to.

    Args:
        mass: of a metre of bar, kg.
    """
    weight = checks.number("scene 'linkages'", "mass", mass, above=0.0)
    scene = Scene(collisions=False)
    add_linkage(scene, PEAUCELLIER, peaucellier, FIRST_START, weight)
    add_linkage(scene, CHEBYSHEV, chebyshev, SECOND_START, weight)
    scene.add_control("first crank", joint=f"world-{PEAUCELLIER[0]}", keys=("U", "O"))
    scene.add_control("second crank", joint=f"world-{CHEBYSHEV[0]}", keys=("J", "L"))
    return scene


def add_linkage(
    scene: Scene, bars: tuple[str, ...], place: Callable[[float], Points], angle: float, mass: float
) -> None:
    """Add bars of this mass (kg/m) and their hinges; the crank has a motor."""
    points, small = place(angle), 1e-5
    after, before = place(angle + small), place(angle - small)
    velocity = {name: SPEED * (after[name] - before[name]) / (2.0 * small) for name in points}
    at_point: dict[str, str] = {name: "world" for name in points if name in GROUND}
    for bar in bars:
        start, end = bar[0], bar[1]
        way = points[end] - points[start]
        length = float(np.linalg.norm(way))
        turning = np.cross(way, velocity[end] - velocity[start]) / length**2
        scene.add_body(
            bar, Cylinder(0.01, length), mass=mass * length, position=points[start] + 0.5 * way,
            orientation=from_two_vectors((0.0, 0.0, 1.0), way), angular_velocity=turning,
            velocity=0.5 * (velocity[start] + velocity[end]),
        )  # fmt: skip
        # the knee F is in the middle of the bar EQ
        for name in "EFQ" if bar == "EQ" else bar:
            if name in at_point:
                motor = Motor(speed=SPEED) if bar == bars[0] and name in GROUND else None
                hinge = Revolute(axis=AXIS, motor=motor)
                scene.connect(at_point[name], bar, hinge, at=points[name], name=f"{at_point[name]}-{bar}")
            else:
                at_point[name] = bar


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, P keeps to its line to 1e-7 m and is where it should be to 1e-6 m; so is Q.

    Q keeps to its line to 2.5 mm, which is the linkage's own error.
    """
    expect_joined(recording, violation=1e-5)
    first, second = ends(recording, "AP", SIDE), ends(recording, "EQ", 5.0 * UNIT)
    line = (ARM**2 - SIDE**2) / (2.0 * CRANK)
    expect_near(recording, "P's line in m", first[:, 0], np.full(len(first), line), 1e-7)
    turned = SPEED * recording.time
    for name, path, place, start in (("P", first, peaucellier, FIRST_START), ("Q", second, chebyshev, SECOND_START)):
        reference = np.array([place(start + turn)[name] for turn in turned])
        expect_near(recording, f"{name}'s position in m", path, reference, 1e-6)
    expect_near(recording, "Q's line in m", second[:, 2], np.full(len(second), 4.0 * UNIT), 2.5e-3)


def ends(recording: Recording, bar: str, length: float) -> Array:
    """Path (frames, 3) of the second end of a bar of this length, m."""
    body, tip = recording.body(bar), (0.0, 0.0, 0.5 * length)
    turned = [rotate(orientation, tip) for orientation in body.orientation]
    return np.asarray(body.position + np.array(turned))
