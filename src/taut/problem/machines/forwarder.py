"""The gripper arm of a forwarder, 16 links and 1.9 t, lifts a log of 400 kg."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WORLD, Machine
from taut.problem.machines.paths import Course, X, Y, Z, on, wave

BARK = 0.1
"""Rolling friction of the log, m: claws bite into its bark."""


def forwarder(rng: np.random.Generator) -> Machine:
    """Pillar, booms, rotator and grapple with pins of 0.1 kg; contacts of six rows hold the log."""
    machine = Machine("forwarder", compliance=1e-9, touching=1e-9, excess=0.2)
    slew: Course = lambda t: 0.03 * t  # noqa: E731
    pillar = machine.body(300.0, (0.5, 0.5, 1.5), on(WORLD, (0.0, 0.0, 0.75), Z, slew))
    machine.hinge(WORLD, pillar, (0.0, 0.0, -0.75), Z, motor=1e6)
    main = machine.body(
        650.0, (3.6, 0.3, 0.35), on(pillar, (0.2, 0.0, 0.7), Y, lambda t: -0.6 - 0.005 * t, arm=(1.8, 0, 0))
    )
    machine.hinge(pillar, main, (-1.8, 0.0, 0.0), Y, motor=1e6)
    outer = machine.body(
        380.0, (3.0, 0.25, 0.3), on(main, (1.8, 0.0, 0.0), Y, lambda t: 0.9 + 0.005 * t, arm=(1.5, 0, 0))
    )
    machine.hinge(main, outer, (-1.5, 0.0, 0.0), Y, motor=1e6)
    extension = machine.body(190.0, (2.2, 0.2, 0.2), on(outer, (1.4, 0.0, 0.0), X, way=lambda t: -0.005 * t))
    machine.slide(outer, extension, (0.0, 0.0, 0.0), X, motor=1e6)
    level: Course = lambda t: -0.3 + 0.005 * t  # noqa: E731
    tip = machine.body(40.0, (0.15, 0.15, 0.3), on(extension, (1.1, 0.0, 0.0), Y, level, arm=(0.0, 0.0, -0.15)))
    machine.join(extension, tip, (0.0, 0.0, 0.15), np.eye(3), [Z])
    machine.join(extension, tip, (0.0, 0.0, 0.15), (), [X, Y], soft=1e-4)
    upper = machine.body(45.0, (0.25, 0.25, 0.25), on(tip, (0.0, 0.0, -0.28)))
    machine.join(tip, upper, (0.0, 0.0, 0.125), np.eye(3), [Z])
    lower = machine.body(45.0, (0.25, 0.25, 0.25), on(upper, (0.0, 0.0, -0.26), Z, lambda t: 0.005 * t))
    machine.hinge(upper, lower, (0.0, 0.0, 0.125), Z, motor=1e5)
    add_grapple(machine, lower, rng)
    return machine


def add_grapple(machine: Machine, rotator: int, rng: np.random.Generator) -> None:
    """Frame, two claws with a gear, a cylinder with links and pins, and the log between the claws."""
    frame = machine.body(80.0, (0.5, 0.4, 0.2), on(rotator, (0.0, 0.0, -0.23)))
    machine.fix(rotator, frame, (0.0, 0.0, 0.1))
    claws, pins = [], []
    for side in (-1.0, 1.0):
        claw = machine.body(65.0, (0.5, 0.15, 0.8), on(frame, (0.0, 0.35 * side, -0.45)))
        machine.hinge(frame, claw, (0.0, -0.15 * side, 0.35), X)
        pin = machine.body(0.1, (0.06, 0.02, 0.02), on(claw, (0.0, -0.1 * side, 0.3)))
        machine.fix(claw, pin, (0.0, 0.0, 0.0))
        claws.append(claw)
        pins.append(pin)
    machine.couple(frame, [(claws[0], 1.0), (claws[1], 1.0)], X)
    machine.cylinder(claws[0], (0.3, 0.05, 0.0), claws[1], (0.3, -0.05, 0.0), 9.0, 0.3, motor=24e3, push=-0.5)
    for pin, claw in zip(pins, reversed(claws), strict=True):
        link = machine.body(10.9, (0.05, 0.5, 0.05), on(frame, (0.05, 0.0, -0.15)))
        machine.hinge(pin, link, (0.0, 0.0, 0.0), X)
        machine.ball(claw, link, (0.0, 0.0, 0.0))
    log = machine.body(400.0, (4.0, 0.32, 0.32), on(frame, (0.3, 0.0, -0.6)))
    for side, claw in zip((-1.0, 1.0), claws, strict=True):
        for x in (-0.55, -0.05):
            for number, lean in enumerate((-0.5, 0.0, 0.5, 0.9)):
                normal = np.array([0.0, -side * math.cos(lean), math.sin(lean)])
                machine.touch(claw, log, (x, *(-0.18 * normal[1:])), 2e3 * rng.uniform(0.8, 1.2), normal=normal,
                              rolling=BARK, gap=wave(rng, 2e-6 if number < 3 else 2e-4))  # fmt: skip
    for number, x in enumerate(np.linspace(0.4, 2.0, 8)):
        until = 0.6 + 0.05 * number
        machine.touch(WORLD, log, (x, 0.0, -0.18), 250.0, rolling=BARK, gap=wave(rng, 5e-4), during=(0.0, until))
