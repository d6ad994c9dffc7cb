"""Solid axles: rise and roll, springs closer together than wheels, anti-roll bars."""

from __future__ import annotations

import numpy as np
import pytest
from vehicles import G, add_wheels, chassis

import taut
from taut.errors import InputError
from taut.machines import SolidAxle

LOW = -0.45


def rolling(moment: float = 0.0, **options: object) -> taut.Simulation:
    """A hull that can only rise and roll on one axle, with a moment about its roll axis, at rest."""
    scene = chassis(mass=1000.0, position=(0.0, 0.1), friction=0.0)
    given = {"track": 1.6, "mass": 60.0, "stiffness": 4e4, "damping": 8e3, "carries": (562.5, 437.5)} | options
    scene.add(SolidAxle(chassis=("hull", (0.0, 0.0, LOW)), **given), name="axle")
    add_wheels(scene, [("axle/hub", (0, 0.8, 0)), ("axle/hub", (0, -0.8, 0))], shape="sphere")
    scene.connect("world", "hull", taut.joints.Planar(normal=(1, 0, 0)), name="rail")
    scene.add_load("hull", torque=(moment, 0.0, 0.0), name="moment")
    sim = taut.Simulation(scene)
    sim.run(5.0)
    return sim


def test_the_axle_stands_level_under_a_load_that_does_not() -> None:
    sim = rolling()
    axle = sim.part("axle")
    np.testing.assert_allclose(axle.travel, 0.0, atol=1e-5)
    np.testing.assert_allclose(axle.force, np.array([562.5, 437.5]) * G, rtol=1e-4)
    assert axle.roll == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(("spacing", "bar"), [(None, 0.0), (1.0, 0.0), (1.0, 3e4)])
def test_springs_and_anti_roll_bar_hold_the_hull_upright(spacing: float | None, bar: float) -> None:
    moment = 500.0
    axle = rolling(moment, spring_track=spacing, anti_roll=bar).part("axle")
    between = 1.6 if spacing is None else spacing
    # k b^2 / 2 of two springs at distance b, and what the hull's own weight takes off as it leans, 0.55 m over the axle
    stiffness = 4e4 * between**2 / 2.0 + bar - 1000.0 * G * (0.1 - LOW)
    assert -axle.roll == pytest.approx(moment / stiffness, rel=0.02)
    assert axle.travel[0] - axle.travel[1] == pytest.approx(1.6 * np.sin(axle.roll))


def test_wrong_axles_are_refused() -> None:
    with pytest.raises(InputError, match="SolidAxle: camber is 0.1 and toe 0; both must be 0"):
        SolidAxle(chassis="hull", track=1.6, mass=60.0, camber=0.1)
    with pytest.raises(InputError, match="SolidAxle: carries is nan"):
        SolidAxle(chassis="hull", track=1.6, mass=60.0, carries=(1.0, 2.0, 3.0))
