"""A rope over a fixed drum holds while T2/T1 < exp(mu theta), and slips beyond (capstan equation).

The rope is a string of 40 beads of 1 g and 2 mm radius, 20 mm apart, over half a turn of a drum of 0.25 m radius, and
twelve more on each side to a ball of 20 kg and one of `ratio` times as much. Friction 0.25 holds up to
exp(0.25 pi) = 2.193; the rope's own thickness takes 0.6 % off that. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_at_rest, expect_contacts
from taut.scenes._links import Y, add_links, bend
from taut.shapes import Cylinder, Sphere
from taut.spatial import Array, from_two_vectors

DURATION = 2.0

DRUM, RADIUS, LINK_MASS = Cylinder(radius=0.25, length=0.5), 0.002, 1e-3
WRAPPED, HANGING = 40, 12
BALL, LIGHT = Sphere(0.1), 20.0
DOWN = np.array([0.0, 0.0, -1.0])


def build(ratio: float = 2.0, friction: float = 0.25) -> Scene:
    """Build drum, rope and the balls `light` and `load`.

    Args:
        ratio: mass of the load over that of the light ball.
        friction: between rope and drum.
    """
    mass = LIGHT * checks.number("scene 'capstan'", "ratio", ratio, above=0.0)
    scene = Scene(friction=friction)
    scene.add_body("drum", DRUM, orientation=from_two_vectors((0.0, 0.0, 1.0), Y), fixed=True)
    corners = rope()
    last = add_links(scene, corners, RADIUS, LINK_MASS, beads=True)
    for name, link, end, weight in (("light", "link-1", corners[0], LIGHT), ("load", last, corners[-1], mass)):
        scene.add_body(name, BALL, mass=weight, position=end + BALL.radius * DOWN)
        scene.connect(link, name, bend(DOWN), at=end, name=f"{name}-joint")
    return scene


def rope() -> Array:
    """Corners (n + 1, 3) of the rope: up on the left, around the drum with beads that touch it, down on the right."""
    step = np.pi / WRAPPED
    around = np.pi - step * np.arange(WRAPPED + 1)
    away = (DRUM.radius + RADIUS) / np.cos(0.5 * step)
    arc = away * np.stack([np.cos(around), 0.0 * around, np.sin(around)], axis=1)
    hang = 2.0 * away * np.sin(0.5 * step) * np.outer(np.arange(1, HANGING + 1), DOWN)
    return np.concatenate([arc[0] + hang[::-1], arc, arc[-1] + hang])


def limit(friction: float) -> float:
    """Largest ratio of loads that friction holds: at the drum's surface it acts on a rope that pulls farther out."""
    return float(np.exp(friction * np.pi * DRUM.radius / (DRUM.radius + RADIUS)))


def check(recording: Recording) -> None:
    """Below 0.98 of the limit the rope settles within 1 mm and holds; above 1.02 the load runs away."""
    expect_contacts(recording, penetration=1e-4, violation=1e-4)
    parameters = recording.info.parameters
    share = parameters["ratio"] / limit(parameters["friction"])
    if share < 0.98:
        expect_at_rest(recording, ["load", "light"], since=0.5, drift=1e-3, creep=1e-4)
    elif share > 1.02 and recording.time[-1] >= 0.5:
        sunk = recording.body("load").position[0, 2] - recording.body("load").position[-1, 2]
        expect(sunk > 1e-2, f"the load sank by {sunk:.3g} m; it must slip")
