"""A plate on four cables, with a ball of 2.5 t on four more below it, is spun and winds all cables up [Peiret2019].

336 links of 0.1 kg, 25,000:1, EA/L = 1e7 N/m, which bend and twist with 2 N m/rad. The ball pulls with 6 kN in each
cable. A torque of one second spins the plate; the four cables of each half go round each other, touch after four fifths
of half a turn, lie on each other like strands, stop the plate and spin it back. A cable that goes from a ring of radius
R to another one turned by phi spans

    z = sqrt(L^2 - 4 R^2 sin^2(phi / 2)),        L = L_0 + T L_0 / EA

as long as nothing touches, so that the ball rises. Rings of 0.12 m are ours, as are all dimensions, the friction of 0.1
and the torque: between rings of a metre a plate of 10 kg at 6 rad/s turns by some degrees only, as that lifts 2.5 t.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.machines.cable import Cable
from taut.results.record import Recording
from taut.scene.scene import WORLD, Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near
from taut.shapes import Box, Cylinder, Sphere
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 8.0
PICTURE = 1.7
FILM = (0.0, 6.0, 1.0)

CABLES, LINKS, LENGTH, RADIUS, LINK_MASS = 4, 42, 0.1, 0.02, 0.1
"""Cables of a half, links of a cable, and of a link: length in m, radius in m, mass in kg."""
STRETCH, BEND = 1e7, 2.0
"""Stiffness of a link: EA/L in N/m, EI/L and GJ/L in N m/rad."""
PLATE, PLATE_MASS, BALL, BALL_MASS = Cylinder(radius=1.0, length=0.05), 10.0, Sphere(0.6), 2500.0
RING, TOP = 0.12, 10.0
"""Of the ends of all cables, and height of the upper ones, m."""
SPUN = (0.5, 1.0, 1.5)
"""When the torque on the plate begins, is largest and ends, s."""
TOUCHES = 2.0 * np.arccos(1.3 * np.sqrt(2.0) * RADIUS / RING)
"""Twist up to which the cables of a half are at least a third of their thickness apart, rad."""
GRAVITY = 9.81
FRAME = Box(1.0, 1.0, 0.2)
"""What the upper cables hang from, to look at, m."""
WOOD, IRON, STEEL = (0.72, 0.53, 0.32), (0.25, 0.26, 0.28), (0.6, 0.62, 0.65)


def build(torque: float = 190.0) -> Scene:
    """Build the cables `upper-1` ... from the world to the body `plate`, and `lower-1` ... from there to `ball`.

    Args:
        torque: the largest that spins the plate, N m.
    """
    torque = checks.number("scene 'cable_spinner'", "torque", torque, above=0.0)
    scene = Scene(friction=0.1, contact_compliance=1e-8)
    half, sunk = 0.5 * PLATE.length, np.sqrt(BALL.radius**2 - RING**2)
    below = BALL_MASS + CABLES * LINKS * LINK_MASS + PLATE_MASS
    plate = TOP - stretched(below) - half
    ball = plate - half - stretched(BALL_MASS) - sunk
    scene.add_body("plate", PLATE, mass=PLATE_MASS, position=(0.0, 0.0, plate), group="load", colour=WOOD)
    scene.add_body("ball", BALL, mass=BALL_MASS, position=(0.0, 0.0, ball), group="load", colour=IRON)
    scene.add_body("frame", FRAME, position=(0.0, 0.0, TOP + 0.5 * FRAME.z), fixed=True, collides=False, colour=STEEL)
    for number in range(CABLES):
        angle = 2.0 * np.pi * number / CABLES
        x, y = RING * np.cos(angle), RING * np.sin(angle)
        scene.add(cable((WORLD, (x, y, TOP)), ("plate", (x, y, half))), name=f"upper-{number + 1}")
        scene.add(cable(("plate", (x, y, -half)), ("ball", (x, y, sunk))), name=f"lower-{number + 1}")
    schedule = Ramps(*zip(SPUN, (0.0, torque, 0.0), strict=True))
    scene.add_control("plate.torque", act=spin, low=-torque, high=torque, unit="N m", schedule=schedule)
    return scene


def cable(start: Any, end: Any) -> Cable:
    """A cable that leaves both ends straight."""
    return Cable(
        from_=start, to=end, length=LINKS * LENGTH, segments=LINKS, diameter=2.0 * RADIUS,
        mass_per_length=LINK_MASS / LENGTH, axial_stiffness=STRETCH * LENGTH, bending_stiffness=BEND * LENGTH,
        torsional_stiffness=BEND * LENGTH, clamped=(True, True),
    )  # fmt: skip


def stretched(below: float) -> float:
    """Length of the cables of a half that hold this mass (kg) at rest, and their own, m."""
    return LINKS * (LENGTH + GRAVITY * (below / CABLES + 0.5 * LINKS * LINK_MASS) / STRETCH)


def spin(simulation: Simulation, torque: float) -> None:
    """Turn the plate with a torque, N m."""
    simulation.body("plate").apply(torque=(0.0, 0.0, torque))


def check(recording: Recording) -> None:
    """Nothing overlaps by more than 0.1 mm, energy only falls once nobody turns the plate, and angular momentum about
    the vertical changes as anchors and torque say, to 1 % of what the torque gives. As long as no cables
    touch, both halves span what their twist and tension say, to 0.1 mm of some 10 mm. Cables never pass through each
    other: those of a half go round each other by as much as its ends do. The plate turns by half a turn or more, and
    comes back.
    """
    expect_contacts(recording, penetration=1e-4)
    time = recording.time
    free, scale = time >= SPUN[-1] + recording.info.step, BALL_MASS * GRAVITY * 0.01
    rise = np.diff(recording.energy, prepend=recording.energy[0])
    expect_below(recording, "energy gained in a step, as a share", np.where(free, rise / scale, 0.0), 1e-2)
    check_momentum(recording)
    plate, ball = (turn_of(recording, name) for name in ("plate", "ball"))
    halves = (("upper", np.zeros(len(time)), plate), ("lower", plate, ball))
    for name, above, below in halves:
        twist = below - above
        slack = np.abs(twist) < TOUCHES
        expect_near(recording, f"height of the {name} half in m", *spans(recording, name, twist, slack), 1e-4)
        for first in range(1, CABLES + 1):
            for second in range(first + 1, CABLES + 1):
                wound = winding(recording, f"{name}-{first}", f"{name}-{second}")
                text = f"turns of {name}-{first} and {name}-{second} about each other, in rad,"
                expect_near(recording, text, wound, twist, 0.5)
    if time[-1] >= DURATION - 1e-9:
        expect(plate.max() > np.pi, f"the plate turned by {plate.max():.3g} rad; more than half a turn is right")
        expect(plate.min() < -0.5 * np.pi, "the plate did not come back and go on to the other side")


def turn_of(recording: Recording, name: str) -> Array:
    """Angle (frames,) that a body has turned about the vertical, rad."""
    turn = recording.body(name).orientation
    return np.unwrap(2.0 * np.arctan2(turn[:, 3], turn[:, 0]))


def spans(recording: Recording, name: str, twist: Array, slack: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Heights (frames,) of a half where no cables touch, else 0, as they are and as twist and tension say, m."""
    tension = np.zeros(len(recording))
    for number in range(1, CABLES + 1):
        reaction = recording.joint(f"{name}-{number}/joint-{LINKS // 2}").reaction
        assert reaction is not None
        tension += np.linalg.norm(reaction[:, :3], axis=1) / CABLES
    plate, ball = (recording.body(each).position[:, 2] for each in ("plate", "ball"))
    half, sunk = 0.5 * PLATE.length, np.sqrt(BALL.radius**2 - RING**2)
    found = TOP - plate - half if name == "upper" else plate - half - ball - sunk
    length = LINKS * (LENGTH + tension / STRETCH)
    right = np.sqrt(length**2 - (2.0 * RING * np.sin(0.5 * twist)) ** 2)
    slack = slack & (recording.time > 0.0)
    return np.where(slack, found, 0.0), np.where(slack, right, 0.0)


def winding(recording: Recording, first: str, second: str) -> Array:
    """Angle (frames,) by which two cables go round each other from their upper ends to their lower ones, rad."""
    ways = [np.stack([recording.body(f"{name}/{k}").position for k in range(1, LINKS + 1)]) for name in (first, second)]
    apart = ways[1] - ways[0]
    angle = np.unwrap(np.arctan2(apart[..., 1], apart[..., 0]), axis=0)
    return np.asarray((angle[-1] - angle[0]) * LINKS / (LINKS - 1))


def check_momentum(recording: Recording) -> None:
    """Angular momentum about the vertical is what anchors and the torque on the plate have given, to 1 %."""
    given = np.array([spin_of_plate(recording, time) for time in recording.time])
    for number in range(1, CABLES + 1):
        name = f"upper-{number}/joint-0"
        reaction, angle = recording.joint(name).reaction, 2.0 * np.pi * (number - 1) / CABLES
        assert reaction is not None
        given += RING * (np.cos(angle) * reaction[:, 1] - np.sin(angle) * reaction[:, 0]) + reaction[:, 5]
    given[0] = given[1]
    came = np.append(0.0, np.cumsum(0.5 * (given[1:] + given[:-1]))) * recording.info.step
    whole = 0.5 * float(recording.info.parameters["torque"]) * (SPUN[-1] - SPUN[0])
    expect_near(recording, "angular momentum, as a share", recording.momentum[:, 1, 2] / whole, came / whole, 0.01)


def spin_of_plate(recording: Recording, time: float) -> float:
    """Torque on the plate in the frame that ends at a time (s), N m."""
    torque = float(recording.info.parameters["torque"])
    return Ramps(*zip(SPUN, (0.0, torque, 0.0), strict=True))(time)
