"""Friction of ropes on what they run over, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.joints import Revolute, Route, attach, pinhole, sheave

GRAVITY = 9.81


def weights(left: float, right: float, *stops: object, span: float = 0.2, **options: object) -> taut.Simulation:
    """Two weights on a rope over these stops, from -span to span."""
    scene = taut.Scene()
    for name, mass, side in (("left", left, -span), ("right", right, span)):
        scene.add_body(name, mass=mass, inertia=(1, 1, 1), position=(side, 0, -2))
    scene.connect("left", "right", Route(stops=(attach("left"), *stops, attach("right"))), name="rope")
    return taut.Simulation(scene, **options)


def run(simulation: taut.Simulation, seconds: float = 0.5) -> float:
    """Velocity upwards of the left weight after some time, in which every frame was solved."""
    for _ in range(round(seconds / simulation.settings.step)):
        assert simulation.step().status == "solved"
    return float(simulation.body("left").velocity[2])


@pytest.mark.parametrize("friction", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("heavy", ["left", "right"])
def test_atwood_stands_below_the_limit_and_slips_above_it(friction: float, heavy: str) -> None:
    grip = math.exp(friction * math.pi)
    for share in (0.98, 1.02, 1.5):
        masses = (100.0, 100.0 * grip * share)
        stop = sheave("world", radius=0.2, friction=friction)
        simulation = weights(*(masses if heavy == "right" else masses[::-1]), stop)
        speed = run(simulation) * (1.0 if heavy == "right" else -1.0)
        acceleration = GRAVITY * (masses[1] - grip * masses[0]) / (masses[1] + grip * masses[0])
        assert speed == pytest.approx(max(acceleration, 0.0) * 0.5, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"solver": "ipm"}, {"solver": "linear-time"}, {"coordinates": "reduced"}])
def test_three_sheaves_multiply(options: dict) -> None:
    """Wraps of 90, 180 and 90 degrees: two side by side with one below and between them."""
    stops = [
        sheave("world", (x, 0, z), radius=0.2, sense=sense, friction=mu)
        for x, z, sense, mu in ((-0.4, 0.0, 1, 0.2), (0.0, -1.0, -1, 0.1), (0.4, 0.0, 1, 0.3))
    ]
    simulation = weights(100.0, 400.0, *stops, span=0.6, **options)
    speed = run(simulation)
    grip = math.exp(math.pi * (0.2 + 0.1 + 0.3))
    assert simulation.joint("rope").wraps == pytest.approx([math.pi] * 3)
    assert grip > 4.0
    assert speed == pytest.approx(0.0, abs=1e-9)
    simulation = weights(100.0, 110.0 * grip, *stops, span=0.6, **options)
    assert run(simulation) == pytest.approx(0.5 * GRAVITY * 0.1 / 2.1, rel=1e-9)
    tensions = simulation.joint("rope").tensions
    steps = [math.exp(math.pi * mu) for mu in (0.2, 0.1, 0.3)]
    assert tensions[1:] / tensions[:-1] == pytest.approx(steps, rel=1e-9)


def test_turns_around_a_bollard_count() -> None:
    grip = math.exp(0.2 * 5.0 * math.pi)
    for share, stands in ((0.98, True), (1.02, False)):
        stop = sheave("world", radius=0.2, friction=0.2, turns=2)
        assert (abs(run(weights(10.0, 10.0 * grip * share, stop))) < 1e-9) == stands


def test_holes_rub_by_the_angle_that_the_rope_turns_by() -> None:
    simulation = weights(100.0, 100.0, pinhole("world", friction=0.2), span=2.0)
    assert simulation.joint("rope").wraps == pytest.approx([0.5 * math.pi])


def test_a_sheave_with_inertia_turns_with_the_rope_that_rubs() -> None:
    scene = taut.Scene()
    for name, mass, side in (("left", 100.0, -0.2), ("right", 150.0, 0.2)):
        scene.add_body(name, mass=mass, inertia=(1, 1, 1), position=(side, 0, -2))
    scene.add_body("wheel", mass=10.0, inertia=(0.5, 0.5, 0.5))
    scene.connect("world", "wheel", Revolute(axis=(0, 1, 0)), at=(0, 0, 0))
    stops = attach("left"), sheave("wheel", radius=0.2, friction=1.0), attach("right")
    scene.connect("left", "right", Route(stops=stops), name="rope")
    simulation = taut.Simulation(scene)
    speed = run(simulation)
    assert speed == pytest.approx(0.5 * 50.0 * GRAVITY / (250.0 + 0.5 / 0.04), rel=1e-9)
    assert 0.2 * simulation.body("wheel").angular_velocity[1] == pytest.approx(speed, rel=1e-9)
    assert simulation.joint("rope").slips == pytest.approx([0.0], abs=1e-9)


def test_a_stop_after_which_nothing_moves_slips_nowhere() -> None:
    scene = taut.Scene()
    scene.add_body("left", mass=100.0, inertia=(1, 1, 1), position=(-0.2, 0, -2))
    stops = attach("left"), sheave("world", radius=0.2, friction=0.3), attach("world", (0.2, 0, -2))
    scene.connect("world", "left", Route(stops=stops), name="rope")
    simulation = taut.Simulation(scene)
    assert run(simulation) == pytest.approx(0.0, abs=1e-9)
    assert simulation.joint("rope").slips == pytest.approx([0.0], abs=1e-12)
    assert simulation.joint("rope").tensions[0] == pytest.approx(100.0 * GRAVITY)


def test_a_few_passes_are_enough() -> None:
    simulation = weights(100.0, 102.0 * math.exp(math.pi), sheave("world", radius=0.2, friction=1.0))
    for frame in range(30):
        simulation.stepper.friction_passes = 300
        simulation.step()
        assert 300 - simulation.stepper.friction_passes <= (20 if frame == 0 else 2)


def test_restarts_continue_to_the_bit(tmp_path: Path) -> None:
    def make() -> taut.Simulation:
        return weights(100.0, 300.0, sheave("world", radius=0.2, friction=0.3))

    first, second = make(), make()
    run(first)
    first.state.save(tmp_path / "state.npz")
    second.restore(taut.State.load(tmp_path / "state.npz"))
    for simulation in (first, second):
        run(simulation)
    assert np.array_equal(first.state.velocity, second.state.velocity)
    assert np.array_equal(first.state.force, second.state.force)
