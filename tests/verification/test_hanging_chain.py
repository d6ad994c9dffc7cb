"""The load of the hanging chain in joint coordinates against converged references, at 1,000,000:1 too."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import scenes
from taut.scenes.hanging_chain import REFERENCE

LINK = 0.25
"""Mass of a link, kg."""

HEAVY = np.array([-17.48524422, 0.0, -10.21414355])
"""Where a load of a million links is after 5 s, m: extrapolated from 960 and 1,920 steps a second."""

LOADS = pytest.mark.parametrize(("load", "end"), [(500.0, REFERENCE), (1e6 * LINK, HEAVY)], ids=["2,000", "1,000,000"])


def load_after(load: float, coordinates: str, rate: int) -> np.ndarray:
    """Where the load is after 5 s, every frame of which was solved; joints of trees never open."""
    simulation = taut.Simulation(scenes.build("hanging_chain", load=load), 1 / rate, coordinates=coordinates)
    assert simulation.model.bodies.mass[1] == pytest.approx(LINK)
    assert simulation.run(5.0, record=False) == []
    assert simulation.report.violation <= (1e-6 if coordinates == "maximal" else 1e-11)
    return simulation.body("load").position


@LOADS
def test_load_is_where_it_should_be(load: float, end: np.ndarray) -> None:
    found = load_after(load, "reduced", 60)
    assert np.linalg.norm(found - end) <= 1e-3
    assert np.linalg.norm(found - load_after(load, "maximal", 60)) <= 2e-5


def test_error_is_of_second_order() -> None:
    errors = [np.linalg.norm(load_after(1e6 * LINK, "reduced", rate) - HEAVY) for rate in (120, 240, 480)]
    ratios = [coarse / fine for coarse, fine in zip(errors, errors[1:], strict=False)]
    assert all(3.5 <= ratio <= 4.5 for ratio in ratios), f"errors {errors} m, ratios {ratios}"


@pytest.mark.slow
def test_reference_of_the_heavy_load() -> None:
    coarse, fine = (load_after(1e6 * LINK, "maximal", rate) for rate in (960, 1920))
    np.testing.assert_allclose((4.0 * fine - coarse) / 3.0, HEAVY, atol=1e-7)
