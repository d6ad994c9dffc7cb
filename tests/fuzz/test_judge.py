"""The judge of random scenes sees what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fuzz.judge import run
from fuzz.trials import Trial

import taut
from taut.joints import Spherical
from taut.shapes import Box


def pendulum(drive: Callable[[taut.Simulation, int], None] | None = None) -> Trial:
    """A block of 1 m on a ball joint, let go from the horizontal."""
    scene = taut.Scene()
    scene.add_body("block", Box(1.0, 0.2, 0.2), mass=2.0, position=(0.5, 0.0, 0.0))
    scene.connect("world", "block", Spherical(), at=(0, 0, 0))
    return Trial(scene, {"step": 1 / 60}, 1.0, 20, drive, anchors=[("world", "block", (0, 0, 0))])


def faster(factor: float) -> Callable[[taut.Simulation, int], None]:
    """A drive that multiplies velocities once, unseen by the simulation."""

    def drive(sim: taut.Simulation, frame: int) -> None:
        if frame == 10:
            sim.state.velocity[1] *= factor
            sim.state.spin[1] *= factor
            sim.state.history[:] = 0

    return drive


def shifted(sim: taut.Simulation, frame: int) -> None:
    """A drive that takes the block off its joint for good: the joint is cut, and the judge does not know."""
    if frame == 10:
        with sim.edit() as edit:
            edit.remove_joint("world-block")


def lost(sim: taut.Simulation, frame: int) -> None:
    """A drive that spoils the state."""
    sim.state.velocity[1, 0] = np.nan


def test_nothing_is_wrong_with_a_pendulum() -> None:
    verdict = run(pendulum())
    assert (verdict.complaints, verdict.unsolved, verdict.frames) == ({}, 0, 20)


@pytest.mark.parametrize(
    ("drive", "complaint"),
    [
        (faster(1e3), "speed over what energy allows"),
        (faster(2.0), "rise of energy though solved"),
        (shifted, "gap in m though solved"),
        (shifted, "gap in m"),
        (lost, "exception"),
    ],
)
def test_what_is_wrong_is_said(drive: Callable[[taut.Simulation, int], None], complaint: str) -> None:
    assert complaint in run(pendulum(drive)).complaints


def test_what_falls_through_the_floor_is_seen() -> None:
    trial = pendulum()
    trial.floor = -0.1
    assert list(run(trial).complaints) == ["depth below the floor in m"]
