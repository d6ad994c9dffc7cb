"""Estimates of condition numbers against dense eigenvalues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from taut.problem.condition import condition_estimate, free_part, largest_eigenvalue, largest_island
from taut.problem.families import chain_like, pile_like
from taut.problem.mlcp import MlcpProblem


def dense_condition(problem: MlcpProblem) -> float:
    """Largest over smallest eigenvalue, by way of A scaled to unit diagonal, whose inverse is right to some digits."""
    A = problem.sparse.toarray()
    root = np.sqrt(A.diagonal())
    half = np.linalg.solve(np.linalg.cholesky(A / np.outer(root, root)), np.diag(1.0 / root))
    return float(np.linalg.norm(A, 2) * np.linalg.norm(half, 2) ** 2)


@pytest.mark.parametrize("family", [chain_like, pile_like])
def test_families(family: Callable[[int], MlcpProblem]) -> None:
    problem = family(300)
    assert condition_estimate(problem) == pytest.approx(dense_condition(problem), rel=0.05)


@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_small_and_unsymmetric_ones(size: int) -> None:
    rng = np.random.default_rng(size)
    A = np.eye(size) + 0.1 * rng.standard_normal((size, size))
    problem = MlcpProblem.from_matrix(A, np.zeros(size))
    assert condition_estimate(problem) == pytest.approx(np.linalg.cond(A), rel=0.05)


def test_a_singular_one_and_one_without_rows() -> None:
    assert condition_estimate(MlcpProblem.from_matrix(np.diag([1.0, 0.0]), [0, 0])) == np.inf
    assert condition_estimate(MlcpProblem.from_matrix(np.ones((2, 2)), [0, 0])) > 1e15
    assert condition_estimate(MlcpProblem.from_matrix(np.zeros((0, 0)), [])) == 1.0


def test_only_the_largest_island_counts() -> None:
    A = np.diag([1.0, 5.0, 1e9, 1.0])
    A[0, 1] = A[1, 0] = 1.0
    problem = MlcpProblem.from_matrix(A, np.arange(4.0))
    island = largest_island(problem)
    assert island.size == 2 and island.bias.tolist() == [0.0, 1.0]
    assert condition_estimate(island) == pytest.approx(np.linalg.cond(A[:2, :2]))
    assert largest_island(island) is island


def test_rows_at_a_bound_do_not_count() -> None:
    """A motor and the end stop that is off beside it are the same row twice: only one is ever factored."""
    J = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    problem = MlcpProblem.from_matrix(J @ J.T + 1e-12 * np.eye(3), np.arange(3.0), lower=[-1.0, 0.0, -1.0])
    assert condition_estimate(problem) > 1e12
    free = free_part(problem, np.array([0, -1, 0]))
    assert free.size == 2 and free.bias.tolist() == [0.0, 2.0] and free.lower.tolist() == [-1.0, -1.0]
    assert condition_estimate(free) == pytest.approx(np.linalg.cond(J[::2] @ J[::2].T), rel=0.01)
    assert free_part(problem, np.full(3, -1)).size == 0


def test_an_eigenvalue_in_a_crowd() -> None:
    values = np.append(np.linspace(0.0, 1.0, 300), 1.5)
    assert largest_eigenvalue(lambda x: values * x, 301) == pytest.approx(1.5, rel=1e-3)
