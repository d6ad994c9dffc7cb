"""What pivoting asks of a factor, of every factor there is, against dense algebra; and one loop with all of them."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.linalg.cached import CachedFactor
from taut.linalg.chosen import ChosenFactor
from taut.linalg.dense import DenseFactor, GeneralFactor
from taut.linalg.downdated import CHEAPEST, FROM_FIRST, INCREMENTAL, DowndatedFactor
from taut.linalg.factor import Factor
from taut.linalg.fronts import VALID, FrontFactor
from taut.linalg.kept import KeptFactor
from taut.linalg.skyline import SkylineFactor
from taut.problem import MlcpProblem, Pattern
from taut.problem.generators import random_box
from taut.solvers.island_workspace import CODE, REPORT_COLUMNS, SOLVED, Search
from taut.structure import analyze_pattern
from taut.structure.front_tree import plant_tree
from taut.tables import held


class FrontsAlone:
    """Fronts of all islands, whatever they cost."""

    def __init__(self, pattern: Pattern) -> None:
        self.symbolic = analyze_pattern(pattern)
        self.plain = SkylineFactor.of(self.symbolic)
        tree = plant_tree(pattern, self.symbolic, np.arange(self.symbolic.island_count))
        self.fronts = FrontFactor.of(tree, self.plain.entries)
        self.handle, self.multiply = held(self.fronts), self.plain.multiply

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        self.fronts.state[VALID] = 0
        return self.plain.load(values, scale)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        from taut.linalg.front_kernels import factor_fronts, mark_fronts

        self.part = begin, end
        mark_fronts(self.handle, begin, end, index_set, int(shift.size > 0))
        return int(factor_fronts(self.handle, begin, end, shift, dependent_out))

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        from taut.linalg.front_kernels import solve_fronts

        solve_fronts(self.handle, *self.part, rhs, x_out)


def chosen(pattern: Pattern) -> ChosenFactor:
    """A factor that may choose fronts for every island."""
    symbolic = analyze_pattern(pattern)
    return ChosenFactor.of(symbolic, plant_tree(pattern, symbolic, np.arange(symbolic.island_count)))


COMPILED = {
    "skyline": lambda pattern: SkylineFactor.of(analyze_pattern(pattern)),
    "downdated": lambda pattern: DowndatedFactor.of(analyze_pattern(pattern), FROM_FIRST),
    "downdated-dense": lambda pattern: DowndatedFactor.of(analyze_pattern(pattern), FROM_FIRST, dense=True),
    "incremental": lambda pattern: DowndatedFactor.of(analyze_pattern(pattern), INCREMENTAL),
    "cheapest": lambda pattern: DowndatedFactor.of(analyze_pattern(pattern), CHEAPEST),
    "cached": lambda pattern: CachedFactor.of(analyze_pattern(pattern), 2**20),
    "fronts": FrontsAlone,
    "chosen": chosen,
    "kept": lambda pattern: KeptFactor.of(ChosenFactor.of(analyze_pattern(pattern))),
    "chosen-rows": lambda pattern: ChosenFactor.of(analyze_pattern(pattern)),
}
FACTORS = [*COMPILED, "dense", "general"]


def loaded(name: str, problem: MlcpProblem, scale: np.ndarray) -> tuple[Factor, np.ndarray]:
    """A factor that holds the matrix of a problem, and the matrix in the order of its rows."""
    full = problem.sparse.toarray()
    if name in COMPILED:
        factor = COMPILED[name](problem.pattern)
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
    from taut.solvers.block_pivoting_kernels import pivot_island
    from taut.solvers.index_set_kernels import PATIENT

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


@pytest.mark.parametrize("redundant", [1, 7, 20, 29])
def test_dense_factor_of_a_singular_matrix_gives_the_least_solution(redundant: int, rng: np.random.Generator) -> None:
    factor, matrix = loaded("dense", random_box(30, 3, 1e3, 0.3, redundant=redundant).problem, np.ones(30))
    labels, dependent = np.where(np.arange(30) < 25, 0, 1), np.zeros(30, np.uint8)
    part = matrix[:25, :25]
    assert factor.factorise(0, 30, labels, np.zeros(0), dependent) == max(25 - np.linalg.matrix_rank(part), 0)
    for rhs in (matrix @ rng.normal(size=30), rng.normal(size=30)):  # in its range, and not
        x = np.full(30, 7.0)
        factor.solve(rhs, x)
        np.testing.assert_allclose(x[:25], np.linalg.pinv(part, rcond=1e-11, hermitian=True) @ rhs[:25], rtol=1e-6)
        assert (x[25:] == 7.0).all()


def test_dense_factor_of_nothing_and_of_the_indefinite() -> None:
    labels, dependent, x = np.zeros(3, np.int64), np.zeros(3, np.uint8), np.ones(3)
    factor = DenseFactor()
    factor.load(np.zeros((3, 3)), np.ones(3))
    assert factor.factorise(0, 3, labels, np.zeros(0), dependent) == 3
    factor.solve(x, x)
    assert (x == 0.0).all()
    for A in (-np.eye(3), np.diag([1.0, 1.0, -1e-6]), np.eye(3)[::-1], np.ones((3, 3)) - 0.5 * np.eye(3)[::-1]):
        factor.load(A, np.ones(3))
        assert factor.factorise(0, 3, labels, np.zeros(0), dependent) < 0


def test_dense_pivoting_on_large_singular_problems_needs_no_eigenvectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """One Cholesky factor a pivot, and where that is singular one more with chosen pivots: 800 rows end in seconds."""
    import scipy.linalg

    plain, chosen = DenseFactor.factor_part, DenseFactor.factor_singular
    counts = {"plain": 0, "chosen": 0}

    def counted(self, which, name):
        counts[name] += 1
        return which(self)

    monkeypatch.setattr(scipy.linalg, "eigh", None)
    monkeypatch.setattr(DenseFactor, "factor_part", lambda self: counted(self, plain, "plain"))
    monkeypatch.setattr(DenseFactor, "factor_singular", lambda self: counted(self, chosen, "chosen"))
    for redundant in (0, 100, 400):
        counts.update(plain=0, chosen=0)
        solution = solvers.get("bpp-dense").solve(random_box(800, redundant, 1e4, 0.3, redundant=redundant).problem)
        assert solution.solved and solution.residual < 1e-12
        assert solution.iterations <= counts["plain"] <= 210
        assert (counts["chosen"] > 0) == (redundant > 0), "the plain factor is all that a regular problem needs"
