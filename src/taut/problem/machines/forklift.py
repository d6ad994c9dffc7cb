"""A forklift of 3 t that has picked a crate and turns so sharply that its wheels skid."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.machines.parts import WEIGHT, WORLD, Machine
from taut.problem.machines.paths import Array, Course, Poses, X, Y, Z, on, turned

FRONT, REAR = 0.33, 0.26
"""Radii of the wheels, m."""
TURN = 0.7
"""Half of the angular acceleration of the turn, rad/s^2; the middle of the front axle goes where it points."""
LIFTED, TURNING = 0.12, 0.35
"""Shares of the story at which the pallet leaves the ground and at which the turn begins."""


def way(t: float) -> float:
    """How far the chassis has gone, m: it starts once the pallet is lifted, with 3 m/s^2."""
    return 1.5 * max(t - LIFTED, 0.0) ** 2


def forklift(rng: np.random.Generator) -> Machine:
    """Chassis, steered rear axle with tie rods of 0.82 kg, mast with cylinders, forks, pallet and crate."""
    machine = Machine("forklift", compliance=1e-10, touching=1e-10)

    def drive(t: float, poses: Poses) -> tuple[Array, Array]:
        late, ahead = max(t - TURNING, 0.0), TURNING - LIFTED
        aside = 3.0 * TURN * (late**4 / 4 + ahead * late**3 / 3)
        turn = turned(Z, TURN * late**2)
        return np.array([way(t), aside, 0.55]) - turn @ [0.7, 0.0, 0.0], turn

    chassis = machine.body(2200.0, (2.0, 1.1, 0.9), drive)
    add_drive(machine, chassis, rng)
    add_steering(machine, chassis, rng)
    add_mast(machine, chassis, rng)
    return machine


def rolling_points(
    machine: Machine, carrier: int, wheel: int, radius: float, width: float, load: float, rng: np.random.Generator
) -> None:
    """Two points below a wheel, and two more of a wide print while the crate is lifted."""
    for ahead, during in ((0.0, (0.0, 1.0)), (0.02, (0.0, LIFTED))):
        for side in (-0.5 * width, 0.5 * width):
            force = 0.5 * load * rng.uniform(0.8, 1.2)
            machine.touch(WORLD, wheel, (ahead, side, -radius), force, carrier=carrier, during=during)


def add_drive(machine: Machine, chassis: int, rng: np.random.Generator) -> None:
    """Front wheels with brakes, driven by a motor through a differential."""
    wheels = []
    for side in (-1.0, 1.0):
        spin: Course = lambda t: way(t) / FRONT  # noqa: E731
        wheel = machine.body(60.0, (0.6, 0.2, 0.6), on(chassis, (0.7, 0.475 * side, FRONT - 0.55), Y, spin))
        machine.hinge(chassis, wheel, (0.0, 0.0, 0.0), Y)
        machine.join(chassis, wheel, (0.0, 0.0, 0.0), (), [Y], force=5.0)
        rolling_points(machine, chassis, wheel, FRONT, 0.2, 0.3 * 3064 * WEIGHT, rng)
        wheels.append(wheel)
    rotor = machine.body(15.0, (0.2, 0.2, 0.2), on(chassis, (0.4, 0.0, -0.1), Y, lambda t: 8 * way(t) / FRONT))
    machine.hinge(chassis, rotor, (0.0, 0.0, 0.0), Y, motor=120.0)
    machine.couple(chassis, [(rotor, 0.25), (wheels[0], -1.0), (wheels[1], -1.0)], Y)


def add_steering(machine: Machine, chassis: int, rng: np.random.Generator) -> None:
    """Rear axle on a pivot, knuckles with one servo, tie rods and rear wheels."""
    axle = machine.body(80.0, (0.15, 0.8, 0.15), on(chassis, (-0.8, 0.0, REAR - 0.55)))
    machine.hinge(chassis, axle, (0.0, 0.0, 0.0), X)
    steer: Course = lambda t: -TURN * max(t - TURNING, 0.0) / (t - LIFTED + 0.01)  # noqa: E731
    for side in (-1.0, 1.0):
        knuckle = machine.body(12.0, (0.15, 0.1, 0.2), on(axle, (0.0, 0.42 * side, 0.0), Z, steer))
        machine.hinge(axle, knuckle, (0.0, 0.0, 0.0), Z, motor=3e3 if side > 0.0 else None)
        wheel = machine.body(40.0, (0.48, 0.16, 0.48), on(knuckle, (0.0, 0.08 * side, 0.0), Y,
                                                       lambda t: way(t) / REAR))  # fmt: skip
        machine.hinge(knuckle, wheel, (0.0, 0.0, 0.0), Y)
        rolling_points(machine, knuckle, wheel, REAR, 0.16, 0.2 * 3064 * WEIGHT, rng)
        rod = machine.body(0.82, (0.3, 0.02, 0.02), on(knuckle, (-0.1, -0.02 * side, 0.0), Z, math.pi / 2))
        machine.ball(knuckle, rod, (0.1 * side, 0.0, 0.0))
        machine.ball(axle, rod, (-0.15 * side, 0.0, 0.0))


def add_mast(machine: Machine, chassis: int, rng: np.random.Generator) -> None:
    """Mast with tilt and lift cylinders, carriage with a chain of 2:1, forks, and what they carry."""
    lift: Course = lambda t: 0.05 * t  # noqa: E731
    mast = machine.body(120.0, (0.15, 0.7, 2.0), on(chassis, (1.0, 0.0, -0.35), Y, -0.05, arm=(0.0, 0.0, 1.0)))
    machine.hinge(chassis, mast, (0.0, 0.0, -1.0), Y)
    for side in (-1.0, 1.0):
        machine.cylinder(chassis, (0.3, 0.3 * side, 0.2), mast, (0.0, 0.3 * side, 0.0), 9.0, 0.4, motor=5e4)
    inner = machine.body(120.0, (0.1, 0.6, 2.0), on(mast, (0.0, 0.0, 0.1), Z, way=lift))
    machine.slide(mast, inner, (0.0, 0.0, 0.0), Z)
    machine.cylinder(mast, (0.0, 0.1, -0.9), inner, (0.0, 0.1, 0.9), 14.0, 1.0, motor=5e4)
    carriage = machine.body(70.0, (0.1, 0.9, 0.4), on(inner, (0.12, 0.0, -0.8), Z, way=lift))
    machine.slide(inner, carriage, (0.0, 0.0, 0.0), Z, motor=1e5)
    forks = []
    for side in (-1.0, 1.0):
        fork = machine.body(35.0, (1.07, 0.1, 0.04), on(carriage, (0.55, 0.3 * side, -0.15)))
        machine.fix(carriage, fork, (-0.5, 0.0, 0.0))
        forks.append(fork)
    add_crate(machine, carriage, forks, rng)


def add_crate(machine: Machine, carriage: int, forks: list[int], rng: np.random.Generator) -> None:
    """Pallet on forks and at first on the ground, crate on the pallet and against the carriage."""
    pallet = machine.body(20.0, (1.0, 0.8, 0.1), on(carriage, (0.6, 0.0, -0.08)))
    crate = machine.body(100.0, (0.8, 0.8, 0.7), on(pallet, (0.0, 0.0, 0.4)))
    for fork, side in zip(forks, (-1.0, 1.0), strict=True):
        for x in (-0.4, -0.15, 0.15, 0.4):
            during = (0.0, 1.0) if abs(x) > 0.3 else (0.0, LIFTED)
            machine.touch(fork, pallet, (x, 0.3 * side, -0.05), 150.0 * rng.uniform(0.8, 1.2), during=during,
                          normal=Z)  # fmt: skip
    for x in np.linspace(-0.4, 0.4, 4):
        for y in (-0.35, 0.0, 0.35):
            corner = abs(x) > 0.3 and y != 0.0
            machine.touch(pallet, crate, (x, y, -0.35), 82.0 * rng.uniform(0.8, 1.2)
, during=(0.0, 1.0) if corner else (0.0, LIFTED))  # fmt: skip
            machine.touch(WORLD, pallet, (x, y, -0.05), 10.0, during=(0.0, LIFTED))
    for y in (-0.3, 0.3):
        for z in (-0.2, 0.2):
            machine.touch(carriage, crate, (-0.4, y, z), 30.0, normal=X, during=(0.0, LIFTED))
