"""A chain of 250 links is dropped on a ramp and slides off it slowly [Peiret2019].

Links of 0.25 kg with universal joints, 0.1 m long and 0.02 m in radius: 25 m in a straight line 0.2 m above a ramp of
20 m that falls by 20 degrees, 6 m of it beyond the lower edge. That end swings down and pulls the rest over the edge
against a friction of 0.55. The paper gives counts and masses; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.scenes._links import add_links
from taut.shapes import Box
from taut.spatial import Array, exponential

DURATION = 5.0

LENGTH, RADIUS, LINK_MASS = 0.1, 0.02, 0.25
ANGLE = np.radians(20.0)
DOWN, OUT = np.array([np.cos(ANGLE), 0.0, -np.sin(ANGLE)]), np.array([np.sin(ANGLE), 0.0, np.cos(ANGLE)])
RAMP = Box(20.0, 2.0, 0.5)
CLEARANCE = 0.2
BEYOND = 0.24
"""Share of the chain that begins beyond the lower edge."""


def build(links: int = 250, friction: float = 0.55) -> Scene:
    """Build the ramp, whose lower upper edge is at the origin, and the chain.

    Args:
        links: number of links.
        friction: between chain and ramp.
    """
    links = int(checks.number("scene 'chain_drop'", "links", links, at_least=2))
    scene = Scene(friction=friction)
    middle = -0.5 * RAMP.x * DOWN - 0.5 * RAMP.z * OUT
    scene.add_body("ramp", RAMP, position=middle, orientation=exponential((0.0, ANGLE, 0.0)), fixed=True)
    along = LENGTH * (np.arange(links + 1) - (1.0 - BEYOND) * links)
    add_links(scene, np.outer(along, DOWN) + (RADIUS + CLEARANCE) * OUT, RADIUS, LINK_MASS)
    return scene


def along_ramp(recording: Recording) -> Array:
    """Way of the uppermost link along the ramp (frames,), m, zero at the lower edge."""
    return recording.body("link-1").position @ DOWN


def check(recording: Recording) -> None:
    """Joints and surfaces hold to 0.5 mm, energy only falls, and the upper end comes down the ramp, never up."""
    expect_contacts(recording, penetration=5e-4, violation=5e-4)
    scale = 9.81 * sum(recording.info.masses) * LENGTH * recording.info.parameters["links"]
    rise = np.diff(recording.energy, prepend=recording.energy[0]) / scale
    expect_below(recording, "rise of energy in a step, as a share of the scene's", rise, 1e-5)
    way = along_ramp(recording)
    expect_below(recording, "way of the upper end up the ramp in m", way[0] - way, 0.05)
    if recording.time[-1] >= DURATION - 1e-9:
        expect(way[-1] - way[0] > 0.5, f"the chain slid {way[-1] - way[0]:.3g} m; more than 0.5 is right")
