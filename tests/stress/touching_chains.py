"""Stress cases with contact: loads that swing onto things, things that are thrown at chains, chains over an edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from stress.cases import (
    LENGTH,
    RADIUS,
    Case,
    Maker,
    Rng,
    Strand,
    Y,
    Z,
    across,
    below_horizon,
    case_of,
    hang_straight,
    light,
    round_ended,
    string,
    unit,
)
from stress.drives import PUSHED

import taut
from taut.shapes import Box, Cylinder, Sphere
from taut.spatial import from_two_vectors

HEAVIEST = 1e5
"""Mass of a load over that of a link, at most: contact points give way, and more would press links flat."""
EDGE = 0.4
CORNER = 0.5 * np.sqrt(3.0) * EDGE
"""Edge of a load and the distance of its corners from its centre, m."""


def touching_scene(rng: Rng, ratio: float, mass: float) -> taut.Scene:
    """An empty scene whose contact points give way by 0.02 mm under the whole load, and by 1e-9 m/N at most."""
    friction = float(rng.choice([0.0, 0.3, 0.8]))
    return taut.Scene(friction=friction, contact_compliance=min(1e-9, 2e-5 / (9.81 * ratio * mass)))


def loaded(scene: taut.Scene, along: np.ndarray, links: int, mass: float, ratio: float, turning: Any) -> Strand:
    """A straight chain from the origin with a cube by its face, all turning about the origin at this rate, rad/s."""
    cube = {"edge": EDGE, "by_face": True}
    return hang_straight(scene, along, links, mass, ratio * mass, turning, cube, link=round_ended)


def peg(rng: Rng, ratio: float, links: int) -> Case:
    """A chain falls across a peg that does not lie square to it, and its load swings under."""
    mass, ratio = light(rng), min(ratio, HEAVIEST)
    scene, along = touching_scene(rng, ratio, mass), below_horizon(rng, -30.0, 0.0)
    strand = loaded(scene, along, links, mass, ratio, across(rng, along, 0.3))
    radius, gap = rng.uniform(0.1, 0.3), rng.uniform(0.02, 0.15)
    below = unit(np.cross(along, Y))
    below = below if below[2] < 0.0 else -below
    place = strand.corners[links // 2] + (radius + RADIUS + gap) * below
    axis = unit(Y + rng.uniform(-0.6, 0.6) * along)
    scene.add_body("peg", Cylinder(radius, 4.0), position=place, orientation=from_two_vectors(Z, axis), fixed=True)
    return case_of(scene, links, touching=True)


def wall(rng: Rng, ratio: float, links: int) -> Case:
    """A load swings out of its plane against a wall."""
    mass, ratio = light(rng), min(ratio, HEAVIEST)
    scene, along = touching_scene(rng, ratio, mass), below_horizon(rng, -70.0, -20.0)
    strand = loaded(scene, along, links, mass, ratio, Z)
    normal = unit([rng.uniform(-0.2, 0.2), -1.0, rng.uniform(-0.2, 0.2)])
    nearest = min(0.0, float((strand.corners @ normal).min()))
    scene.add_plane(normal, nearest - CORNER - 0.5 * EDGE - rng.uniform(0.02, 0.2))
    return case_of(scene, links, touching=True)


def ground(rng: Rng, ratio: float, links: int) -> Case:
    """A load swings down onto the ground, and its chain goes slack."""
    mass, ratio = light(rng), min(ratio, HEAVIEST)
    scene, along = touching_scene(rng, ratio, mass), below_horizon(rng, -40.0, 0.0)
    strand = loaded(scene, along, links, mass, ratio, across(rng, along, 0.3))
    scene.add_plane(offset=float(strand.corners[-1, 2]) - CORNER - 0.5 * EDGE - rng.uniform(0.02, 0.3))
    return case_of(scene, links, touching=True)


def thrown(rng: Rng, ratio: float, links: int, shape: Any) -> Case:
    """Something light is thrown at a link of a taut chain."""
    mass, ratio = light(rng), min(ratio, HEAVIEST)
    scene, along = touching_scene(rng, ratio, mass), below_horizon(rng, -89.0, -45.0)
    strand = loaded(scene, along, links, mass, ratio, across(rng, along, 0.1))
    target = strand.corners[int(rng.integers(1, links))] + 0.1 * LENGTH * along
    away = unit(across(rng, along, 1.0))
    scene.add_body(
        "thrown", shape, mass=mass * 10.0 ** rng.uniform(-1.0, 1.0), position=target + rng.uniform(0.3, 0.6) * away,
        velocity=-rng.uniform(5.0, 20.0) * away, angular_velocity=5.0 * rng.normal(size=3),
        restitution=float(rng.choice([0.0, 0.5])),
    )  # fmt: skip
    return case_of(scene, links, touching=True)


def thrown_ball(rng: Rng, ratio: float, links: int) -> Case:
    """A ball is thrown at a taut chain."""
    return thrown(rng, ratio, links, Sphere(0.1))


def thrown_box(rng: Rng, ratio: float, links: int) -> Case:
    """A box is thrown at a taut chain, turning as it comes."""
    return thrown(rng, ratio, links, Box(0.3, 0.2, 0.1))


def edge(rng: Rng, ratio: float, links: int) -> Case:
    """A taut chain lies over the edge of a block, and its load is pulled along the edge."""
    mass, ratio = light(rng), min(ratio, HEAVIEST)
    scene, lying = touching_scene(rng, ratio, mass), max(3, links // 3)
    block = LENGTH * (links + 5)
    scene.add_body("block", Box(block, block, block), position=(-0.5 * block, 0, -0.5 * block), fixed=True)
    turning_point = np.array([RADIUS, 0.0, RADIUS])
    level = turning_point + LENGTH * np.outer(np.arange(-lying, 1), (1.0, 0.0, 0.0))
    upright = turning_point - LENGTH * np.outer(np.arange(1, links - lying + 1), Z)
    strand = string(scene, np.concatenate([level, upright]), mass, link=round_ended)
    place = strand.corners[-1] - [0.0, 0.0, 0.1]
    scene.add_body("load", Sphere(0.1), mass=ratio * mass, position=place + [0.1, 0.0, 0.0])
    scene.connect(strand.names[-1], "load", taut.joints.Spherical(), at=strand.corners[-1])
    pull = rng.uniform(0.1, 0.6) * 9.81 * ratio * mass * rng.choice([-1.0, 1.0]) * Y

    def drive(sim: taut.Simulation, frame: int) -> None:
        sim.body("load").apply(force=pull if frame < PUSHED else np.zeros(3))

    return case_of(scene, links, drive, touching=True)


MAKERS: dict[str, Maker] = {maker.__name__: maker for maker in (peg, wall, ground, thrown_ball, thrown_box, edge)}
"""Every kind of case with contact."""
