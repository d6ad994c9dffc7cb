"""Actuators: what bounds and targets their motors have."""

from __future__ import annotations

import numpy as np
import pytest
from hydraulic_arms import arm, stepped

import taut
from taut.machines.actuator import CLOSED, GOAL, MOST, SPEED, Actuator


def actuator(**options: float) -> Actuator:
    """One of 2 kN and 1 kN, 0.3 and 0.2 m/s, that goes from 0 to 1 m."""
    return Actuator("it", 2e3, 1e3, 0.3, 0.2, 0.6, **({"ends": (0.0, 1.0)} | options))  # type: ignore[arg-type]


def test_both_ways_have_their_own_force_speed_and_room() -> None:
    it = actuator()
    assert (it.force(1.0), it.force(-1.0), it.fastest(1.0), it.fastest(-1.0)) == (2e3, 1e3, 0.3, 0.2)
    assert (it.room(0.4, 1.0), it.room(0.4, -1.0), it.room(1.1, 1.0)) == (0.6, 0.4, 0.0)
    assert it.held == CLOSED * 2e3 and actuator(brake=50.0).held == 50.0


def test_only_its_cushion_slows_it_down() -> None:
    it = actuator(cushion=0.1)
    assert it.cushioned(0.5, 0.3, 0.3, 0.01) == 0.3 and it.cushioned(0.95, 0.3, -0.2, 0.01) == -0.2
    too_fast = 0.3 - 0.01 * 0.3**2 / (2.0 * 0.05 + 0.3 * 0.01)
    assert it.cushioned(0.95, 0.3, 0.3, 0.01) == pytest.approx(too_fast, rel=1e-12)
    assert it.cushioned(1.0, 0.1, 0.1, 0.01) == 0.0


def test_a_closed_valve_is_bounded_by_neither_side_and_an_open_one_by_its_pump() -> None:
    simulation = taut.Simulation(arm())
    driven = simulation.part("lift").driven
    push, pull, held = driven.actuator.push, driven.actuator.pull, driven.actuator.held
    bounds = simulation.state.force_limits
    assert bounds[driven.row].tolist() == [-held, held] and driven.closed
    for speed, expected in ((0.05, [-held, push]), (-0.05, [-pull, held]), (0.0, [-held, held])):
        driven.drive(speed)
        stepped(simulation, 1.0)
        assert simulation.state.force_limits[driven.row].tolist() == expected
        assert driven.command[SPEED] == pytest.approx(speed) and driven.command[MOST] == abs(speed)
    driven.switch(False)
    stepped(simulation, 2 / 60)
    assert simulation.state.force_limits[driven.row].tolist() == [0.0, 0.0]
    driven.go_to(0.5)
    stepped(simulation, 1.0)
    assert simulation.state.force_limits[driven.row].tolist() == [-pull, push] and driven.command[GOAL] == 0.5


def test_what_is_asked_of_it_wakes_what_it_moves() -> None:
    simulation = taut.Simulation(arm(), sleeping=True)
    stepped(simulation, 2.0)
    assert simulation.report.sleeping == 1
    simulation.part("lift").go_to(0.5)
    stepped(simulation, 4.0)
    assert simulation.part("lift").extension == pytest.approx(0.5, abs=1e-8)


def test_energy_of_an_elastic_one_is_kept_in_the_books() -> None:
    simulation = taut.Simulation(arm(compliance=1e-8, damping=2e5))
    simulation.part("lift").drive(0.05)
    stepped(simulation, 1.0)
    kept = simulation.state.energy
    simulation.refresh()
    assert np.isclose(kept, simulation.state.energy, rtol=1e-12)
