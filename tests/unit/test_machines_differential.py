"""`machines/differential.py`: torque shared between two outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dynos import INERTIA, hinge, load, run, spins, stand

import taut
from taut import machines
from taut.machines import Differential


def driven(torque: float = 0.0, wheels: int = 2, turns: Any = (), **options: Any) -> taut.Simulation:
    """A shaft of 0.5 kg m^2 that drives wheels."""
    given = {"input": "in/bearing", "outputs": (hinge(0), hinge(1))} | options
    parts = (("in", machines.Shaft(on="frame", mass=10.0, inertia=0.5)), ("it", Differential(**given)))
    simulation = taut.Simulation(stand(*parts, wheels=wheels, spins=turns))
    simulation.body("in/rotor").apply(torque=(torque, 0, 0))
    return simulation


@pytest.mark.parametrize("split", [0.5, 0.3])
def test_an_open_one_shares_torque_whatever_its_outputs_do(split: float) -> None:
    simulation = driven(200.0, ratio=4.0, split=split)
    load(simulation, 100.0, 500.0)
    run(simulation, 0.5)
    view = simulation.part("it")
    assert view.torques == pytest.approx(view.input_torque * 4.0 * np.array([split, 1.0 - split]))
    one, two = spins(simulation)
    assert simulation.part("in").speed == pytest.approx(4.0 * (split * one + (1.0 - split) * two))
    assert view.slip == pytest.approx(one - two) and view.loss == 0.0 and not view.locked


def test_where_one_wheel_is_free_its_partner_gets_no_more() -> None:
    simulation = driven(100.0)
    load(simulation, 0.0, 1e4)
    run(simulation, 1.0)
    one, two = spins(simulation)
    turning = (100.0 - 0.0) / (0.5 * 0.25 + INERTIA) * 0.5
    assert two == pytest.approx(0.0, abs=1e-9) and one == pytest.approx(turning * 59.5 / 60, rel=1e-2)


def test_a_locked_one_lets_the_wheel_that_grips_have_all() -> None:
    simulation = driven(100.0, kind="locked")
    load(simulation, 0.0, 1e4)
    run(simulation, 1.0)
    view = simulation.part("it")
    assert spins(simulation) == pytest.approx(0.0, abs=1e-9) and view.locked
    assert view.torques == pytest.approx([0.0, 100.0], abs=1e-6) and view.loss == pytest.approx(0.0, abs=1e-9)


def test_limited_slip_bears_its_bias_and_its_share() -> None:
    """|T| <= 20 + 0.25 ratio T_in = 70 N m between the outputs: 30 and 170 of 200."""
    simulation = driven(50.0, ratio=4.0, kind="limited slip", bias_torque=20.0, lock_ratio=0.25)
    load(simulation, 10.0, 1e4)
    run(simulation, 2.0)
    view = simulation.part("it")
    held = 20.0 + 0.25 * 4.0 * view.input_torque
    assert view.torques == pytest.approx(2.0 * view.input_torque + np.array([-held, held]), rel=1e-3)
    assert view.slip > 1.0 and view.loss == pytest.approx(held * view.slip, rel=1e-3)
    even = driven(50.0, ratio=4.0, kind="limited slip", bias_torque=20.0)
    load(even, 100.0, 130.0)
    run(even, 2.0)
    assert even.part("it").locked and even.part("it").slip == pytest.approx(0.0, abs=1e-9)


def test_limited_slip_can_be_locked() -> None:
    simulation = driven(100.0, kind="limited slip", turns=(5.0, -5.0))
    run(simulation, 0.1)
    assert simulation.part("it").slip == pytest.approx(10.0)
    simulation.controls["it.lock"].set(1.0)
    run(simulation, 2 / 60)
    assert simulation.part("it").slip == pytest.approx(0.0, abs=1e-9) and simulation.part("it").locked
    simulation.controls["it.lock"].set(0.0)
    load(simulation, 0.0, 1e4)
    run(simulation, 0.5)
    assert simulation.part("it").slip > 0.1


def test_trees_share_by_their_leaves_with_and_without_shafts() -> None:
    """Four wheels: 0.4 of the torque to two of them; a pinion in between changes nothing but its inertia."""
    results = []
    for shaft in (None, machines.Shaft(on="frame", mass=0.6, radius=0.04)):
        rear = Differential(outputs=(hinge(2), hinge(3)), ratio=3.0, shaft=shaft)
        front = Differential(outputs=(hinge(0), hinge(1)), ratio=3.0)
        simulation = driven(100.0, wheels=4, outputs=(front, rear), ratio=2.0, split=0.4)
        rows = simulation.model.layout.row_count
        run(simulation, 1.0)
        results.append((spins(simulation), rows))
    (without, fewer), (with_, more) = results
    assert more == fewer + 6
    assert without[0] == pytest.approx(without[1]) and without[2] / without[0] == pytest.approx(1.5)
    assert with_ == pytest.approx(without, rel=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"outputs": ("wheel-0/hinge",)}, "two shafts"),
        ({"outputs": ("wheel-0/hinge", "nothing")}, "nothing"),
        ({"outputs": ("wheel-0/hinge", Differential(input="x", outputs=("a", "b")))}, "with an input"),
        ({"input": None}, "input is missing"),
        ({"kind": "torsen"}, "one of open, locked, limited slip"),
        ({"bias_torque": 5.0}, "limited slip"),
        ({"split": 1.0}, "split"),
        ({"shaft": machines.Shaft(on="frame")}, "one of them"),
    ],
)
def test_what_makes_no_differential_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(taut.InputError, match=words):
        driven(**options)


def test_only_limited_slip_has_a_lock() -> None:
    with pytest.raises(taut.InputError, match="'open'.*has a lock"):
        driven().part("it").lock()
