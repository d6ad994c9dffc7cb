"""A problem solved in parts that nothing couples is the problem solved as one."""

from __future__ import annotations

import numpy as np
from body_problems import body_problem

from taut.problem import Status, WarmStart
from taut.solvers import get
from taut.solvers.division import solve_divided, start_of


def halves(problem):
    """Two solvers, each with the rows of one half of the islands."""
    _, label = problem.islands
    odd = label % 2 > 0
    return [(get("ipm"), np.flatnonzero(odd)), (get("bpp-refactor"), np.flatnonzero(~odd))]


def test_parts_by_different_solvers_give_the_solution_of_the_whole():
    for seed in range(5):
        problem = body_problem(np.random.default_rng(seed), bodies=12, contacts=30, joints=0, halves=True)
        assert problem.islands[0] > 1
        whole = get("bpp").solve(problem)
        found = solve_divided(get("bpp"), halves(problem), problem, None)
        assert found.solved and found.residual <= 1e-9
        np.testing.assert_allclose(found.w, whole.w, atol=1e-9 * np.abs(problem.bias).max())
        again = solve_divided(get("bpp"), halves(problem), problem, found)
        assert again.solved and again.iterations <= found.iterations


def test_a_part_that_is_not_solved_is_said_so():
    problem = body_problem(np.random.default_rng(3), bodies=12, contacts=30, halves=True)
    bias = problem.bias.copy()
    bias[0] = np.nan
    found = solve_divided(get("bpp"), halves(problem), problem.with_bias(bias, problem.lower, problem.upper), None)
    assert found.status is Status.NON_FINITE


def test_starts_are_those_of_the_rows():
    start = WarmStart(np.array([0, -1, 1]), np.array([1.0, 2.0, 3.0]))
    part = start_of(start, np.array([0, 2]))
    assert part.index_set.tolist() == [0, 1] and part.lam.tolist() == [1.0, 3.0]
    assert start_of(None, np.array([0])) is None
