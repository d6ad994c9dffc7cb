"""Scenes with joints take the integrator of low damping: every frame of their first two seconds is solved."""

from __future__ import annotations

import pytest
from scene_sizes import IN_TREES, LONG

import taut
from taut import scenes


@pytest.mark.parametrize("coordinates", ["maximal", pytest.param("reduced", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sorted(set(IN_TREES) - LONG - {"speed_clamp"}))  # projections are refused with it
def test_every_frame_is_solved(name: str, coordinates: str) -> None:
    simulation = taut.Simulation(scenes.build(name), integrator="low-damping", coordinates=coordinates)
    recording = simulation.run(min(2.0, scenes.get(name).duration))
    assert not recording.reports["unconverged"].any()
