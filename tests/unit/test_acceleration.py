"""Anderson's acceleration: it finds where linear iterations lead, and changes nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from fuzz.mechanisms import random_mechanism

import taut
from taut.stepping.acceleration import Memory
from taut.stepping.settings import LINEARISATION
from taut.stepping.stepper import Stepper

Map = Callable[[np.ndarray], np.ndarray]


def linear_map(rates: list[float], seed: int = 3) -> tuple[Map, np.ndarray]:
    """An iteration of two bodies whose errors change by these rates each time, and where it should end."""
    rng = np.random.default_rng(seed)
    basis, target = np.linalg.qr(rng.normal(size=(12, 12)))[0], rng.normal(size=(2, 6))
    matrix = basis @ np.diag(rates + [0.0] * (12 - len(rates))) @ basis.T
    return lambda x: target + (matrix @ (x - target).ravel()).reshape(2, 6), target


def iterate(step: Map, count: int) -> np.ndarray:
    """Where an accelerated iteration is after so many steps."""
    memory, x = Memory(), np.zeros((2, 6))
    for _ in range(count):
        after = step(x)
        x, force = memory.follow(after - x, after, 5.0 * after.ravel())
        assert force == pytest.approx(5.0 * x.ravel()), "forces go with the velocities"
    return x


def test_the_first_linearisation_is_followed_as_it_is() -> None:
    after, force = np.arange(12.0).reshape(2, 6), np.ones(3)
    velocity, same = Memory().follow(after - 1.0, after, force)
    assert velocity is after and same is force


@pytest.mark.parametrize("rate", [0.5, 0.99, -1.0, -1.5, 3.0])
def test_one_slow_or_growing_error_is_gone_after_three_linearisations(rate: float) -> None:
    step, target = linear_map([rate])
    assert iterate(step, 3) == pytest.approx(target, abs=1e-9)


def test_as_many_errors_as_are_looked_back_on_are_gone_after_two_more() -> None:
    step, target = linear_map([0.9, -0.8, 1.4, -2.0])
    assert LINEARISATION.looked_back == 4
    assert np.abs(iterate(step, 4) - target).max() > 1e-3
    assert iterate(step, 6) == pytest.approx(target, abs=1e-7)


def test_it_looks_back_on_a_few_only_and_on_none_once_it_forgot() -> None:
    memory = Memory()
    for number in range(LINEARISATION.looked_back + 3):
        memory.follow(np.full((1, 6), 1.0 / (number + 1)), np.zeros((1, 6)), np.zeros(2))
    assert len(memory.ways) == len(memory.velocities) == len(memory.forces) == LINEARISATION.looked_back + 1
    memory.forget()
    after = np.ones((1, 6))
    assert memory.follow(after, after, np.zeros(2))[0] is after


def test_ways_that_do_not_change_or_are_not_finite_are_followed_plainly() -> None:
    memory, after = Memory(), np.ones((1, 6))
    for _ in range(3):
        velocity, _ = memory.follow(after, after, np.zeros(2))
        assert velocity == pytest.approx(after)
    velocity, _ = memory.follow(np.full((1, 6), np.nan), after, np.zeros(2))
    assert velocity is after


def unsolved_frames(accelerated: bool) -> tuple[int, int]:
    """Frames that are not solved and solves of a mechanism of slides and couplings under large forces."""
    trial = random_mechanism(np.random.default_rng(32))
    simulation = taut.Simulation(trial.scene, **trial.options)
    stepper = simulation.stepper
    assert stepper.mechanism.accelerates
    if not accelerated:
        simulation.stepper = Stepper(replace(stepper.mechanism, accelerates=False), stepper.settings)
    reports = []
    for frame in range(trial.frames):
        if trial.drive is not None:
            trial.drive(simulation, frame)
        reports.append(simulation.step())
    return sum(report.unconverged for report in reports), sum(report.solves for report in reports)


def test_a_mechanism_that_plain_iteration_does_not_solve_is_solved() -> None:
    (bad, solves), (plain_bad, plain_solves) = unsolved_frames(accelerated=True), unsolved_frames(accelerated=False)
    assert bad == 0 < plain_bad
    assert solves < 0.6 * plain_solves
