"""Winches: drive, brake, free spool, stops, and segments that come and go without a jolt."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Motor, Revolute
from taut.machines import Cable, Winch
from taut.shapes import Box

LOAD, OUT, SEGMENT, RADIUS, EXIT = 2000.0, 4.5, 0.4, 0.3, 20.0


def rope(**options: Any) -> Cable:
    return Cable(**{"to": ("load", (0, 0, 0.4)), "length": OUT, "segment_length": SEGMENT, "mass_per_length": 1.25,
                    "diameter": 0.024} | options)  # fmt: skip


def winch(part: Cable | None = None, **options: Any) -> Winch:
    usual = {"exit": ("world", (0, 0, EXIT)), "drum": ("world", (-3, 0, EXIT)), "radius": RADIUS, "stored": 20.0,
             "inertia": 20.0, "max_pull": 4e4, "max_speed": 1.0, "ramp": 1.0}  # fmt: skip
    return Winch(rope=rope() if part is None else part, **usual | options)


def hoist(stiffness: float = math.inf, swing: float = 0.0, load: float = LOAD, **options: Any) -> taut.Scene:
    """A load on a winch, aside by an angle; the rope of this EA is as long as it is with the load at rest."""
    scene = taut.Scene(collisions=False)
    along = np.array([math.sin(swing), 0.0, -math.cos(swing)])
    stretched = OUT * (1.0 + load * 9.81 / stiffness)
    place = np.array([0.0, 0.0, EXIT]) + stretched * along - (0.0, 0.0, 0.4)
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=load, position=place)
    scene.add(winch(rope(axial_stiffness=stiffness), **options), name="winch")
    return scene


def on_a_boom(stiffness: float) -> taut.Scene:
    """The same with drum and exit on a boom that luffs, slowly at first."""
    scene = taut.Scene(collisions=False)
    scene.add_body("boom", Box(6.0, 0.4, 0.4), mass=3000.0, position=(-3, 0, EXIT))
    hinge = Revolute(axis=(0, -1, 0), motor=Motor(position=0.0, max_force=2e6))
    scene.connect("world", "boom", hinge, at=(-6, 0, EXIT), name="luff")
    scene.add_control("luff", joint="luff", schedule=taut.Ramps((0, 0), (1, 0), (12, 0.5), (23, 0.0)))
    stretched = OUT * (1.0 + LOAD * 9.81 / stiffness)
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=(0, 0, EXIT - stretched - 0.4))
    part = winch(rope(axial_stiffness=stiffness), exit=("boom", (3, 0, 0)), drum=("boom", (0, 0, 0.5)))
    scene.add(part, name="winch")
    return scene


def down_and_up(simulation: taut.Simulation) -> dict[str, np.ndarray]:
    """Lower the load by 10 m, hoist it again; what happened frame by frame."""
    view, frames = simulation.part("winch"), []
    for frame in range(24 * 60):
        if frame == 30:
            view.drive(1.0)
        elif frame == 30 + 60 * 10:
            view.drive(-1.0)
        elif frame == 30 + 60 * 21:
            view.drive(0.0)
        report = simulation.step()
        assert report.status == "solved"
        turned = RADIUS * simulation.joint("winch/hinge").position
        events = sum(event.kind == "reweighed" for event in report.events)
        frames.append((simulation.body("load").velocity[2], view.speed, view.payout - turned, events, report.solves))
    return dict(zip(("load", "rope", "book", "events", "solves"), np.array(frames).T, strict=True))


def spikes(found: dict[str, np.ndarray]) -> tuple[float, float]:
    """A third of the third difference of the load's velocity, which is the size of a spike: at events, and elsewhere.

    Frames in which the motor begins or ceases to speed up are left out.
    """
    size = np.abs(np.diff(found["load"], n=3)) / 3.0
    rough, near = np.zeros(size.size, bool), np.zeros(size.size, bool)
    for frame in np.flatnonzero(np.abs(np.diff(found["rope"], n=2)) > 1e-4):
        rough[max(frame - 3, 0) : frame + 6] = True
    for frame in np.flatnonzero(found["events"]):
        near[max(frame - 3, 0) : frame + 3] = True
    assert (near & ~rough).sum() > 200
    return float(size[near & ~rough].max()), float(size[~near & ~rough].max())


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
@pytest.mark.parametrize("kind", ["plumb", "swinging", "on a boom"])
def test_segments_come_and_go_without_a_jolt(kind: str, stiffness: float) -> None:
    scene = on_a_boom(stiffness) if kind == "on a boom" else hoist(stiffness, 0.2 if kind == "swinging" else 0.0)
    found = down_and_up(taut.Simulation(scene))
    assert found["events"].sum() > 40 and found["solves"].mean() < 1.1
    at_events, elsewhere = spikes(found)
    assert at_events <= 0.003 and at_events <= 2.0 * elsewhere + 1e-9
    assert np.ptp(found["book"]) <= 1e-6, "what is out is what ran off the drum"


def test_layers_make_the_drum_thicker_and_the_rope_keeps_its_speed() -> None:
    simulation = taut.Simulation(hoist(turns=8.0, stored=60.0, max_pull=8e4))
    view, speeds, run = simulation.part("winch"), [], 0.0
    radius = math.sqrt(RADIUS**2 + 0.024 * 60.0 / (8.0 * math.pi))
    assert view.layer_radius == pytest.approx(radius)
    out, angle = view.payout, 0.0
    view.drive(1.0)
    for _ in range(60 * 21):
        at = view.layer_radius
        assert simulation.step().status == "solved"
        turned = simulation.joint("winch/hinge").position
        run, angle = run + at * (turned - angle), turned
        speeds.append(simulation.body("load").velocity[2])
    assert view.payout - out == pytest.approx(run, abs=1e-6) and run > 20.0
    assert view.layer_radius == pytest.approx(math.sqrt(RADIUS**2 + 0.024 * (60.0 - run) / (8.0 * math.pi)), rel=1e-3)
    np.testing.assert_allclose(speeds[70:], -1.0, atol=0.003)


def test_jogging_about_one_place_does_not_chatter() -> None:
    simulation = taut.Simulation(hoist(ramp=0.1))
    view, events = simulation.part("winch"), 0
    view.drive(0.2)
    while len(view.segments) == 10:
        simulation.step()
    for jog in range(20):
        view.drive(0.2 if jog % 2 else -0.2)
        for _ in range(6):
            events += sum(event.kind == "reweighed" for event in simulation.step().events)
    assert events <= 1


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
def test_runs_go_on_from_a_saved_state_to_the_bit(stiffness: float, tmp_path: Path) -> None:
    first = taut.Simulation(hoist(stiffness, swing=0.1))
    first.part("winch").drive(1.0)
    for _ in range(150):
        first.step()
    assert len(first.part("winch").segments) > 12
    first.save(tmp_path / "hoist.npz")
    second = taut.Simulation.load(tmp_path / "hoist.npz")
    for _ in range(100):
        first.step()
        second.step()
    assert len(second.part("winch").segments) > 15
    assert same_state(first.state, second.state) == []


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
    assert view.state == "free" and view.speed == pytest.approx(0.5 * 9.81 * LOAD / (LOAD + 42.0 / 0.09), rel=0.15)
    simulation.controls["winch.brake"].value = 0.0
    simulation.controls["winch.brake"].value = 1.0
    simulation.run(2.0, record=False)
    assert view.state == "brake" and abs(view.speed) < 1e-9
    simulation.controls["winch.speed"].value = -0.5
    simulation.run(1.5, record=False)
    assert view.state == "drive" and view.speed == pytest.approx(-0.5)
    view.pay_out(0.25)
    simulation.run(1.5, record=False)
    assert view.speed == pytest.approx(0.25)


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
        ({"part": rope(length=4.0)}, "ends are"),
        ({"max_pull": 0.0}, "max_pull is 0"),
        ({"exit": "nobody"}, "no body 'nobody'"),
        ({"exit": 3}, "exit is 3"),
        ({"axis": (0, 0, 0)}, "axis"),
        ({"limits": (5.0, 8.0)}, "4.5 m of rope are out"),
        ({"limits": (5.0, 2.0)}, "limits"),
        ({"stored": 1.0}, "4.5 m of rope are out"),
        ({"brake_force": -1.0}, "brake_force"),
    ],
)
def test_what_makes_no_winch_is_said(wrong: dict[str, Any], words: str) -> None:
    scene = taut.Scene()
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=(0, 0, EXIT - OUT - 0.4))
    with pytest.raises(InputError, match=words):
        scene.add(winch(**wrong), name="winch")
