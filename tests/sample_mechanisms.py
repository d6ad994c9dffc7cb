"""Small scenes with closed forms: one body on one joint, and a clock to run them by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import taut
from taut.joints import Joint, Prismatic, Revolute, Rope, Spherical
from taut.stepping.stepper import Stepper

GRAVITY = 9.81
MASS = 2.0
INERTIA = (0.3, 0.4, 0.5)


def one_body(
    joint: Joint | None,
    gravity: Any = (0, 0, 0),
    at: Any = (0, 0, 0),
    step: float = 1 / 60,
    integrator: str = "bdf2",
    **body: Any,
) -> taut.Simulation:
    """A body "b" of 2 kg at the origin on a joint "j" to the world."""
    scene = taut.Scene(gravity=gravity)
    scene.add_body("b", **({"mass": MASS, "inertia": INERTIA} | body))
    if joint is not None:
        scene.connect("world", "b", joint, at=at, name="j")
    return taut.Simulation(scene, step=step, integrator=integrator)


def slider(
    axis: Any = (1, 0, 0), speed: float = 0.0, gravity: Any = (0, 0, 0), step: float = 1 / 60, **drive: Any
) -> taut.Simulation:
    """A body of 2 kg on a slider along `axis`, with this speed along it."""
    joint = Prismatic(axis=axis, **drive)
    return one_body(joint, gravity, step=step, velocity=speed * np.array(joint.axis))


def hinge(rate: float = 0.0, gravity: Any = (0, 0, 0), step: float = 1 / 60, **drive: Any) -> taut.Simulation:
    """A body with 0.5 kg m^2 about z on a hinge along z through its centre of mass, turning at this rate."""
    return one_body(Revolute(axis=(0, 0, 1), **drive), gravity, step=step, angular_velocity=(0, 0, rate))


def falling_on_a_rope(height: float = 1.5, **options: Any) -> taut.Simulation:
    """A body that falls freely until its rope of 1 m is taut; the rope is tied at the origin."""
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0.2, 0, height - 1.0))
    scene.connect("world", "b", Rope(length=1.0), name="j")
    return taut.Simulation(scene, **options)


def chain(links: int = 5, load: float = 100.0, angle: float = 0.5, **options: Any) -> taut.Simulation:
    """Light links in a line at `angle` above the horizontal with a heavy body at the end, at rest."""
    scene = taut.Scene()
    along = np.array([np.cos(angle), 0.0, np.sin(angle)])
    turn = taut.spatial.from_two_vectors((1, 0, 0), along)
    previous = "world"
    for index in range(links):
        name = scene.add_body(
            f"link{index}",
            taut.shapes.Box(0.2, 0.02, 0.02),
            mass=0.25,
            position=(0.2 * index + 0.1) * along,
            orientation=turn,
            collides=False,
        )
        scene.connect(previous, name, Spherical(), at=0.2 * index * along)
        previous = name
    scene.add_body("load", taut.shapes.Box(0.3, 0.3, 0.3), mass=load, position=0.2 * links * along)
    scene.connect(previous, "load", Spherical())
    return taut.Simulation(scene, **options)


def with_settings(simulation: taut.Simulation, **changes: Any) -> None:
    """Let the steps of a simulation be taken with other settings than its own."""
    stepper = simulation.stepper
    simulation.stepper = Stepper(stepper.mechanism, replace(simulation.settings, **changes))


def stage_by_stage(simulation: taut.Simulation) -> taut.Simulation:
    """The simulation with frames that are never done in compiled code alone, so that tests can look at their stages."""
    simulation.stepper.__dict__["smooth"] = None
    return simulation


def advance(simulation: taut.Simulation, duration: float) -> list[taut.StepReport]:
    """Reports of a whole number of steps; every one must be solved."""
    reports = [simulation.step() for _ in range(round(duration / simulation.settings.step))]
    assert {report.status for report in reports} <= {"solved"}
    return reports


def same_state(first: taut.State, second: taut.State) -> list[str]:
    """Names of fields that differ in any bit."""
    values, others = (
        {name: value for name, value in vars(state).items() if name != "contacts"} | state.contacts.arrays()
        for state in (first, second)
    )
    return [
        name
        for name, value in values.items()
        if not np.array_equal(value, others[name], equal_nan=isinstance(value, float))
    ]
