"""What pivoting asks of a factor, of every factor there is, against dense algebra; and one loop with all of them."""

from __future__ import annotations

import numpy as np
import pytest

from taut.linalg.cached import CachedFactor
from taut.linalg.dense import DenseFactor, GeneralFactor
from taut.linalg.downdated import CHEAPEST, FROM_FIRST, INCREMENTAL, DowndatedFactor
from taut.linalg.factor import Factor
from taut.linalg.skyline import SkylineFactor
from taut.problem import MlcpProblem
from taut.problem.generators import random_box
from taut.solvers.island_workspace import CODE, REPORT_COLUMNS, SOLVED, Search
from taut.structure import analyze_pattern
from taut.tables import held

COMPILED = {
    "skyline": SkylineFactor.of,
    "downdated": lambda symbolic: DowndatedFactor.of(symbolic, FROM_FIRST),
    "downdated-dense": lambda symbolic: DowndatedFactor.of(symbolic, FROM_FIRST, dense=True),
    "incremental": lambda symbolic: DowndatedFactor.of(symbolic, INCREMENTAL),
    "cheapest": lambda symbolic: DowndatedFactor.of(symbolic, CHEAPEST),
    "cached": lambda symbolic: CachedFactor.of(symbolic, 2**20),
}
FACTORS = [*COMPILED, "dense", "general"]


def loaded(name: str, problem: MlcpProblem, scale: np.ndarray) -> tuple[Factor, np.ndarray]:
    """A factor that holds the matrix of a problem, and the matrix in the order of its rows."""
    full = problem.sparse.toarray()
    if name in COMPILED:
        factor = COMPILED[name](analyze_pattern(problem.pattern))
        order = factor.symbolic.order
        assert factor.load(problem.values, scale) == 1
        return factor, full[np.ix_(order, order)] * np.outer(scale, scale)
    dense = DenseFactor() if name == "dense" else GeneralFactor()
    assert dense.load(full, scale) == 1
    return dense, full * np.outer(scale, scale)


@pytest.mark.parametrize("name", FACTORS)
def test_factors_multiply_and_solve_for_the_free_rows(name: str, rng: np.random.Generator) -> None:
    problem = random_box(30, 3, 1e3, 0.3).problem
    factor, matrix = loaded(name, problem, rng.uniform(0.5, 2.0, 30))
    lam, bias, w = rng.normal(size=30), rng.normal(size=30), np.empty(30)
    factor.multiply(0, 30, lam, bias, w)
    np.testing.assert_allclose(w, matrix @ lam + bias, atol=1e-12)
    for shift in (np.zeros(0), rng.uniform(0.1, 1.0, 30)):
        labels = rng.choice([-1, 0, 0, 0, 1], 30)
        free, dependent = labels == 0, np.full(30, 9, np.uint8)
        assert factor.factorise(0, 30, labels, shift, dependent) == 0
        assert (dependent == np.where(free, 0, 9)).all(), "other rows are left alone"
        part = matrix[np.ix_(free, free)] + (np.diag(shift[free]) if shift.size else 0.0)
        x = np.full(30, 7.0)
        factor.solve(w, x)
        np.testing.assert_allclose(x[free], np.linalg.solve(part, w[free]), rtol=1e-9)
        assert (x[~free] == 7.0).all()
        same = w.copy()
        factor.solve(same, same)
        np.testing.assert_array_equal(same[free], x[free])


@pytest.mark.parametrize("name", FACTORS)
def test_factors_without_rows(name: str) -> None:
    factor, _ = loaded(name, random_box(5, 3, 1e3, 0.3).problem, np.ones(5))
    x = np.arange(5.0)
    assert factor.factorise(0, 5, np.ones(5, np.int64), np.zeros(0), np.zeros(5, np.uint8)) == 0
    factor.solve(x, x)
    np.testing.assert_array_equal(x, np.arange(5.0))


@pytest.mark.parametrize("name", [*COMPILED, "dense"])
def test_factors_say_which_matrices_are_singular_and_which_are_indefinite(name: str) -> None:
    twins = MlcpProblem.from_matrix([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], np.zeros(3))
    factor, _ = loaded(name, twins, np.ones(3))
    dependent, x = np.zeros(3, np.uint8), np.array([2.0, 2.0, 3.0])
    assert factor.factorise(0, 3, np.zeros(3, np.int64), np.zeros(0), dependent) == 1
    assert dependent.any()
    factor.solve(x, x)
    assert x[0] + x[1] == pytest.approx(2.0) and x[2] == pytest.approx(3.0)
    assert factor.factorise(0, 3, np.zeros(3, np.int64), np.full(3, 1e-3), dependent) == 0
    saddle = MlcpProblem.from_matrix([[1.0, 2.0], [2.0, 1.0]], np.zeros(2))
    factor, _ = loaded(name, saddle, np.ones(2))
    assert factor.factorise(0, 2, np.zeros(2, np.int64), np.zeros(0), np.zeros(2, np.uint8)) < 0


@pytest.mark.parametrize("name", FACTORS)
def test_factors_refuse_numbers_that_are_none(name: str) -> None:
    problem = random_box(5, 3, 1e3, 0.3).problem
    factor, _ = loaded(name, problem, np.ones(5))
    values = problem.values if name in COMPILED else problem.sparse.toarray()
    values.flat[0] = np.inf
    with np.errstate(invalid="ignore"):
        assert factor.load(values, np.ones(5)) == 0


@pytest.mark.parametrize("name", FACTORS)
def test_a_right_hand_side_that_ran_off_raises_nothing(name: str) -> None:
    factor, _ = loaded(name, random_box(5, 3, 1e3, 0.3).problem, np.ones(5))
    factor.factorise(0, 5, np.zeros(5, np.int64), np.zeros(0), np.zeros(5, np.uint8))
    factor.solve(np.array([np.inf, 1.0, np.nan, 0.0, 2.0]), np.zeros(5))


@pytest.mark.parametrize("seed", range(4))
def test_one_loop_finds_the_same_with_every_factor(seed: int) -> None:
    """The loop as Python runs it, from the same start in the same order of rows."""
    from taut.solvers.block_pivoting_kernels import PATIENT, pivot_island

    problem = random_box(30, seed, 1e3, 0.4).problem
    order = analyze_pattern(problem.pattern).order
    permuted = MlcpProblem.from_matrix(
        problem.sparse.toarray()[np.ix_(order, order)], problem.bias[order], problem.lower[order], problem.upper[order]
    )
    answers = []
    for name in FACTORS:
        factor, _ = loaded(name, problem if name in COMPILED else permuted, np.ones(30))
        search, report = Search.of_size(30), np.zeros(REPORT_COLUMNS, np.int64)
        for field in ("bias", "lower", "upper"):
            getattr(search, field)[:] = getattr(permuted, field)
        pivot_island(0, 30, 50, PATIENT, 0.0, held(search), factor, np.zeros((2, 100), np.int64), report)
        assert report[CODE] == SOLVED
        answers.append((search.lam, search.index_set, report.tolist()))
    for lam, index_set, report in answers[1:]:
        np.testing.assert_allclose(lam, answers[0][0], atol=1e-10)
        np.testing.assert_array_equal(index_set, answers[0][1])
        assert report == answers[0][2]
