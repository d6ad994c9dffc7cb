"""Slings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.machines import Sling
from taut.shapes import Box


def lifted(corners: list[tuple[float, float]], **options: object) -> taut.Simulation:
    """A box of 2 m that hangs on legs from a point 2 m above it."""
    scene = taut.Scene()
    scene.add_body("load", Box(2, 2, 0.2), mass=400.0, position=(0, 0, -2))
    scene.add(Sling(eye=("world", (0, 0, 0)), to=[("load", (x, y, 0.1)) for x, y in corners], **options), name="sling")
    return taut.Simulation(scene)


def test_legs_share_the_load_by_their_angle() -> None:
    simulation = lifted([(math.cos(k), math.sin(k)) for k in 2.0 * math.pi / 3.0 * np.arange(3)])
    for _ in range(60):
        assert simulation.step().status == "solved"
    view, angle = simulation.part("sling"), math.atan2(1.0, 1.9)
    assert view.leg_angles == pytest.approx(np.full(3, angle), abs=1e-9)
    assert view.tensions == pytest.approx(np.full(3, 400.0 * 9.81 / 3.0 / math.cos(angle)), rel=1e-6)


def test_legs_are_those_of_what_they_hold_now() -> None:
    simulation = lifted([(-1.0, 0.0), (1.0, 0.0)])
    view = simulation.part("sling")
    before = view.leg_angles
    half = {"shape": Box(1, 2, 0.2), "mass": 200.0}
    with simulation.edit() as edit:
        edit.split_body("load", {"left": half | {"position": (-0.5, 0, 0)}, "right": half | {"position": (0.5, 0, 0)}})
    assert view.leg_angles == pytest.approx(before, abs=1e-12)
    with simulation.edit() as edit:
        edit.merge_bodies(("left", "right"), "load")
    assert view.leg_angles == pytest.approx(before, abs=1e-12)


def test_four_legs_that_stretch_share_it_too() -> None:
    corners = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    simulation = lifted(corners, axial_stiffness=1e6, damping=1e4)
    for _ in range(120):
        simulation.step()
    tensions = simulation.part("sling").tensions
    assert tensions == pytest.approx(np.full(4, tensions.mean()), rel=1e-6)


def test_what_legs_join_touches_each_other() -> None:
    """A ring with slack legs lies on the load that they hold."""
    scene = taut.Scene()
    scene.add_body("load", Box(2, 2, 0.2), fixed=True)
    scene.add_body("ring", Box(0.2, 0.2, 0.1), mass=5.0, position=(0, 0, 0.2))
    scene.add(Sling(eye="ring", to=[("load", (1, 0, 0.1)), ("load", (-1, 0, 0.1))], length=1.5), name="sling")
    simulation = taut.Simulation(scene)
    simulation.run(1.0)
    assert simulation.body("ring").position[2] == pytest.approx(0.15, abs=1e-6)


def test_wrong_legs_are_refused() -> None:
    with pytest.raises(InputError, match="Sling: to is"):
        Sling(eye="hook", to=[])
    with pytest.raises(InputError, match="length has 3 numbers for 2 legs"):
        Sling(eye="hook", to=["a", "b"], length=(1, 2, 3))
