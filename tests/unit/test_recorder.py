"""Recordings of simulations whose bodies, joints and springs come and go."""

from __future__ import annotations

import gc
import json
import math
import sys
import textwrap
from collections.abc import Callable
from dataclasses import make_dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest
from fresh_python import run_python
from sample_recordings import chain_info, frame_arrays, report

import taut
from taut.commands import main as cli
from taut.errors import InputError, SimulationError
from taut.results import record_file
from taut.results.events import Broken, Event, Split
from taut.results.record import CHUNK_FRAMES, Recording
from taut.results.record_changing import CHANGING_VERSION
from taut.results.record_log import OtherEvent
from taut.shapes import Box, Sphere
from taut.simulation.recorder import Recorder


def hanging(collisions: bool = False) -> taut.Simulation:
    """Two boxes in a row on a rope."""
    scene = taut.Scene(collisions=collisions, name="hanging")
    for number in range(2):
        scene.add_body(f"box{number}", Box(0.2, 0.2, 0.2), mass=1.0 + number, position=(0, 0, -1.0 - 0.5 * number))
    scene.connect("world", "box0", taut.joints.Distance(), at=(0, 0, 0), name="rope")
    scene.connect("box0", "box1", taut.joints.Spherical(), at=(0, 0, -1.25), name="ball")
    return taut.Simulation(scene, step=0.01)


def edited(recorder: Recorder, simulation: taut.Simulation, frames: int = 3) -> None:
    """A ball joint is cut, a ball comes, a box goes, a box of the same name and another shape comes."""

    def go_on() -> None:
        for _ in range(frames):
            simulation.step()
            recorder.frame()

    recorder.frame()
    go_on()
    with simulation.edit() as edit:
        edit.remove_joint("ball")
    go_on()
    with simulation.edit() as edit:
        edit.add_body("ball", Sphere(0.1), mass=3.0, position=(1, 0, 0))
        edit.connect("box0", "ball", taut.joints.Cylindrical(axis=(1, 0, 0)), name="pin")
    go_on()
    with simulation.edit() as edit:
        edit.remove_body("box1")
    go_on()
    with simulation.edit() as edit:
        edit.add_body("box1", Sphere(0.3), mass=5.0, position=(2, 0, 0))
    go_on()


def same(a: Recording, b: Recording) -> None:
    """Two recordings say the same."""
    assert a.info == b.info and a.events == b.events and len(a.eras) == len(b.eras)
    for name in ("reports", "positions", "orientations", "velocities", "angular_velocities", "present", "joined"):
        assert np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name != "reports"), name
    for joint in a.info.joint_names:
        for one, other in zip(vars(a.joint(joint)).values(), vars(b.joint(joint)).values(), strict=True):
            assert type(one) is type(other)
            assert isinstance(one, str) or one is None or np.array_equal(one, other, equal_nan=True), joint
    for frame in range(len(a)):
        assert a.contacts(frame).body_b == b.contacts(frame).body_b
        assert np.allclose(a.contacts(frame).force, b.contacts(frame).force, rtol=1e-6)
    for one, other in zip(a.eras, b.eras, strict=True):
        assert one.drawing.body_names == other.drawing.body_names
        assert np.array_equal(one.drawing.path_point, other.drawing.path_point)


def test_a_recording_has_a_column_for_all_that_ever_were() -> None:
    simulation = hanging()
    recorder = Recorder(simulation)
    edited(recorder, simulation)
    recording = recorder.recording
    assert recording.info.body_names == ("box0", "box1", "ball") and recording.info.masses == (1.0, 5.0, 3.0)
    assert recording.info.joint_names == ("rope", "ball", "pin")
    assert recording.present.shape == (16, 3) and recording.positions.shape == (16, 3, 3)
    assert recording.present[:, 1].tolist() == [True] * 10 + [False] * 3 + [True] * 3
    assert recording.joined.T.tolist() == [[True] * 16, [True] * 4 + [False] * 12, [False] * 7 + [True] * 9]
    assert np.array_equal(np.isnan(recording.positions).any(axis=2), ~recording.present)
    box = recording.body("box1")
    assert np.array_equal(box.position, recording.positions[:, 1], equal_nan=True) and box.mass == 5.0
    assert box.position[-1] == pytest.approx(simulation.body("box1").position)
    pin = recording.joint("pin")
    assert pin.position.shape == (16, 2) and np.isnan(pin.position[:7]).all() and np.isfinite(pin.position[7:]).all()
    rope = recording.joint("rope")
    assert np.isfinite(rope.tension).all() and rope.position.shape == (16, 2) and np.isnan(rope.position[:, 1]).all()
    assert recording.column("time") == pytest.approx(0.01 * np.arange(16))
    summary = recording.summary()
    assert summary["bodies"] == 3 and summary["final"]["box1"] == pytest.approx(simulation.body("box1").position)


@pytest.mark.parametrize("frames", [3, CHUNK_FRAMES, CHUNK_FRAMES + 7])
@pytest.mark.parametrize("collisions", [False, True])
def test_a_file_holds_the_same_as_memory(tmp_path: Path, frames: int, collisions: bool) -> None:
    simulation = hanging(collisions)
    recorder = Recorder(simulation, tmp_path / "run.h5")
    edited(recorder, simulation, frames)
    recorder.recording.close()
    read = Recording.load(tmp_path / "run.h5")
    assert read.ending == "complete" and len(read.eras) == 5
    same(read, recorder.recording)
    assert list(tmp_path.iterdir()) == [tmp_path / "run.h5"]


def test_a_recording_without_changes_is_what_it_was(tmp_path: Path) -> None:
    simulation = hanging()
    recorder = Recorder(simulation, tmp_path / "run.h5")
    recorder.frame()
    with simulation.edit():
        pass
    hand = simulation.grab("box1")
    simulation.step()
    recorder.frame()
    hand.release()
    recorder.frame()
    recorder.recording.close()
    assert len(recorder.recording.eras) == 1 and recorder.recording.info.joint_names == ("rope", "ball")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["format_version"] == 3 and file["positions"].shape == (3, 2, 3)


def test_contacts_may_begin_and_end_with_a_change(tmp_path: Path) -> None:
    scene = taut.Scene()
    scene.add_body("weight", mass=1.0, inertia=(1, 1, 1), position=(9, 0, 0))
    simulation = taut.Simulation(scene)
    recorder = Recorder(simulation, tmp_path / "run.h5")
    recorder.frame()
    with simulation.edit() as edit:
        edit.add_body("floor", Box(2, 2, 1), fixed=True, position=(0, 0, -0.5))
        edit.add_body("box", Box(1, 1, 1), mass=1.0, position=(0, 0, 0.5))
    for _ in range(5):
        simulation.step()
        recorder.frame()
    with simulation.edit() as edit:
        edit.remove_body("floor")
        edit.remove_body("box")
    simulation.step()
    recorder.frame()
    recorder.recording.close()
    for recording in (recorder.recording, Recording.load(tmp_path / "run.h5")):
        counts = [len(recording.contacts(frame)) for frame in range(7)]
        assert counts[0] == counts[6] == 0 and counts[5] == 4
        assert recording.contacts(5).of("box").normal_force.sum() == pytest.approx(9.81, rel=1e-3)


def test_edits_while_it_runs_are_recorded() -> None:
    simulation = hanging()

    def cut(share: float) -> None:
        if simulation.state.steps == 3:
            with simulation.edit() as edit:
                edit.remove_joint("rope")

    recording = simulation.run(0.1, progress=cut)
    assert recording.joined[:, 0].tolist() == [True] * 4 + [False] * 7


BREAKING = """
'''A weight on a thread that is too thin.'''
import taut


def build(thread=50.0):
    scene = taut.Scene(collisions=False)
    scene.add_body('weight', taut.shapes.Sphere(0.1), mass=10, position=(1, 0, 0))
    scene.connect('world', 'weight', taut.joints.Spherical(), at=(0, 0, 0), name='thread', break_force=thread)
    return scene
"""


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Call `taut` in this process; what it prints."""

    def call(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["taut", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code
        return capsys.readouterr().out

    return call


def test_what_happens_on_the_way_is_told(command: Callable[..., str], tmp_path: Path) -> None:
    script, file = tmp_path / "breaking.py", tmp_path / "run.h5"
    script.write_text(BREAKING)
    broken = ("run", script, "--duration", "0.5")
    assert json.loads(command(*broken, "--json", "--record", file))["events"] == {"broken": 1}
    assert "events: 1 broken" in command(*broken)
    assert "events" not in command(*broken, "--set", "thread=1000")
    recording = Recording.load(file)
    (event,) = recording.events
    assert event.name == "thread" and 50.0 < event.force < 60.0
    joined = recording.joined[:, 0]
    assert joined[:-1][joined[1:]].all() and joined[0] and not joined[-1]  # it never comes back
    for picture in (("plot", file, "--out", tmp_path / "run.png"), ("render", file, tmp_path / "end.png")):
        command(*picture)
        assert Path(picture[-1]).stat().st_size > 1000


def test_events_of_types_that_are_not_known_here_are_told(tmp_path: Path) -> None:
    Rusted = make_dataclass("Rusted", [("depth", float)], bases=(Event,), frozen=True, namespace={"kind": "rusted"})
    with Recording(chain_info(3), tmp_path / "run.h5") as recording:
        recording.append(0.0, *frame_arrays(0, 3), Told(0))
        recording.append(0.1, *frame_arrays(1, 3), Told(1, Rusted(0.1, "joint1", 1e-3)))
    assert recording.events[0].depth == 1e-3
    del recording, Rusted
    gc.collect()
    (event,) = Recording.load(tmp_path / "run.h5").events
    assert event == OtherEvent("rusted", 0.1, "joint1", {"depth": 1e-3})


class Told:
    """A report with events."""

    def __init__(self, frame: int, *events: object) -> None:
        self.events, self.as_row = events, report(frame).as_row


@pytest.mark.parametrize("file", ["run.h5", None])
def test_events_are_kept_and_counted(tmp_path: Path, file: str | None) -> None:
    path = None if file is None else tmp_path / file
    with Recording(chain_info(3), path) as recording:
        for frame in range(2 * CHUNK_FRAMES):
            told = [Broken(0.01 * frame, f"joint{each}", 9.0, 2.0) for each in range(2 if frame in (0, 5, 100) else 0)]
            told += [Split(0.01 * frame, "link1", ("a", "b"))] if frame == 7 else []
            recording.append(0.01 * frame, *frame_arrays(frame, 3), Told(frame, *told))
    recording = recording if path is None else Recording.load(path)
    events = recording.events
    broken = [Broken(time, f"joint{each}", 9.0, 2.0) for time in (0.05, 1.0) for each in range(2)]
    # what led to the first frame was before it
    assert events == (*broken[:2], Split(0.07, "link1", ("a", "b")), *broken[2:])
    assert recording.summary()["events"] == {"broken": 4, "split": 1} and len(recording) == 2 * CHUNK_FRAMES
    assert len(recording.eras) == 1


def killed(path: Path, at: int) -> None:
    """A run with changes that is killed after so many frames."""
    script = f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_recorder import *
        simulation = hanging()
        recorder = Recorder(simulation, {str(path)!r})
        frame = recorder.frame
        def counted():
            frame()
            if len(recorder.recording) == {at}:
                os.kill(os.getpid(), signal.SIGKILL)
        recorder.frame = counted
        edited(recorder, simulation, 40)
    """
    assert run_python("-c", textwrap.dedent(script)).returncode == -9


@pytest.mark.parametrize(("at", "kept"), [(50, 1), (100, 64), (150, 128)])
def test_a_killed_run_keeps_all_but_its_last_frames(tmp_path: Path, at: int, kept: int) -> None:
    path = tmp_path / "run.h5"
    killed(path, at)
    read = Recording.load(path)
    assert len(read) == kept and read.ending == "running"
    simulation = hanging()
    recorder = Recorder(simulation)
    edited(recorder, simulation, 40)
    columns = [recorder.recording.info.body_names.index(name) for name in read.info.body_names]
    assert np.array_equal(read.positions, recorder.recording.positions[:kept, columns], equal_nan=True)


def test_a_full_disk_keeps_the_frames_before_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = hanging()
    recorder = Recorder(simulation, tmp_path / "run.h5")
    recorder.frame()
    for _ in range(CHUNK_FRAMES):
        simulation.step()
        recorder.frame()
    with simulation.edit() as edit:
        edit.remove_joint("ball")
    recorder.frame()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record_file, "take_room", fail)
    said = f"run.h5' stopped growing: No space left on device; its first {CHUNK_FRAMES} frames are kept"
    with pytest.raises(SimulationError, match=said):
        recorder.recording.close()
    assert list(tmp_path.iterdir()) == [tmp_path / "run.h5"]
    read = Recording.load(tmp_path / "run.h5")
    assert len(read) == CHUNK_FRAMES and read.ending == "failed"


@pytest.mark.parametrize("dataset", ["positions", "changes", "checksums", "reports", "joint_positions", "ending"])
def test_a_wrong_byte_is_said(tmp_path: Path, dataset: str) -> None:
    path = tmp_path / "run.h5"
    simulation = hanging()
    recorder = Recorder(simulation, path)
    edited(recorder, simulation)
    recorder.recording.close()
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == CHANGING_VERSION
        found = file[dataset]
        at = found.id.get_chunk_info(0).byte_offset if found.chunks else found.id.get_offset()
    content = bytearray(path.read_bytes())
    content[at + 9] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"damaged: dataset '{dataset}'"):
        Recording.load(path)


def test_a_change_a_frame_costs_about_a_frame(tmp_path: Path) -> None:
    scene = taut.Scene(collisions=False)
    for number in range(50):
        scene.add_body(f"box{number}", Box(0.2, 0.2, 0.2), mass=1.0, position=(number, 0, 0))
    sizes = []
    for changing in (False, True):
        simulation = taut.Simulation(scene)
        recorder = Recorder(simulation, tmp_path / f"{changing}.h5")
        for number in range(200):
            simulation.step()
            recorder.frame()
            if changing:
                with simulation.edit() as edit:
                    edit.remove_body(simulation.model.bodies.names[1])
                    edit.add_body(f"new{number}", Box(0.2, 0.2, 0.2), mass=1.0, position=(-number, 0, 0))
        recorder.recording.close()
        sizes.append((tmp_path / f"{changing}.h5").stat().st_size)
    assert sizes[1] < 2.0 * sizes[0]
    assert Recording.load(tmp_path / "True.h5").positions.shape == (200, 249, 3)
    assert math.isclose(recorder.recording.present.sum(), 200 * 50)


def test_ropes_that_are_gone_are_gone_in_the_file_too(tmp_path: Path) -> None:
    scene = taut.Scene(collisions=False)
    for name, x in (("load", 0.0), ("other", 1.0)):
        scene.add_body(name, taut.shapes.Sphere(0.1), mass=1.0, position=(x, 0, -1))
    scene.connect("world", "other", taut.joints.Spherical())
    ends = [taut.joints.attach("world", (0, 0, 0)), taut.joints.attach("load", (0, 0, 0))]
    scene.connect("world", "load", taut.joints.Route(stops=tuple(ends)), name="rope")
    simulation = taut.Simulation(scene)

    def drop(share: float) -> None:
        if share == 0.5:
            with simulation.edit() as edit:
                edit.remove_joint("rope")

    recording = simulation.run(4 / 60, tmp_path / "rope.h5", drop)
    for each in (recording, Recording.load(tmp_path / "rope.h5")):
        assert [len(era.drawing.ropes) for era in each.eras if era.drawing is not None] == [2, 0]
