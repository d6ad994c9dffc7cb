"""Struts: the way of the wheel, straight and leaning."""

from __future__ import annotations

import numpy as np
import pytest
from vehicles import chassis

import taut
from taut.machines import Strut


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.3, -0.2, 1.0)])
def test_the_wheel_rises_along_the_strut_between_its_stops(axis: tuple[float, float, float]) -> None:
    scene = chassis(mass=1e7)
    scene.add(
        Strut(chassis=("hull", (0.1, 0.05, -0.2)), axis=axis, mass=5.0, carries=1.0, travel=(0.06, 0.1)), name="s"
    )
    scene.planes.clear()
    for force, end in ((-3000.0, -0.1), (3000.0, 0.06)):
        sim = taut.Simulation(scene)
        sim.body("s/hub").apply(force=(0.0, 0.0, force))
        sim.run(0.2)
        turn = taut.spatial.matrix(sim.body("hull").orientation)
        moved = turn.T @ (sim.body("s/hub").position - sim.body("hull").position) - (0.1, 0.05, -0.2)
        assert sim.part("s").travel == pytest.approx(end, abs=1e-4) and sim.part("s").bottomed
        np.testing.assert_allclose(moved, end * np.array(axis), atol=2e-4)
