"""Winches: drive, brake, free spool, stops, cut and broken ropes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hoists import EXIT, LOAD, OUT, RADIUS, hoist, on_a_boom, rope, winch

import taut
from taut.errors import InputError
from taut.joints import Prismatic
from taut.shapes import Box


def test_it_stops_by_itself_and_says_so() -> None:
    simulation = taut.Simulation(hoist(limits=(2.0, 6.0)))
    view, speeds = simulation.part("winch"), []
    for speed, end in ((1.0, 6.0), (-1.0, 2.0)):
        view.drive(speed)
        for _ in range(60 * 8):
            assert simulation.step().status == "solved"
            speeds.append(view.speed)
        assert view.payout == pytest.approx(end, abs=0.02) and view.state == "limit" and abs(view.speed) < 0.02
    assert np.abs(np.diff(speeds)).max() < 1.01 / 60.0, "no faster than the ramp"


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
@pytest.mark.parametrize("integrator", ["bdf2", "euler", "low-damping"])
def test_it_does_not_overrun_its_stops(integrator: str, stiffness: float) -> None:
    """A scheme that looks back carries a part of the last step on, which counts where the winch slows down."""
    simulation = taut.Simulation(hoist(stiffness, limits=(2.0, 6.0)), integrator=integrator)
    view = simulation.part("winch")
    for speed, end in ((1.0, 6.0), (-1.0, 2.0)):
        view.drive(speed)
        for _ in range(60 * 6):
            simulation.step()
            assert 2.0 - 1e-9 < view.payout < 6.0 + 1e-9
        assert view.payout == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
def test_it_goes_to_a_payout_and_stops_there(stiffness: float) -> None:
    simulation = taut.Simulation(hoist(stiffness))
    view, speeds = simulation.part("winch"), [0.0]
    assert view.goal is None
    for goal in (9.0, 3.0, 3.5, 3.5):
        simulation.controls["winch.payout"].set(goal)
        assert view.goal == goal
        outs = [view.payout]
        for _ in range(60 * 9):
            assert simulation.step().status == "solved"
            outs.append(view.payout)
            speeds.append(view.speed)
        assert view.payout == pytest.approx(goal, abs=1e-6) and abs(view.speed) < 1e-6 and view.state == "drive"
        assert min(outs) > min(outs[0], goal) - 5e-4 and max(outs) < max(outs[0], goal) + 5e-4, "it does not go beyond"
    assert np.abs(np.diff(speeds)).max() < 1.01 / 60.0 and np.abs(speeds).max() == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [("winch.speed", 0.25, "drive"), ("winch.brake", 1.0, "brake"), ("winch.free_spool", 1.0, "free")],
)
def test_what_is_used_last_counts(name: str, value: float, state: str, tmp_path: Path) -> None:
    simulation = taut.Simulation(hoist())
    view = simulation.part("winch")
    view.go_to(8.0)
    assert simulation.controls["winch.payout"].value == 8.0  # what a slider shows
    simulation.run(1.5, record=False)
    assert view.speed == pytest.approx(1.0, rel=1e-3)
    simulation.save(tmp_path / "on_its_way.npz")
    later = taut.Simulation.load(tmp_path / "on_its_way.npz")
    later.run(4.0, record=False)
    assert later.part("winch").payout == pytest.approx(8.0, abs=1e-6), "a saved one goes on"
    simulation.controls[name].set(value)
    assert view.goal is None and view.state == state
    simulation.run(0.5, record=False)
    assert view.state == state and abs(view.payout - 8.0) > 0.5
    view.go_to(8.0)
    simulation.run(30.0, record=False)
    assert view.payout == pytest.approx(8.0, abs=1e-6)


def test_its_controls_are_those_that_it_says() -> None:
    simulation = taut.Simulation(hoist())
    assert list(simulation.controls) == [f"winch.{name}" for name in ("speed", "brake", "free_spool", "payout")]


def test_a_winch_without_rope_goes_nowhere() -> None:
    simulation = taut.Simulation(hoist())
    view = simulation.part("winch")
    view.cut(at=0.0)
    view.go_to(8.0)
    simulation.run(1.0, record=False)
    assert view.speed == pytest.approx(0.0, abs=1e-9) and view.goal is None


@pytest.mark.parametrize("goal", ["far", math.nan, math.inf, -3.0, 0.47, 22.7, None])
def test_what_is_no_payout_is_said(goal: Any) -> None:
    simulation = taut.Simulation(hoist())
    for ask in (simulation.part("winch").go_to, simulation.controls["winch.payout"].set):
        with pytest.raises(InputError, match=r"payout'?: value is .*|payout is ") as caught:
            ask(goal)
        assert "\n" not in str(caught.value)
    assert simulation.part("winch").goal is None and simulation.part("winch").state == "brake"


@pytest.mark.parametrize("speed", ["fast", math.nan, math.inf, None])
def test_what_is_no_speed_is_said(speed: Any) -> None:
    view = taut.Simulation(hoist()).part("winch")
    with pytest.raises(InputError, match="winch 'winch': speed is") as caught:
        view.drive(speed)
    assert "\n" not in str(caught.value) and view.state == "brake"


def test_a_winch_that_cannot_lift_its_load_is_stalled_and_says_what_it_pulls() -> None:
    simulation = taut.Simulation(hoist(5e6, max_pull=0.5 * 9.81 * LOAD))
    with simulation.edit() as edit:
        edit.connect("world", "load", Prismatic(axis=(0, 0, 1), limits=(0.0, math.inf)), name="stand")
    view = simulation.part("winch")
    view.go_to(2.0)
    simulation.run(3.0, record=False)
    assert abs(view.speed) < 1e-3 and view.payout > 4.4 and view.goal == 2.0 and view.state == "drive"
    assert view.pull == pytest.approx(0.5 * 9.81 * LOAD, rel=1e-3), "all that it has"
    assert simulation.report.status == "solved"


def test_the_motor_pulls_no_more_than_it_can() -> None:
    simulation = taut.Simulation(hoist(max_pull=0.9 * 9.81 * LOAD))
    view = simulation.part("winch")
    view.drive(-1.0)
    for _ in range(120):
        simulation.step()
    assert view.speed > 0.5, "the load runs away"
    held = 0.9 * 9.81 * LOAD
    turning = 20.0 + 1.25 * 20.0 * RADIUS**2
    falling = (9.81 * LOAD - held) / (LOAD + turning / RADIUS**2)
    assert view.pull == pytest.approx(LOAD * (9.81 - falling), rel=0.01)


def test_brake_and_free_spool() -> None:
    simulation = taut.Simulation(hoist(brake_force=3e4))
    view = simulation.part("winch")
    simulation.run(0.5, record=False)
    assert view.state == "brake" and abs(view.speed) < 1e-9 and view.pull == pytest.approx(9.81 * 2005.0, rel=1e-3)
    assert view.torque == pytest.approx(RADIUS * view.pull)
    simulation.controls["winch.free_spool"].value = 1.0
    simulation.run(0.5, record=False)
    assert states(simulation) == [0.0, 0.0, 1.0]
    assert view.state == "free" and view.speed == pytest.approx(0.5 * 9.81 * LOAD / (LOAD + 42.0 / 0.09), rel=0.15)
    simulation.controls["winch.brake"].value = 1.0
    simulation.run(2.0, record=False)
    assert view.state == "brake" and abs(view.speed) < 1e-9 and states(simulation) == [0.0, 1.0, 0.0]
    simulation.controls["winch.speed"].value = -0.5
    assert states(simulation) == [-0.5, 0.0, 0.0]
    simulation.run(1.5, record=False)
    assert view.state == "drive" and view.speed == pytest.approx(-0.5)
    view.pay_out(0.25)
    simulation.run(1.5, record=False)
    assert view.speed == pytest.approx(0.25) and states(simulation) == [0.25, 0.0, 0.0]
    view.pay_out(100.0)
    assert states(simulation)[0] == simulation.controls["winch.speed"].high


def states(simulation: taut.Simulation) -> list[float]:
    """What the controls of the winch show."""
    return [simulation.controls[f"winch.{name}"].value for name in ("speed", "brake", "free_spool")]


def test_a_rope_that_is_cut_falls_and_the_drum_goes_on() -> None:
    simulation = taut.Simulation(hoist())
    view = simulation.part("winch")
    view.drive(1.0)
    simulation.run(2.0, record=False)
    view.cut(at=1.2)
    simulation.run(1.0, record=False)
    assert simulation.body("load").velocity[2] < -5.0 and view.pull < 100.0
    view.drive(-1.0)
    reports = simulation.run(6.0, record=False)
    assert not reports and len(view.segments) >= 1


def test_it_is_cut_at_a_length_of_rope_from_the_exit() -> None:
    simulation = taut.Simulation(hoist())
    view = simulation.part("winch")
    view.drive(1.0)
    simulation.run(0.4, record=False)
    assert view.free == pytest.approx(0.58, abs=0.01) and view.length == pytest.approx(4.58, abs=0.01)
    with pytest.raises(InputError, match=f"at is 100; it must be within its length of {view.length:g} m"):
        view.cut(at=100.0)
    assert view.middle() == pytest.approx(view.free + 2.0)
    view.cut(at=1.8)  # nearest to it is the joint behind three segments of 0.4 m
    assert len(view.segments) == 3 and view.payout == pytest.approx(view.free + 1.2)


def test_a_winch_that_an_edit_adds_can_be_cut_in_it() -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=(0, 0, EXIT - OUT - 0.4))
    simulation = taut.Simulation(scene)
    with simulation.edit() as edit:
        edit.add(winch(), name="winch")
        edit.cut("winch", at=1.4)
    assert len(simulation.part("winch").segments) == 2, "0.5 m are free, and 0.4 m each"


def test_a_weak_rope_breaks() -> None:
    scene = hoist()
    weak = taut.Scene(collisions=False)
    weak.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=scene.bodies[1].position)
    weak.add(winch(rope(breaking_force=9.81 * 2004.0)), name="winch")
    simulation = taut.Simulation(weak)
    events = [event.kind for _ in range(30) for event in simulation.step().events]
    assert events == ["broken"] and not simulation.part("winch").holds
    view = simulation.part("winch")
    assert view.pull == 0.0 and view.free == 0.0 and view.report()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"part": 3}, "rope is 3"),
        ({"part": rope(from_="world")}, "neither `from_`"),
        ({"part": rope(segments=4, segment_length=None)}, "`segments`"),
        ({"part": rope(to=None)}, "must have `to`"),
        ({"part": rope(length=0.3)}, "at least 0.48 m"),
        ({"part": rope(length=4.0)}, "length is 4 m, but its ends are 4.5 m apart"),
        ({"max_pull": 0.0}, "max_pull is 0"),
        ({"exit": "nobody"}, "no body 'nobody'"),
        ({"exit": 3}, "exit is 3"),
        ({"axis": (0, 0, 0)}, "axis"),
        ({"limits": (5.0, 8.0)}, "4.5 m of rope are out"),
        ({"limits": (5.0, 2.0)}, "limits"),
        ({"stored": 0.1}, "stored is 0.1; it must be 1.88496 m at least"),
        ({"limits": (30.0, 40.0)}, "limits are 30 to 40 m; .* there can be 0.48 to 22.6"),
        ({"drum": ("world", (0, 0, EXIT))}, "exit is 0 m from the axis of the drum; .* 0.3 m"),
        ({"drum": ("world", (-0.1, 2, EXIT)), "turns": 5}, "exit is 0.1 m from the axis"),
        ({"brake_force": -1.0}, "brake_force"),
    ],
)
def test_what_makes_no_winch_is_said(wrong: dict[str, Any], words: str) -> None:
    scene = taut.Scene()
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=(0, 0, EXIT - OUT - 0.4))
    with pytest.raises(InputError, match=words):
        scene.add(winch(**wrong), name="winch")


def test_a_winch_goes_on_where_the_body_that_it_stands_on_comes_apart() -> None:
    simulation = taut.Simulation(on_a_boom(1e6))
    view = simulation.part("winch")
    simulation.run(0.2, record=False)
    free, segments = view.free, len(view.segments)
    half = {"shape": Box(3.0, 0.4, 0.4), "mass": 1500.0}
    with simulation.edit() as edit:
        edit.split_body("boom", {"in": half | {"position": (-1.5, 0, 0)}, "out": half | {"position": (1.5, 0, 0)}})
        edit.attach("in", "out")
    assert view.exit == ("out", (1.5, 0.0, 0.0)) and view.free == pytest.approx(free, abs=1e-9)
    view.drive(1.0)
    simulation.run(2.0, record=False)
    assert len(view.segments) > segments and simulation.report.status == "solved"
