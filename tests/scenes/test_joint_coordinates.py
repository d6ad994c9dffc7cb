"""Every scene with joints passes its own check in joint coordinates."""

from __future__ import annotations

import pytest
from scene_sizes import IN_TREES, LONG, OTHER_SIZES

import taut
from taut import scenes


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow) if each in LONG else each for each in IN_TREES]
)
def test_full_run_in_joint_coordinates_passes_check(name):
    simulation = taut.Simulation(scenes.build(name), coordinates="reduced")
    assert simulation.stepper.mechanism.trees.body.size
    recording = simulation.run(scenes.get(name).duration)
    assert recording.info.coordinates == "reduced" and not recording.column("unconverged").any()
    scenes.get(name).check(recording)


@pytest.mark.parametrize("name", ["hanging_chain", "ragdoll", "linkages"])
def test_full_run_in_chosen_coordinates_passes_check(name):
    scenes.get(name).check(taut.Simulation(scenes.build(name), coordinates="auto").run(scenes.get(name).duration))


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_TREES)
def test_every_full_run_in_chosen_coordinates_passes_check(name):
    scenes.get(name).check(taut.Simulation(scenes.build(name), coordinates="auto").run(scenes.get(name).duration))


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["reduced", "auto"])
@pytest.mark.parametrize(("name", "duration", "parameters"), OTHER_SIZES)
def test_other_sizes_in_joint_coordinates_pass_check(name, duration, parameters, coordinates):
    recording = taut.Simulation(scenes.build(name, **parameters), coordinates=coordinates).run(duration)
    scenes.get(name).check(recording)
