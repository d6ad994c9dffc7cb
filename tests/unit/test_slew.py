"""Slewing rings: torque and inertia, ramps, goals, brakes that hold and slip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hydraulic_arms import stepped

import taut
from taut.errors import InputError
from taut.machines import Slew
from taut.shapes import Box

INERTIA = 600.0


def ring(**options: object) -> taut.Scene:
    """Upper works of 1 t."""
    scene = taut.Scene(collisions=False)
    scene.add_body("upper", Box(2, 1, 1), mass=1000, inertia=(400, 500, INERTIA), position=(0, 0, 1))
    values = {"max_torque": 300.0, "max_speed": 0.5, "ramp": 0.5} | options
    scene.add(Slew(base="world", upper="upper", **values), name="slew")
    return scene


@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
def test_it_starts_with_torque_over_inertia(step: float, solver: str) -> None:
    simulation = taut.Simulation(ring(), step=step, solver=solver)
    view, speeds = simulation.part("slew"), []
    view.drive(0.5)
    for _ in range(round(0.8 / step)):
        assert simulation.step().status == "solved"
        speeds.append(view.speed)
    assert np.diff(speeds)[2:] / step == pytest.approx(300.0 / INERTIA, rel=1e-9)
    assert view.torque == pytest.approx(300.0) and simulation.report.rows == 6
    stepped(simulation, 0.5)
    assert view.speed == pytest.approx(0.5, rel=1e-9) and view.state == "drive"


def test_it_follows_its_ramp_where_its_torque_is_enough() -> None:
    simulation = taut.Simulation(ring(ramp=2.0))
    view, speeds = simulation.part("slew"), [0.0]
    view.drive(0.5)
    for _ in range(180):
        simulation.step()
        speeds.append(view.speed)
    assert np.diff(speeds)[10:115] * 60.0 == pytest.approx(0.25, rel=1e-6)
    assert speeds[-1] == pytest.approx(0.5, rel=1e-9) and abs(view.torque) < 1e-6


@pytest.mark.parametrize("goal", [1.0, -7.0, 0.01])
def test_it_turns_to_an_angle_and_stops_there(goal: float) -> None:
    simulation = taut.Simulation(ring())
    view, angles = simulation.part("slew"), []
    view.go_to(goal)
    for _ in range(60 * 20):
        simulation.step()
        angles.append(view.angle)
    assert angles[-1] == pytest.approx(goal, abs=1e-9) and max(np.sign(goal) * np.array(angles)) < abs(goal) + 1e-9
    assert view.state == "hold"


def test_its_brake_holds_up_to_its_torque_and_then_slips() -> None:
    simulation = taut.Simulation(ring(brake=500.0))
    view, upper = simulation.part("slew"), simulation.body("upper")
    upper.apply(torque=(0, 0, 499))
    stepped(simulation, 1.0)
    assert view.angle == pytest.approx(0.0, abs=1e-9) and view.torque == pytest.approx(-499.0) and view.state == "hold"
    upper.apply(torque=(0, 0, 560))
    stepped(simulation, 1.0)
    assert view.torque == pytest.approx(-500.0) and view.state == "slip"
    assert view.speed == pytest.approx(60.0 / INERTIA, rel=0.05), "friction leaves 60 N m"
    upper.apply()
    stepped(simulation, 1.0)
    assert view.state == "hold" and abs(view.speed) < 1e-9


def test_without_the_brake_it_turns_freely() -> None:
    simulation = taut.Simulation(ring())
    view = simulation.part("slew")
    simulation.controls["slew.brake"].value = 0.0
    simulation.step()
    simulation.body("upper").apply(torque=(0, 0, 60))
    stepped(simulation, 0.5)
    start = view.speed
    stepped(simulation, 1.0)
    assert view.speed - start == pytest.approx(0.1, rel=1e-9) and view.torque == 0.0 and view.state == "free"


def test_it_stops_softly_at_its_limits() -> None:
    simulation = taut.Simulation(ring(limits=(-0.3, 0.8), ramp=1.5))
    view, speeds = simulation.part("slew"), [0.0]
    for speed, end in ((0.5, 0.8), (-0.5, -0.3)):
        view.drive(speed)
        for _ in range(60 * 8):
            assert simulation.step().status == "solved"
            speeds.append(view.speed)
        assert view.angle == pytest.approx(end, abs=1e-9) and view.at_limit and view.state == "limit"
    assert np.abs(np.diff(speeds)).max() * 60.0 < 1.6 * 0.5 / 1.5
    with pytest.raises(InputError, match="angle is 1; it must be from -0.3 to 0.8"):
        view.go_to(1.0)


def test_wrong_ones_are_refused() -> None:
    with pytest.raises(InputError, match="limits"):
        ring(limits=(0.1, 0.2))
    with pytest.raises(InputError, match="no body 'nobody'"):
        taut.Scene().add(Slew(base="world", upper="nobody", max_torque=math.pi), name="slew")
