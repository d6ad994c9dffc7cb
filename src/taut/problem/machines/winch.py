"""A winch that drags a chain over the ground."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine, chain
from taut.problem.machines.paths import Array, Poses, Y, Z, on, turned


def winch(rng: np.random.Generator) -> Machine:
    """A drum of 400 kg drags a chain of 50 links of 1 kg with ball joints over the ground."""
    machine = Machine("winch", compliance=1e-10, touching=1e-10)
    wiggle, free = rng.uniform(-0.05, 0.05, 50), 6

    def drawn(t: float) -> float:
        return 0.25 * min(t, 0.3) ** 2 / 0.6 + 0.25 * max(t - 0.3, 0.0)

    def direction(number: int, t: float) -> Array:
        rise = min(max((number - 49 + free) / free, 0.0), 1.0)
        return turned(Z, wiggle[number] + 0.01 * math.sin(3.0 * t + number)) @ turned(Y, -1.45 * rise)

    def start(t: float, poses: Poses) -> tuple[Array, Array]:
        return np.array([-9.0 + drawn(t), 0.0, 0.03]), np.eye(3)

    links = chain(machine, start, 50, 1.0, 0.2, 0.06, direction)
    for a, b in zip(links, links[1:], strict=False):
        machine.ball(a, b, (-0.1, 0.0, 0.0))
    top = machine.poses(0.0)[0][links[-1]] + machine.poses(0.0)[1][links[-1]] @ [0.1, 0.0, 0.0]
    drum = machine.body(400.0, (0.9, 1.2, 0.9), on(WORLD, top + [0.0, 0.0, 0.5], Y, lambda t: -2.0 * drawn(t)))
    machine.hinge(WORLD, drum, (0.0, 0.0, 0.0), Y, motor=math.inf)
    machine.ball(drum, links[-1], (0.1, 0.0, 0.0))
    for number, link in enumerate(links[: 50 - free]):
        for end in (-0.08, 0.08):
            load = 0.5 * WEIGHT * rng.uniform(0.9, 1.1)
            begin = 0.0 if rng.random() < 0.9 else rng.uniform(0.1, 0.5)
            end_of = 1.0 if number < 34 else rng.uniform(0.5, 1.0)
            machine.touch(WORLD, link, (end, 0.0, -0.03), load, during=(begin, end_of))
    return machine
