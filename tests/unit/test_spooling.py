"""Segments come off a drum and go back onto it without a jolt, and the books are kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hoists import LOAD, RADIUS, SEGMENT, hoist, on_a_boom
from sample_mechanisms import same_state

import taut
from taut.machines.spooling import insert_segment, remove_segment
from taut.results.events import Spooled
from taut.stepping.stepper import Stepper


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
        events = sum(event.kind == "spooled" for event in report.events)
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


@pytest.mark.parametrize("out", [0.9, 2.0, 4.5, 9.0])
def test_a_load_bounces_on_all_of_the_rope_that_is_out(out: float) -> None:
    """sqrt(EA / (L m)), with a third of the rope's mass; also where segments have come or gone."""
    simulation = taut.Simulation(hoist(5e6, ramp=0.5, damping_ratio=0.0), step=1e-3)
    view, way = simulation.part("winch"), out - 4.5
    view.drive(math.copysign(1.0, way) if way else 0.0)
    for _ in range(round(1000 * abs(way))):
        simulation.step()
    view.drive(0.0)  # so suddenly that it bounces, and does not go slack
    for _ in range(600):
        simulation.step()
    view.brake()
    simulation.body("load").apply(force=(0.0, 0.0, 3e3))
    speeds = [(simulation.step(), simulation.body("load").velocity[2])[1] for _ in range(1000)]
    assert view.payout == pytest.approx(out, abs=0.3)
    up = np.flatnonzero((np.array(speeds[:-1]) < 0.0) & (np.array(speeds[1:]) >= 0.0))
    at = [place - speeds[place] / (speeds[place + 1] - speeds[place]) for place in up]
    hertz = 1000.0 * (len(at) - 1) / (at[-1] - at[0])
    whole = math.sqrt(5e6 / (view.payout * (LOAD + 1.25 * view.payout / 3.0))) / (2.0 * math.pi)
    assert hertz == pytest.approx(whole, rel=0.002)


def pulls_of(view: taut.machines.winch.WinchView) -> tuple[float, float]:
    """Pull of the reel and of the joint below the first segment by what they are stretched, N."""
    reel = 5e6 * view.stretch / (view.free + 0.5 * SEGMENT)
    return reel, 5e6 * float(view.stretches()[0]) / SEGMENT


def test_a_segment_takes_its_share_of_the_stretch_and_gives_it_back() -> None:
    simulation = taut.Simulation(hoist(5e6, swing=0.1))
    view = simulation.part("winch")
    view.drive(0.5)
    while view.free < 1.45 * SEGMENT:
        simulation.step()
    pull, out, free, apart = pulls_of(view)[0], view.payout, view.free, view.reel()
    insert_segment(view, view.free)
    assert pulls_of(view) == pytest.approx((pull, pull), rel=1e-9)
    assert view.payout == pytest.approx(out, abs=1e-12) and view.free == pytest.approx(free - SEGMENT, abs=1e-12)
    remove_segment(view, view.free)
    assert pulls_of(view)[0] == pytest.approx(pull, rel=1e-9) and view.reel() == pytest.approx(apart, abs=1e-12)
    assert view.payout == pytest.approx(out, abs=1e-12) and view.free == pytest.approx(free, abs=1e-12)


def test_a_boom_that_jerks_is_felt_no_more_where_a_segment_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def speeds() -> tuple[np.ndarray, int]:
        simulation, found, events = taut.Simulation(on_a_boom(5e6, steps=True)), [], 0
        simulation.part("winch").drive(1.0)
        for frame in range(300):
            if frame in (60, 140, 220):
                simulation.joint("luff").drive(0.04 if frame != 140 else -0.04)
            events += sum(event.kind == "spooled" for event in simulation.step().events)
            found.append(simulation.body("load").velocity[2])
        return np.diff(found, n=3) / 3.0, events

    spikes, events = speeds()
    monkeypatch.setattr("taut.machines.winch.INSERT", math.inf)
    without, none = speeds()
    assert np.abs(without).max() > 0.004 and events > 8 and none == 0, "the boom's own jerk is more than is allowed"
    assert np.abs(spikes - without).max() < 3e-4


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
@pytest.mark.parametrize("kind", ["plumb", "swinging", "on a boom"])
def test_segments_come_and_go_without_a_jolt(kind: str, stiffness: float) -> None:
    scene = on_a_boom(stiffness) if kind == "on a boom" else hoist(stiffness, 0.2 if kind == "swinging" else 0.0)
    found = down_and_up(taut.Simulation(scene))
    assert found["events"].sum() > 40 and found["solves"].mean() < 1.1
    at_events, elsewhere = spikes(found)
    assert at_events <= 0.003 and at_events <= 2.0 * elsewhere + 1e-9
    assert np.ptp(found["book"]) <= 1e-6, "what is out is what ran off the drum"


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
def test_layers_make_the_drum_thicker_and_the_rope_keeps_its_speed(stiffness: float) -> None:
    simulation = taut.Simulation(hoist(stiffness, turns=8.0, stored=60.0, max_pull=8e4))
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
    pulled = 9.81 * (LOAD + 0.5 * 1.25 * (view.payout + out)) / stiffness  # what goes out stretches
    steady = np.reshape(speeds[180:], (-1, 180)).mean(axis=1)  # of 3 s: a load bounces on a rope that stretches
    np.testing.assert_allclose(steady, -(1.0 + pulled), atol=0.003)


def test_a_state_is_measured_anew_only_where_something_was_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, calls, measure = taut.Simulation(hoist(5e6)), [0], Stepper.measure

    def counted(stepper: Stepper, state: taut.State) -> Any:
        calls[0] += 1
        return measure(stepper, state)

    monkeypatch.setattr(Stepper, "measure", counted)
    simulation.part("winch").drive(0.5)
    found = set()
    for _ in range(180):  # it speeds up, and runs
        calls[0] = 0
        found.add((len(simulation.step().events), calls[0]))
    assert found == {(0, 0), (1, 1)}, "for its rows and its energy; joints are read when somebody asks"


def test_what_a_hand_over_does_is_one_event_also_in_recordings(tmp_path: Path) -> None:
    simulation = taut.Simulation(hoist(turns=4.0, max_pull=8e4))
    view = simulation.part("winch")
    radius, begun = view.layer_radius, view.payout
    view.pay_out(1.0)
    simulation.run(2.0, record=False)
    view.haul(1.0)
    recording = simulation.run(3.5, record=tmp_path / "hoist.h5")
    assert view.layer_radius != radius and begun < view.payout
    ways = [event.way for event in recording.events if isinstance(event, Spooled) and event.name == "winch"]
    assert len(ways) == len(recording.events) > 3 and ways == sorted(ways, reverse=True) and set(ways) == {"in", "out"}
    assert taut.Recording.load(tmp_path / "hoist.h5").events == recording.events
    assert recording.summary()["events"] == {"spooled": len(ways)}


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
def test_jogging_about_one_place_does_not_chatter(stiffness: float) -> None:
    simulation = taut.Simulation(hoist(stiffness, ramp=0.1))
    view, events = simulation.part("winch"), 0
    view.drive(0.2)
    while len(view.segments) == 10:
        simulation.step()
    for jog in range(20):
        view.drive(0.2 if jog % 2 else -0.2)
        for _ in range(6):
            events += sum(event.kind == "spooled" for event in simulation.step().events)
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


@pytest.mark.parametrize("turns", [None, 8.0])
@pytest.mark.parametrize("runs_away", ["free", "slipping brake", "weak motor"])
def test_the_end_of_the_rope_holds_a_load_that_runs_away(runs_away: str, turns: float | None) -> None:
    weak = {"slipping brake": {"brake_force": 5e3}, "weak motor": {"max_pull": 5e3}}
    simulation = taut.Simulation(hoist(turns=turns, stored=8.0, **weak.get(runs_away, {})))
    view = simulation.part("winch")
    if runs_away == "free":
        view.free_spool()
    elif runs_away == "weak motor":
        view.drive(-0.5)
    simulation.run(6.0, record=False)
    assert view.state == "limit" and abs(view.speed) < 0.01
    assert view.wound == pytest.approx(math.pi * RADIUS, rel=0.01)
    assert view.payout == pytest.approx(12.5 - math.pi * RADIUS, abs=0.02)
    assert simulation.step().status == "solved" and view.pull > 0.5 * 9.81 * 2000.0
    if runs_away != "weak motor":
        view.drive(-0.5)
        simulation.run(1.5, record=False)
        assert view.state == "drive" and view.speed == pytest.approx(-0.5, rel=2e-3)
