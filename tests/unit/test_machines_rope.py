"""Ropes as parts of machines."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Motor, Revolute, attach, drum, sheave
from taut.machines import Pulley, Rope
from taut.shapes import Box

GRAVITY = 9.81


def weights(left: float, right: float) -> taut.Scene:
    """Two weights at both sides of a pulley of 0.2 m."""
    scene = taut.Scene()
    for name, mass, side in (("left", left, -0.2), ("right", right, 0.2)):
        scene.add_body(name, mass=mass, inertia=(1, 1, 1), position=(side, 0, -2))
    return scene


@pytest.mark.parametrize("inertia", [0.0, 0.5])
def test_a_rope_runs_over_a_pulley_of_the_scene(inertia: float) -> None:
    scene = weights(100.0, 150.0)
    grip = 1.0 if inertia > 0.0 else 0.0
    pulley = scene.add(Pulley(radius=0.2, inertia=inertia, groove_friction=grip), name="pulley")
    scene.add(Rope(stops=(attach("left"), pulley, attach("right"))), name="line")
    simulation = taut.Simulation(scene)
    for _ in range(30):
        assert simulation.step().status == "solved"
    expected = 0.5 * 50.0 * GRAVITY / (250.0 + inertia / 0.04)
    assert simulation.body("left").velocity[2] == pytest.approx(expected, rel=1e-9)
    view = simulation.part("line")
    assert view.tension == pytest.approx(150.0 * (GRAVITY - expected / 0.5), rel=1e-9)
    assert view.wraps == pytest.approx([math.pi])
    assert simulation.part("pulley").speed == pytest.approx(expected / 0.2 if inertia > 0.0 else 0.0, rel=1e-9)
    report = view.report()
    assert report["tensions"].unit == "N" and report["length"].value == pytest.approx(4.0 + 0.2 * math.pi)


def test_the_length_is_a_control() -> None:
    scene = weights(100.0, 100.0)
    scene.add(Rope(stops=(attach("left"), (scene.add(Pulley(radius=0.2), name="p"), 1), attach("right"))), name="line")
    simulation = taut.Simulation(scene)
    control = simulation.controls["line.length"]
    assert control.unit == "m" and control.value == pytest.approx(4.0 + 0.2 * math.pi)
    for _ in range(60):
        control.value -= 0.01
        assert simulation.step().status == "solved"
    heights = [simulation.body(name).position[2] for name in ("left", "right")]
    assert sum(heights) == pytest.approx(-4.0 + 0.6, abs=1e-9)
    assert simulation.part("line").length == pytest.approx(control.value)


def test_a_rope_on_a_drum_has_no_control_but_a_payout() -> None:
    scene = taut.Scene()
    scene.add_body("drum", mass=50.0, inertia=(2, 2, 2), position=(-3, 0, 0))
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0.2, 0, -4))
    motor = Motor(speed=-2.0, max_force=1e4)
    scene.connect("world", "drum", Revolute(axis=(0, 1, 0), motor=motor), at=(-3, 0, 0), name="shaft")
    stops = drum("drum", radius=0.3, stored=5.0), sheave("world", radius=0.2), attach("load")
    scene.add(Rope(stops=stops), name="line")
    simulation = taut.Simulation(scene)
    assert "line.length" not in simulation.controls
    view, payout = simulation.part("line"), simulation.part("line").payout
    assert view.stored == pytest.approx(5.0)
    for _ in range(60):
        assert simulation.step().status == "solved"
    turned = -simulation.joint("shaft").position
    assert view.payout == pytest.approx(payout - 0.3 * turned, abs=1e-9)
    assert view.length == pytest.approx(view.payout + view.stored)


def test_a_rope_may_begin_and_end_on_what_is_fixed() -> None:
    """A movable pulley: both ends of the rope are up, each carries half."""
    scene = taut.Scene()
    scene.add_body("block", mass=100.0, inertia=(1, 1, 1), position=(0, 0, -3))
    low = scene.add(Pulley(holder="block", radius=0.2), name="low")
    scene.add(Rope(stops=(attach("world", (0.2, 0, 0)), low, attach("world", (-0.2, 0, 0)))), name="line")
    simulation = taut.Simulation(scene)
    for _ in range(30):
        simulation.step()
    assert simulation.part("line").tensions == pytest.approx(np.full(2, 50.0 * GRAVITY), rel=1e-9)


def test_what_is_no_stop_is_said() -> None:
    scene = weights(1.0, 1.0)
    with pytest.raises(InputError, match="rope 'line': a stop is 'left'"):
        scene.add(Rope(stops=("left", attach("right"))), name="line")
    assert not scene.links and "line" not in scene.parts
    with pytest.raises(InputError, match="Pulley: mass and bearing_friction"):
        Pulley(radius=0.1, bearing_friction=1.0)


def test_what_a_rope_joins_touches_each_other() -> None:
    scene = taut.Scene()
    scene.add_body("table", Box(2, 2, 0.2), fixed=True)
    scene.add_body("box", Box(0.2, 0.2, 0.1), mass=5.0, position=(0, 0, 0.2))
    scene.add(Rope(stops=[attach("table", (1, 0, 0.1)), attach("box")], length=1.5), name="rope")
    simulation = taut.Simulation(scene)
    simulation.run(1.0)
    assert simulation.body("box").position[2] == pytest.approx(0.15, abs=1e-6)
