"""A test stand for drivetrains: wheels on hinges of a frame that stands, each with a brake of its own as load."""

from __future__ import annotations

from typing import Any

import numpy as np

import taut
from taut import machines
from taut.joints import Revolute
from taut.spatial import Array

CURVE = [(60, 900), (120, 1150), (180, 1100), (240, 800)]
"""rad/s, N m."""

WHEELS = ("wheel-0", "wheel-1", "wheel-2", "wheel-3")
INERTIA = 30.0


def engine(**options: Any) -> machines.Engine:
    """An engine of 2.5 kg m^2."""
    given = {
        "on": "frame", "torque_curve": CURVE, "idle": 80, "max_speed": 230, "inertia": 2.5, "friction_torque": 80
    } | options  # fmt: skip
    return machines.Engine(**given)


def stand(*parts: tuple[str, machines.MachinePart], wheels: int = 4, spins: Any = (), limit: float = 1e5) -> taut.Scene:
    """Wheels of 30 kg m^2, `spins` (rad/s) as fast, with brakes `load-0` ... of at most `limit` N m, and parts."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("frame", mass=1000.0, inertia=(500.0,) * 3, fixed=True)
    for number, wheel in enumerate(WHEELS[:wheels]):
        spin = spins[number] if spins else 0.0
        scene.add_body(
            wheel, mass=220.0, inertia=(20, INERTIA, 20), position=(0, number, 0), angular_velocity=(0, spin, 0)
        )
        scene.connect("frame", wheel, Revolute(axis=(0, 1, 0)), name=hinge(number))
        scene.add(machines.Brake(on=hinge(number), max_torque=limit), name=f"load-{number}")
    for name, part in parts:
        scene.add(part, name=name)
    return scene


def hinge(number: int) -> str:
    """Name of the hinge of a wheel."""
    return f"{WHEELS[number]}/hinge"


def load(simulation: taut.Simulation, *torques: float, limit: float = 1e5) -> None:
    """Brake the wheels with these torques, N m."""
    for number, torque in enumerate(torques):
        simulation.controls[f"load-{number}.pedal"].set(torque / limit)


def spins(simulation: taut.Simulation) -> Array:
    """Of the wheels, rad/s."""
    names = simulation.model.bodies.names
    return simulation.state.velocity[[names.index(wheel) for wheel in WHEELS if wheel in names], 4]


def run(simulation: taut.Simulation, seconds: float) -> None:
    """Step, every step solved."""
    for _ in range(round(seconds * 60)):
        assert simulation.step().status == "solved"


def drivetrain(**options: Any) -> machines.Drivetrain:
    """All there is: clutch, four gears, a tree of differentials of which one has a pinion and one limited slip."""
    given: dict[str, Any] = {
        "engine": engine(),
        "coupler": machines.Clutch(max_torque=1800.0),
        "gearbox": machines.Gearbox(forward=(6.0, 3.5, 2.0, 1.2), reverse=(6.0,), efficiency=0.97),
        "final": machines.Differential(
            ratio=5.0,
            outputs=(
                machines.Differential(
                    outputs=(hinge(0), hinge(1)), shaft=machines.Shaft(on=("frame", (1, 0, 0)), mass=0.6, radius=0.04)
                ),
                machines.Differential(
                    outputs=(hinge(2), hinge(3)), kind="limited slip", bias_torque=100.0, lock_ratio=0.3
                ),
            ),
        ),
        "brakes": machines.Brake(max_torque=8000.0),
    } | options
    return machines.Drivetrain(**given)


def open_books(view: Any) -> tuple[float, float]:
    """What is missing in the balance of power of a drivetrain, and how much power moved, W."""
    flows = [view.power_in, *(-view.power_out), -view.power_lost, -view.power_stored]
    return abs(sum(flows)), float(np.abs(flows).sum())
