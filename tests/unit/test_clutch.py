"""`machines/clutch.py`: dry friction between two shafts."""

from __future__ import annotations

from typing import Any

import pytest
from dynos import run

import taut
from taut import machines

INERTIA = 2.0, 6.0


def coupled(spins: tuple[float, float] = (100.0, 0.0), **options: Any) -> taut.Simulation:
    """Two shafts with a clutch between them."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, inertia, spin in zip("ab", INERTIA, spins, strict=True):
        scene.add_body(name, mass=1.0, inertia=(inertia,) * 3, angular_velocity=(spin, 0, 0))
        scene.connect("world", name, taut.joints.Bearing(axis=(1, 0, 0)), name=f"{name}/hinge")
    given = {"input": "a/hinge", "output": ("world", "b", (1, 0, 0)), "max_torque": 50.0} | options
    scene.add(machines.Clutch(**given), name="it")
    return taut.Simulation(scene, integrator="euler")


def spins(simulation: taut.Simulation) -> tuple[float, float]:
    one, two = simulation.state.velocity[1:3, 3].tolist()
    return one, two


def test_it_slips_with_its_torque_and_locks_when_both_turn_alike() -> None:
    """Slip falls by T (1/I1 + 1/I2) a second: 100 rad/s are gone after 3 s, at the common speed of momentum."""
    simulation = coupled()
    run(simulation, 2.5)
    view = simulation.part("it")
    assert view.torque == pytest.approx(50.0) and not view.locked and view.at_limit
    assert spins(simulation) == pytest.approx((100.0 - 2.5 * 50 / 2, 2.5 * 50 / 6))
    assert view.slip == pytest.approx(100.0 - 2.5 * 50 * (1 / 2 + 1 / 6)) and view.loss == pytest.approx(50 * view.slip)
    run(simulation, 0.6)
    assert view.locked and view.slip == pytest.approx(0.0, abs=1e-9) and view.loss == pytest.approx(0.0, abs=1e-6)
    assert spins(simulation) == pytest.approx((25.0, 25.0))


def test_its_heat_is_what_the_shafts_lose() -> None:
    """I1 I2 / (I1 + I2) dw^2 / 2 = 7,500 J: with the rate at the end of a step, what Euler takes is not in it."""
    simulation, heat, rounding = coupled(), 0.0, 0.0
    step = simulation.settings.step
    for _ in range(240):
        before = spins(simulation)
        simulation.step()
        heat += simulation.part("it").loss * step
        rounding += sum(0.5 * own * (b - a) ** 2 for own, a, b in zip(INERTIA, before, spins(simulation), strict=True))
    assert heat + rounding == pytest.approx(7500.0, rel=1e-9) and rounding < 0.01 * heat


def test_it_opens_at_once_and_closes_in_its_time() -> None:
    simulation = coupled(engage_time=0.5)
    simulation.controls["it.engage"].set(0.0)
    run(simulation, 2 / 60)
    view = simulation.part("it")
    assert view.engagement == 0.0 and view.torque == 0.0
    simulation.controls["it.engage"].set(1.0)
    run(simulation, 0.25)
    assert view.engagement == pytest.approx(0.5)
    run(simulation, 1 / 60)
    assert view.torque == pytest.approx(25.0)
    run(simulation, 0.5)
    assert view.engagement == 1.0


def test_a_share_of_its_torque_can_be_asked_for() -> None:
    simulation = coupled()
    simulation.part("it").engage(0.3)
    run(simulation, 0.1)
    assert simulation.part("it").torque == pytest.approx(15.0)
    with pytest.raises(taut.InputError, match="engage"):
        simulation.part("it").engage(1.5)


def test_a_centrifugal_clutch_grips_by_the_speed_of_its_input() -> None:
    simulation = coupled(spins=(80.0, 0.0), grips=(60.0, 100.0), max_torque=1.0)
    run(simulation, 0.1)
    view = simulation.part("it")
    assert view.torque == pytest.approx(0.5, rel=1e-2)
    slow = coupled(spins=(59.0, 0.0), grips=(60.0, 100.0))
    run(slow, 0.1)
    assert slow.part("it").torque == 0.0


def test_wrong_ends_are_refused() -> None:
    for options, words in (
        ({"input": None}, "input is missing"), ({"output": "c/hinge"}, "c/hinge"), ({"input": ("world", "b")}, "input"),
        ({"grips": (5.0, 5.0)}, "grips"),
    ):  # fmt: skip
        with pytest.raises(taut.InputError, match=words):
            coupled(**options)
