"""Random rigging of winches, cables, ropes, chains and hooks: views tell, books are kept, files go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz.rigs import Rigger, yard
from fuzz.test_tears import goes_on, options_of, replays, stepped

import taut
from taut.results.record import Recording
from taut.simulation.recorder import Recorder

SHORT, LONG = range(6), range(7000, 7040)

pytestmark = pytest.mark.filterwarnings("ignore::taut.TautWarning")


def rigged(seed: int, edits: int, saved_every: int, folder: Path) -> None:
    """Rig, step and record; look at all parts after every edit and step, and now and then go on from a file."""
    rng = np.random.default_rng(seed)
    simulation = taut.Simulation(yard(rng), **options_of(seed))
    rigger, recorder = Rigger(rng, simulation), Recorder(simulation, folder / "run.h5")
    recorder.frame()
    names = [simulation.model.bodies.names[1:]]
    for count in range(edits):
        what = f"edit {count} of seed {seed}, {rigger.edit()}"
        rigger.look()
        for _ in range(int(rng.integers(1, 6))):
            stepped(simulation, recorder, what)
            names.append(simulation.model.bodies.names[1:])
        rigger.look()
        if count % saved_every == saved_every - 1:
            goes_on(simulation, folder, what)
    recorder.recording.close()
    replays(Recording.load(folder / "run.h5"), recorder.recording, names)


@pytest.mark.parametrize("seed", SHORT)
def test_random_rigs(seed: int, tmp_path: Path) -> None:
    rigged(seed, edits=20, saved_every=5, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", LONG)
def test_many_random_rigs(seed: int, tmp_path: Path) -> None:
    rigged(seed, edits=60, saved_every=10, folder=tmp_path)
