"""Every registered scene goes on to the bit from a state that is restored in a new simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sample_mechanisms import same_state
from scene_sizes import IN_TREES

import taut
from taut import scenes

LARGE = {"chain_drop", "log_tower", "long_chain", "rock_pile", "snap_chain", "spatial_tree", "star"}
"""Scenes of which a few frames take a while."""

ROUNDED = {"tandem_cranes"}
"""Scenes whose energy, of 4 MJ, is restored to the last bit but one in joint coordinates; all else is to the bit."""

FRAMES = 4


def restarts(name: str, solver: str, before: int, **options: Any) -> None:
    """Run for a while, restore what was reached in another simulation, and go on in both."""
    first, second = (taut.Simulation(scenes.build(name), solver=solver, **options) for _ in range(2))
    for _ in range(before):
        first.step()
    second.restore(first.state.copy())
    assert same_state(first.state, second.state) == []
    for frame in range(FRAMES):
        assert first.step().energy == second.step().energy
        assert same_state(first.state, second.state) == [], f"{frame + 1} frames after it was restored"


@pytest.mark.parametrize("name", sorted(set(scenes.names()) - LARGE))
def test_a_restored_scene_goes_on_to_the_bit(name: str) -> None:
    restarts(name, "auto", before=5)


@pytest.mark.parametrize("name", sorted(set(scenes.names()) - LARGE))
def test_a_scene_in_a_file_goes_on_to_the_bit(name: str, tmp_path: Path) -> None:
    first = taut.Simulation(scenes.build(name))
    for _ in range(2):
        first.step()
    first.save(tmp_path / "run.npz")
    second = taut.Simulation.load(tmp_path / "run.npz")
    assert same_state(first.state, second.state) == [] and first.settings == second.settings
    assert (first.scene_name, first.parameters) == (second.scene_name, second.parameters)
    assert first.step().energy == second.step().energy
    assert same_state(first.state, second.state) == []


@pytest.mark.parametrize("name", sorted(set(IN_TREES) - LARGE - ROUNDED | {"star"}))
def test_a_restored_scene_goes_on_to_the_bit_in_joint_coordinates(name: str) -> None:
    restarts(name, "auto", before=5, coordinates="reduced")


@pytest.mark.parametrize("linear", ["pcg", "direct"])
@pytest.mark.parametrize("name", ["umbrella", "spring_tree", "stayed_bridge"])
def test_iterations_of_springs_are_in_the_state(name: str, linear: str) -> None:
    restarts(name, "auto", before=5, coordinates="reduced", linear=linear)


@pytest.mark.slow
@pytest.mark.parametrize("before", [1, 30])
@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
@pytest.mark.parametrize("name", scenes.names())
def test_every_scene_goes_on_to_the_bit_with_other_solvers(name: str, solver: str, before: int) -> None:
    restarts(name, solver, before)
