"""Random problems with rows that have bounds and rows that have none: all exact solvers find the same slack."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from matrix_examples import coupled, grid_pairs, random_pairs, tree_pairs

from taut import solvers
from taut.problem import MlcpProblem
from taut.problem.solution import WarmStart

Rng = np.random.Generator
EXACT = [each.name for each in solvers.all() if each.exact]
SHORT, LONG = range(60), range(1000, 2500)


def mechanism(rng: Rng) -> np.ndarray:
    """J M^-1 J' + S of bodies in a tree with some loops: sparse, with masses over three decades."""
    bodies, rows = int(rng.integers(4, 50)), int(rng.choice([1, 3, 3, 5, 6]))
    pairs = tree_pairs(bodies, int(rng.integers(10**6))) + random_pairs(
        bodies, int(rng.integers(0, bodies)), int(rng.integers(10**6))
    )
    jacobian = np.zeros((rows * len(pairs), 6 * bodies))
    for k, pair in enumerate(pairs):
        for body in pair:
            jacobian[rows * k : rows * (k + 1), 6 * body : 6 * body + 6] = rng.normal(size=(rows, 6))
    inverse_mass = np.repeat(10.0 ** rng.uniform(-3.0, 0.0, bodies), 6)
    matrix = (jacobian * inverse_mass) @ jacobian.T
    return np.asarray(0.5 * (matrix + matrix.T) + np.diag(10.0 ** rng.uniform(-6.0, -3.0) * np.diag(matrix)))


def graph(rng: Rng) -> np.ndarray:
    """A grid or a tree of blocks, diagonally dominant."""
    seed, block = int(rng.integers(10**6)), int(rng.integers(1, 7))
    if rng.random() < 0.4:
        side = int(rng.integers(2, 9))
        return coupled(side * side, grid_pairs(side), seed, min(block, 3))
    size = int(rng.integers(2, 70))
    return coupled(size, tree_pairs(size, seed), seed, block)


def random_problem(seed: int) -> tuple[MlcpProblem, np.ndarray, np.ndarray]:
    """A problem with its solution: multipliers and slack."""
    rng = np.random.default_rng(seed)
    parts = [(mechanism if rng.random() < 0.6 else graph)(rng) for _ in range(int(rng.choice([1, 1, 2, 3])))]
    matrix = scipy.linalg.block_diag(*parts)
    size = len(matrix)
    if rng.random() < 0.3:  # rows that repeat others, and are asked for the same
        more = rng.choice(size, max(1, size // 20))
        index = np.concatenate([np.arange(size), more])
        matrix, size = matrix[np.ix_(index, index)], index.size
    root = np.sqrt(np.diag(matrix))
    bounded = rng.random(size) < rng.choice([0.02, 0.1, 0.1, 0.3, 0.9])
    label = np.where(bounded, rng.choice([-1, 0, 0, 1], size), 0)
    lam, room = rng.normal(size=size), rng.uniform(0.01, 2.0, (2, size))
    lower = np.where(bounded & (label < 1), lam - np.where(label < 0, 0.0, room[0]), -np.inf)
    upper = np.where(bounded & (label > -1), lam + np.where(label > 0, 0.0, room[1]), np.inf)
    fixed = bounded & (rng.random(size) < 0.1)
    lower, upper = np.where(fixed, lam, lower), np.where(fixed, lam, upper)
    w = np.where(fixed, rng.normal(size=size), -label * rng.uniform(0.0, 2.0, size)) * root
    lam, lower, upper = lam / root, lower / root, upper / root
    return MlcpProblem.from_matrix(matrix, w - matrix @ lam, lower, upper), lam, w


def complaints(seed: int) -> list[str]:
    """What is wrong with the answers to a problem, cold and from a start beside the solution."""
    problem, lam, w = random_problem(seed)
    rng = np.random.default_rng([seed, 1])
    root = np.sqrt(problem.sparse.diagonal())
    labels = np.where(rng.random(problem.size) < 0.05, rng.choice([-1, 0, 1], problem.size), 0)
    found = []
    for name in EXACT:
        for start in (None, WarmStart(labels, lam * rng.normal(1.0, 0.1, problem.size))):
            solution = solvers.get(name).solve(problem, start)
            scale = max(np.abs(problem.bias / root).max(), np.abs(solution.lam * root).max())
            error = float(np.abs((solution.w - w) / root).max() / scale)
            if not solution.solved or not error <= 1e-9:
                kind = "cold" if start is None else "warm"
                found.append(f"{seed}, {problem.size} rows, {name}, {kind}: {solution.status}, off by {error:.1e}")
    return found


@pytest.mark.parametrize("seed", SHORT)
def test_exact_solvers_find_the_same_slack(seed: int) -> None:
    assert complaints(seed) == []


@pytest.mark.slow
def test_exact_solvers_find_the_same_slack_in_many_problems() -> None:
    assert [text for seed in LONG for text in complaints(seed)] == []
