"""A mobile crane of 30 t whose hook lies on the pipe that it is going to lift."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine, chain, square
from taut.problem.machines.paths import Array, X, Y, Z, at, on, turned

PRESSED = 120.0
"""Load, N, at contact points of the cable near where it comes down: more than its weight."""
BENDING = 1e-2
"""Compliance of a link of cable in bending and twist, rad/(N m)."""


def crane(rng: np.random.Generator) -> Machine:
    """A truck crane of 30 t on outriggers draws in its hook, whose slack cable lies on a pipe of 2 t and on the ground.

    The cable of 22 segments of 3.18 kg with links of six rows is the lightest.
    """
    machine = Machine("crane", compliance=1e-9, touching=1e-9)
    carrier = machine.body(20000.0, (9.0, 2.5, 1.2), at((0.0, 0.0, 1.3)))
    for x in (-3.5, 3.5):
        for side in (-1.0, 1.0):
            beam = machine.body(250.0, (2.0, 0.3, 0.3), on(carrier, (x, 2.0 * side, -0.3)))
            pad = machine.body(40.0, (0.6, 0.6, 0.1), on(beam, (0.0, 0.9 * side, -0.95)))
            machine.slide(carrier, beam, (0.0, 0.0, 0.0), Y, motor=1e6)
            machine.ball(beam, pad, (0.0, 0.0, 0.05))
            square(machine, WORLD, pad, 0.25, 0.25, -0.05, load=0.25 * 32e3 * WEIGHT / 4, rng=rng)
    for x in (-3.0, -1.5, 1.5, 3.0):
        for side in (-1.0, 1.0):
            wheel = machine.body(150.0, (1.1, 0.4, 1.1), on(carrier, (x, 1.2 * side, -0.5)))
            machine.hinge(carrier, wheel, (0.0, 0.0, 0.0), Y)
            machine.join(carrier, wheel, (0.0, 0.0, 0.0), (), [Y], force=5e3)
    table = machine.body(4040.0, (3.0, 2.4, 1.2), on(carrier, (0.0, 0.0, 1.2), Z, lambda t: 0.002 * t))
    machine.hinge(carrier, table, (0.0, 0.0, -0.6), Z, motor=1e6)
    drum = machine.body(200.0, (0.6, 0.6, 0.6), on(table, (-1.0, 0.0, 0.8), Y, lambda t: 0.5 * t))
    machine.hinge(table, drum, (0.0, 0.0, 0.0), Y, motor=2e4)
    boom = crane_boom(machine, table)
    cable = crane_cable(machine, boom, rng)
    pipe_below(machine, cable, rng)
    return machine


def crane_boom(machine: Machine, table: int) -> int:
    """Three boom sections at 60 degrees with a luff cylinder, and a sheave at the tip; the sheave."""
    lift = turned(Y, -math.radians(60.0))
    boom = machine.body(1000.0, (8.0, 0.5, 0.6), on(table, (1.0, 0.0, 0.8), Y, -math.radians(60.0), arm=(4.0, 0, 0)))
    machine.hinge(table, boom, (-4.0, 0.0, 0.0), Y)
    machine.cylinder(table, (1.4, 0.0, 0.0), boom, tuple(lift.T @ [0.9, 0.0, 2.6]), 200.0, 2.0, motor=2e6)
    last = boom
    for reach in (7.0, 7.25):
        section = machine.body(1000.0, (7.5, 0.45, 0.55), on(last, (reach, 0.0, 0.0)))
        machine.slide(last, section, (0.0, 0.0, 0.0), X, motor=1e6)
        last = section
    sheave = machine.body(40.0, (0.5, 0.1, 0.5), on(last, (3.75, 0.0, 0.0), Y, lambda t: -0.5 * t))
    machine.hinge(last, sheave, (0.0, 0.0, 0.0), Y)
    return sheave


def crane_cable(machine: Machine, sheave: int, rng: np.random.Generator) -> list[int]:
    """The cable, hanging and then lying, its free end drawn sideways."""
    wiggle = rng.uniform(-0.2, 0.2, 22)

    def direction(number: int, t: float) -> Array:
        if number < 12:
            return turned(Y, math.radians(90.0 - 0.05 * t * number))
        return turned(Z, wiggle[number] + 0.005 * t * (number - 11)) @ turned(Y, 0.0)

    segments = chain(machine, on(sheave, (0.0, 0.0, 0.0)), 22, 3.18, 0.8, 0.032, direction)
    machine.join(sheave, segments[0], (-0.4, 0.0, 0.0), np.eye(3)[2:], force=(-1e6, 0.0))
    for a, b in zip(segments, segments[1:], strict=False):
        machine.fix(a, b, (-0.4, 0.0, 0.0), bending=BENDING)
    return segments


def pipe_below(machine: Machine, cable: list[int], rng: np.random.Generator) -> None:
    """Hook block and hook at the end of the cable, a pipe on two chocks, slings that are still slack."""
    block = machine.body(45.0, (0.4, 0.2, 0.5), on(cable[-1], (0.65, 0.0, 0.0)))
    hook = machine.body(25.0, (0.3, 0.1, 0.4), on(block, (0.0, 0.0, -0.4)))
    machine.fix(cable[-1], block, (-0.25, 0.0, 0.0), bending=BENDING)
    machine.hinge(block, hook, (0.0, 0.0, 0.2), Z)
    centre = machine.poses(0.0)[0][hook] - [0.0, 0.0, 0.95]
    pipe = machine.body(2000.0, (1.5, 2.5, 1.5), at(centre))
    for side in (-1.0, 1.0):
        machine.join(hook, pipe, (0.0, 0.8 * side, 0.75), [Z], force=(-1e6, 0.0), gap=-0.05)
        for x in (-0.6, 0.6):
            for y in (0.5, 0.9):
                lean = (X * -np.sign(x) + Z) / math.sqrt(2.0)
                machine.touch(WORLD, pipe, (x, side * y, -0.5), 2450.0 * rng.uniform(0.8, 1.2), normal=lean)
    for x in (-0.05, 0.05):
        for y in (-0.03, 0.03):
            machine.touch(pipe, hook, (x, y, -0.2), 120.0 * rng.uniform(0.5, 1.5), during=(0.0, 0.7))
    for number, segment in enumerate(cable[12:]):
        for end in (-0.3, 0.3):
            below, until = (pipe, 0.8) if number > 6 else (WORLD, 0.5 + 0.1 * number)
            machine.touch(below, segment, (end, 0.0, -0.016), PRESSED if number < 7 else 15.6, during=(0.0, until))
