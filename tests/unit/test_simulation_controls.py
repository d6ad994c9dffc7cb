"""Control inputs: declared ones, those of motors, and what setting them does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from sample_mechanisms import advance, same_state

import taut
from taut.errors import InputError
from taut.joints import Cylindrical, Drive, Motor, Prismatic, Revolute, Spherical
from taut.shapes import Sphere


def machine() -> taut.Scene:
    """A turning base, a sled with a position motor, a sleeve with two motors, and a hinge without any."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    joints = {
        "slew": Revolute(axis=(0, 0, 1), motor=Motor(speed=0.5)),
        "sled": Prismatic(axis=(1, 0, 0), limits=(-0.2, 0.7), motor=Motor(position=0.1, stiffness=1e4, damping=1e3)),
        "sleeve": Cylindrical(
            axis=(1, 0, 0), slide=Drive(motor=Motor(speed=3.0)), turn=Drive(motor=Motor(position=1.0, max_force=5.0))
        ),
        "hinge": Revolute(axis=(0, 0, 1)),
    }
    for name, joint in joints.items():
        body = scene.add_body(f"{name}-body", mass=2, inertia=(1, 1, 1))
        scene.connect("world", body, joint, name=name)
    return scene


def test_every_motor_has_a_control_with_a_sensible_range() -> None:
    controls = taut.Simulation(machine()).controls
    found = {name: (each.low, each.high, each.unit, each.value, each.keys) for name, each in controls.items()}
    assert found == {
        "slew": (-2.0, 2.0, "rad/s", 0.5, ()),
        "sled": (-0.2, 0.7, "m", 0.1, ()),
        "sleeve-0": (-6.0, 6.0, "m/s", 3.0, ()),
        "sleeve-1": (1.0 - math.pi, 1.0 + math.pi, "rad", 1.0, ()),
    }
    assert [each.name for each in controls.values()] == list(controls)


def test_a_declared_control_takes_the_place_of_the_motors_own() -> None:
    scene = machine()
    scene.add_control("turn", joint="slew", low=-1, high=1, keys=("A", "D"), unit="rad per s")
    scene.add_control("push", joint="sleeve", motor=0)
    scene.add_control("sled", act=lambda simulation, value: None)
    controls = taut.Simulation(scene).controls
    assert list(controls) == ["turn", "push", "sled", "sled-motor-1", "sleeve-1"]
    turn = controls["turn"]
    assert (turn.low, turn.high, turn.unit, turn.keys, turn.value) == (-1.0, 1.0, "rad per s", ("A", "D"), 0.5)
    assert (controls["push"].high, controls["push"].unit) == (6.0, "m/s")


def test_setting_a_control_is_driving_the_motor_to_the_bit() -> None:
    driven, controlled = taut.Simulation(machine()), taut.Simulation(machine())
    driven.joint("slew").drive(-1.5)
    driven.joint("sled").drive(0.6)
    driven.joint("sleeve").drive(2.0, motor=1)
    for name, value in (("slew", -1.5), ("sled", 0.6), ("sleeve-1", 2.0)):
        controlled.controls[name].value = value
        assert controlled.controls[name].value == value
    for simulation in (driven, controlled):
        advance(simulation, 0.5)
    assert same_state(driven.state, controlled.state) == []
    assert controlled.joint("slew").velocity == pytest.approx(-1.5)
    driven.joint("slew").drive(0.25)
    assert driven.controls["slew"].value == 0.25, "a slider shows what the motor is told by others"


def test_a_function_is_called_whenever_a_value_is_set() -> None:
    calls: list[tuple[Any, float]] = []
    scene = machine()
    scene.add_control("throttle", act=lambda simulation, value: calls.append((simulation, value)), keys=("W", "S"))
    scene.add_control("high", act=lambda simulation, value: None, low=2, high=3)
    simulation = taut.Simulation(scene)
    throttle = simulation.controls["throttle"]
    assert (throttle.low, throttle.high, throttle.value, throttle.unit) == (0.0, 1.0, 0.0, "")
    assert simulation.controls["high"].value == 2.0
    throttle.value = 0.5
    throttle.value = 0.5
    throttle.set(1)
    assert calls == [(simulation, 0.5), (simulation, 0.5), (simulation, 1.0)] and throttle.value == 1.0


def test_a_schedule_calls_its_function_when_the_value_changes() -> None:
    calls: list[float] = []
    scene = machine()
    scene.add_control("gas", act=lambda simulation, value: calls.append(value), schedule=lambda time: float(time > 0.1))
    simulation = taut.Simulation(scene)
    advance(simulation, 0.3)
    assert calls == [1.0]


def test_controls_refuse_numbers_and_names_that_are_none() -> None:
    controls = taut.Simulation(machine()).controls
    with pytest.raises(InputError, match=r"control 'slew': it cannot be replaced by 0.1; .*\.set\(value\).*sleeve-1"):
        controls["slew"] = 0.1  # type: ignore[assignment]
    for act in (lambda: controls["slw"], lambda: controls.__setitem__("slw", 0.1)):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="there is no control 'slw'.*slew.*sleeve-1"):
            act()
    assert controls.get("slw") is None and "slw" not in controls and controls["slew"].value == 0.5


def test_a_function_may_edit_the_simulation() -> None:
    def cut(simulation: taut.Simulation, value: float) -> None:
        with simulation.edit() as edit:
            edit.remove_joint("slew")

    scene = machine()
    scene.add_control("cut", act=cut)
    simulation = taut.Simulation(scene)
    simulation.controls["cut"].value = 1.0
    assert "slew" not in simulation.controls and simulation.controls["cut"].value == 1.0


def test_values_out_of_range_are_refused_and_change_nothing() -> None:
    simulation = taut.Simulation(machine())
    for value in (2.1, -2.1):
        with pytest.raises(InputError, match=r"control 'slew': value is -?2.1; it must be from -2 to 2"):
            simulation.controls["slew"].value = value
    with pytest.raises(InputError, match="finite number"):
        simulation.controls["slew"].value = math.nan
    assert simulation.controls["slew"].value == 0.5


def test_ends_that_ramps_pass_by_rounding_are_ends() -> None:
    """3.1 + (0.3 - 3.1) is 0.2999999999999998."""
    scene, seen = machine(), []
    scene.add_control("payout", act=lambda _, value: seen.append(value), low=0.3, high=7.0, value=3.1)
    simulation = taut.Simulation(scene)
    simulation.controls["payout"].set(3.1 + (0.3 - 3.1))
    assert seen == [0.3]
    with pytest.raises(InputError, match="must be from 0.3 to 7"):
        simulation.controls["payout"].set(0.3 - 1e-9)


def test_controls_survive_edits_but_for_those_of_removed_joints() -> None:
    scene = machine()
    scene.add_control("gas", act=lambda simulation, value: None)
    scene.add_control("turn", joint="slew")
    simulation = taut.Simulation(scene)
    gas, turn, sled = (simulation.controls[name] for name in ("gas", "turn", "sled"))
    gas.value, turn.value, sled.value = 0.75, 1.25, 0.5
    with simulation.edit() as edit:
        edit.remove_body("sleeve-body")
        edit.remove_joint("sled")
    assert list(simulation.controls) == ["gas", "turn"]
    assert simulation.controls["gas"] is gas and gas.value == 0.75
    assert simulation.controls["turn"] is turn and turn.value == 1.25
    with simulation.edit() as edit:
        edit.connect("world", "sled-body", Prismatic(axis=(0, 0, 1), motor=Motor(speed=0.0)), name="sled")
    assert simulation.controls["sled"].unit == "m/s" and simulation.controls["sled"].value == 0.0
    assert list(scene.controls) == ["gas", "turn"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "used", "joint": "slew"}, "the name is taken"),
        ({"name": ""}, "it must be text"),
        ({}, "either the joint"),
        ({"joint": "slew", "act": print}, "either the joint"),
        ({"joint": "slw"}, "there is no joint 'slw'.*did you mean 'slew'"),
        ({"joint": "hinge"}, "joint 'hinge': it has no motor"),
        ({"joint": "sleeve"}, "motor is None; it must be a number from 0 to 1"),
        ({"joint": "sleeve", "motor": 2}, "motor is 2"),
        ({"joint": "sled"}, "control 'used' already drives"),
        ({"joint": "slew", "value": 0.0}, "the target of its motor"),
        ({"joint": "slew", "high": 0.4}, "value is 0.5; it must be from -2 to 0.4"),
        ({"act": 3}, "it must be a function"),
        ({"act": print, "motor": 0}, "without a joint"),
        ({"act": print, "low": 1, "high": 1}, "low must be less"),
        ({"act": print, "value": 1.5}, "value is 1.5; it must be from 0 to 1"),
        ({"act": print, "unit": 3}, "unit is 3"),
        ({"act": print, "keys": "AD"}, "two different characters"),
        ({"act": print, "keys": ("A",)}, "two different characters"),
        ({"act": print, "keys": ("A", "Up")}, "two different characters"),
        ({"act": print, "keys": ("A", "a")}, "two different characters"),
        ({"act": print, "keys": ("N", "K")}, "key 'N' cannot be used"),
        ({"act": print, "keys": ("K", " ")}, "key ' ' cannot be used"),
        ({"act": print, "keys": ("K", "\u00e9")}, "cannot be used"),
        ({"act": print, "keys": ("Q", "x")}, "key 'x' is used by control 'used'"),
    ],
)
def test_wrong_controls_are_answered_with_one_line(options: dict[str, Any], message: str) -> None:
    scene = machine()
    scene.add_control("used", joint="sled", keys=("X", "Y"))
    with pytest.raises(InputError, match=message) as caught:
        scene.add_control(**({"name": "new"} | options))
    assert "\n" not in str(caught.value) and list(scene.controls) == ["used"]


def test_scenes_with_motors_have_keys() -> None:
    for name in ("bead_on_wire", "linkages", "parallel_arm", "rock_pile"):
        simulation = taut.Simulation(taut.scenes.build(name))
        assert simulation.controls and all(control.keys for control in simulation.controls.values()), name
        for control in simulation.controls.values():
            control.value = 0.5 * (control.low + control.high)
        assert simulation.step().status == "solved"


def cut_hook(simulation: taut.Simulation, value: float) -> None:
    """What a control does that follows a schedule: the load comes off, and another body goes."""
    with simulation.edit() as edit:
        edit.cut("hook")
        edit.remove_body("other")


@pytest.mark.parametrize("record", [None, False])
def test_a_schedule_may_edit_and_goes_on_to_the_bit_from_a_file(record: Any, tmp_path: Path) -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("other", Sphere(0.1), mass=1, position=(5, 0, 0))
    scene.add_body("load", Sphere(0.1), mass=1, position=(1, 0, 0))
    scene.connect("world", "load", Spherical(), at=(0, 0, 0), name="hook")
    scene.add_control("cut", act=cut_hook, schedule=lambda time: float(time > 0.3))
    simulation = taut.Simulation(scene)
    states = []
    for number in range(4):  # the third of these cuts it
        simulation.save(tmp_path / f"{number}.npz")
        simulation.run(0.12, record=record)
        states.append(simulation.state)
    assert simulation.model.bodies.names == ("world", "load") and not simulation.meter.names
    functions = {"cut_hook": cut_hook, schedule_name(): scene.controls["cut"].schedule}
    for number in range(4):
        again = taut.Simulation.load(tmp_path / f"{number}.npz", functions)
        for state in states[number:]:
            again.run(0.12, record=False)
            assert same_state(again.state, state) == []


def test_a_control_that_is_taken_in_hand_follows_its_schedule_no_more() -> None:
    scene, calls = machine(), []
    scene.add_control("turn", joint="slew", schedule=lambda time: 10.0 * min(time, 0.1))
    scene.add_control("gas", act=lambda simulation, value: calls.append(value), schedule=lambda time: min(time, 1.0))
    simulation = taut.Simulation(scene)
    simulation.run(0.05, record=False)
    turn, gas = simulation.controls["turn"], simulation.controls["gas"]
    with pytest.raises(InputError, match="follows its schedule; only one without .* take"):
        turn.set(0.3)
    for control in (turn, gas):
        control.take()
        control.take()  # once more does nothing
    simulation.run(0.05, record=False)
    assert turn.value == pytest.approx(0.5) and len(calls) == 3
    turn.set(0.25)
    with simulation.edit() as edit:
        edit.add_body("other", Sphere(0.1), mass=1, position=(9, 0, 0))
    simulation.run(0.05, record=False)
    assert simulation.controls["turn"].value == 0.25 and scene.controls["turn"].schedule is not None


def schedule_name() -> str:
    """How a file calls the schedule above."""
    return "test_a_schedule_may_edit_and_goes_on_to_the_bit_from_a_file.<locals>.<lambda>"
