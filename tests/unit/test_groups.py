"""Which bodies belong together: by rows, and for the judgement of energy."""

from __future__ import annotations

import taut
from taut.joints import Motor, Revolute, Spherical
from taut.model.compile import compile_scene
from taut.model.groups import energy_groups, joined_groups
from taut.model.model import Model
from taut.shapes import Sphere


def model() -> Model:
    """World; a hung pair (1, 2); a floating pair (3, 4); a lone body (5); a driven body (6); a loaded body (7)."""
    scene = taut.Scene()
    for index in range(1, 8):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 0))
    scene.connect("world", "b1", Spherical())
    scene.connect("b1", "b2", Spherical())
    scene.connect("b3", "b4", Spherical())
    scene.connect("world", "b6", Revolute(motor=Motor(speed=1.0)))
    scene.add_load("b7", force=(1, 0, 0))
    return compile_scene(scene)[0]


def test_bodies_are_joined_by_rows_and_told_apart_by_fixed_ones() -> None:
    assert joined_groups(model(), through_fixed=False).tolist() == [0, 1, 1, 3, 3, 5, 6, 7]
    assert joined_groups(model(), through_fixed=True).tolist() == [0, 0, 0, 3, 3, 5, 0, 7]


def test_groups_with_springs_motors_and_loads_are_judged_together() -> None:
    assert energy_groups(model()).tolist() == [0, 1, 1, 2, 2, 3, 0, 0]
