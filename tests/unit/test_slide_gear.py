"""Travels that are coupled."""

from __future__ import annotations

import pytest

import taut
from taut.errors import InputError
from taut.joints import Motor, Prismatic, SlideGear
from taut.shapes import Box


def test_the_carriage_of_a_mast_goes_twice_as_far_also_where_the_mast_leans() -> None:
    scene = taut.Scene(collisions=False)
    lean = taut.spatial.from_axis_angle((0, 1, 0), 0.2)
    up = tuple(taut.spatial.rotate(lean, (0, 0, 1)).tolist())
    scene.add_body("truck", Box(1, 1, 1), mass=2000, position=(0, 0, 0))
    scene.connect("world", "truck", Prismatic(axis=(1, 0, 0), motor=Motor(speed=0.3, max_force=1e5)))
    for name, mass, base in (("mast", 120, "truck"), ("carriage", 70, "mast")):
        scene.add_body(name, Box(0.2, 1, 1), mass=mass, position=(1, 0, 1), orientation=lean)
        motor = Motor(speed=0.1, max_force=1e5) if base == "truck" else None
        scene.connect(base, name, Prismatic(axis=up, motor=motor), name=name)
    scene.connect("carriage", "mast", SlideGear(ratio=2.0, axis_a=up, axis_b=up, carrier="truck"))
    simulation = taut.Simulation(scene)
    simulation.run(2.0, record=False)
    lifted = simulation.joint("mast").position
    assert lifted == pytest.approx(0.2, rel=0.02)
    assert simulation.joint("carriage").position == pytest.approx(lifted, abs=1e-9), "as far again as the mast"


def test_a_ratio_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="ratio is 0"):
        SlideGear(ratio=0.0)
