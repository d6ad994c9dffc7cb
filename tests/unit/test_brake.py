"""`machines/brake.py`: dry friction on shafts."""

from __future__ import annotations

import numpy as np
import pytest
from dynos import INERTIA, hinge, run, spins, stand

import taut
from taut import machines


def braked(turns: tuple[float, float] = (20.0, 5.0), pedal: float = 0.5) -> taut.Simulation:
    part = machines.Brake(on=(hinge(0), ("frame", "wheel-1", (0, 1, 0))), max_torque=400.0)
    simulation = taut.Simulation(stand(("it", part), wheels=2, spins=turns))
    simulation.controls["it.pedal"].set(pedal)
    return simulation


def test_it_stops_shafts_in_the_time_of_its_torque() -> None:
    """20 rad/s fall by 200 / 30 a second: 3 s."""
    simulation = braked()
    run(simulation, 2.5)
    view = simulation.part("it")
    assert spins(simulation) == pytest.approx([20.0 - 2.5 * 200.0 / INERTIA, 0.0], rel=2e-3, abs=1e-9)
    assert view.torques[0] == pytest.approx(-200.0) and view.loss == pytest.approx(200.0 * spins(simulation)[0])
    assert not view.holds
    run(simulation, 1.0)
    assert view.holds and view.pedal == 0.5 and view.loss == pytest.approx(0.0, abs=1e-9)


def test_it_holds_without_creep() -> None:
    simulation = braked(turns=(0.0, 0.0))
    simulation.body("wheel-0").apply(torque=(0, 199.0, 0))
    before = simulation.joint(hinge(0)).position
    run(simulation, 10.0)
    assert abs(simulation.joint(hinge(0)).position - before) < 1e-12
    assert simulation.part("it").torques == pytest.approx([-199.0, 0.0], abs=1e-9)
    simulation.body("wheel-0").apply(torque=(0, 201.0, 0))
    run(simulation, 1.0)
    assert spins(simulation)[0] == pytest.approx(1.0 / INERTIA, rel=2e-2)


def test_it_lets_go() -> None:
    simulation = braked(pedal=1.0)
    run(simulation, 0.5)
    simulation.part("it").press(0.0)
    before = spins(simulation)
    run(simulation, 0.5)
    np.testing.assert_allclose(spins(simulation), before, atol=1e-9)


def test_a_state_that_is_kept_stays_as_it_is() -> None:
    simulation = braked(pedal=0.0)
    kept, bounds = simulation.state, simulation.state.force_limits.copy()
    simulation.part("it").press(1.0)
    assert (kept.force_limits == bounds).all() and (simulation.state.force_limits != bounds).any()


def test_what_is_no_pedal_or_shaft_is_refused() -> None:
    simulation = braked()
    for pedal in (-0.1, 1.1):
        with pytest.raises(taut.InputError, match="pedal"):
            simulation.part("it").press(pedal)
    nobody = "on: there is no hinge 'nothing'"
    for on, words in (((), "on is empty"), (3, "on is 3"), ((3,), "on is 3"), ("nothing", nobody)):
        with pytest.raises(taut.InputError, match=words):
            stand(("it", machines.Brake(on=on, max_torque=1.0)))
