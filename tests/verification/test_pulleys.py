"""Atwood machines with pulleys of hardly any mass."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import run

from taut import scenes


@pytest.mark.parametrize("step", [1 / 60, 1e-3])
def test_loads_of_one_and_two_masses_move_with_a_third_and_two_thirds_of_g(step):
    recording = run(scenes.build("atwood"), 1.0, step=step)
    expected = {"light": 1 / 3, "heavy": -1 / 3, "lifted": 1 / 3, "free": -2 / 3}
    for name, share in expected.items():
        assert recording.body(name).velocity[-1, 2] == pytest.approx(share * 9.81, rel=1e-3), name
    # the rope keeps its length: what one end gains the other loses
    travel = {name: recording.body(name).position[:, 2] - recording.body(name).position[0, 2] for name in expected}
    assert np.abs(travel["light"] + travel["heavy"]).max() <= 1e-6
    assert np.abs(2.0 * travel["lifted"] + travel["free"]).max() <= 1e-6
