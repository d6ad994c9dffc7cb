"""A chain held at both ends carries a load of up to 1,000,000 times a link's mass in its middle, and swings sideways.

Rods of 0.25 kg (0.2 m long, 0.02 m in radius) with ball joints from one pin to the other, as far apart as half of the
chain is long, and a ball joined at its centre in the middle. Both halves are straight and lean out of the vertical
plane by 30 degrees at the start, so load and chain swing about the line through the pins like one pendulum:

    l = H (M + 2 m / 3) / (M + m)        H height of the triangle, M mass of the load, m of all rods

The last joint closes the loop: 3 rows. Loops are where engines in joint coordinates need constraints ([Baxter2019],
section 2.7); dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import LINK, LINK_MASS
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.scenes._pendulum import pendulum_angle
from taut.shapes import Sphere
from taut.spatial import Array, from_two_vectors

DURATION = 5.0

LEAN = np.radians(30.0)
"""Of the plane of the chain from the vertical at the start."""
BALL = Sphere(radius=0.4)
STRAIGHT = 0.1
"""Largest mass of all rods, as a share of the load's, at which they stay straight enough for the pendulum."""


def build(links: int = 100, ratio: float = 1e6) -> Scene:
    """Build the chain.

    Args:
        links: number of rods, an even number.
        ratio: mass of the load over that of a rod.
    """
    owner = "scene 'closed_chain'"
    count = int(checks.number(owner, "links", links, at_least=2))
    if count % 2:
        raise InputError(f"{owner}: links is {count}; it must be an even number")
    load = LINK_MASS * checks.number(owner, "ratio", ratio, above=0.0)
    scene = Scene(collisions=False)
    near, middle, far = corners(count)
    scene.add_body("load", BALL, mass=load, position=middle)
    previous = "world"
    for number in range(1, count + 1):
        half, place = divmod(number - 1, count // 2)
        start, end = (near, middle) if half == 0 else (middle, far)
        along = (end - start) / np.linalg.norm(end - start)
        joint = start + place * LINK.length * along
        if half == 1 and place == 0:
            scene.connect(previous, "load", Spherical(), at=middle, name="load-ball")
            previous = "load"
        scene.add_body(
            f"link-{number}", LINK, mass=LINK_MASS, position=joint + 0.5 * LINK.length * along,
            orientation=from_two_vectors((0.0, 0.0, 1.0), along),
        )  # fmt: skip
        scene.connect(previous, f"link-{number}", Spherical(), at=joint, name=f"ball-{number}")
        previous = f"link-{number}"
    scene.connect("world", previous, Spherical(), at=far, name="loop")
    return scene


def corners(links: int) -> tuple[Array, Array, Array]:
    """First pin, load and last pin at the start, m."""
    side = 0.5 * links * LINK.length
    down = height(links) * np.array([0.0, np.sin(LEAN), -np.cos(LEAN)])
    return np.array([-0.5 * side, 0.0, 0.0]), down, np.array([0.5 * side, 0.0, 0.0])


def height(links: int) -> float:
    """Distance of the load from the line through the pins, m: that of a triangle with three equal sides."""
    return float(np.sqrt(0.75)) * 0.5 * links * LINK.length


def check(recording: Recording) -> None:
    """Joints hold to 1e-6 m and energy does not rise.

    Where the load is ten times as heavy as all rods, energy keeps to 0.1 % and the load swings as it must, to 10 mm and
    what the sag of the rods makes of it.
    """
    expect_joined(recording, violation=1e-6)
    load, links = recording.body("load"), len(recording.info.masses) - 1
    rods, h = LINK_MASS * links, height(links)
    straight = rods <= STRAIGHT * load.mass
    expect_energy(recording, scale=9.81 * (load.mass + rods) * h, loss=1e-3 if straight else np.inf)
    if straight:
        angle = pendulum_angle(recording.time, LEAN, h * (load.mass + 2.0 * rods / 3.0) / (load.mass + rods))
        closed_form = h * np.stack([np.zeros_like(angle), np.sin(angle), -np.cos(angle)], axis=1)
        sag = 0.25 * h * rods / load.mass
        expect_near(recording, "the load's position in m", load.position, closed_form, 1e-2 + sag)
