"""Random edits and breaks of running scenes: momentum stays, views tell, the model is its scene's, files go on."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.edits import SOLVERS
from fuzz.tears import Tearer, torn_row
from sample_mechanisms import same_state
from unit.test_model_revise import differences

import taut
from taut.contact.friction import MODES
from taut.model.compile import compile_model
from taut.results.record import Recording
from taut.simulation.recorder import Recorder

pytestmark = pytest.mark.filterwarnings("ignore::taut.TautWarning")  # of callbacks that edit within a step

SHORT, LONG = range(6), range(4000, 4100)
EDITS = 100
"""Of a long run: a hundred seeds make 10,000."""

RESIDUAL = 1e-9
"""Of a frame that counts as solved."""


@dataclasses.dataclass
class Tally:
    """What a run came to."""

    frames: int = 0
    broken: int = 0
    unsolved: Counter[str] = dataclasses.field(default_factory=Counter)
    done: Counter[str] = dataclasses.field(default_factory=Counter)
    refused: list[str] = dataclasses.field(default_factory=list)
    said: list[str] = dataclasses.field(default_factory=list)


def options_of(seed: int) -> dict[str, Any]:
    """Another way to simulate for every seed."""
    return {
        "solver": SOLVERS[seed % len(SOLVERS)], "friction": MODES[seed % len(MODES)],
        "coordinates": ("maximal", "reduced", "auto")[seed // 4 % 3], "sleeping": bool(seed // 2 % 2),
        "step": (1 / 60, 1 / 120)[seed // 3 % 2],
    }  # fmt: skip


def torn(seed: int, edits: int, saved_every: int, folder: Path) -> Tally:
    """Edit, step and record; look at everything after every step, and now and then go on from a file."""
    rng = np.random.default_rng(seed)
    simulation = taut.Simulation(torn_row(rng), **options_of(seed))
    tearer, recorder, tally = Tearer(rng, simulation), Recorder(simulation, folder / "run.h5"), Tally()
    recorder.frame()
    names = [simulation.model.bodies.names[1:]]
    for count in range(edits):
        tearer.keep()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            what = f"edit {count} of seed {seed}, {tearer.edit()}"
        tally.said += [str(each.message) for each in caught]
        assert differences(simulation.model, compile_model(simulation.scene)) == [], what
        tearer.look()
        for _ in range(int(rng.integers(1, 4))):
            report = stepped(simulation, recorder, what)
            names.append(simulation.model.bodies.names[1:])
            tally.frames += 1
            tally.broken += sum(event.kind == "broken" for event in report.events)
            tally.unsolved[report.status] += report.unconverged
        tearer.look()
        if count % saved_every == saved_every - 1:
            goes_on(simulation, folder, what)
    recorder.recording.close()
    replays(Recording.load(folder / "run.h5"), recorder.recording, names)
    tally.done, tally.refused = tearer.done, tearer.refused
    assert all("\n" not in text for text in tally.said)
    return tally


def stepped(simulation: taut.Simulation, recorder: Recorder, what: str) -> taut.StepReport:
    """Step and record; the state is finite, and what counts as solved is."""
    report = simulation.step()
    recorder.frame()
    assert simulation.state.is_finite(), what
    assert report.unconverged or report.residual <= RESIDUAL, f"{what}: residual {report.residual:.3g}"
    return report


def goes_on(simulation: taut.Simulation, folder: Path, what: str) -> None:
    """Write a simulation to a file and step both."""
    simulation.save(folder / "run.npz")
    again = taut.Simulation.load(folder / "run.npz")
    assert differences(again.model, simulation.model) == [], what
    for _ in range(2):
        assert simulation.step().energy == again.step().energy, what
        assert same_state(again.state, simulation.state) == [], what


def replays(loaded: Recording, kept: Recording, names: list[tuple[str, ...]]) -> None:
    """The file has every frame with the bodies that were there, and every event."""
    assert loaded.events == kept.events and len(loaded) == len(names)
    assert np.array_equal(loaded.positions, kept.positions, equal_nan=True)
    for present, there in zip(loaded.present, names, strict=True):
        assert {loaded.info.body_names[at] for at in np.flatnonzero(present)} == set(there)
    assert np.isfinite(loaded.positions[loaded.present]).all()


@pytest.mark.parametrize("seed", SHORT)
def test_random_tears(seed: int, tmp_path: Path) -> None:
    tally = torn(seed, edits=40, saved_every=8, folder=tmp_path)
    assert tally.unsolved["penetration"] == 0, "what an edit puts into others is said, and is no failure of a frame"


@pytest.mark.slow
@pytest.mark.parametrize("seed", LONG)
def test_ten_thousand_random_tears(seed: int, tmp_path: Path) -> None:
    torn(seed, EDITS, saved_every=10, folder=tmp_path)
