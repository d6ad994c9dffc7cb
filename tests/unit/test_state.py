"""The state: a copy or a checkpoint of it replays to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sample_mechanisms import chain, falling_on_a_rope, same_state, slider

import taut
from taut.errors import InputError
from taut.joints import Motor
from taut.model.state import State


def test_copies_are_independent() -> None:
    simulation = chain()
    state = simulation.state
    copy = state.copy()
    assert same_state(state, copy) == []
    for name, value in vars(copy).items():
        if isinstance(value, np.ndarray):
            assert not np.shares_memory(value, getattr(state, name)), name
            value += 1
    assert len(same_state(state, copy)) > 10


@pytest.mark.parametrize("way", ["copy", "file"])
@pytest.mark.parametrize("frames", [1, 2, 5])
def test_chain_replays_to_the_bit(way: str, frames: int, tmp_path: Path) -> None:
    first, second = chain(), chain()
    for _ in range(frames):
        first.step()
    if way == "file":
        first.state.save(tmp_path / "state.npz")
    second.restore(first.state.copy() if way == "copy" else State.load(tmp_path / "state.npz"))
    assert same_state(first.state, second.state) == []
    for _ in range(20):
        assert first.step().solves == second.step().solves
        assert first.report.energy == second.report.energy
    assert same_state(first.state, second.state) == []


def test_replay_across_a_change_of_the_index_set() -> None:
    """From every frame around the one where the rope snaps taut."""
    whole = falling_on_a_rope()
    states = [whole.state.copy()]
    for _ in range(60):
        whole.step()
        states.append(whole.state.copy())
    changes = [i for i in range(1, 60) if not np.array_equal(states[i].index_set, states[i + 1].index_set)]
    assert changes, "the rope must become taut"
    for start in {max(changes[0] - 1, 0), changes[0], changes[0] + 1}:
        again = falling_on_a_rope()
        again.restore(states[start])
        for expected in states[start + 1 :]:
            again.step()
            assert same_state(again.state, expected) == []


def test_replay_in_the_same_simulation_with_motor_and_friction() -> None:
    simulation = slider(
        speed=1.0, friction=2.0, motor=Motor(speed=0.5, max_force=1.0), limits=(-0.2, 0.1), stiffness=40.0
    )
    for _ in range(5):
        simulation.step()
    start = simulation.state.copy()
    simulation.joint("j").drive(-3.0)
    simulation.body("b").apply(force=(1, 0, 0))
    runs = []
    for _ in range(2):
        for _ in range(30):
            simulation.step()
        runs.append(simulation.state)
        simulation.restore(start)
        simulation.joint("j").drive(-3.0)
        simulation.body("b").apply(force=(1, 0, 0))
    assert same_state(*runs) == []


def test_energy_after_restoring_is_the_energy_before() -> None:
    """Springs, spins and potential energy are summed up the same way in a step and when a state is set."""
    scene = taut.Scene()
    for index in range(3):
        scene.add_body(
            f"b{index}", mass=1.3, inertia=(0.3, 0.4, 0.5), position=(index, 0.1, 0), angular_velocity=(1, 2, 3)
        )
    scene.add_spring("b0", "b1", stiffness=33.3, rest_length=0.7)
    scene.add_spring("b1", "b2", stiffness=77.7, rest_length=0.9)
    simulation = taut.Simulation(scene)
    for _ in range(30):
        simulation.step()
        energy = simulation.state.energy
        simulation.restore(simulation.state)
        assert simulation.state.energy == energy


def test_energy_of_steps_that_failed_is_that_of_their_state() -> None:
    """Bodies that threw themselves about are slowed down; what they keep is measured, as it is when it is restored."""
    simulation = chain(links=8, load=2000.0, angle=-1.0, geometric_stiffness="off")
    failed = 0
    for _ in range(40):
        failed += simulation.step().status != "solved"
        energy = simulation.state.energy
        assert simulation.report.energy == energy
        simulation.refresh()
        assert simulation.state.energy == energy
    assert failed > 5


def test_a_body_that_is_lost_is_found() -> None:
    simulation = chain()
    state, moves = simulation.state, simulation.model.bodies.moves
    assert state.is_finite() and state.lost_body(moves) == 0
    state.velocity[3, 0], state.energy = 1e200, np.inf
    assert not state.is_finite() and state.lost_body(moves) == 3
    state.orientation[2, 0], state.energy = np.nan, 0.0
    assert not state.is_finite() and state.lost_body(moves) == 2
    state.spin[0] = np.nan
    assert state.lost_body(moves) == 2, "the world never moves"


def test_a_name_without_suffix_loads_what_it_saved(tmp_path: Path) -> None:
    state = chain().state
    state.save(tmp_path / "checkpoint")
    assert same_state(State.load(tmp_path / "checkpoint"), state) == []


def bad_files(folder: Path) -> dict[str, Path]:
    """Files that are no checkpoints."""
    files = {
        name: folder / f"{name}.npz"
        for name in ("missing", "empty", "text", "broken archive", "other arrays", "cut short")
    }
    files["empty"].write_bytes(b"")
    files["text"].write_text("hello")
    files["broken archive"].write_bytes(b"PK\x03\x04 and then nothing")
    np.savez(files["other arrays"], a=np.zeros(3))
    chain().state.save(files["cut short"])
    files["cut short"].write_bytes(files["cut short"].read_bytes()[:-200])
    files["folder"] = folder
    return files


@pytest.mark.parametrize("name", ["missing", "empty", "text", "broken archive", "other arrays", "cut short", "folder"])
def test_files_that_are_no_checkpoints_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = bad_files(tmp_path)[name]
    with pytest.raises(InputError, match="checkpoint") as caught:
        State.load(path)
    assert "\n" not in str(caught.value) and path.name in str(caught.value)


@pytest.mark.parametrize("links", [4, 6])
def test_states_of_another_model_are_refused(links: int) -> None:
    with pytest.raises(InputError, match="restore"):
        chain(5).restore(chain(links).state)


def test_states_of_a_model_with_other_coordinates_are_refused() -> None:
    """As many bodies and rows, but another joint: every array must fit."""
    rod, hinge = taut.Scene(), taut.Scene()
    for scene, joint in ((rod, taut.joints.Fixed()), (hinge, taut.joints.Revolute(damping=1.0))):
        scene.add_body("b", mass=1.0, inertia=(1, 1, 1))
        scene.connect("world", "b", joint)
    with pytest.raises(InputError, match="restore"):
        taut.Simulation(hinge).restore(taut.Simulation(rod).state)


def test_states_that_are_not_states_are_refused() -> None:
    with pytest.raises(InputError, match="restore"):
        chain().restore("state.npz")
