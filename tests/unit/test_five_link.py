"""The joint of five rods: all keep their lengths, and one way is left."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import FiveLink

ENDS = [(0.0, 0.4, 0.1), (0.0, 0.4, 0.1), (0.0, 0.4, -0.1), (0.0, 0.4, -0.1), (-0.15, 0.4, 0.0)]
STARTS = [(0.2, 0.0, 0.1), (-0.2, 0.0, 0.1), (0.2, 0.0, -0.1), (-0.2, 0.0, -0.1), (-0.15, 0.0, 0.0)]


def test_rods_keep_their_lengths_and_the_coordinate_is_the_rise() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=2.0, inertia=(0.02, 0.02, 0.02), position=(0, 0.4, 0))
    rods = [(start, np.subtract(end, (0, 0.4, 0))) for start, end in zip(STARTS, ENDS, strict=True)]
    scene.connect("world", "b", FiveLink(rods=rods), name="rods")
    sim = taut.Simulation(scene)
    for _ in range(60):
        assert sim.step().status == "solved"
        body = sim.body("b")
        turn = taut.spatial.matrix(body.orientation)
        for start, end in rods:
            length = np.linalg.norm(body.position + turn @ end - start)
            assert length == pytest.approx(np.linalg.norm(np.add(end, (0, 0.4, 0)) - start), abs=1e-5)
        assert sim.joint("rods").position == pytest.approx(body.position[2], abs=1e-12)
    assert sim.body("b").position[2] < -0.2


def test_there_are_five() -> None:
    with pytest.raises(InputError, match="FiveLink: rods is .*; it must be five pairs of points"):
        FiveLink(rods=[((0, 0, 0), (1, 0, 0))] * 4)
