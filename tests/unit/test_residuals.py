from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from taut.errors import InputError
from taut.problem import MlcpProblem, natural_residual, slack_and_residual
from taut.problem.generators import random_box
from taut.problem.residuals import judge
from taut.solvers import reference


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_equals_the_dense_twin(size, seed):
    problem = random_box(size, seed, condition=100, tight_share=0.5).problem
    lam = np.random.default_rng(seed + 1).normal(size=size)
    dense = problem.sparse.toarray()
    expected = reference.natural_residual(dense, problem.bias, problem.lower, problem.upper, lam)
    w, residual = slack_and_residual(problem, lam)
    assert residual == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(w, dense @ lam + problem.bias, atol=1e-14)


def test_equals_the_formula_of_the_paper():
    """max(|min(lam - l, w+)|, |min(u - lam, w-)|) for feasible lam and unit diagonal, with w = w+ - w-."""
    A = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]])
    problem = MlcpProblem.from_matrix(A, [0.3, -0.2, -2.0], -1, 1)
    lam = np.array([-0.9, 0.5, 0.9])
    w = A @ lam + problem.bias
    row = np.maximum(np.minimum(lam + 1, np.maximum(w, 0)), np.minimum(1 - lam, np.maximum(-w, 0)))
    assert natural_residual(problem, lam) == pytest.approx(row.max() / 2.0)


@pytest.mark.parametrize("seed", range(6))
def test_islands_are_judged_one_by_one(seed):
    """Side by side and shuffled, with impulses 1e9 apart: the residual is the worst of the islands alone."""
    rng = np.random.default_rng(seed)
    alone, candidates = [], []
    for k, size in enumerate((3, 5, 4)):
        problem = random_box(size, 10 * seed + k, 10.0, 0.4).problem
        factor = 10.0 ** (9 * (k - 1))
        for array in (problem.bias, problem.lower, problem.upper):
            array *= factor
        alone.append(problem)
        candidates.append(factor * rng.normal(size=size))
    A = scipy.sparse.block_diag([problem.sparse for problem in alone]).toarray()
    b, lower, upper = (np.concatenate([getattr(each, name) for each in alone]) for name in ("bias", "lower", "upper"))
    shuffled = rng.permutation(b.size)
    together = MlcpProblem.from_matrix(A[np.ix_(shuffled, shuffled)], b[shuffled], lower[shuffled], upper[shuffled])
    lam = np.concatenate(candidates)[shuffled]
    expected = max(natural_residual(problem, each) for problem, each in zip(alone, candidates, strict=True))
    assert natural_residual(together, lam) == pytest.approx(expected, rel=1e-9)
    dense = together.sparse.toarray()
    twin = reference.natural_residual(dense, together.bias, together.lower, together.upper, lam)
    assert twin == pytest.approx(expected, rel=1e-9)


def test_a_light_island_is_proved_as_sharply_beside_a_heavy_one():
    """An error of 1 % in grams is 1 %, whatever hangs beside it."""
    light = MlcpProblem.from_matrix([[1e3]], [-1e-3], 0)
    both = MlcpProblem.from_matrix(np.diag([1e3, 1e-6]), [-1e-3, -1e3], 0)
    assert natural_residual(light, np.array([1.01e-6])) == pytest.approx(0.01 / 1.01)
    assert natural_residual(both, np.array([1.01e-6, 1e9])) == pytest.approx(0.01 / 1.01)


def test_verdict_names_the_island_and_its_data():
    problem = MlcpProblem.from_matrix(np.diag([1.0, 4.0]), [-1.0, -2.0], [0.0, 3.0], [np.inf, 5.0])
    verdict = judge(problem, np.array([1.0, 4.0]))
    np.testing.assert_allclose(verdict.slack, [0.0, 14.0])
    np.testing.assert_allclose(verdict.violation, [0.0, 2.0])  # sqrt(4) times the way back to the bound
    np.testing.assert_allclose(verdict.scale, [1.0, 8.0])
    np.testing.assert_allclose(verdict.data, [1.0, 5.0])  # (4 * 3 - 2) / sqrt(4) with lam at the bound next to 0
    assert verdict.residual == pytest.approx(0.25)


def test_does_not_depend_on_units(rng):
    known = random_box(10, 3, 10, 0.3)
    problem, unit = known.problem, 10 ** rng.uniform(-6, 6, 10)
    A = problem.sparse.toarray() * np.outer(unit, unit)
    scaled = MlcpProblem.from_matrix(A, problem.bias * unit, problem.lower / unit, problem.upper / unit)
    lam = known.lam + 0.1
    assert natural_residual(scaled, lam / unit) == pytest.approx(natural_residual(problem, lam), rel=1e-9)


def test_fixed_rows_have_none_whatever_their_slack():
    problem = MlcpProblem.from_matrix(np.eye(2), [1e9, -1e9], [1, 2], [1, 2])
    assert natural_residual(problem, np.array([1.0, 2.0])) == 0.0


def test_infeasible_multipliers_count():
    problem = MlcpProblem.from_matrix([[4.0]], [-4.0], 0, 0.5)
    assert natural_residual(problem, np.array([1.0])) == pytest.approx(0.5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_anything_that_is_no_number_gives_infinity(bad):
    problem = random_box(4).problem
    for array in (problem.values, problem.bias):
        kept, array[1] = array[1], bad
        assert natural_residual(problem, np.zeros(4)) == np.inf
        array[1] = kept
    assert natural_residual(problem, np.array([0, bad, 0, 0])) == np.inf
    problem.lower[2] = np.nan
    assert natural_residual(problem, np.zeros(4)) == np.inf


def test_empty_and_zero_problems():
    assert natural_residual(MlcpProblem.from_matrix(np.zeros((0, 0)), []), np.zeros(0)) == 0.0
    assert natural_residual(MlcpProblem.from_matrix(np.zeros((2, 2)), [0, 0], 0), np.zeros(2)) == 0.0


def test_wrong_size_is_refused():
    with pytest.raises(InputError, match=r"\(3,\)"):
        natural_residual(random_box(4).problem, np.zeros(3))
