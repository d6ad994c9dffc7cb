"""Lemke's method: matrices that are not symmetric, with the guarantee that their class has."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from taut import solvers
from taut.problem import Status
from taut.solvers import block_pivoting_dense
from taut.solvers.lemke import LIMIT, RAY, SINGULAR, SOLVED, LemkePath
from taut.solvers.solve import solve_mlcp

Rng = np.random.Generator


def dominant(rng: Rng, size: int) -> np.ndarray:
    """Rows with a diagonal larger than all the rest of them."""
    matrix = rng.normal(size=(size, size))
    np.fill_diagonal(matrix, np.abs(matrix).sum(axis=1))
    return matrix


def turning(rng: Rng, size: int) -> np.ndarray:
    """Positive definite, with a skew part that is much larger."""
    root, skew = rng.normal(size=(2, size, size))
    return np.asarray(root @ root.T / size + 0.01 * np.eye(size) + skew - skew.T)


def triangular(rng: Rng, size: int) -> np.ndarray:
    """Ones on the diagonal: all principal minors are 1, and x'Ax may have any sign."""
    return np.asarray(np.eye(size) + 3.0 * np.tril(rng.normal(size=(size, size)), -1))


def random_bounds(rng: Rng, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes, half lines either way, and rows without bounds."""
    lower = rng.normal(size=size) - 1.0
    upper = lower + rng.uniform(0.1, 3.0, size)
    kind = rng.integers(0, 4, size)
    lower[(kind == 0) | (kind == 2)] = -np.inf
    upper[(kind == 0) | (kind == 1)] = np.inf
    return lower, upper


def violation(path: LemkePath) -> float:
    """Natural residual where a path has come to, over the size of lam."""
    lam = path.multipliers
    target = np.clip(lam - path.matrix @ lam - path.bias, path.lower, path.upper)
    return float(np.abs(lam - target).max() / max(1.0, np.abs(lam).max()))


@pytest.mark.parametrize("kind", [dominant, turning, triangular])
def test_p_matrices_are_solved_within_any_bounds(kind) -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 30))
        path = LemkePath(kind(rng, size), 3.0 * rng.normal(size=size), *random_bounds(rng, size))
        assert path.follow(5000) == SOLVED, f"{kind.__name__} {seed}"
        assert violation(path) < 1e-9
        assert set(np.unique(path.label)) <= {-1, 0, 1} and path.pivots <= 20 * size


def test_the_solution_of_a_p_matrix_is_the_one_that_trying_all_labels_finds(rng: Rng) -> None:
    for _ in range(20):
        matrix, bias = triangular(rng, 5), rng.normal(size=5)
        lower, upper = np.full(5, -1.0), np.full(5, 1.0)
        found = []
        for labels in itertools.product((-1, 0, 1), repeat=5):
            lam = np.array(labels, np.float64)
            free = lam == 0
            lam[free] = np.linalg.solve(matrix[np.ix_(free, free)], -(bias + matrix @ lam)[free])
            if np.abs(lam - np.clip(lam - matrix @ lam - bias, lower, upper)).max() < 1e-12:
                found.append(lam)
        path = LemkePath(matrix, bias, lower, upper)
        assert path.follow(1000) == SOLVED and len(found) == 1
        np.testing.assert_allclose(path.multipliers, found[0], atol=1e-10)


@pytest.mark.parametrize("size", range(1, 11))
def test_the_worst_case_ends_after_exponentially_many_pivots(size: int) -> None:
    """A lower triangular with twos, b_i = -(2^n + ... + 2^(n-i)): one pivot for each of 2^n index sets. [Murty1988]"""
    matrix = np.eye(size) + 2.0 * np.tril(np.ones((size, size)), -1)
    bias = -np.cumsum(2.0 ** np.arange(size, 0, -1))
    path = LemkePath(matrix, bias, np.zeros(size), np.full(size, np.inf))
    assert path.follow(2000) == SOLVED
    assert path.pivots == 2**size - 1
    assert violation(path) < 1e-12
    if size == 10:
        short = LemkePath(matrix, bias, np.zeros(size), np.full(size, np.inf))
        assert short.follow(100) == LIMIT and short.pivots == 100


def test_ties_do_not_make_it_cycle() -> None:
    """Small whole numbers: most bases are degenerate."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 9))
        root, skew = rng.integers(-1, 2, (2, size, size)).astype(np.float64)
        matrix = root @ root.T + np.eye(size) + skew - skew.T
        upper = rng.choice([1.0, 2.0, np.inf], size)
        path = LemkePath(matrix, rng.integers(-2, 3, size).astype(np.float64), np.zeros(size), upper)
        assert path.follow(1000) == SOLVED and violation(path) < 1e-10, f"{seed}"


def test_semidefinite_matrices_are_solved_or_end_on_a_ray_that_shows_that_they_have_no_solution() -> None:
    """Where there is none, a y >= 0 has A'y <= 0 and b'y < 0, by construction; else b is that of known multipliers."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(3, 20))
        root, skew = rng.normal(size=(size, 2)), rng.normal(size=(size, size))
        matrix, y = root @ root.T + skew - skew.T, rng.uniform(0.1, 1.0, size)
        across = np.eye(size) - np.outer(y, y) / (y @ y)
        matrix = across @ matrix @ across  # x'Ax >= 0 still, and A y = A'y = 0
        lam = np.maximum(rng.normal(size=size), 0.0)
        slack = np.where(lam > 0.0, 0.0, rng.uniform(0.0, 1.0, size))
        bias = slack - matrix @ lam
        path = LemkePath(matrix, bias, np.zeros(size), np.full(size, np.inf))
        assert path.follow(2000) == SOLVED and violation(path) < 1e-8, f"{seed}"
        none = LemkePath(matrix, bias - (bias @ y + 1.0) / (y @ y) * y, np.zeros(size), np.full(size, np.inf))
        assert none.follow(2000) == RAY, f"{seed}"


def test_rows_without_bounds_need_a_regular_block() -> None:
    inf = np.full(3, np.inf)
    skew = np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]])
    assert LemkePath(skew, np.ones(3), -inf, inf).follow(10) == SINGULAR
    path = LemkePath(skew + np.eye(3), np.ones(3), -inf, inf)
    assert path.follow(10) == SOLVED and path.pivots == 0
    np.testing.assert_allclose(path.multipliers, np.linalg.solve(skew + np.eye(3), -np.ones(3)))


def test_nothing_to_do() -> None:
    assert LemkePath(np.zeros((0, 0)), *np.zeros((3, 0))).follow(5) == SOLVED
    path = LemkePath(np.eye(2), np.ones(2), np.zeros(2), np.ones(2))
    assert path.follow(5) == SOLVED and path.pivots == 0 and (path.label == -1).all()


@pytest.mark.parametrize("name", [each.name for each in solvers.all() if each.exact])
def test_solvers_fall_back_on_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no pivots for blocks every problem is left to it; rows with equal bounds take no part."""
    monkeypatch.setattr(block_pivoting_dense, "COLD_PIVOTS", 1)
    monkeypatch.setattr(block_pivoting_dense, "UNSYMMETRIC_PIVOTS", 1)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lower, upper = random_bounds(rng, 20)
        lower[:3] = upper[:3] = 0.5
        solution = solve_mlcp(1e3 * turning(rng, 20), rng.normal(size=20), lower, upper, method=name)
        assert solution.solved and solution.residual < 1e-11
        assert (solution.lam[:3] == 0.5).all()


@pytest.mark.parametrize("name", [each.name for each in solvers.all() if each.exact])
def test_what_cannot_be_solved_is_said_as_far_as_it_is_known(name: str) -> None:
    skew = solve_mlcp([[0, 1], [-1, 0]], [-1, -1], 0, method=name)
    assert skew.status is Status.INFEASIBLE and "x'Ax >= 0" in skew.message
    odd = solve_mlcp([[-1, 1], [0, -1]], [-1, -1], 0, method=name)
    assert not odd.solved and "neither symmetric nor positive semidefinite" in odd.message
    free = solve_mlcp([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], [1, 1, 1], method=name)
    assert not free.solved and "rows without bounds is singular" in free.message
    for each in (skew, odd, free):
        assert np.isfinite(each.lam).all() and np.isfinite(each.w).all()
