"""A parallelogram linkage turns over and over, through the positions where all its bars lie in one line.

Two cranks of 0.5 m and 1 kg on pivots 1 m apart, joined by a coupler of 1 m and 2 kg: four hinges in 3-D, so three
rows are redundant everywhere and more when the bars fold flat, twice a turn. There the linkage may go on as a
parallelogram or as a crossed one: both are right, and neither may open a joint or gain energy. It starts upright at 5
rad/s.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_energy
from taut.shapes import Cylinder
from taut.spatial import from_axis_angle

DURATION = 60.0

CRANK, COUPLER = Cylinder(radius=0.02, length=0.5), Cylinder(radius=0.02, length=1.0)
CRANK_MASS, COUPLER_MASS = 1.0, 2.0
Y = (0.0, 1.0, 0.0)


def build(speed: float = 5.0) -> Scene:
    """Build the linkage.

    Args:
        speed: of the cranks about the y axis at the start, upright, rad/s.
    """
    rate = checks.number("scene 'four_bar'", "speed", speed)
    scene = Scene(collisions=False)
    tip = rate * CRANK.length  # speed of the coupler along x
    for name, x in (("crank-1", 0.0), ("crank-2", COUPLER.length)):
        scene.add_body(
            name, CRANK, mass=CRANK_MASS, position=(x, 0.0, 0.5 * CRANK.length),
            velocity=(0.5 * tip, 0.0, 0.0), angular_velocity=(0.0, rate, 0.0),
        )  # fmt: skip
        scene.connect("world", name, Revolute(axis=Y), at=(x, 0.0, 0.0), name=f"{name}-pivot")
    scene.add_body(
        "coupler", COUPLER, mass=COUPLER_MASS, position=(0.5 * COUPLER.length, 0.0, CRANK.length),
        orientation=from_axis_angle(Y, 0.5 * np.pi), velocity=(tip, 0.0, 0.0),
    )  # fmt: skip
    for name, x in (("crank-1", 0.0), ("crank-2", COUPLER.length)):
        scene.connect(name, "coupler", Revolute(axis=Y), at=(x, 0.0, CRANK.length), name=f"{name}-pin")
    return scene


def check(recording: Recording) -> None:
    """The joints hold to 1e-3 m, energy does not rise, and the bars folded flat again and again."""
    expect_below(recording, "residual", recording.residual, 1e-9)
    expect_below(recording, "violation in m", recording.violation, 1e-3)
    height = 9.81 * (2.0 * CRANK_MASS * 0.5 * CRANK.length + COUPLER_MASS * CRANK.length)
    expect_energy(recording, scale=height, loss=np.inf, gain=1e-4)
    turning = recording.body("crank-1").angular_velocity[0, 1] ** 2 > 0.0
    if turning and recording.time[-1] >= 2.0:
        above = recording.body("crank-1").position[:, 2] > 0.0
        expect(int(np.count_nonzero(above[1:] != above[:-1])) >= 2, "the cranks never passed the line of their pivots")
