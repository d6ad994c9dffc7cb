"""Problems of any size: long chains on the ground, and piles."""

from __future__ import annotations

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine, chain
from taut.problem.machines.paths import Array, Path, Poses, Z, on, turned
from taut.problem.mlcp import MlcpProblem

COMPLIANCE = 1e-9
"""m/N."""
SPEED = 0.3
"""Of what slides, m/s."""


def chain_like(rows: int, seed: int = 0) -> MlcpProblem:
    """A chain of links of 1 kg on the ground with 500 kg at its end; a tenth of it slides.

    Six rows a link, three of its joint and three of its contact: about as many as asked for.
    """
    rng = np.random.default_rng(seed)
    machine = Machine(f"chain-{rows}", COMPLIANCE, COMPLIANCE)
    count = max(rows // 6, 2)
    bend = np.cumsum(rng.normal(0.0, 0.05, count))
    sliding = count - count // 10

    def direction(number: int, t: float) -> Array:
        swing = 10.0 * SPEED * t * (-1) ** number if number >= sliding else 0.0  # every other joint moves aside
        return turned(Z, bend[number] + swing)

    links = chain(machine, on(WORLD, (0.0, 0.0, 0.03)), count, 1.0, 0.2, 0.06, direction)
    machine.ball(WORLD, links[0], (-0.1, 0.0, 0.0))
    for a, b in zip(links, links[1:], strict=False):
        machine.ball(a, b, (-0.1, 0.0, 0.0))
    load = machine.body(500.0, (0.5, 0.5, 0.5), on(links[-1], (0.35, 0.0, 0.0)))
    machine.ball(links[-1], load, (-0.25, 0.0, 0.0))
    for link in links:
        machine.touch(WORLD, link, (rng.uniform(-0.05, 0.05), 0.0, -0.03), WEIGHT * rng.uniform(0.8, 1.2))
    return machine.problems(1)[0][0]


def pile_like(rows: int, seed: int = 0) -> MlcpProblem:
    """Bodies of 1 to 100 kg in a cubic heap, each touching its neighbours; the uppermost slide, some stand apart.

    Nine rows a body but for the faces of the heap: about as many as asked for.
    """
    rng = np.random.default_rng(seed)
    machine = Machine(f"pile-{rows}", COMPLIANCE, COMPLIANCE)
    side = max(round((rows / 9) ** (1 / 3)), 2)
    height = max(round((rows / 3 + 2 * side * side) / (3 * side * side)), 2)
    axes, body = np.eye(3), {}
    for place in np.ndindex(side, side, height):
        body[place] = machine.body(100.0 ** rng.random(), (1.0, 1.0, 1.0), heaped(place, place[2] == height - 1))
    for place, number in body.items():
        load = 10.0 * WEIGHT * (height - place[2]) * rng.uniform(0.8, 1.2)
        off = rng.uniform(-0.3, 0.3, 2)
        machine.touch(body.get((*place[:2], place[2] - 1), WORLD), number, (*off, -0.5), load)
        for axis in range(2):
            before = tuple(np.subtract(place, axes[axis]).astype(int))
            if before in body:
                point = np.roll([-0.5, *rng.uniform(-0.3, 0.3, 2)], axis)
                gap = 0.01 if rng.random() < 0.05 else 0.0
                machine.touch(body[before], number, tuple(point), 0.2 * load, normal=axes[axis], gap=gap)
    return machine.problems(1)[0][0]


def heaped(place: tuple[int, ...], slides: bool) -> Path:
    """Path of a body at a place of the heap."""
    centre = np.asarray(place, float) + [0.0, 0.0, 0.5]

    def path(t: float, poses: Poses) -> tuple[Array, Array]:
        return centre + [SPEED * t if slides else 0.0, 0.0, 0.0], np.eye(3)

    return path
