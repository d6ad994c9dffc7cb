"""`machines/engine.py`: a rotor on a torque curve."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from dynos import CURVE, engine, run, stand

import taut
from taut import machines
from taut.errors import InputError


def running(part: machines.Engine, throttle: float = 1.0, load: float = 0.0, **options: Any) -> taut.Simulation:
    """An engine whose rotor has a brake on it."""
    scene = stand(("it", part), wheels=0)
    scene.add(machines.Brake(on="it/bearing", max_torque=1e4), name="brake")
    simulation = taut.Simulation(scene, **options)
    simulation.controls["it.throttle"].set(throttle)
    simulation.controls["brake.pedal"].set(load / 1e4)
    return simulation


def test_turns_a_minute_are_rad_a_second() -> None:
    assert machines.rpm(60) == pytest.approx(2.0 * math.pi)


def test_a_level_curve_speeds_the_rotor_up_evenly() -> None:
    part = engine(torque_curve=[(0, 500), (300, 500)], idle=0, max_speed=300)
    simulation = running(part, integrator="euler")
    run(simulation, 1.0)
    view = simulation.part("it")
    step = simulation.settings.step
    assert view.speed == pytest.approx(500 / 2.5 * (1.0 - step) + 80 / 2.5 * 0.0, abs=1e-9), "it acts from frame 2 on"
    assert view.torque == pytest.approx(500.0) and view.at_limit
    assert view.power == pytest.approx(500.0 * view.speed)


def test_it_gives_what_the_curve_says_at_the_speed_it_is_braked_to() -> None:
    """A load of 950 N m stands against the falling part of the curve at 210 rad/s."""
    simulation = running(engine(), load=950.0)
    run(simulation, 20.0)
    view = simulation.part("it")
    assert view.speed == pytest.approx(210.0, rel=1e-6) and view.torque == pytest.approx(950.0, rel=1e-9)


def test_it_is_governed_without_hunting() -> None:
    simulation = running(engine(), load=300.0)
    run(simulation, 3.0)
    speeds, torques = [], []
    for _ in range(60):
        run(simulation, 1 / 60)
        speeds.append(simulation.part("it").speed)
        torques.append(simulation.part("it").torque)
    assert np.ptp(speeds) < 1e-9 and np.ptp(torques) < 1e-6
    assert speeds[-1] == pytest.approx(230.0) and torques[-1] == pytest.approx(300.0)
    assert not simulation.part("it").at_limit


@pytest.mark.parametrize("inertia", [1e-5, 1e-3, 0.01, 0.1])
def test_light_rotors_settle_on_a_falling_curve(inertia: float) -> None:
    """h c / I is up to 167: with the torque of where a frame begins they would hunt from 4 on."""
    part = machines.Engine(on="frame", torque_curve=[(0, 60), (400, 20)], inertia=inertia)
    simulation = running(part, load=45.0)
    run(simulation, 20.0)
    view = simulation.part("it")
    assert view.speed == pytest.approx(150.0, rel=1e-6) and view.torque == pytest.approx(45.0, rel=1e-6)


@pytest.mark.parametrize("load", [0.0, 200.0, 890.0])
def test_it_idles(load: float) -> None:
    simulation = running(engine(), throttle=0.0, load=load)
    run(simulation, 1.0)
    view = simulation.part("it")
    assert view.speed == pytest.approx(80.0, rel=1e-9) and view.torque == pytest.approx(load, abs=1e-6)


@pytest.mark.parametrize("throttle", [0.05, 0.3])
def test_a_throttle_too_small_for_the_load_idles_too(throttle: float) -> None:
    simulation = running(engine(), throttle=throttle, load=600.0)
    run(simulation, 2.0)
    assert simulation.part("it").speed == pytest.approx(80.0, rel=1e-9)
    assert simulation.part("it").torque == pytest.approx(600.0, abs=1e-6)


def test_without_throttle_it_brakes_down_to_idle() -> None:
    simulation = running(engine(), throttle=1.0)
    run(simulation, 1.0)
    simulation.controls["it.throttle"].set(0.0)
    run(simulation, 2 / 60)
    view = simulation.part("it")
    before, torque = view.speed, view.torque
    assert torque == pytest.approx(-80.0) and view.power < 0.0
    run(simulation, 1.0)
    assert view.speed == pytest.approx(before - 80.0 / 2.5, rel=1e-3)
    run(simulation, 5.0)
    assert view.speed == pytest.approx(80.0)


def test_it_stalls_and_stays_so() -> None:
    simulation = running(engine(), load=1300.0)
    run(simulation, 3.0)
    view = simulation.part("it")
    assert view.stalled and view.speed == pytest.approx(0.0, abs=1e-9)
    simulation.controls["brake.pedal"].set(0.0)
    run(simulation, 1.0)
    assert view.speed == pytest.approx(0.0, abs=1e-9) and view.torque == pytest.approx(0.0, abs=1e-9)


def test_an_electric_motor_holds_at_rest_and_starts_from_there() -> None:
    part = engine(torque_curve=[(0, 100), (200, 100)], idle=0, max_speed=200, inertia=0.1, friction_torque=5)
    simulation = running(part, load=150.0)
    run(simulation, 1.0)
    view = simulation.part("it")
    assert not view.stalled and view.speed == pytest.approx(0.0, abs=1e-9) and view.torque == pytest.approx(100.0)
    simulation.controls["brake.pedal"].set(0.0)
    run(simulation, 1.0)
    assert view.speed == pytest.approx(200.0)


def test_the_throttle_lags() -> None:
    simulation = running(engine(throttle_lag=0.25))
    run(simulation, 0.5)
    assert simulation.part("it").throttle == pytest.approx(1.0 - math.exp(-0.5 / 0.25), rel=1e-9)
    run(simulation, 5.0)
    assert simulation.part("it").throttle == 1.0


def test_part_of_the_throttle_gives_part_of_the_torque() -> None:
    part = engine()
    full = float(np.interp(150, *zip(*CURVE, strict=True)))
    for throttle in (0.2, 0.5, 1.0):
        target, low, high = part.ask(throttle, 150.0, 0.0, 0.0, idles=False, step=1e-9)
        assert (target, low) == (230.0, -80.0) and high == pytest.approx(throttle * full - (1.0 - throttle) * 80.0)


def governed(**options: Any) -> machines.Engine:
    """An electric motor whose throttle asks for a speed."""
    given = {"torque_curve": [(0, 100), (200, 100), (400, 50)], "idle": 0, "max_speed": 400, "friction_torque": 40}
    return engine(**given | {"inertia": 0.1, "governor": "speed"} | options)


@pytest.mark.parametrize("load", [0.0, 60.0])
def test_a_throttle_can_ask_for_a_speed(load: float) -> None:
    """It is kept without hunting, whatever the load."""
    simulation = running(governed(), throttle=0.25, load=load)
    run(simulation, 2.0)
    view = simulation.part("it")
    assert view.speed == pytest.approx(100.0, rel=1e-9) and view.torque == pytest.approx(load, abs=1e-6)
    simulation.controls["it.throttle"].set(0.75)
    run(simulation, 3.0)
    assert view.speed == pytest.approx(300.0, rel=1e-9) and not view.at_limit


def test_it_speeds_up_with_its_curve_and_slows_down_with_its_friction_torque() -> None:
    simulation = running(governed(), throttle=0.5)
    run(simulation, 4 / 60)
    view = simulation.part("it")
    assert view.torque == pytest.approx(100.0) and view.at_limit
    run(simulation, 2.0)
    simulation.controls["it.throttle"].set(0.0)
    run(simulation, 4 / 60)
    assert view.torque == pytest.approx(-40.0) and view.power < 0.0
    run(simulation, 2.0)
    assert view.speed == pytest.approx(0.0, abs=1e-9)


def test_a_governed_one_that_idles_keeps_its_idle_speed_and_may_stall() -> None:
    simulation = running(engine(governor="speed"), throttle=0.0, load=200.0)
    run(simulation, 1.0)
    assert simulation.part("it").speed == pytest.approx(80.0, rel=1e-9)
    simulation.controls["brake.pedal"].set(0.2)
    run(simulation, 3.0)
    assert simulation.part("it").stalled
    with pytest.raises(InputError, match="there is no governor 'sped'"):
        engine(governor="sped")


def test_it_feels_what_carries_it() -> None:
    """The row turns the rotor against its carrier: momentum stays."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("frame", mass=100.0, inertia=(10.0,) * 3)
    scene.add(engine(on="frame", axis=(0, 0, 1), idle=60), name="it")
    simulation = taut.Simulation(scene, integrator="euler")
    simulation.controls["it.throttle"].set(1.0)
    before = 2.5 * 60.0
    run(simulation, 0.5)
    spin = simulation.state.velocity[:, 5]
    assert 10.0 * spin[1] + 2.5 * spin[2] == pytest.approx(before) and spin[1] < -10.0
    assert simulation.part("it").speed == pytest.approx(spin[2] - spin[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"torque_curve": [(0, 1)]}, "torque_curve"),
        ({"torque_curve": [(100, 1), (50, 2)]}, "must rise"),
        ({"torque_curve": [(0, -1), (50, 2)]}, "torque_curve"),
        ({"max_speed": 300}, "max_speed"),
        ({"max_speed": 70}, "above idle"),
        ({"idle": 30}, "below the torque_curve"),
        ({"on": 3}, "on"),
    ],
)
def test_what_makes_no_engine_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(taut.InputError, match=words):
        engine(**options)


def test_what_is_no_throttle_is_refused() -> None:
    simulation = running(engine())
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(taut.InputError, match="throttle"):
            simulation.part("it").open_throttle(wrong)
