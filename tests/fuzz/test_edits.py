"""Random edits of running scenes: nothing breaks, void edits change no bit, and every state restores to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz.edits import SOLVERS, Editor, hanging_row
from sample_mechanisms import same_state

import taut
from taut.contact.friction import MODES

pytestmark = pytest.mark.filterwarnings("ignore::taut.TautWarning")  # of what lies in each other

SHORT, LONG = range(6), range(1000, 1060)


def void_edits(simulation: taut.Simulation) -> None:
    """An edit of nothing, and one that fails."""
    with simulation.edit():
        pass
    with pytest.raises(taut.InputError), simulation.edit() as edit:
        edit.remove_body(simulation.model.bodies.names[-1])
        edit.remove_body("nobody")


def after(simulation: taut.Simulation, state: taut.State, frames: int = 3) -> taut.State:
    """Where a simulation leads from a state."""
    simulation.restore(state)
    for _ in range(frames):
        simulation.step()
    return simulation.state


def edited(seed: int, edits: int, restored_every: int, folder: Path, coordinates: str = "maximal") -> None:
    """Edit and step; now and then leave a checkpoint, and go on from it here and in a new simulation."""
    rng = np.random.default_rng(seed)
    options = {"solver": SOLVERS[seed % len(SOLVERS)], "friction": MODES[seed % len(MODES)], "coordinates": coordinates}
    simulation = taut.Simulation(hanging_row(rng), **options)
    editor = Editor(rng, simulation)
    for count in range(edits):
        kind = editor.edit()
        before = simulation.state.copy()
        void_edits(simulation)
        assert same_state(simulation.state, before) == [], f"void edits after edit {count} ({kind})"
        for _ in range(2):
            simulation.step()
        if count % restored_every == restored_every - 1:
            simulation.state.save(folder / "state.npz")
            state = taut.State.load(folder / "state.npz")
            other = taut.Simulation(simulation.scene, **options)
            for _ in range(3):
                simulation.step()
            went_on = simulation.state
            assert same_state(after(other, state), went_on) == [], f"a new simulation after edit {count} ({kind})"
            assert same_state(after(simulation, state), went_on) == [], f"the same after edit {count} ({kind})"


@pytest.mark.parametrize("seed", SHORT)
def test_random_edits(seed: int, tmp_path: Path) -> None:
    edited(seed, edits=15, restored_every=3, folder=tmp_path)


@pytest.mark.parametrize("seed", SHORT[:4])
def test_random_edits_in_joint_coordinates(seed: int, tmp_path: Path) -> None:
    edited(seed, edits=15, restored_every=3, folder=tmp_path, coordinates="reduced")


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["maximal", "reduced", "auto"])
@pytest.mark.parametrize("seed", LONG)
def test_many_random_edits(seed: int, coordinates: str, tmp_path: Path) -> None:
    edited(seed, edits=50, restored_every=5, folder=tmp_path, coordinates=coordinates)
