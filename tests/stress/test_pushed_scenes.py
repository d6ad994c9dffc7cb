"""The reference scenes with the largest mass ratios, pushed and pulled out of their planes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from stress.drives import Hand

import taut

PUSHED, CALM = 20, 40
"""Frames in which a push or a hand acts, and frames after it."""


def lost_frames(sim: taut.Simulation, frames: int) -> Counter[str]:
    """Frames that were not solved, by status."""
    return Counter(report.status for report in (sim.step() for _ in range(frames)) if report.unconverged)


@pytest.mark.parametrize("link", [1, 7, 14, 20])
@pytest.mark.parametrize("force", [5.0, 30.0, 200.0, 1000.0])
def test_mass_ladder_pushed_sideways(force: float, link: int) -> None:
    sim = taut.Simulation(taut.scenes.build("mass_ladder", mechanism="chain"))
    sim.body(f"link-{link}").apply(force=(0.0, force, 0.0))
    lost = lost_frames(sim, PUSHED)
    sim.body(f"link-{link}").apply()
    assert lost + lost_frames(sim, CALM) == Counter()


@pytest.mark.parametrize("force", [30.0, 1000.0])
def test_mass_ladder_pushed_sideways_in_joint_coordinates(force: float) -> None:
    sim = taut.Simulation(taut.scenes.build("mass_ladder", mechanism="chain"), coordinates="reduced")
    sim.body("link-7").apply(force=(0.0, force, 0.0))
    lost = lost_frames(sim, PUSHED)
    sim.body("link-7").apply()
    assert lost + lost_frames(sim, CALM) == Counter()


@pytest.mark.parametrize("name", ["arm", "hook", "hook-load", "loop-arm-1", "loop-load"])
@pytest.mark.parametrize("force", [30.0, 1000.0])
def test_hook_and_loop_of_the_mass_ladder_pushed_sideways(force: float, name: str) -> None:
    sim = taut.Simulation(taut.scenes.build("mass_ladder", mechanism="loop" if "loop" in name else "load"))
    sim.body(name).apply(force=(0.0, force, 0.0))
    lost = lost_frames(sim, PUSHED)
    sim.body(name).apply()
    assert lost + lost_frames(sim, CALM) == Counter()


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("pull", [(0.0, 0.3, 0.0), (0.2, -0.5, 0.1)])
@pytest.mark.parametrize("link", [1, 4, 7, 10])
def test_heavy_pendulum_pulled_by_a_hand_and_let_go(
    link: int, pull: tuple[float, float, float], coordinates: str
) -> None:
    sim = taut.Simulation(taut.scenes.build("heavy_pendulum"), coordinates=coordinates)
    hand, lost = Hand(f"link-{link}", np.array(pull), 1e4, takes=2, lets_go=PUSHED), Counter()
    for frame in range(PUSHED + CALM):
        hand(sim, frame)
        lost += lost_frames(sim, 1)
    assert lost == Counter()
