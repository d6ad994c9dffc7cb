"""Recordings of simulations that are edited at random: every frame is what was simulated, in memory and in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.edits import SOLVERS, Editor, hanging_row
from sample_mechanisms import same_state

import taut
from taut.model.compile import compile_scene
from taut.results.drawing import draw_model, drawn_links
from taut.results.record import Recording
from taut.simulation.recorder import Recorder
from taut.view.batches import Look, batches
from taut.view.frame import drawing_of, frame_at, frame_of

pytestmark = pytest.mark.filterwarnings("ignore::taut.TautWarning")  # of what lies in each other

SHORT, LONG = range(6), range(2000, 2040)


def seen(simulation: taut.Simulation) -> dict[str, Any]:
    """What there is to know of a frame by names."""
    frame, drawing = frame_of(simulation), simulation.drawing
    return {
        "bodies": {name: (*frame.positions[at], *frame.orientations[at]) for at, name in enumerate(drawing.body_names)},
        "joints": {name: tuple(frame.reactions[at]) for at, name in enumerate(drawing.link_names)},
        "contacts": sorted(zip(frame.contacts.body_a, frame.contacts.body_b, strict=True)),
        "pieces": len(drawing.piece_body),
        "bonds": sorted(tuple(drawing.body_names[end] for end in bond) for bond in drawing.bonds.tolist()),
    }


def shown(recording: Recording, index: int) -> dict[str, Any]:
    """The same of a frame of a recording, as viewers have it."""
    frame, drawing = frame_at(recording, index), drawing_of(recording)
    drawn = sum(len(batch.positions) for batch in batches(drawing, frame, Look()) if batch.name.startswith("bodies/"))
    bodies, links = np.flatnonzero(frame.present).tolist(), np.flatnonzero(frame.joined).tolist()
    return {
        "bodies": {drawing.body_names[at]: (*frame.positions[at], *frame.orientations[at]) for at in bodies},
        "joints": {drawing.link_names[at]: tuple(frame.reactions[at]) for at in links},
        "contacts": sorted(zip(frame.contacts.body_a, frame.contacts.body_b, strict=True)),
        "pieces": drawn,
        "bonds": sorted(tuple(drawing.body_names[end] for end in bond) for bond in frame.bonds.tolist()),
    }


def recorded(seed: int, edits: int, folder: Path, coordinates: str = "maximal") -> None:
    """Edit, step and record; then compare every frame with what was there, and go on from a file."""
    rng = np.random.default_rng(seed)
    simulation = taut.Simulation(hanging_row(rng), solver=SOLVERS[seed % len(SOLVERS)], coordinates=coordinates)
    editor, recorder = Editor(rng, simulation), Recorder(simulation, folder / "run.h5")
    recorder.frame()
    told, joints, energies = [seen(simulation)], set(simulation.meter.names), [simulation.report.energy]
    for _ in range(edits):
        for _ in range(int(rng.integers(3))):
            editor.edit()
        for _ in range(int(rng.integers(1, 4))):
            energies.append(simulation.step().energy)
            recorder.frame()
            told.append(seen(simulation))
            fresh, drawn = draw_model(compile_scene(simulation.scene)[0]), recorder.recording.eras[-1].drawing
            assert fresh.sharing(drawn) is drawn, "what is kept is as a new model has it"
            joints |= {simulation.meter.names[link] for link in drawn_links(simulation.model).tolist()}
    recorder.recording.close()
    names = {name for frame in told for name in frame["bodies"]} - {"world"}
    for recording in (recorder.recording, Recording.load(folder / "run.h5")):
        assert len(recording) == len(told) and recording.energy.tolist() == energies
        assert set(recording.info.body_names) == names and set(recording.info.joint_names) == joints
        for index, frame in enumerate(told):
            assert shown(recording, index) == frame, f"frame {index} of seed {seed}"
        for name in sorted(names):
            column, there = recording.body(name).position, [name in frame["bodies"] for frame in told]
            assert np.isfinite(column).all(axis=1).tolist() == there
            assert recording.present[:, recording.info.body_names.index(name)].tolist() == there
    simulation.save(folder / "run.npz")
    again = taut.Simulation.load(folder / "run.npz")
    for each in (simulation, again):
        for _ in range(3):
            each.step()
    assert same_state(again.state, simulation.state) == []


@pytest.mark.parametrize("seed", SHORT)
def test_recordings_of_random_edits(seed: int, tmp_path: Path) -> None:
    recorded(seed, edits=20, folder=tmp_path)


@pytest.mark.parametrize("seed", SHORT[:2])
def test_recordings_of_random_edits_in_joint_coordinates(seed: int, tmp_path: Path) -> None:
    recorded(seed, edits=20, folder=tmp_path, coordinates="reduced")


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["maximal", "reduced", "auto"])
@pytest.mark.parametrize("seed", LONG)
def test_recordings_of_many_random_edits(seed: int, coordinates: str, tmp_path: Path) -> None:
    recorded(seed, edits=60, folder=tmp_path, coordinates=coordinates)
