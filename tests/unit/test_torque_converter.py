"""`machines/torque_converter.py`: pump, turbine and stator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dynos import engine, run, stand

import taut
from taut import machines

CAPACITY = [(0.0, 0.03), (0.8, 0.024), (1.0, 0.0)]
TORQUE_RATIO = [(0.0, 2.2), (0.85, 1.0), (1.0, 1.0)]


def converter(**options: Any) -> machines.TorqueConverter:
    given: dict[str, Any] = {"capacity": CAPACITY, "torque_ratio": TORQUE_RATIO} | options
    return machines.TorqueConverter(**given)


def coupled(**options: Any) -> taut.Simulation:
    """An engine, a converter, and a shaft behind it with a brake."""
    scene = stand(("engine", engine()), ("out", machines.Shaft(on="frame", mass=30.0, radius=0.1)), wheels=0)
    scene.add(machines.Brake(on="out/bearing", max_torque=1e4), name="load")
    scene.add(converter(input="engine/bearing", output="out/bearing", **options), name="it")
    simulation = taut.Simulation(scene)
    simulation.controls["engine.throttle"].set(1.0)
    return simulation


def test_it_multiplies_the_torque_while_the_output_stands() -> None:
    """Stall speed: full torque = capacity(0) w^2."""
    simulation = coupled()
    simulation.controls["load.pedal"].set(1.0)
    run(simulation, 10.0)
    view, pump = simulation.part("it"), simulation.part("engine")
    assert view.speed_ratio == pytest.approx(0.0, abs=1e-9)
    assert view.pump_torque == pytest.approx(0.03 * pump.speed**2, rel=1e-6)
    assert view.pump_torque == pytest.approx(pump.torque, rel=1e-6)
    assert view.torque == pytest.approx(2.2 * pump.torque, rel=1e-6)
    assert view.loss == pytest.approx(pump.power, rel=1e-6), "all becomes heat"


@pytest.mark.parametrize("share", [0.06, 0.1, 0.15])
def test_torques_are_those_of_the_maps_and_the_books_close(share: float) -> None:
    simulation = coupled()
    simulation.controls["load.pedal"].set(share)
    run(simulation, 15.0)
    view, pump, load = simulation.part("it"), simulation.part("engine"), simulation.part("load")
    ratio = view.speed_ratio
    assert 0.2 < ratio < 0.95
    assert view.pump_torque == pytest.approx(float(np.interp(ratio, *zip(*CAPACITY, strict=True))) * pump.speed**2)
    multiplies = float(np.interp(ratio, *zip(*TORQUE_RATIO, strict=True)))
    assert view.torque == pytest.approx(multiplies * view.pump_torque, rel=1e-5) == 1e4 * share
    assert pump.power == pytest.approx(view.loss + load.loss, rel=1e-6) and view.loss > 0.0


def test_wheels_turn_the_engine_without_multiplication() -> None:
    scene = stand(("out", machines.Shaft(on="frame", mass=3000.0, radius=0.1)), ("engine", engine()), wheels=0)
    scene.bodies[-2].angular_velocity = np.array([200.0, 0.0, 0.0])
    scene.add(converter(input="engine/bearing", output="out/bearing"), name="it")
    simulation = taut.Simulation(scene)
    run(simulation, 0.5)
    view = simulation.part("it")
    assert simulation.part("engine").speed > 100.0 and view.slip < 0.0
    assert view.torque == view.pump_torque < 0.0 and view.loss > 0.0


def test_maps_that_make_power_are_refused() -> None:
    for options in (
        {"torque_ratio": [(0, 2), (0.9, 1.5), (1, 1)]},
        {"torque_ratio": [(0, 0.5), (1, 1)]},
        {"capacity": 3},
    ):
        with pytest.raises(taut.InputError, match=next(iter(options))):
            converter(**options)
