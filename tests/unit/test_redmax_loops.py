"""Loops in the thesis' step: closed, coupled, and told more than once."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Gear, Revolute, Spherical
from taut.stepping.redmax_kernels import move_tree
from taut.stepping.redmax_loops import LOOP_RATE, constrained

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def four_bar(close: taut.joints.Joint) -> taut.Scene:
    scene = taut.Scene(gravity=(0, 0, -9.81), collisions=False)
    for name, place in (("a", (0, 0, -0.5)), ("b", (0.5, 0, -1)), ("c", (1, 0, -0.5))):
        scene.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=place)
    for first, second, at in (("world", "a", (0, 0, 0)), ("a", "b", (0, 0, -1)), ("b", "c", (1, 0, -1))):
        scene.connect(first, second, Revolute(axis=Y), at=at, name=second)
    scene.connect("c", "world", close, at=(1, 0, 0), name="loop")
    scene.bodies[1].angular_velocity[:] = scene.bodies[3].angular_velocity[:] = (0, 1.0, 0)
    for spec, speed in zip(scene.bodies[1:], (-0.5, -1.0, -0.5), strict=True):
        spec.velocity[:] = (speed, 0, 0)
    return scene


@pytest.mark.parametrize("joint", [Spherical(), Revolute(axis=Y)], ids=["ball", "hinge"])
def test_loops_stay_closed_however_many_rows_say_the_same(joint: taut.joints.Joint) -> None:
    simulation = taut.Simulation(four_bar(joint), 1e-3, integrator="redmax", coordinates="reduced")
    for _ in range(500):
        report = simulation.step()
        assert report.status == "solved" and report.residual < 1e-10
    assert report.violation < 2e-4 and report.rows == (3 if isinstance(joint, Spherical) else 5)
    twin = taut.Simulation(four_bar(joint), 1e-3)
    twin.run(0.5, record=False)
    assert simulation.body("b").position == pytest.approx(twin.body("b").position, abs=5e-3)


def test_gaps_close_by_a_share_of_the_rate() -> None:
    """A point that should be on an axle, and is not: it comes nearer by five times its distance a second."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    scene.connect("world", "ball", Spherical(), at=(0, 0, 0), name="tree")
    scene.connect("world", "ball", Spherical(), at=(0, 0, 1), name="loop")
    simulation = taut.Simulation(scene, 1e-3, integrator="redmax", coordinates="reduced")
    step = simulation.stepper.redmax
    step.motion.q[:], step.motion.qdot[:] = (0.0, 1e-4, 0.0), 0.0
    move_tree(*step.handles[:2])
    simulation.restore(step.write(simulation.state, 0.0, simulation.state.force).but(steps=0))
    before = simulation.joint("loop").violation
    simulation.step()
    assert simulation.joint("loop").violation == pytest.approx((1.0 - 1e-3 * LOOP_RATE) * before, rel=1e-6)


def test_couplings_keep_rates_together() -> None:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, place in (("a", (0, 0, 0)), ("b", (1, 0, 0))):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1), position=place, angular_velocity=(0, 0, float(name == "a")))
        scene.connect("world", name, Revolute(axis=Z), name=f"axle-{name}")
    scene.connect("a", "b", Gear(ratio=-2.0), name="gear")
    simulation = taut.Simulation(scene, 1e-2, integrator="redmax", coordinates="reduced")
    report = simulation.step()
    first, second = (simulation.joint(f"axle-{name}").velocity for name in "ab")
    assert first == pytest.approx(-2.0 * second) and first == pytest.approx(0.8)
    assert report.rows == 1


def test_rows_that_say_what_others_do_carry_nothing() -> None:
    loops = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    rate, force = constrained(lambda load: load, np.array([1.0, 2.0]), loops, np.zeros(3))
    assert rate == pytest.approx([0.0, 2.0])
    assert force == pytest.approx([0.0, 0.5, 0.0])
