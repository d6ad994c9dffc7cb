"""Figures of a run that its reports do not have."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import scenes
from taut.problem.condition import condition_estimate, free_part
from taut.simulation.survey import Survey, next_problem


def test_a_run_has_the_same_bits_with_a_survey() -> None:
    plain, watched = (taut.Simulation(scenes.build("hanging_chain", links=8)) for _ in range(2))
    survey = Survey(watched)
    first, second = plain.run(1.0), watched.run(1.0, progress=survey)
    assert np.array_equal(first.positions, second.positions) and np.array_equal(first.energy, second.energy)
    figures = survey.figures()
    assert figures["mass"] == pytest.approx(500.0 + 8 * 0.25) and figures["mass_ratio"] == 2000.0
    assert 1e2 < figures["condition_estimate"] < 1e7 and figures["companion_rows"] == 0.0


def test_the_rows_looked_at_are_the_free_ones_of_the_next_frame() -> None:
    seen = []
    simulation = taut.Simulation(scenes.build("sliding_block"), problems=lambda frame, each: seen.append(each))
    simulation.run(0.1)
    time = simulation.time
    looked = next_problem(simulation)
    assert looked is not None and simulation.time == time
    assert (looked.solver, looked.reason) == ("bpp", "every island has rows with bounds")
    problem = looked.free
    simulation.step()
    free = free_part(seen[-1].problem, seen[-1].index_set)
    assert 0 < free.size < seen[-1].problem.size  # friction slips
    assert np.array_equal(free.values, problem.values) and np.array_equal(free.bias, problem.bias)


def test_an_end_stop_that_is_off_beside_a_motor_is_not_counted() -> None:
    """It repeats the motor's row: the matrix of all rows has nothing in that direction but hard rows' 1e-12."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("arm", taut.shapes.Box(1.0, 0.1, 0.1), mass=2.0)
    motor = taut.joints.Motor(speed=0.5, max_force=10.0)
    scene.connect("world", "arm", taut.joints.Revolute(axis=(0, 0, 1), limits=(-1.0, 1.0), motor=motor))
    seen = []
    simulation = taut.Simulation(scene, problems=lambda frame, each: seen.append(each.problem))
    survey = Survey(simulation)
    simulation.run(0.2, progress=survey)
    assert condition_estimate(seen[-1]) > 1e12 and survey.figures()["condition_estimate"] < 1e4


def test_free_bodies_and_companion_rows() -> None:
    scene = taut.Scene()
    scene.add_body("ball", taut.shapes.Sphere(0.1), mass=2.0)
    simulation = taut.Simulation(scene)
    survey = Survey(simulation)
    simulation.run(0.5, progress=survey)
    assert survey.figures() == {
        "bodies_moving": 1, "mass": 2.0, "mass_ratio": 1.0, "condition_estimate": None, "companion_rows": 0.0,
        "partition": None, "solvers_chosen": [],
    }  # fmt: skip
    scene.connect("world", "ball", taut.joints.Distance((0, 0, 1), (0, 0, 0)))
    simulation = taut.Simulation(scene)
    survey = Survey(simulation)
    simulation.run(0.1, progress=survey)
    assert survey.figures()["companion_rows"] == 2.0
