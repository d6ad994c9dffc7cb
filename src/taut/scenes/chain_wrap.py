"""A chain of 100 links with a 500 kg box swings under a fixed peg and wraps around it [Peiret2019].

Links of 0.25 kg with universal joints, 0.1 m long and 0.02 m in radius, pinned at the left end, half of them level and
half 20 degrees below. The peg of 0.3 m radius is under the middle: the half with the box swings down, under the peg and
up on its other side, wrapping the chain around it, and back again. From less than some 10 degrees it goes slack there
and snaps taut. The box has 0.4 m edges. The paper gives counts and masses; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import direction
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.scenes._links import Y, add_links, bend
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 4.0

LENGTH, RADIUS, LINK_MASS = 0.1, 0.02, 0.25
BOX = Box(0.4, 0.4, 0.4)
PEG = Cylinder(radius=0.3, length=2.0)
COMPLIANCE = 1e-10
"""Of a contact point, m/N: the peg carries up to 300 kN on a few of them."""


def build(links: int = 100, ratio: float = 2000.0, angle: float = 20.0, friction: float = 0.5) -> Scene:
    """Build chain, box and peg.

    Args:
        links: number of links.
        ratio: mass of the box `load` over that of a link.
        angle: of the half with the box below the horizontal, degrees.
        friction: between all bodies.
    """
    owner = "scene 'chain_wrap'"
    links = int(checks.number(owner, "links", links, at_least=2))
    scene = Scene(friction=friction, contact_compliance=COMPLIANCE)
    axis = from_two_vectors((0.0, 0.0, 1.0), Y)
    scene.add_body("peg", PEG, position=peg_centre(angle), orientation=axis, fixed=True)
    along = direction(-angle)
    way = LENGTH * (np.arange(links + 1) - links // 2)
    corners = np.outer(np.minimum(way, 0.0), (1.0, 0.0, 0.0)) + np.outer(np.maximum(way, 0.0), along)
    last = add_links(scene, corners, RADIUS, LINK_MASS, anchor="world")
    mass = LINK_MASS * checks.number(owner, "ratio", ratio, above=0.0)
    turn = from_two_vectors((1.0, 0.0, 0.0), along)
    scene.add_body("load", BOX, mass=mass, position=corners[-1] + 0.5 * BOX.x * along, orientation=turn)
    scene.connect(last, "load", bend(along), at=corners[-1], name=f"joint-{links + 1}")
    return scene


def peg_centre(angle: float) -> Array:
    """Middle of the peg (3,), m: under the bend at the origin, as far from both halves of the chain."""
    return -(PEG.radius + RADIUS) / np.cos(np.radians(0.5 * angle)) * direction(90.0 - 0.5 * angle)


def swing(recording: Recording) -> Array:
    """Angle of the load about the peg since the start (frames,), degrees: 90 below it, 180 on its other side."""
    away = recording.body("load").position - peg_centre(recording.info.parameters["angle"])
    angle = np.degrees(np.unwrap(np.arctan2(-away[:, 2], away[:, 0])))
    return np.asarray(angle - angle[0])


def check(recording: Recording) -> None:
    """Joints and surfaces hold to 0.5 mm, energy does not rise, and the load swings under the peg to its other side."""
    expect_contacts(recording, penetration=5e-4, violation=5e-4)
    scale = 9.81 * sum(recording.info.masses) * LENGTH * recording.info.parameters["links"]
    gained = (recording.energy - recording.energy[0]) / scale
    expect_below(recording, "energy gained, as a share of the scene's", gained, 1e-3)
    if recording.time[-1] >= DURATION - 1e-9:
        angle = swing(recording).max()
        expect(angle > 90.0, f"the load swung by {angle:.0f} degrees; more than 90 is right")
