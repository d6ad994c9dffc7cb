"""Blocks and tackle."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Prismatic, pinhole
from taut.machines import Reeving

GRAVITY, MASS, RADIUS = 9.81, 1000.0, 0.2


def hoist(parts: int, efficiency: float, weight: float, **options: object) -> taut.Simulation:
    """A guided block on some parts of rope, and a weight on the part that leaves."""
    scene = taut.Scene()
    scene.add_body("hook", mass=MASS, inertia=(9, 9, 9), position=(0, 0, -6))
    scene.connect("world", "hook", Prismatic(axis=(0, 0, 1)))
    scene.add_body("weight", mass=weight, inertia=(5, 5, 5), position=(RADIUS, 0, -3))
    scene.add(Reeving(lower="hook", line="weight", parts=parts, efficiency=efficiency), name="hoist")
    return taut.Simulation(scene, **options)


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5, 12])
def test_every_part_carries_its_share(parts: int) -> None:
    simulation = hoist(parts, 1.0, MASS / parts)
    for _ in range(30):
        assert simulation.step().status == "solved"
    view = simulation.part("hoist")
    assert view.tensions == pytest.approx(np.full(parts + 1, MASS * GRAVITY / parts), rel=1e-9)
    assert view.advantage == pytest.approx(parts, rel=1e-12)
    assert np.abs(simulation.body("hook").velocity).max() < 1e-9


@pytest.mark.parametrize("options", [{}, {"solver": "ipm"}, {"coordinates": "reduced"}, {"step": 1 / 200}])
def test_sheaves_that_rub_hold_within_their_efficiency_and_slip_beyond(options: dict) -> None:
    parts, share = 4, 0.95
    least, most = (sum(share ** (sign * k) for k in range(1, parts + 1)) for sign in (1, -1))
    for weight, stands in ((1.02 * MASS / most, True), (0.98 * MASS / least, True), (1.05 * MASS / least, False)):
        simulation = hoist(parts, share, weight, **options)
        for _ in range(round(0.5 / simulation.settings.step)):
            assert simulation.step().status == "solved"
        speed = -simulation.body("weight").velocity[2]
        expected = GRAVITY * (weight * least - MASS) / (weight * least + MASS / parts)
        assert speed == pytest.approx(0.0 if stands else 0.5 * expected, abs=1e-8)
        tensions = simulation.part("hoist").tensions
        if not stands:
            assert tensions[:-1] / tensions[1:] == pytest.approx(np.full(parts, share), rel=1e-9)


@pytest.mark.parametrize("length", [None, 29.0])
def test_it_is_hauled_in_until_its_blocks_meet(length: float | None) -> None:
    """A slider at its end is no command that nothing can follow."""
    scene = taut.Scene()
    scene.add_body("hook", mass=MASS, inertia=(9, 9, 9), position=(0, 0, -6))
    scene.add(Reeving(lower="hook", line=("world", (RADIUS, 0, -1)), parts=4, length=length), name="hoist")
    simulation = taut.Simulation(scene)
    control, first = simulation.controls["hoist.length"], simulation.controls["hoist.length"].value
    for share in np.linspace(0.0, 1.0, 600):
        control.set(first + share * (control.low - first))
        assert simulation.step().status == "solved"
    assert simulation.body("hook").position[2] == pytest.approx(-2.0 * RADIUS, abs=1e-2)


def test_wrong_blocks_are_refused() -> None:
    with pytest.raises(InputError, match="parts is 0"):
        Reeving(lower="hook", line="weight", parts=0)
    with pytest.raises(InputError, match="efficiency is 1.5"):
        Reeving(lower="hook", line="weight", efficiency=1.5)
    with pytest.raises(InputError, match="Reeving: line is 'pinhole'"):
        Reeving(lower="hook", line=pinhole("world"))
    scene = taut.Scene()
    scene.add_body("hook", mass=1.0, inertia=(1, 1, 1), position=(0, 0, -0.3))
    with pytest.raises(InputError, match="reeving 'r': the blocks are 0.3 m apart"):
        scene.add(Reeving(lower="hook", line="world"), name="r")


def test_spread_blocks_pull_at_an_angle() -> None:
    scene = taut.Scene()
    scene.add_body("hook", mass=MASS, inertia=(9, 9, 9), position=(0, 0, -6))
    scene.add_body("weight", mass=MASS / 4, inertia=(5, 5, 5), position=(RADIUS, 0.05, -3))
    scene.add(Reeving(lower="hook", line="weight", efficiency=1.0, spacing=0.1), name="hoist")
    simulation = taut.Simulation(scene)
    for _ in range(60):
        assert simulation.step().status == "solved"
    view = simulation.part("hoist")
    assert view.advantage == pytest.approx(4.0, rel=1e-12)
    assert view.hook_load == pytest.approx(MASS * GRAVITY, rel=1e-2)
    assert all(math.isfinite(wrap) for wrap in view.wraps)
