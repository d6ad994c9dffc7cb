"""Double wishbones: the wheel rises on a circle of its rods, upright where these are parallel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vehicles import chassis

import taut
from taut.errors import InputError
from taut.machines import DoubleWishbone

PARALLEL: dict[str, Any] = {
    "chassis": ("hull", (0, 0.8, -0.4)), "mass": 5.0, "carries": 1.0, "travel": (0.1, 0.08),
    "upper": [(0.2, 0.3, -0.3), (-0.2, 0.3, -0.3), (0, 0.7, -0.3)],
    "lower": [(0.2, 0.3, -0.5), (-0.2, 0.3, -0.5), (0, 0.7, -0.5)],
    "tie": [(-0.15, 0.3, -0.4), (-0.15, 0.7, -0.4)],
}  # fmt: skip


def pushed(force: float, **options: Any) -> tuple[taut.Simulation, np.ndarray, np.ndarray]:
    """A wheel pushed to its stop under a very heavy hull: where its hub is and how it stands, in the hull's frame."""
    scene = chassis(mass=1e7)
    scene.planes.clear()
    scene.add(DoubleWishbone(**(PARALLEL | options)), name="s")
    sim = taut.Simulation(scene)
    sim.body("s/hub").apply(force=(0.0, 0.0, force))
    sim.run(0.5)
    turn = taut.spatial.matrix(sim.body("hull").orientation)
    place = turn.T @ (sim.body("s/hub").position - sim.body("hull").position)
    return sim, place, turn.T @ taut.spatial.matrix(sim.body("s/hub").orientation)


@pytest.mark.parametrize(("force", "end"), [(5000.0, 0.1), (-5000.0, -0.08)])
def test_parallel_rods_carry_the_wheel_around_upright(force: float, end: float) -> None:
    sim, place, turn = pushed(force)
    assert sim.part("s").bottomed and sim.part("s").travel == pytest.approx(end, abs=1e-4)
    inwards = 0.4 - np.sqrt(0.4**2 - end**2)
    np.testing.assert_allclose(place, (0.0, 0.8 - inwards, -0.4 + end), atol=2e-4)
    np.testing.assert_allclose(turn, np.eye(3), atol=1e-3)


def test_a_shorter_upper_wishbone_leans_the_wheel_inwards_as_it_rises() -> None:
    short = [(0.2, 0.5, -0.3), (-0.2, 0.5, -0.3), (0, 0.7, -0.3)]
    _, _, turn = pushed(5000.0, upper=short)
    # both ball joints go up alike; the upper one comes in by what its shorter arm asks
    lean = (0.2 - np.sqrt(0.2**2 - 0.1**2) - 0.4 + np.sqrt(0.4**2 - 0.1**2)) / 0.2
    assert -turn[1, 2] == pytest.approx(lean, rel=0.15)


def test_wrong_points_are_refused() -> None:
    with pytest.raises(InputError, match="DoubleWishbone: tie is .*; it must be 2 points"):
        DoubleWishbone(**(PARALLEL | {"tie": [(0, 0, 0)]}))
