"""An armoured vehicle of 15 t with eight driven wheels that climbs a step."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine
from taut.problem.machines.paths import Array, Course, Poses, Y, Z, on, turned, wave

RADIUS, SPEED = 0.52, 1.2
"""Of the wheels, m, and of the hull, m/s."""
AXLES = (-2.2, -0.8, 0.8, 2.2)
"""Of the wheels along the hull, m."""
RATIO, GEARS = 5.0, 3.0
"""Turns of a pinion for one of its wheels, and of the engine for one of the gearbox shaft."""
SHAFT = 0.04
"""Thickness of pinions, m."""


def parkour(rng: np.random.Generator) -> Machine:
    """Hull with trailing arms, knuckles, wheels of two contact points, and a powertrain down to pinions of 0.6 kg.

    Joints are hard, and the turret is held twice: A is singular but for rounding.
    """
    machine = Machine("parkour", compliance=0.0, touching=1e-10, excess=0.5)

    def drive(t: float, poses: Poses) -> tuple[Array, Array]:
        return np.array([SPEED * t, 0.0, 1.15 + 0.01 * math.sin(5.0 * t)]), turned(Y, 0.01 * math.sin(4.0 * t))

    hull = machine.body(12000.0, (6.5, 2.5, 1.4), drive)
    turret = machine.body(402.0, (1.6, 1.6, 0.6), on(hull, (-0.3, 0.0, 1.0)))
    machine.fix(hull, turret, (0.0, 0.0, -0.3))
    machine.hinge(hull, turret, (0.0, 0.0, -0.3), Z)
    wheels = [add_wheel(machine, hull, x, side, rng) for x in AXLES for side in (-1.0, 1.0)]
    add_powertrain(machine, hull, wheels)
    return machine


def add_wheel(machine: Machine, hull: int, x: float, side: float, rng: np.random.Generator) -> int:
    """Trailing arm with spring and damper, a knuckle on the front axles, the wheel and what it touches; its number.

    Three of the wheels meet the nose of a step in the middle of the story.
    """
    phase, load = rng.uniform(0.0, 2 * math.pi), 15000.0 / 8 * WEIGHT
    swing: Course = lambda t: 0.02 * math.sin(6.0 * t + phase)  # noqa: E731
    arm = machine.body(70.0, (0.6, 0.12, 0.12), on(hull, (x - 0.3, 1.1 * side, -0.5), Y, swing, arm=(0.3, 0.0, 0.0)))
    machine.hinge(hull, arm, (-0.3, 0.0, 0.0), Y)
    machine.join(hull, arm, (0.2, 0.0, 0.0), [Z], soft=1e-5, load=-load)
    machine.join(hull, arm, (0.2, 0.0, 0.0), [Z], soft=1e-4)
    carrier = arm
    if x > 0.0:
        carrier = machine.body(25.0, (0.2, 0.15, 0.3), on(arm, (0.3, 0.1 * side, 0.0)))
        machine.hinge(arm, carrier, (0.0, 0.0, 0.0), Z, motor=3e3)
    place = (0.0, 0.15 * side, 0.0) if x > 0.0 else (0.3, 0.25 * side, 0.0)
    wheel = machine.body(220.0, (0.9, 0.35, 0.9), on(carrier, place, Y, lambda t: SPEED / RADIUS * t))
    machine.hinge(carrier, wheel, (0.0, 0.0, 0.0), Y)
    machine.join(carrier, wheel, (0.0, 0.0, 0.0), (), [Y], force=40.0)
    gap = wave(rng, 8e-3) if x < -2.0 else 0.0
    for across in (-0.08, 0.08):
        machine.touch(
            WORLD, wheel, (0.0, across, -RADIUS), 0.5 * load * rng.uniform(0.7, 1.3), gap=gap, carrier=carrier
        )
    if x > 0.0 and (x > 2.0 or side > 0.0):
        lean = np.array([-0.6, 0.0, 0.8])
        for across in (-0.08, 0.08):
            point, during = -RADIUS * lean + [0.0, across, 0.0], (0.25, 0.75)
            machine.touch(WORLD, wheel, point, 0.2 * load, normal=lean, gap=0.0125, carrier=carrier, during=during)
    return wheel


def add_powertrain(machine: Machine, hull: int, wheels: list[int]) -> None:
    """Engine, clutch, gearbox, transfer differential, two inter-axle and four axle differentials, with their shafts."""
    spin = SPEED / RADIUS

    def shaft(mass: float, thickness: float, place: tuple[float, float, float], ratio: float) -> int:
        body = machine.body(mass, (thickness, 0.3, thickness), on(hull, place, Y, lambda t: ratio * spin * t))
        machine.hinge(hull, body, (0.0, 0.0, 0.0), Y)
        return body

    engine = shaft(90.0, 0.4, (2.0, 0.0, 0.0), GEARS * RATIO)
    gearbox = shaft(30.0, 0.15, (1.4, 0.0, 0.0), RATIO)
    machine.join(hull, engine, (0.0, 0.0, 0.0), (), [Y], force=1150.0, driven=True)
    machine.couple(hull, [(engine, 1.0), (gearbox, -GEARS)], Y, torque=1500.0)
    outputs = [shaft(20.0, 0.12, (x, 0.0, -0.3), RATIO) for x in (-1.0, 1.0)]
    machine.couple(hull, [(gearbox, 2.0), (outputs[0], -1.0), (outputs[1], -1.0)], Y)
    pinions = [shaft(0.6, SHAFT, (x, 0.0, -0.4), RATIO) for x in AXLES]
    for output, pair in zip(outputs, (pinions[:2], pinions[2:]), strict=True):
        machine.couple(hull, [(output, 2.0), (pair[0], -1.0), (pair[1], -1.0)], Y)
    for number, pinion in enumerate(pinions):
        left, right = wheels[2 * number : 2 * number + 2]
        machine.couple(hull, [(pinion, 2.0 / RATIO), (left, -1.0), (right, -1.0)], Y)
