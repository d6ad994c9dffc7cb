from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.errors import InputError
from taut.problem import MlcpProblem, natural_residual, slack_and_residual
from taut.problem.generators import random_box
from taut.solvers import reference


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_equals_the_dense_twin(size, seed):
    problem = random_box(size, seed, condition=100, tight_share=0.5).problem
    lam = np.random.default_rng(seed + 1).normal(size=size)
    dense = problem.matrix.toarray()
    expected = reference.natural_residual(dense, problem.bias, problem.lower, problem.upper, lam)
    w, residual = slack_and_residual(problem, lam)
    assert residual == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(w, dense @ lam + problem.bias, atol=1e-14)


def test_equals_the_formula_of_the_paper():
    """max(|min(lam - l, w+)|, |min(u - lam, w-)|) for feasible lam and unit diagonal, with w = w+ - w-."""
    problem = MlcpProblem.from_matrix(np.eye(3), [0.3, -0.2, -2.0], -1, 1)
    lam = np.array([-0.9, 0.5, 0.9])
    w = problem.bias + lam
    row = np.maximum(np.minimum(lam + 1, np.maximum(w, 0)), np.minimum(1 - lam, np.maximum(-w, 0)))
    assert natural_residual(problem, lam) == pytest.approx(row.max() / 2.0)


def test_does_not_depend_on_units(rng):
    known = random_box(10, 3, 10, 0.3)
    problem, unit = known.problem, 10 ** rng.uniform(-6, 6, 10)
    A = problem.matrix.toarray() * np.outer(unit, unit)
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
