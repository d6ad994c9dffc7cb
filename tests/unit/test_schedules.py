"""Schedules: smooth ramps, and controls that follow a function of time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Motor, Prismatic, Revolute


def machine(schedule: Any, motor: Motor | None = None) -> taut.Scene:
    """A sled that follows a schedule along x, beside a hinge that is driven by hand."""
    scene = taut.Scene(collisions=False)
    scene.add_body("sled-body", mass=2, inertia=(1, 1, 1))
    scene.add_body("arm", mass=2, inertia=(1, 1, 1), position=(0, 0, 1))
    motor = Motor(position=0, max_force=500.0) if motor is None else motor
    scene.connect("world", "sled-body", Prismatic(axis=(1, 0, 0), motor=motor), name="sled")
    scene.connect("world", "arm", Revolute(axis=(0, 1, 0), motor=Motor(speed=0.5)), name="hinge")
    scene.add_control("sled", joint="sled", schedule=schedule)
    return scene


def test_ramps_go_through_their_points_and_stop_at_each() -> None:
    ramps = taut.Ramps((1.0, 2.0), (2.0, -1.0), (2.5, -1.0), (4.0, 0.5))
    assert [ramps(time) for time in (-3.0, 1.0, 2.0, 2.2, 2.5, 4.0, 9.0)] == [2.0, 2.0, -1.0, -1.0, -1.0, 0.5, 0.5]
    assert ramps(1.5) == pytest.approx(0.5), "half way at half the time"
    small = 1e-4
    for time in (1.0, 2.0, 2.5, 4.0):
        rate = (ramps(time + small) - ramps(time - small)) / (2.0 * small)
        curvature = (ramps(time + small) - 2.0 * ramps(time) + ramps(time - small)) / small**2
        assert abs(rate) < 1e-5 and abs(curvature) < 1e-1
    times = np.linspace(1.0, 2.0, 1001)
    speed = np.abs(np.diff([ramps(time) for time in times])) / np.diff(times)
    assert speed.max() == pytest.approx(3.0 * 15.0 / 8.0, rel=1e-4)


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([(0, 0)], "there are 1 points; there must be two or more"),
        ([(0, 0), (0, 1)], "time 0 comes after 0; times must rise"),
        ([(0, 0), 3], r"a point is 3; it must be \(time, value\)"),
        ([(0, 0), (1, math.nan)], "value is nan"),
        ([(0, "low"), (1, 2)], "value is 'low'"),
    ],
)
def test_wrong_ramps_are_answered_with_one_line(points: list[Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        taut.Ramps(*points)


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (3.0, "control 'sled': schedule is 3.0; it must be a function of time"),
        (lambda time: "low", "schedule is 'low' at 0 s; it must be a finite number"),
        (lambda time: math.nan, "schedule is nan at 0 s"),
    ],
)
def test_wrong_schedules_are_answered_with_one_line(schedule: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        machine(schedule)


def test_a_servo_is_at_the_end_of_each_frame_where_its_schedule_is() -> None:
    ramps = taut.Ramps((0, 0), (1, 0.6), (1.2, 0.6), (2, -0.3))
    simulation = taut.Simulation(machine(ramps))
    recording = simulation.run(2.0)
    found = recording.body("sled-body").position[:, 0]
    assert found == pytest.approx([ramps(time) for time in recording.time], abs=1e-9)
    assert simulation.controls["sled"].value == ramps(simulation.time)
    assert not recording.column("unconverged").any()


def test_a_speed_motor_has_the_speed_of_its_schedule_at_the_end_of_each_frame() -> None:
    simulation = taut.Simulation(machine(lambda time: math.sin(time), Motor(speed=0.0, max_force=500.0)))
    for _ in range(30):
        simulation.step()
        assert simulation.joint("sled").velocity == pytest.approx(math.sin(simulation.time), abs=1e-9)


def test_runs_with_and_without_a_recording_and_step_by_step_are_the_same_bits() -> None:
    def moved() -> taut.Simulation:
        return taut.Simulation(machine(taut.Ramps((0, 0), (0.5, 0.4))))

    recorded, unrecorded, stepped = moved(), moved(), moved()
    recorded.run(0.5)
    assert unrecorded.run(0.5, record=False) == []
    for _ in range(30):
        stepped.step()
    assert same_state(recorded.state, unrecorded.state) == []
    assert same_state(recorded.state, stepped.state) == []


def test_a_saved_state_goes_on_to_the_bit(tmp_path: Path) -> None:
    scene = machine(taut.Ramps((0, 0), (1, 0.4)), Motor(position=0, stiffness=1e4, damping=1e3))
    first, second = taut.Simulation(scene), taut.Simulation(scene)
    first.run(0.3)
    first.state.save(tmp_path / "state.npz")
    second.restore(taut.State.load(tmp_path / "state.npz"))
    for _ in range(20):
        assert first.step().energy == second.step().energy
    assert same_state(first.state, second.state) == []


def test_states_that_were_kept_do_not_change_with_the_schedule() -> None:
    simulation = taut.Simulation(machine(taut.Ramps((0, 0), (1, 0.4))))
    simulation.run(0.3)
    kept = simulation.state
    target = kept.target.copy()
    simulation.run(0.3)
    assert (kept.target == target).all() and (simulation.state.target != target).any()


def test_functions_are_called_with_the_values_of_a_schedule() -> None:
    scene, calls = machine(taut.Ramps((0, 0), (1, 0.4))), []
    wind = taut.Ramps((0.0, 0.0), (1 / 60, 100.0))
    scene.add_control("wind", act=lambda simulation, value: calls.append(value), high=500.0, schedule=wind)
    simulation = taut.Simulation(scene)
    simulation.run(0.1)
    assert calls == [100.0], "when the value changes, and only then"
    assert simulation.controls["wind"].value == 100.0


def test_a_control_with_a_schedule_cannot_be_set_and_others_can() -> None:
    simulation = taut.Simulation(machine(taut.Ramps((0, 0), (1, 0.4))))
    with pytest.raises(InputError, match="control 'sled': it follows its schedule"):
        simulation.controls["sled"].value = 0.1
    simulation.controls["hinge"].value = -0.5
    simulation.run(0.5)
    assert simulation.joint("hinge").position == pytest.approx(-0.25)


def test_a_schedule_that_leaves_the_range_is_said() -> None:
    simulation = taut.Simulation(machine(taut.Ramps((0, 0), (0.1, 5.0))))
    with pytest.raises(InputError, match="control 'sled': value is .*; it must be from -1 to 1"):
        simulation.run(0.1)


def test_edits_keep_schedules_and_drop_those_of_joints_that_go() -> None:
    ramps = taut.Ramps((0, 0), (1, 0.4))
    simulation = taut.Simulation(machine(ramps))
    simulation.run(0.25)
    with simulation.edit() as edit:
        edit.remove_joint("hinge")
    simulation.run(0.25)
    assert simulation.joint("sled").position == pytest.approx(ramps(simulation.time))
    with simulation.edit() as edit:
        edit.remove_joint("sled")
    simulation.run(0.1)
    assert simulation.controls == {}


def test_ramps_do_not_pass_their_points_by_rounding() -> None:
    """A control whose range ends there would refuse it: 0.483 s into this ramp it was 1.0000000000000013."""
    ramp = taut.Ramps((0.0, 0.0), (0.5, 1.0))
    values = [ramp(time) for time in np.linspace(0.4999, 0.5, 10_001)]
    assert max(values) <= 1.0 and max(ramp(time / 60) for time in range(31)) <= 1.0
