"""Trailing arms and swing axles: the way of the wheel and the turn of the arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vehicles import chassis

import taut
from taut.errors import InputError
from taut.machines import SwingAxle, TrailingArm

ARMS = {
    "trailing": lambda **o: TrailingArm(chassis=("hull", (-0.5, 0.8, -0.4)), pivot=(0.1, 0.6, -0.2), mass=10.0, **o),
    "leading": lambda **o: TrailingArm(chassis=("hull", (0.6, 0.8, -0.4)), pivot=(0.1, 0.6, -0.2), mass=10.0, **o),
    "semi-trailing": lambda **o: TrailingArm(
        chassis=("hull", (-0.5, 0.8, -0.4)), pivot=(0.1, 0.3, -0.3), axis=(0.5, 1, 0), mass=10.0, **o
    ),
    "swing left": lambda **o: SwingAxle(chassis=("hull", (0, 0.8, -0.4)), pivot=(0, 0.1, -0.3), mass=10.0, **o),
    "swing right": lambda **o: SwingAxle(chassis=("hull", (0, -0.8, -0.4)), pivot=(0, -0.1, -0.3), mass=10.0, **o),
}


@pytest.mark.parametrize("name", sorted(ARMS))
def test_the_wheel_rises_as_the_arm_turns(name: str) -> None:
    part = ARMS[name](carries=1.0, travel=(0.15, 0.1))
    assert part.leverage > 0.0
    scene = chassis(mass=1e7)
    scene.planes.clear()
    scene.add(part, name="arm")
    start = np.array(part.chassis[1])
    for force, end in ((-5000.0, -0.1), (5000.0, 0.15)):
        sim = taut.Simulation(scene)
        seen = []
        for _ in range(30):
            sim.body("arm/hub").apply(force=(0.0, 0.0, force))
            sim.step()
            turn = taut.spatial.matrix(sim.body("hull").orientation)
            place = turn.T @ (sim.body("arm/hub").position - sim.body("hull").position)
            assert sim.part("arm").travel == pytest.approx((place - start)[2], abs=1e-6)
            seen.append(sim.part("arm").travel)
        assert sim.part("arm").bottomed and seen[-1] == pytest.approx(end, abs=2e-4)


def test_turns_and_rises_belong_together() -> None:
    part = ARMS["trailing"]()
    for rise in (-0.1, 0.0, 0.05, 0.1):
        assert part.rise(part.turn_for(rise)) == pytest.approx(rise, abs=1e-12)
    slope = (part.rise(1e-6) - part.rise(-1e-6)) / 2e-6
    assert slope == pytest.approx(part.leverage, rel=1e-8) and part.leverage == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"pivot": (-0.5, 0.6, -0.4)}, "a turn about it must lift the wheel"),
        ({"travel": (0.7, 0.1)}, "the arm of 0.63"),
        ({"axis": (0, 0, 1)}, "a turn about it must lift the wheel"),
    ],
)
def test_arms_that_cannot_lift_a_wheel_are_refused(wrong: dict[str, Any], message: str) -> None:
    given = {"chassis": ("hull", (-0.5, 0.8, -0.4)), "pivot": (0.1, 0.6, -0.2), "mass": 10.0}
    with pytest.raises(InputError, match=message):
        TrailingArm(**(given | wrong))


def test_a_pivot_far_below_its_wheel_leaves_no_spring() -> None:
    scene = chassis()
    part = TrailingArm(chassis=("hull", (-0.3, 0.8, -0.1)), pivot=(0.0, 0.8, -0.9), mass=10.0, frequency=0.2,
                       travel=(0.01, 0.01))  # fmt: skip
    with pytest.raises(InputError, match="TrailingArm: pivot is so far above or below the wheel"):
        scene.add(part, name="arm")
    assert scene.parts == {} and len(scene.bodies) == 2
