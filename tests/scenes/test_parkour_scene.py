"""The check of `parkour` finds what is not true of a drivetrain, of wheels and of the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import scenes
from taut.results.record import Recording
from taut.scenes._armoured_log import Log

CHECK = scenes.get("parkour").check


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole story."""
    path = tmp_path_factory.mktemp("parkour") / "story.h5"
    taut.Simulation(scenes.build("parkour")).run(scenes.get("parkour").duration, record=path)
    return path


def torque(recording: Recording, joint: str, factor: float) -> None:
    recording.joint(joint).reaction[:] *= factor


def speed(recording: Recording, body: str, after: float, change: float) -> None:
    moved = recording.time > after
    along = recording.body("hull").orientation[moved]
    ahead = taut.spatial.rotate_each(along, np.tile((1.0, 0.0, 0.0), (len(along), 1)))
    recording.body(body).angular_velocity[moved] += change * ahead


def shift(recording: Recording, start: float, end: float, way: tuple[float, float, float]) -> None:
    among = (recording.time > start) & (recording.time < end)
    recording.body("hull").position[among] += way


def spin(recording: Recording, wheel: str, after: float, change: float) -> None:
    velocity = recording.joint(f"{wheel}/hinge").velocity
    assert velocity is not None
    velocity[recording.time > after] += change


CHANGES: dict[str, Callable[[Recording], None]] = {
    "work of the engine that is not found": lambda each: torque(each, "drive/engine/torque", 1.05),
    "energy gained beyond the work": lambda each: each.reports["energy"].__iadd__(1e6 * (each.time > 3.0)),
    "speeds in differentials": lambda each: speed(each, "drive/final/first/shaft/rotor", 5.0, 0.1),
    "tilt of the hull": lambda each: each.body("hull").orientation.__setitem__(-1, (0.9, 0.4, 0.0, 0.0)),
    "rows are the most of a frame": lambda each: each.reports["rows"].__setitem__(9, 310),
    "over the landing": lambda each: shift(each, 4.0, 6.0, (0.0, 0.0, -0.1)),
    "came to x =": lambda each: shift(each, 15.0, 21.0, (-5.0, 0.0, 0.0)),
    "over the slope": lambda each: shift(each, 15.0, 21.0, (0.0, 0.0, 0.2)),
    "tyres are pressed in": lambda each: each.contacts(-1).gap.__imul__(1.05),
    "creeps at": lambda each: each.contacts(-3).slip.__iadd__(1e-5),
}
"""What a recording says where something is not true, by what the check says of it."""


def test_the_story_is_right_as_it_is(file: Path) -> None:
    CHECK(Recording.load(file))


@pytest.mark.parametrize("words", CHANGES)
def test_what_is_not_true_is_found(file: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Recording.load(file)
    tables = {-1: recording.contacts(len(recording) - 1), -3: recording.contacts(len(recording) - 3)}
    read = recording.contacts
    kept = {len(recording) + at: table for at, table in tables.items()}
    monkeypatch.setattr(recording, "contacts", lambda frame: kept.get(frame % len(recording)) or read(frame))
    CHANGES[words](recording)
    with pytest.raises(AssertionError, match=words):
        CHECK(recording)


def test_brakes_that_do_not_hold_are_found(file: Path) -> None:
    recording = Recording.load(file)
    for wheel, change in (("wheel-1-left", 1e-4), ("wheel-1-right", -1e-4)):  # the differential would not mind
        spin(recording, wheel, 19.8, change)
    with pytest.raises(AssertionError, match="with their brakes on"):
        CHECK(recording)


def test_without_locks_it_does_not_come_over_the_stairs() -> None:
    """All differentials open: where an axle has left the ground nothing is driven any more."""
    scene = scenes.build("parkour")
    scene.controls["drive.lock"] = replace(scene.controls["drive.lock"], schedule=None)
    recording = taut.Simulation(scene).run(7.0)
    place = recording.body("hull").position
    assert place[:, 0].max() < 6.0
    torque = np.abs(Log(recording).wheel_torques())[:, recording.time > 5.0]
    assert torque.mean() < 0.25 * 1800.0 * 5.0 * 1.5 * 6.0 / 8.0  # of what its clutch could hand on


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"friction": 2.0}, "friction is 2; it must be from 0.5 to 1.5"),
        ({"shafts": "steel"}, "one of massless, bodies"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(parameters: dict[str, object], words: str) -> None:
    with pytest.raises(taut.InputError, match=words):
        scenes.build("parkour", **parameters)
