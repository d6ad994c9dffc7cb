"""One instant: the same from a simulation and from its recording."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.results.record import Recording
from taut.view.frame import Frame, drawing_of, frame_at, frame_of


@pytest.mark.parametrize("name", ["snap_chain", "stack_of_boxes", "parallel_arm", "ragdoll"])
def test_a_recording_shows_what_the_simulation_showed(name: str, tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build(name))
    simulation.run(0.2, tmp_path / "run.h5")
    live, kept = frame_of(simulation), frame_at(Recording.load(tmp_path / "run.h5"), -1)
    assert live.time == kept.time == pytest.approx(0.2)
    for part in fields(Frame):
        mine, its = getattr(live, part.name), getattr(kept, part.name)
        if part.name == "contacts":
            assert np.array_equal(mine.index_a, its.index_a) and np.array_equal(mine.index_set, its.index_set)
            assert its.force == pytest.approx(mine.force, rel=1e-6)
        elif part.name == "report":
            assert mine == its
        else:
            assert np.array_equal(mine, its, equal_nan=True), part.name


def test_a_frame_does_not_change_when_the_simulation_goes_on() -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=5))
    frame = frame_of(simulation)
    before = [getattr(frame, name).copy() for name in ("positions", "orientations", "reactions")]
    simulation.step()
    after = [getattr(frame, name) for name in ("positions", "orientations", "reactions")]
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
    assert not np.array_equal(frame.positions, frame_of(simulation).positions)


def test_looking_changes_no_bit_of_the_motion() -> None:
    watched, alone = (taut.Simulation(taut.scenes.build("log_tower", layers=3)) for _ in range(2))
    for _ in range(30):
        watched.step()
        frame_of(watched)
        alone.step()
    assert np.array_equal(watched.state.position, alone.state.position)
    assert np.array_equal(watched.state.velocity, alone.state.velocity)


def test_recordings_without_shapes_are_drawn_by_their_scene(tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=5))
    recording = simulation.run(0.05)
    recording.eras[0].drawing = None
    assert drawing_of(recording).body_names == simulation.drawing.body_names
    recording.eras[0].drawing = None
    recording.info = replace(recording.info, parameters={"links": 6})
    with pytest.raises(InputError, match="has no shapes, and its scene has other bodies"):
        drawing_of(recording)
    recording.info = replace(recording.info, scene="mine")
    with pytest.raises(InputError, match="has no shapes, and its scene cannot be built"):
        drawing_of(recording)
