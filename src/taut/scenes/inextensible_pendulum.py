"""A bob on a string that cannot stretch swings like a point pendulum, at 1,000 times the mass of a bead.

20 beads of 1 g, 95 mm apart, and a bob of 1 kg at the end, each held at a fixed distance from the one before: one row a
bead and nothing else, so that only the pull of the string keeps it straight. Without geometric stiffness such a string
shivers and tears at steps like these [Tournier2015; InSimo slides, "geometric stiffness"]; dimensions are ours. Let go
at rest 60 degrees from the vertical. The closed form is that of a straight pendulum with the same moments.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.distance import Distance
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import direction
from taut.scenes._expect import expect_below, expect_energy, expect_joined, expect_near
from taut.scenes._pendulum import pendulum_angle
from taut.shapes import Sphere
from taut.spatial import Array

DURATION = 5.0

BEAD, BOB = Sphere(0.005), Sphere(0.04)
LENGTH, BOB_MASS = 2.0, 1.0
LIGHT = 0.05
"""Share of the bob's mass up to which beads in all leave the string straight."""


def build(beads: int = 20, ratio: float = 1000.0, angle: float = 60.0) -> Scene:
    """Build the string `bead-1` ... and the bob `load`.

    Args:
        beads: between the pivot and the bob, evenly on two metres.
        ratio: mass of the bob over that of a bead.
        angle: from the vertical at the start, degrees.
    """
    count = int(checks.number("scene 'inextensible_pendulum'", "beads", beads, at_least=0))
    mass = BOB_MASS / checks.number("scene 'inextensible_pendulum'", "ratio", ratio, above=0.0)
    scene, along, before = Scene(collisions=False), direction(angle - 90.0), "world"
    for number in range(1, count + 2):
        last = number == count + 1
        name, shape, weight = ("load", BOB, BOB_MASS) if last else (f"bead-{number}", BEAD, mass)
        place = LENGTH * number / (count + 1) * along
        body = scene.add_body(name, shape, mass=weight, position=place)
        scene.connect(before, body, Distance(), name=f"string-{number}")
        before = body
    return scene


def check(recording: Recording) -> None:
    """The string holds to 2e-6 m, or to 1e-5 m where it was slack, and energy does not rise; let go below the
    horizontal on a light string, energy keeps to 1 % and the bob follows the point pendulum to 2 % of its length.
    """
    load, masses = recording.body("load"), np.array(recording.info.masses)
    slack = load.position[0, 2] > 0.0
    expect_joined(recording, violation=1e-5 if slack else 2e-6)
    expect_below(recording, "stretch in m", np.linalg.norm(load.position, axis=1) - LENGTH, 1e-5)
    light = not slack and masses.sum() <= (1.0 + LIGHT) * BOB_MASS
    expect_energy(recording, scale=9.81 * BOB_MASS * LENGTH, loss=1e-2 if light else np.inf)
    if light:
        expect_near(recording, "the bob's position in m", load.position, closed_form(recording), 0.02 * LENGTH)


def closed_form(recording: Recording) -> Array:
    """Position (frames, 3) of the bob on a straight pendulum with the mass and moments of this one, m."""
    masses = np.array(recording.info.masses)
    place = LENGTH * np.arange(1, masses.size + 1) / masses.size
    first = recording.body("load").position[0]
    start = float(np.arctan2(first[0], -first[2]))
    angle = pendulum_angle(recording.time, start, float(masses @ place**2 / (masses @ place)))
    return LENGTH * np.stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)], axis=1)
