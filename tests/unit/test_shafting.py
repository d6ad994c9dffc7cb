"""`machines/shafting.py`: shafts as users give them, and rows as parts set them."""

from __future__ import annotations

import numpy as np
import pytest
from dynos import drivetrain, hinge, load, run, stand

import taut
from taut.machines.shafting import checked_shaft, scaled, shaft_of


def test_a_shaft_is_a_hinge_or_a_carrier_a_body_and_an_axis() -> None:
    scene = stand(wheels=1)
    assert shaft_of(scene, "it", "input", hinge(0)) == (("frame", "wheel-0", (0.0, 1.0, 0.0), 1.0),)
    assert shaft_of(scene, "it", "input", ("frame", "wheel-0", (0, 1, 0))) == (("frame", "wheel-0", (0, 1, 0), 1.0),)
    assert scaled(shaft_of(scene, "it", "input", hinge(0)), -3.0)[0][3] == -3.0


def test_what_is_no_shaft_is_refused() -> None:
    scene = stand(wheels=2)
    scene.connect("wheel-0", "wheel-1", taut.joints.Spherical(), name="ball")
    for value, words in (
        (3, "input is 3"),
        (("a", "b"), "input"),
        (("a", "b", (0, 0, 0)), "input axis"),
        ("", "input"),
    ):
        with pytest.raises(taut.InputError, match=words):
            checked_shaft("it", "input", value)
    for value, words in (("no/hinge", "no/hinge"), ("ball", "without an axis"), (("frame", "no", (0, 1, 0)), "'no'")):
        with pytest.raises(taut.InputError, match=words):
            shaft_of(scene, "it", "input", value)


def test_a_part_with_a_row_less_is_gone_and_says_so() -> None:
    simulation = taut.Simulation(stand(("it", drivetrain())))
    run(simulation, 0.1)
    with simulation.edit() as edit:
        edit.remove_body("wheel-3")
    run(simulation, 0.1)
    with pytest.raises(taut.InputError, match="part 'it': it/.* was removed"):
        _ = simulation.part("it").power_in
    simulation.controls["it.throttle"].set(1.0)
    run(simulation, 0.1)


def test_what_a_part_sets_wakes_what_sleeps() -> None:
    simulation = taut.Simulation(stand(wheels=1), sleeping=True)
    run(simulation, 3.0)
    simulation.body("wheel-0").apply(torque=(0, 10.0, 0))
    load(simulation, 100.0)
    run(simulation, 2.0)
    load(simulation, 0.0)
    run(simulation, 1.0)
    assert simulation.state.velocity[2, 4] == pytest.approx(10.0 / 30.0, rel=0.05)
    assert np.isfinite(simulation.state.energy)
