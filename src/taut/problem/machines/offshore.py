"""A knuckle-boom crane on a ship of 5,500 t draws a module along its deck."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine, chain
from taut.problem.machines.paths import Array, Poses, X, Y, Z, on, turned


def roll(t: float) -> Array:
    """Rotation (3, 3) of the ship."""
    return turned(X, 0.01 * math.sin(0.6 * t))


def offshore(rng: np.random.Generator) -> Machine:
    """Hull of 4,380 t with ballast on springs, crane of 50 t, cable of segments below 1 kg, module of 15 t."""
    machine = Machine("offshore", compliance=1e-9, touching=1e-9)

    def heave(t: float, poses: Poses) -> tuple[Array, Array]:
        return np.array([0.0, 0.0, 0.2 * math.sin(0.7 * t)]), roll(t)

    hull = machine.body(4.38e6, (90.0, 20.0, 8.0), heave)
    for end in (-30.0, 30.0):
        tank = machine.body(535e3, (15.0, 15.0, 5.0), on(hull, (end, 0.0, -1.0)))
        machine.fix(hull, tank, (0.0, 0.0, 0.0))
    for x in (-25.0, 0.0, 25.0):
        for y in (-2.05, 2.05):
            machine.join(WORLD, hull, (x, y, 0.0), [Z], soft=6 / 1.6e7, load=5.5e6 * WEIGHT / 6)
    for x in (-40.0, 40.0):
        machine.join(WORLD, hull, (x, 0.0, 0.0), [Y], soft=1e-6)
    tip = add_crane(machine, hull)
    segments = add_cable(machine, hull, tip, rng)
    add_module(machine, hull, segments[-1], rng)
    return machine


def add_crane(machine: Machine, hull: int) -> int:
    """Pedestal, slew frame, two booms with cylinders, drum and tip sheave; the sheave."""
    pedestal = machine.body(9000.0, (2.0, 2.0, 4.0), on(hull, (0.0, 6.0, 6.0)))
    machine.fix(hull, pedestal, (0.0, 0.0, -2.0))
    frame = machine.body(14000.0, (4.0, 3.0, 3.0), on(pedestal, (0.0, 0.0, 3.5), Z, lambda t: 0.002 * t))
    machine.hinge(pedestal, frame, (0.0, 0.0, -1.5), Z, motor=1e8)
    boom = machine.body(15000.0, (14.0, 1.0, 1.2), on(frame, (1.0, 0.0, 1.0), Y, -1.0, arm=(7.0, 0.0, 0.0)))
    machine.hinge(frame, boom, (-7.0, 0.0, 0.0), Y)
    knuckle = machine.body(8000.0, (10.0, 0.8, 0.9), on(boom, (7.0, 0.0, 0.0), Y, 0.9, arm=(5.0, 0.0, 0.0)))
    machine.hinge(boom, knuckle, (-5.0, 0.0, 0.0), Y)
    machine.cylinder(frame, (1.8, 0.0, -1.0), boom, (-2.0, 0.0, -0.6), 800.0, 2.4, motor=1e8)
    machine.cylinder(boom, (1.0, 0.0, -0.8), knuckle, (-2.0, 0.0, -0.6), 800.0, 2.4, motor=1e8)
    drum = machine.body(800.0, (0.8, 1.0, 0.8), on(frame, (-1.5, 0.0, 1.5), Y, lambda t: 0.3 * t))
    machine.hinge(frame, drum, (0.0, 0.0, 0.0), Y, motor=1e6)
    sheave = machine.body(60.0, (0.8, 0.1, 0.8), on(knuckle, (5.0, 0.0, 0.0), Y, lambda t: -0.3 * t))
    machine.hinge(knuckle, sheave, (0.0, 0.0, 0.0), Y)
    return sheave


def add_cable(machine: Machine, hull: int, sheave: int, rng: np.random.Generator) -> list[int]:
    """The cable: it comes down from the tip and runs over the deck, where it lies and slides; the segments."""
    wiggle = rng.uniform(-0.05, 0.05, 49)

    def direction(number: int, t: float) -> Array:
        if number < 35:
            return roll(t) @ turned(Z, 0.002 * t) @ turned(Y, math.radians(88.0) + 0.0002 * t * number)
        return roll(t) @ turned(Z, wiggle[number] + 0.002 * t + 0.004 * t * (number - 34))

    segments = chain(machine, on(sheave, (0.0, 0.0, 0.0)), 49, 0.99, 0.4, 0.026, direction)
    machine.join(sheave, segments[0], (-0.2, 0.0, 0.0), [Z], force=(-math.inf, 0.0))
    for a, b in zip(segments, segments[1:], strict=False):
        machine.ball(a, b, (-0.2, 0.0, 0.0))
    for number, segment in enumerate(segments[35:]):
        for end in (-0.15, 0.15):
            until = 1.0 if number < 10 else 0.6 + 0.1 * (number - 10)
            machine.touch(hull, segment, (end, 0.0, -0.013), 60.0 if number < 10 else 4.9, during=(0.0, until))
    return segments


def add_module(machine: Machine, hull: int, last: int, rng: np.random.Generator) -> None:
    """Swivel and hook at the end of the cable, and the module with four slings, one of them taut; it slides on deck."""
    swivel = machine.body(0.99, (0.1, 0.05, 0.05), on(last, (0.25, 0.0, 0.0)))
    hook = machine.body(180.0, (0.5, 0.2, 0.6), on(swivel, (0.3, 0.0, 0.0)))
    machine.ball(last, swivel, (-0.05, 0.0, 0.0))
    machine.hinge(swivel, hook, (-0.25, 0.0, 0.0), X)
    for end in (-0.1, 0.1):
        machine.touch(hull, hook, (end, 0.0, -0.013), 0.5 * 180.0 * WEIGHT)
    centre = machine.poses(0.0)[0][hook] + [3.0, 0.0, 1.25]

    def drawn(t: float, poses: Poses) -> tuple[Array, Array]:
        return poses[0][hull] + poses[1][hull] @ (centre + [0.3 * t, 0.0, 0.0]), poses[1][hull]

    module = machine.body(15e3, (3.0, 2.5, 2.5), drawn)
    for side, gap in ((-1.0, 0.0), (-0.5, 0.03), (0.5, 0.05), (1.0, 0.08)):
        machine.join(hook, module, (-1.5, side, 0.0), [X], force=(-math.inf, 0.0), gap=-gap)
    for x in (-1.4, -0.5, 0.5, 1.4):
        for y in (-1.2, 1.2):
            machine.touch(hull, module, (x, y, -1.25), 18.4e3 * rng.uniform(0.8, 1.2))
