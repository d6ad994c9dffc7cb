"""A factor that is kept for the next matrix: solves against dense ones, and when it is made anew."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from taut import solvers
from taut.linalg.chosen import FRONTS, HELD, WAY, ChosenFactor
from taut.linalg.kept import ALLOWED, DIRECT, GIVEN_UP, ITERATIONS, KEPT, MODE, REUSED, SKIPPED, KeptFactor
from taut.linalg.kept_factor_kernels import KEPT_TOLERANCE, LARGEST_PENALTY, LEAST_ITERATIONS
from taut.problem import MlcpProblem, WarmStart
from taut.structure import analyze_pattern
from taut.structure.front_tree import plant_tree

SIZE = 400
NO_SHIFT = np.zeros(0)


def wide_problem(rng: np.random.Generator, size: int = SIZE, others: int = 0) -> MlcpProblem:
    """Few entries and a wide envelope, so that iterations cost far less than a factor; others are islands of one."""
    rows, columns = rng.integers(0, size, (2, 3 * size // 2))
    couplings = scipy.sparse.csr_array((rng.uniform(-1.0, 1.0, rows.size), (rows, columns)), (size, size))
    couplings += scipy.sparse.eye_array(size) + scipy.sparse.eye_array(size, k=1)  # one island
    matrix = couplings @ couplings.T + 0.1 * scipy.sparse.eye_array(size)
    if others:
        matrix = scipy.sparse.block_diag([2.0 * scipy.sparse.eye_array(others), matrix])
    total = size + others
    return MlcpProblem.from_matrix(matrix, rng.normal(size=total), np.full(total, -0.5), np.full(total, 0.5))


def changed(problem: MlcpProblem, change: float, rng: np.random.Generator) -> MlcpProblem:
    """Another problem of the same pattern, D A D with D = 1 + change at random: as definite as the first."""
    factor = np.exp(change * rng.normal(size=problem.size))
    rows = np.repeat(np.arange(problem.size), np.diff(problem.pattern.indptr))
    values = problem.values * factor[rows] * factor[problem.pattern.indices]
    bias = problem.bias + change * rng.normal(size=problem.size)
    return MlcpProblem(problem.pattern, values, bias, problem.lower, problem.upper)


def kept_factor(problem: MlcpProblem, fronts: bool = False) -> KeptFactor:
    symbolic = analyze_pattern(problem.pattern)
    tree = plant_tree(problem.pattern, symbolic, np.arange(1)) if fronts else None
    return KeptFactor.of(ChosenFactor.of(symbolic, tree, exchanges=False))


def matrix_of(factor: KeptFactor, problem: MlcpProblem) -> np.ndarray:
    order = factor.symbolic.order
    return problem.sparse.toarray()[np.ix_(order, order)]


def factorise(factor: KeptFactor, labels: np.ndarray, shift: np.ndarray = NO_SHIFT) -> np.ndarray:
    dependent = np.full(labels.size, 9, np.uint8)
    assert factor.factorise(0, labels.size, labels, shift, dependent) == 0
    assert (dependent == np.where(labels == 0, 0, 9)).all(), "other rows are left alone"
    return dependent


def check_solve(factor: KeptFactor, matrix: np.ndarray, labels: np.ndarray, rhs: np.ndarray) -> None:
    """Solve as the loop that pivots does: once, and up to twice more for what is left."""
    free, x, left = labels == 0, np.zeros(rhs.size), rhs.copy()
    part = matrix[np.ix_(free, free)]
    for number in range(3):
        step = np.full(rhs.size, 7.0)
        factor.solve(left, step)
        assert (step[~free] == 7.0).all(), "other rows are left alone"
        x[free] += step[free]
        left[free] = rhs[free] - part @ x[free]
        if number == 0:
            assert np.abs(left[free]).max() <= 2.0 * KEPT_TOLERANCE * np.abs(rhs[free]).max()
        if np.abs(left[free]).max() <= 1e-13:
            break
    np.testing.assert_allclose(x[free], np.linalg.solve(part, rhs[free]), rtol=0.0, atol=1e-11 * np.abs(x).max())


@pytest.mark.parametrize("fronts", [False, True], ids=["rows", "fronts"])
@pytest.mark.parametrize("change", [0.0, 1e-9, 1e-6, 1e-3, 1.0])
def test_solves_with_the_factor_of_another_matrix_are_exact(change: float, fronts: bool) -> None:
    rng = np.random.default_rng(5)
    problem = wide_problem(rng)
    factor, other = kept_factor(problem, fronts), changed(problem, change, rng)
    labels, rhs = rng.choice([-1, 0, 0, 0, 1], SIZE), rng.normal(size=SIZE)
    factor.load(problem.values, np.ones(SIZE))
    factorise(factor, labels)
    assert (factor.chosen.last[WAY] == FRONTS) == fronts
    check_solve(factor, matrix_of(factor, problem), labels, rhs)
    assert factor.state[MODE] == DIRECT and factor.state[ALLOWED] >= LEAST_ITERATIONS
    factor.load(other.values, np.ones(SIZE))
    factorise(factor, labels)
    assert factor.state[MODE] == KEPT
    check_solve(factor, matrix_of(factor, other), labels, rhs)
    assert factor.state[REUSED] == 1
    if change <= 1e-9:
        assert factor.state[GIVEN_UP] == 0 and factor.state[MODE] == KEPT
    if change == 1.0:
        assert factor.state[GIVEN_UP] == 1 and factor.state[MODE] == DIRECT, "a new factor took over"


def test_the_right_hand_side_may_be_where_the_solution_goes(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, labels = kept_factor(problem), np.zeros(SIZE, np.int64)
    for change in (0.0, 1e-6, 1.0):
        factor.load(changed(problem, change, rng).values, np.ones(SIZE))
        factorise(factor, labels)
        x, same = np.empty(SIZE), np.linspace(-1.0, 1.0, SIZE)
        factor.solve(same.copy(), x)
        factor.solve(same, same)
        np.testing.assert_allclose(same, x, atol=1e-6 * np.abs(x).max())


def test_other_labels_and_shifts_have_factors_of_their_own(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, rhs = kept_factor(problem), rng.normal(size=SIZE)
    labels = rng.choice([-1, 0, 0, 1], SIZE)
    factor.load(problem.values, np.ones(SIZE))
    matrix = matrix_of(factor, problem)
    factorise(factor, labels)
    shift = np.full(SIZE, 0.3)
    factorise(factor, labels, shift)
    check_solve(factor, matrix + np.diag(shift), labels, rhs)
    factorise(factor, -labels)
    assert factor.state[MODE] == KEPT, "the shift did it no harm, and which bound it is does not matter"
    check_solve(factor, matrix, labels, rhs)
    labels[np.flatnonzero(labels)[0]] = 0
    factorise(factor, labels)
    assert factor.state[MODE] == DIRECT
    check_solve(factor, matrix, labels, rhs)


def test_only_the_largest_island_is_kept(rng: np.random.Generator) -> None:
    problem = wide_problem(rng, others=3)
    factor, dependent = kept_factor(problem), np.zeros(SIZE + 3, np.uint8)
    labels, rhs = np.zeros(SIZE + 3, np.int64), rng.normal(size=SIZE + 3)
    for _ in range(2):
        factor.load(problem.values, np.ones(SIZE + 3))
        x, start = np.full(SIZE + 3, np.nan), factor.symbolic.island_start
        for begin, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
            factor.factorise(begin, end, labels, NO_SHIFT, dependent)
            factor.solve(rhs, x)
        np.testing.assert_allclose(matrix_of(factor, problem) @ x, rhs, atol=1e-7)
    assert factor.state[REUSED] == 1


@pytest.mark.parametrize("fronts", [False, True], ids=["rows", "fronts"])
def test_numbers_that_are_none_in_what_is_kept_do_no_harm(fronts: bool, rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, labels, rhs = kept_factor(problem, fronts), np.zeros(SIZE, np.int64), rng.normal(size=SIZE)
    factor.load(problem.values, np.ones(SIZE))
    factorise(factor, labels)
    factor.chosen.plain.storage.fill(np.nan)
    factor.chosen.fronts.storage.fill(np.nan)
    factor.vectors[:5] = np.nan
    factor.load(problem.values, np.ones(SIZE))
    factorise(factor, labels)
    check_solve(factor, matrix_of(factor, problem), labels, rhs)
    assert factor.state[GIVEN_UP] == 1
    factor.solve(np.full(SIZE, np.nan), np.zeros(SIZE))


def test_a_factor_that_others_used_or_with_dependent_rows_is_not_kept(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, labels, dependent = kept_factor(problem), np.zeros(SIZE, np.int64), np.zeros(SIZE, np.uint8)
    factor.load(problem.values, np.ones(SIZE))
    factorise(factor, labels)
    assert factor.chosen.last[HELD] == 1
    factor.chosen.factorise(0, SIZE, np.ones(SIZE, np.int64), NO_SHIFT, dependent)
    factorise(factor, labels)
    assert factor.state[REUSED] == 0
    factor.load(problem.values, np.zeros(SIZE))
    assert factor.factorise(0, SIZE, 1 - labels, NO_SHIFT, dependent) == 0
    assert factor.factorise(0, SIZE, labels, NO_SHIFT, dependent) == SIZE
    assert factor.chosen.last[HELD] == 0


def test_a_matrix_that_became_singular_or_indefinite_gives_numbers(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    labels, x = np.zeros(SIZE, np.int64), np.empty(SIZE)
    for scale in (np.zeros(SIZE), np.where(np.arange(SIZE) < 9, 0.0, 1.0)):
        factor = kept_factor(problem)
        factor.load(problem.values, np.ones(SIZE))
        factorise(factor, labels)
        factor.load(problem.values, scale)
        factorise(factor, labels)
        factor.solve(np.ones(SIZE), x)
        assert np.isfinite(x).all()
    factor.load(problem.values, np.ones(SIZE))
    factorise(factor, labels)
    factor.load(-problem.values, np.ones(SIZE))
    if factor.factorise(0, SIZE, labels, NO_SHIFT, np.zeros(SIZE, np.uint8)) == 0:
        factor.solve(np.ones(SIZE), x)
        assert (x == 0.0).all()


def test_tries_that_fail_become_rare(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, labels, x = kept_factor(problem), np.zeros(SIZE, np.int64), np.empty(SIZE)
    tried = []
    for _ in range(40):
        factor.load(changed(problem, 1.0, rng).values, np.ones(SIZE))
        factorise(factor, labels)
        factor.solve(np.ones(SIZE), x)
        tried.append(int(factor.state[REUSED]))
    assert tried[-1] == factor.state[GIVEN_UP] == 6, "after none and 1, 2, 4, 8 and 16 that were not tried"
    assert factor.state[SKIPPED] <= LARGEST_PENALTY


def test_a_factor_that_grew_old_is_made_anew_before_a_try_fails(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    factor, labels, x = kept_factor(problem), np.zeros(SIZE, np.int64), np.empty(SIZE)
    for _ in range(60):
        problem = changed(problem, 1e-4, rng)
        factor.load(problem.values, np.ones(SIZE))
        factorise(factor, labels)
        factor.solve(np.ones(SIZE), x)
    assert 30 <= factor.state[REUSED] < 59 and factor.state[GIVEN_UP] == 0
    assert factor.state[ITERATIONS] <= factor.state[ALLOWED] * factor.state[REUSED]


@pytest.mark.parametrize("change", [1e-8, 1e-4, 1e-1])
def test_problems_are_solved_as_well_as_without(change: float, rng: np.random.Generator) -> None:
    problem = wide_problem(rng, others=2)
    plain, reusing = solvers.get("bpp"), solvers.get("bpp", reuse=True)
    start = None
    for _ in range(8):
        problem = changed(problem, change, rng)
        found, expected = reusing.solve(problem, start), plain.solve(problem, start)
        assert found.solved and found.residual <= max(1e-13, 2.0 * expected.residual)
        np.testing.assert_array_equal(found.index_set, expected.index_set)
        np.testing.assert_allclose(found.lam, expected.lam, atol=1e-11)
        start = WarmStart(expected.index_set, expected.lam)
    (work,) = reusing.analyze(problem.pattern).idle
    assert work.reusing.factor.state[REUSED] > 0 or change > 1e-4


def test_without_it_no_bit_depends_on_problems_solved_with_it(rng: np.random.Generator) -> None:
    problem = wide_problem(rng)
    fresh = solvers.get("bpp").solve(wide_problem(np.random.default_rng(9)))
    same = wide_problem(np.random.default_rng(9))
    for _ in range(3):
        solvers.get("bpp", reuse=True).solve(changed(same, 1e-6, rng))
    np.testing.assert_array_equal(solvers.get("bpp").solve(same).lam, fresh.lam)
    assert solvers.get("bpp").analyze(problem.pattern) is not solvers.get("bpp", reuse=True).analyze(problem.pattern)
