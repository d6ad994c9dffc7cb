"""A watched simulation: what a viewer may ask of it."""

from __future__ import annotations

import errno
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.results import record_file
from taut.results.events import Broken
from taut.results.record import CHUNK_FRAMES, Recording
from taut.simulation.launch import RunRequest
from taut.view.performance import LONGEST_DEBT, Performance, broken_line


def request(scene: str = "hanging_chain", **changes: object) -> RunRequest:
    entry = taut.scenes.get(scene)
    parameters = {"links": 8} if scene == "hanging_chain" else {}
    return RunRequest(entry, **({"parameters": parameters, "duration": math.inf} | changes))


def advanced(performance: Performance, steps: int) -> Performance:
    for _ in range(steps):
        performance.advance()
    return performance


def test_every_step_is_reported_once() -> None:
    performance = advanced(Performance(request()), 5)
    update = performance.update()
    assert update.reports["index"].tolist() == [1, 2, 3, 4, 5] and update.frame.time == pytest.approx(5 / 60)
    assert performance.update().reports.size == 0


def test_a_watched_run_is_recorded_to_the_bit_as_an_unwatched_one(tmp_path: Path) -> None:
    performance = Performance(request("stack_of_boxes", record=tmp_path / "watched.h5"))
    performance.play()
    for _ in range(30):
        performance.advance()
        performance.update()
        performance.set_speed(3.0)
        performance.pause()
    performance.stop_recording()
    alone = taut.Simulation(taut.scenes.build("stack_of_boxes")).run(0.5)
    watched = Recording.load(tmp_path / "watched.h5")
    assert len(watched) == len(alone) == 31 and watched.ending == "complete"
    for name in ("positions", "orientations", "velocities", "angular_velocities", "energy", "residual"):
        assert np.array_equal(getattr(watched, name), getattr(alone, name)), name
    assert all(np.array_equal(watched.contacts(i).force, alone.contacts(i).force) for i in range(31))


def test_it_pauses_at_the_end() -> None:
    performance = Performance(request(duration=0.05))
    performance.play()
    advanced(performance, 3)
    assert not performance.playing and "the end" in performance.update().message
    assert performance.waiting == math.inf


def test_what_falls_behind_gives_up_the_debt() -> None:
    performance = Performance(request())
    performance.play()
    performance.due -= 100.0
    performance.advance()
    assert performance.waiting == 0.0
    late = advanced(performance, 1).due
    assert performance.pace[-1][0] - late <= LONGEST_DEBT + 1e-6


def test_it_waits_for_others_at_the_time_it_is_told() -> None:
    performance = Performance(request())
    performance.play()
    performance.obey("hold", 0.05)
    assert advanced(performance, 2).waiting < math.inf
    assert advanced(performance, 1).waiting == math.inf and performance.playing
    performance.obey("hold", 0.1)
    assert performance.waiting < math.inf


class Clock:
    """A clock that goes as told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("taut.view.performance.perf_counter", clock)
    return clock


def test_the_real_time_factor_is_simulated_over_wall_clock_time(clock: Clock) -> None:
    performance = Performance(request())
    assert math.isnan(performance.real_time_factor)
    performance.play()
    for _ in range(120):
        clock.now += 1 / 30
        performance.advance()
    assert performance.real_time_factor == pytest.approx(0.5)


def test_a_stall_counts_for_as_long_as_it_is_seen(clock: Clock) -> None:
    performance = Performance(request())
    performance.play()
    clock.now += 1.5  # one step that takes long, then those that catch up at once
    performance.advance()
    for _ in range(6):
        clock.now += 1e-3
        performance.advance()
    assert performance.real_time_factor == pytest.approx(7 / 60 / 1.506, rel=1e-6)
    clock.now += 5.0  # nothing happens, as while waiting for others
    assert performance.real_time_factor < 0.03


def test_speed_sets_when_the_next_step_is_due(clock: Clock) -> None:
    performance = Performance(request())
    performance.set_speed(0.5)
    performance.play()
    performance.advance()
    assert performance.waiting == pytest.approx(2 / 60)


def test_a_hand_pulls_a_body_and_is_not_described_or_recorded(tmp_path: Path) -> None:
    performance = Performance(request("stack_of_boxes", record=tmp_path / "run.h5"))
    name = performance.drawing.body_names[-1]
    before, generation = performance.simulation.body(name).position, performance.generation
    performance.obey("grab", name, before, 1e6)
    performance.obey("move_grab", before + (0, 0, 0.5))
    advanced(performance, 30)
    assert performance.simulation.body(name).position[2] > before[2] + 0.2
    assert performance.generation == generation and performance.update().frame.reactions.shape[0] == 0
    performance.obey("release")
    advanced(performance, 2)
    performance.stop_recording()
    assert performance.simulation.meter.names == () and len(Recording.load(tmp_path / "run.h5")) == 33
    assert not (tmp_path / "run-2.h5").exists()


@pytest.mark.parametrize("name", ["world", "a body of the scene before"])
def test_grabbing_what_cannot_be_pulled_is_refused_in_one_line(name: str) -> None:
    performance = Performance(request())
    performance.obey("grab", name, (0, 0, 0), 1e3)
    assert name in performance.update().message and performance.hand is None


def test_a_removed_joint_is_gone_until_the_reset(tmp_path: Path) -> None:
    performance = Performance(request(record=tmp_path / "run.h5"))
    joints = performance.drawing.link_names
    advanced(performance, 2)
    performance.obey("cut", joints[3])
    here = performance.update().frame.joined
    assert here.tolist() == [number != 3 for number in range(len(joints))]
    assert performance.drawing.link_names == joints and performance.generation == 1  # numbers stay what they are
    advanced(performance, 2)
    performance.obey("cut", joints[3])
    assert performance.message == f"{joints[3]!r} cannot be cut: it is gone"
    performance.obey("reset")
    assert performance.update().frame.joined.all() and performance.simulation.time == 0.0 and performance.run == 2
    performance.stop_recording()
    cut, anew = (Recording.load(tmp_path / f"run{number}.h5") for number in ("", "-2"))
    assert (len(cut), len(anew)) == (5, 1)
    assert cut.joined[:, 3].tolist() == [True] * 3 + [False] * 2


def dropping() -> taut.Scene:
    """A box that falls from its hook, with a motor that can be removed."""
    scene = taut.Scene(collisions=False)
    scene.add_body("box", taut.shapes.Box(1, 1, 1), mass=2.0, position=(0, 0, 3))
    hook = taut.joints.Revolute(axis=(0, 1, 0), motor=taut.joints.Motor(speed=0.1, max_force=10.0))
    scene.connect("world", "box", hook, name="hook")
    return scene


def test_what_comes_is_described_and_what_goes_is_not_there() -> None:
    performance = Performance(replace(request(parameters={}), entry=taut.scenes.unlisted(dropping())))
    run, generation = performance.run, performance.generation
    assert [each.name for each in performance.description.controls] == ["hook"]
    with performance.simulation.edit() as edit:
        edit.add_body("ball", taut.shapes.Sphere(0.5), mass=1.0, position=(2, 0, 0))
    performance.advance()
    assert performance.description.drawing.body_names == ("world", "box", "ball")
    assert (performance.run, performance.generation) == (run, generation + 1)
    performance.obey("cut", "hook")
    assert performance.description.controls == () and performance.generation == generation + 2
    with performance.simulation.edit() as edit:
        edit.remove_body("box")
    performance.advance()
    frame = performance.update().frame
    assert frame.present.tolist() == [True, False, True] and np.isnan(frame.positions[1]).all()
    assert frame.positions[2] == pytest.approx(performance.simulation.body("ball").position)


def test_what_breaks_is_said() -> None:
    scene = taut.Scene(collisions=False)
    for number in range(3):
        scene.add_body(f"lamp-{number}", taut.shapes.Sphere(0.1), mass=2.0, position=(0.5 * number, 0, 0))
    for number, bears in ((0, 10.0), (2, 15.0), (1, 100.0)):
        hook = taut.joints.Spherical()
        at = (0.5 * number, 0, 1)
        scene.connect("world", f"lamp-{number}", hook, at=at, name=f"hook-{number}", break_force=bears)
    performance = advanced(Performance(replace(request(parameters={}), entry=taut.scenes.unlisted(scene))), 1)
    assert performance.update().message == "t = 0.017 s: hook-0 broke at 19.6 N, and 1 more"
    assert advanced(performance, 1).update().message == ""
    assert broken_line([Broken(1.5, "hinge", 98200.4, 250.0)]) == "t = 1.500 s: hinge broke at 98,200 N, 250 N m"
    rope = Broken(2.0, "rope", 7902.0, 1.8e-12)  # what rounding leaves is not said
    assert broken_line([rope]) == "t = 2.000 s: rope broke at 7,902 N"


def test_a_hand_that_loses_its_body_says_so() -> None:
    performance = Performance(replace(request(parameters={}), entry=taut.scenes.unlisted(dropping())))
    performance.obey("grab", "box", (0, 0, 3), 100.0)
    assert performance.update().frame.joined.tolist() == [True]  # hands are not drawn
    with performance.simulation.edit() as edit:
        edit.remove_body("box")
    performance.advance()
    assert performance.message == "body 'box' that was pulled is gone"
    performance.obey("move_grab", (1, 1, 1))
    performance.obey("release")


def test_recordings_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run-2.h5").write_text("mine")
    performance = Performance(request(record=tmp_path / "run.h5"))
    performance.obey("reset")
    performance.stop_recording()
    assert (tmp_path / "run-2.h5").read_text() == "mine"
    assert performance.description.files == (str(tmp_path / "run.h5"), str(tmp_path / "run-3.h5"))


def fail(simulation: taut.Simulation, value: float) -> None:
    """What a user's function may do."""
    raise RuntimeError("out of fuel")


def test_a_function_of_the_users_that_fails_does_not_end_the_show(capsys: pytest.CaptureFixture[str]) -> None:
    scene = taut.Scene(name="mine")
    scene.add_body("ball", taut.shapes.Sphere(1.0), mass=1.0)
    scene.add_control("throttle", act=fail)
    performance = Performance(RunRequest(taut.scenes.unlisted(scene)))
    performance.obey("set_control", "throttle", 1.0)
    assert performance.update().message == "set_control: RuntimeError: out of fuel"
    assert "in fail" in capsys.readouterr().err  # where it happened
    advanced(performance, 1)


def test_controls_are_set_and_described() -> None:
    performance = Performance(request("parallel_arm"))
    first = performance.description.controls[0]
    performance.obey("set_control", first.name, first.high)
    assert performance.description.controls[0].value == first.high
    performance.obey("set_control", first.name, first.high + 1.0)
    assert first.name in performance.update().message
    performance.obey("set_control", "sail", 1.0)
    assert "'sail'" in performance.update().message and first.name in (performance.message or first.name)


def test_controls_that_follow_a_schedule_are_shown_and_can_be_taken_in_hand() -> None:
    performance = advanced(Performance(request("quadruped")), 2)
    name, other = "front-left-thigh", "back-left-thigh"
    first = performance.update().controls
    performance.obey("set_control", name, 99.0)
    assert name in performance.update().message  # refused, and so it still follows its schedule
    assert {each.name for each in performance.description.controls if each.scheduled} >= {name, other}
    performance.obey("set_control", name, 0.1)
    assert not next(each for each in performance.description.controls if each.name == name).scheduled
    after = advanced(performance, 40).update().controls
    assert after[name] == 0.1 and after[other] != first[other]


def test_a_winch_with_a_schedule_is_taken_in_hand_as_a_whole() -> None:
    performance = advanced(Performance(request("spool", parameters={})), 120)
    names = [each.name for each in performance.description.controls]
    assert names[:3] == ["winch.speed", "winch.brake", "winch.free_spool"] and "winch/hinge" not in names
    assert [performance.update().controls[name] for name in names[:3]] == [1.0, 0.0, 0.0]
    performance.obey("set_control", "winch.brake", 1.0)
    assert not any(each.scheduled for each in performance.description.controls)
    advanced(performance, 60)
    assert performance.simulation.part("winch").state == "brake"
    performance.obey("set_control", "winch.speed", -0.5)
    assert performance.simulation.part("winch").speed == pytest.approx(0.0, abs=1e-3)
    advanced(performance, 60)
    assert performance.simulation.part("winch").speed == pytest.approx(-0.5)
    assert [performance.update().controls[name] for name in names[:3]] == [-0.5, 0.0, 0.0]


def test_a_cable_is_cut_in_its_longest_piece_until_nothing_is_left_of_it() -> None:
    scene = taut.Scene(collisions=False)
    cable = taut.machines.Cable(from_="world", end=(3, 0, 0), segments=3, mass_per_length=1.0, diameter=0.02)
    scene.add(cable, name="hoist")
    performance = Performance(replace(request(parameters={}), entry=taut.scenes.unlisted(scene)))
    assert performance.description.parts == ("hoist",)
    left = []
    for _ in range(3):
        performance.obey("cut", "hoist")
        left.append(sorted(performance.simulation.meter.names))
    assert left == [["hoist/joint-0", "hoist/joint-2"], ["hoist/joint-2"], []] and performance.message == ""
    assert performance.description.parts == ()
    performance.obey("cut", "hoist")
    assert performance.message == "'hoist' cannot be cut: it is gone"


def test_another_scene_solver_or_parameter_starts_anew() -> None:
    performance = advanced(Performance(request()), 3)
    performance.obey("rebuild", None, "ipm", {"links": 4})
    assert performance.simulation.settings.solver.name == "ipm" and performance.simulation.time == 0.0
    assert performance.description.parameters["links"] == 4 and len(performance.drawing.body_names) == 6
    performance.obey("rebuild", "four_bar", None, None)
    assert performance.description.scene == "four_bar" and performance.description.solver == "ipm"


@pytest.mark.parametrize("change", [("nowhere", None, None), (None, "magic", None), (None, None, {"links": -3})])
def test_what_cannot_be_built_is_said_and_changes_nothing(change: tuple[object, object, object]) -> None:
    performance = advanced(Performance(request()), 3)
    before = performance.generation
    performance.obey("rebuild", *change)
    assert performance.update().message and performance.generation == before
    assert performance.simulation.time == pytest.approx(0.05)
    advanced(performance, 1)


def test_a_scene_of_ones_own_can_be_watched() -> None:
    scene = taut.Scene(name="mine")
    scene.add_body("ball", taut.shapes.Sphere(1.0), mass=1.0)
    scene.parameters["radius"] = 1.0
    performance = advanced(Performance(RunRequest(taut.scenes.unlisted(scene))), 1)
    performance.obey("reset")
    assert performance.simulation.parameters == {"radius": 1.0}
    assert performance.description.scene == "mine" and performance.description.defaults == {}


@pytest.mark.parametrize("closing", [False, True])
def test_a_full_disk_ends_the_recording_and_not_the_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closing: bool
) -> None:
    performance = Performance(request("stack_of_boxes", record=tmp_path / "run.h5"))

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(record_file, "take_room", fail)
    for _ in range(3 if closing else 2 * CHUNK_FRAMES):
        performance.advance()
    performance.stop_recording()
    assert "stopped growing: No space left on device" in performance.message and performance.recorder is None
    assert len(Recording.load(tmp_path / "run.h5")) == 1
