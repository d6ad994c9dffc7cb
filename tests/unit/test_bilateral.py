"""The direct solver of bilateral rows against dense algebra, with rows that come and go."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem

import taut
from taut.problem import KktProblem
from taut.solvers.bilateral import BilateralFactor, groups_of, solve_bilateral


def dense_answer(problem: KktProblem) -> tuple[np.ndarray, np.ndarray]:
    lam = -np.linalg.solve(problem.matrix().sparse.toarray(), problem.bias)
    return lam, problem.velocity_change(lam)


def expect_right(problem: KktProblem, kept: BilateralFactor, tolerance: float = 1e-9) -> None:
    lam, change = solve_bilateral(problem, kept)
    right_lam, right_change = dense_answer(problem)
    assert change == pytest.approx(right_change, abs=tolerance * np.abs(right_change).max())
    assert lam == pytest.approx(right_lam, abs=tolerance * np.abs(right_lam).max())


@pytest.mark.parametrize("ratio", [1.0, 1e4])
def test_solves_what_dense_algebra_solves(ratio: float) -> None:
    expect_right(body_problem(np.random.default_rng(0), joints=7, contacts=4, ratio=ratio), BilateralFactor(), 1e-7)


def test_rows_that_come_and_go_change_the_factor_that_is_kept() -> None:
    rng = np.random.default_rng(1)
    whole, kept = body_problem(rng, bodies=30, joints=29, contacts=10, softness=1e-2), BilateralFactor()
    expect_right(whole, kept)
    for _ in range(20):
        joints = np.flatnonzero(rng.random(whole.size // 3) < 0.8)
        expect_right(whole.part(np.sort((3 * joints[:, None] + np.arange(3)).ravel())), kept)
    assert kept.factor.orderings <= 10


def test_numbers_change_and_the_order_stays() -> None:
    problem, kept = body_problem(np.random.default_rng(2), joints=7, contacts=0), BilateralFactor()
    expect_right(problem, kept)
    turned = problem.blocks._replace(bias=2.0 * problem.bias)
    expect_right(KktProblem(problem.entries, turned), kept)
    assert kept.factor.orderings == 1


def test_a_joint_with_more_rows_than_a_node_has_two() -> None:
    sim = taut.Simulation(taut.scenes.build("four_bar"))
    entries = sim.stepper.own.entries
    groups = dict(groups_of(entries))
    assert sorted(row for rows in groups.values() for row in rows) == list(range(entries.row_count))
    assert max(map(len, groups.values())) <= 6


def test_rows_that_say_the_same_twice_have_no_answer() -> None:
    problem = body_problem(np.random.default_rng(3), joints=3, contacts=0)
    blocks = problem.blocks
    start = blocks.entry_start
    blocks.jacobian[start[3] : start[6]] = 0.0
    lam, change = solve_bilateral(problem, BilateralFactor())
    assert np.isnan(lam).all() and np.isnan(change).all()
