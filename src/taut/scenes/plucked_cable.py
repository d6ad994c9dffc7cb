"""A light cable that holds 100,000 times the mass of a link is plucked sideways, and goes back as its drag lets it.

Rods of 0.01 kg (0.5 m long, 10 mm in radius) with ball joints from a pin down to a cube that slides on a vertical rail,
pulled out into half a sine of 20 cm and released from rest in a thick fluid. The tension T makes the cable stiff
across: at 40 links its slowest mode has 110 rad/s and its fastest 2,800, two and fifty radians a frame. The drag d of
each rod, N s/m, lets the slowest die out at the rate that was asked for. With theta = pi / links it obeys

    ((1 + cos theta) m / 2 + 2 (1 - cos theta) I / l^2) a'' + (1 + cos theta) d / 2 a' + 2 (1 - cos theta) T / l a = 0

with the mass m, the length l and the moment I of a rod. It is the case that the InSimo slides have geometric stiffness
for: a light stiff thing at a large step. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.prismatic import Prismatic
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_joined, expect_near
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 2.0
PICTURE = 0.05

ROD = Cylinder(radius=0.01, length=0.5)
ROD_MASS = 0.01
AMPLITUDE = 0.2
"""Of the half sine at the start, m."""
GRAVITY = 9.81


def build(links: int = 40, ratio: float = 1e5, decay: float = 2.0) -> Scene:
    """Build the cable.

    Args:
        links: number of rods.
        ratio: mass of the load over that of a rod.
        decay: rate at which the pluck dies out, 1/s.
    """
    owner = "scene 'plucked_cable'"
    count = int(checks.number(owner, "links", links, at_least=2))
    load = ROD_MASS * checks.number(owner, "ratio", ratio, above=0.0)
    decay, fastest = checks.number(owner, "decay", decay, above=0.0), slowest_frequency(count, load)
    if decay >= fastest:
        raise InputError(f"{owner}: decay is {decay:g}; it must be below {fastest:.4g}, at which the cable would swing")
    scene = Scene(collisions=False)
    add_cable(scene, half_sine(count, AMPLITUDE), load, drag_for(count, load, decay))
    return scene


def add_cable(scene: Scene, corners: Array, load: float, drag: float) -> None:
    """Add rods with drag (N s/m) along corners (n + 1, 3), and a load (kg) on a rail below them."""
    previous = "world"
    for number, (start, end) in enumerate(zip(corners[:-1], corners[1:], strict=True), start=1):
        link = scene.add_body(
            f"link-{number}", ROD, mass=ROD_MASS, position=0.5 * (start + end), linear_damping=drag,
            orientation=from_two_vectors((0.0, 0.0, 1.0), end - start),
        )  # fmt: skip
        scene.connect(previous, link, Spherical(), at=start, name=f"ball-{number}")
        previous = link
    scene.add_body("load", Box(1.0, 1.0, 1.0), mass=load, position=corners[-1] - (0.0, 0.0, 0.5))
    scene.connect(previous, "load", Spherical(), at=corners[-1], name="eye")
    scene.connect("world", "load", Prismatic(axis=(0.0, 0.0, 1.0)), at=corners[-1], name="rail")


def half_sine(links: int, amplitude: float) -> Array:
    """Corners (links + 1, 3) of rods end to end on half a sine of this amplitude, m, from the pin down."""
    x = amplitude * np.sin(np.pi * np.arange(links + 1) / links)
    down = np.sqrt(ROD.length**2 - np.diff(x) ** 2)
    return np.stack([x, np.zeros_like(x), -np.append(0.0, np.cumsum(down))], axis=1)


def mode_constants(links: int, load: float) -> tuple[float, float, float]:
    """Mass, drag over d, and stiffness of the slowest mode, kg, none and N/m; the cable's own weight pulls too."""
    cosine, moment = np.cos(np.pi / links), ROD_MASS * (3.0 * ROD.radius**2 + ROD.length**2) / 12.0
    tension = GRAVITY * (load + 0.5 * links * ROD_MASS)
    swing = 0.5 * (1.0 + cosine)
    turn = 2.0 * (1.0 - cosine) / ROD.length**2
    return swing * ROD_MASS + turn * moment, swing, turn * ROD.length * tension


def slowest_frequency(links: int, load: float) -> float:
    """Frequency of the slowest mode without drag, rad/s."""
    mass, _, stiffness = mode_constants(links, load)
    return float(np.sqrt(stiffness / mass))


def drag_for(links: int, load: float, decay: float) -> float:
    """Drag of a rod, N s/m, with which the slowest mode dies out at this rate, 1/s: m s^2 - d s + k = 0."""
    mass, share, stiffness = mode_constants(links, load)
    return float((mass * decay + stiffness / decay) / share)


def amplitude(recording: Recording) -> Array:
    """How far the cable is out, (frames,) m: what the middles of its rods have of the slowest mode."""
    links = len(recording.info.body_names) - 1
    x = np.stack([recording.body(f"link-{number}").position[:, 0] for number in range(1, links + 1)], axis=1)
    shape = np.sin(np.pi * (np.arange(links) + 0.5) / links)
    return np.asarray(x @ shape / (shape @ shape)) / float(np.cos(0.5 * np.pi / links))


def rate_of(recording: Recording) -> float:
    """Rate, 1/s, at which the slowest mode must die out: the slower root of its equation."""
    return float(recording.info.parameters.get("decay", 2.0))


def check(recording: Recording) -> None:
    """Joints hold to 1e-6 m, and the cable is never farther out than it was plucked.

    Where the load sinks slowly enough for the tension to be constant, it goes back at its rate, to 2 % of the pluck.
    """
    expect_joined(recording, violation=1e-6)
    links, rate = len(recording.info.body_names) - 1, rate_of(recording)
    expect_below(recording, "amplitude in m", np.abs(amplitude(recording)), 1.001 * AMPLITUDE)
    sinks = (0.5 * np.pi * AMPLITUDE) ** 2 / (links * ROD.length)
    if (2.0 * rate) ** 2 * sinks <= 0.02 * GRAVITY:
        expected = AMPLITUDE * np.exp(-rate * recording.time)
        expect_near(recording, "the amplitude in m", amplitude(recording), expected, 0.02 * AMPLITUDE)
    expect_below(recording, "sideways motion of the load in m", np.abs(recording.body("load").position[:, 0]), 1e-6)
