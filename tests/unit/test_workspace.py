"""The workspace of the steps: what a frame leaves in it is read by no later one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sample_mechanisms import same_state
from spoiled_bench import Table, spoil

import taut
from taut.shapes import Box


def rocking_rod() -> taut.Scene:
    """A slim rod that bounces on its ends: contacts hold it now and then, and count it as slim while they do."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    place, turning = (0, 0, 0.03), (3, 0.5, 0)
    scene.add_body("rod", Box(1.0, 0.01, 0.01), mass=1.0, position=place, angular_velocity=turning, restitution=0.3)
    return scene


SCENES: dict[str, tuple[Callable[[], taut.Scene], int]] = {
    "four_bar": (lambda: taut.scenes.build("four_bar"), 6),
    "linkages": (lambda: taut.scenes.build("linkages"), 6),
    "chain_wrap": (lambda: taut.scenes.build("chain_wrap"), 6),
    "log_tower": (lambda: taut.scenes.build("log_tower", layers=3), 6),
    "newtons_cradle": (lambda: taut.scenes.build("newtons_cradle"), 30),
    "ragdoll": (lambda: taut.scenes.build("ragdoll"), 6),
    "gear_train": (lambda: taut.scenes.build("gear_train"), 6),
    "rocking rod": (rocking_rod, 40),
}
"""Scenes with loops, limits, contacts, impacts and couplings, and frames of them."""


@pytest.mark.parametrize(("solver", "value"), [("bpp", np.nan), ("bpp", 0.0), ("linear-time", np.nan)])
@pytest.mark.parametrize("name", SCENES)
def test_spoiling_the_bench_between_frames_changes_no_bit(name: str, solver: str, value: float) -> None:
    """NaN goes through all arithmetic, and zeros through comparisons that NaN fails."""
    build, frames = SCENES[name]
    clean, spoiled = (taut.Simulation(build(), solver=solver) for _ in range(2))
    seen: Table = {}
    paths: set[str] = set(spoil(spoiled, seen, value))
    for frame in range(frames):
        clean.step()
        spoiled.step()
        assert same_state(clean.state, spoiled.state) == [], f"frame {frame}"
        paths.update(spoil(spoiled, seen, value))
    assert {".rows.value", ".rows.jacobian", ".position", ".response.inverse_mass"} <= paths
