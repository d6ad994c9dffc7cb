"""Problems of any size: long chains on the ground, and piles."""

from __future__ import annotations

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.posed import WEIGHT, WORLD, Posed

COMPLIANCE = 1e-9
"""m/N."""
SPEED = 0.3
"""Of what slides, m/s."""
LINK, THICKNESS, MASS, LOAD = 0.2, 0.06, 1.0, 500.0
"""Of a chain: length and thickness of a link, m, its mass and that of the load at its end, kg."""
SWING = 10.0 * SPEED
"""Spin of links that slide, rad/s, one after the other to either side."""


def chain_like(rows: int, seed: int = 0) -> MlcpProblem:
    """A chain of links of 1 kg on the ground with 500 kg at its end; a tenth of it slides.

    Six rows a link, three of its joint and three of its contact: about as many as asked for.
    """
    rng = np.random.default_rng(seed)
    posed = Posed(f"chain-{rows}", COMPLIANCE)
    count = max(rows // 6, 2)
    bend = np.cumsum(rng.normal(0.0, 0.05, count))
    sliding = count - count // 10
    before, end, speed = WORLD, np.array([0.0, 0.0, 0.5 * THICKNESS]), np.zeros(3)
    for number, angle in enumerate(bend.tolist()):
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        turn = np.column_stack([along, np.cross((0.0, 0.0, 1.0), along), (0.0, 0.0, 1.0)])
        spin = np.array([0.0, 0.0, SWING * (-1) ** number if number >= sliding else 0.0])
        half = 0.5 * LINK * along
        link = posed.body(
            MASS, (LINK, THICKNESS, THICKNESS), end + half, turn, speed + np.cross(spin, half), spin
        )  # fmt: skip
        posed.ball(before, link, (-0.5 * LINK, 0.0, 0.0))
        before, end, speed = link, end + 2.0 * half, speed + np.cross(spin, 2.0 * half)
    centre = end + 0.25 * along
    load = posed.body(LOAD, (0.5, 0.5, 0.5), centre, turn, speed + np.cross(spin, 0.25 * along), spin)
    posed.ball(before, load, (-0.25, 0.0, 0.0))
    for link in range(1, count + 1):
        posed.touch(WORLD, link, (rng.uniform(-0.05, 0.05), 0.0, -0.5 * THICKNESS), WEIGHT * rng.uniform(0.8, 1.2))
    return posed.problem()


def pile_like(rows: int, seed: int = 0) -> MlcpProblem:
    """Bodies of 1 to 100 kg in a cubic heap, each touching its neighbours; the uppermost slide, some stand apart.

    Nine rows a body but for the faces of the heap: about as many as asked for.
    """
    rng = np.random.default_rng(seed)
    posed = Posed(f"pile-{rows}", COMPLIANCE)
    side = max(round((rows / 9) ** (1 / 3)), 2)
    height = max(round((rows / 3 + 2 * side * side) / (3 * side * side)), 2)
    axes, body = np.eye(3), {}
    for place in np.ndindex(side, side, height):
        slides = (SPEED if place[2] == height - 1 else 0.0, 0.0, 0.0)
        centre = np.asarray(place, float) + (0.0, 0.0, 0.5)
        body[place] = posed.body(100.0 ** rng.random(), (1.0, 1.0, 1.0), centre, velocity=slides)
    for place, number in body.items():
        load = 10.0 * WEIGHT * (height - place[2]) * rng.uniform(0.8, 1.2)
        off = rng.uniform(-0.3, 0.3, 2)
        posed.touch(body.get((*place[:2], place[2] - 1), WORLD), number, (*off, -0.5), load)
        for axis in range(2):
            before = tuple(np.subtract(place, axes[axis]).astype(int))
            if before in body:
                point = np.roll([-0.5, *rng.uniform(-0.3, 0.3, 2)], axis)
                gap = 0.01 if rng.random() < 0.05 else 0.0
                posed.touch(body[before], number, tuple(point), 0.2 * load, normal=axes[axis], gap=gap)
    return posed.problem()
