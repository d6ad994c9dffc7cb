"""Controls that call methods of views."""

from __future__ import annotations

import pytest
from hydraulic_arms import arm

import taut
from taut.errors import InputError
from taut.machines.inputs import checked_schedules


def test_controls_show_what_methods_were_told() -> None:
    simulation = taut.Simulation(arm())
    assert [*simulation.controls] == ["lift.speed", "lift.extension", "lift.valve", "lift.hold"]
    assert simulation.controls["lift.hold"].unit == "on/off"
    view = simulation.part("lift")
    view.drive(0.0884)
    assert simulation.controls["lift.speed"].value == 0.0884
    view.drive(5.0)
    assert simulation.controls["lift.speed"].value == simulation.controls["lift.speed"].high, "within its range"
    simulation.controls["lift.hold"].value = 0.0
    assert not view.holds and simulation.controls["lift.speed"].value == 0.0


def test_one_with_a_schedule_keeps_its_value() -> None:
    simulation = taut.Simulation(arm(schedule={"speed": taut.Ramps((0, 0), (1, 0.05))}))
    simulation.run(0.5, record=False)
    value = simulation.controls["lift.speed"].value
    simulation.part("lift").drive(-0.05)
    assert simulation.controls["lift.speed"].value == value > 0.0


def test_schedules_are_functions_by_control() -> None:
    ramps = taut.Ramps((0, 0), (1, 1))
    assert checked_schedules("it", None, ("a",)) == {} and checked_schedules("it", {"a": ramps}, ("a", "b")) == {
        "a": ramps
    }
    for wrong in (ramps, {"c": ramps}, {"a": 3.0}, [("a", ramps)]):
        with pytest.raises(InputError, match="it: .*schedule"):
            checked_schedules("it", wrong, ("a", "b"))
