"""Problems with a random division into parts, which no entry of A couples."""

from __future__ import annotations

import numpy as np
from matrix_examples import EXAMPLES

from taut.problem import MlcpProblem


def random_parts(matrix: np.ndarray, parts: int, seed: int) -> np.ndarray:
    """The part of each row: rows at random in parts, and one row of every pair that two parts couple taken out."""
    part = np.random.default_rng(seed).integers(0, parts, len(matrix))
    for i, j in np.argwhere(np.tril(matrix, -1) != 0.0):
        if part[i] >= 0 and part[j] >= 0 and part[i] != part[j]:
            part[max(i, j)] = -1
    return part


def bounded_problem(matrix: np.ndarray, seed: int, share: float = 0.5, fixed: float = 0.05) -> MlcpProblem:
    """A problem with this matrix, a share of whose rows has bounds, and a few of them equal ones."""
    rng, size = np.random.default_rng(seed), len(matrix)
    lower, upper = -rng.uniform(0.0, 1.0, size), rng.uniform(0.0, 1.0, size)
    free = rng.random(size) >= share
    lower[free], upper[free] = -np.inf, np.inf
    upper[rng.random(size) < 0.3 * share] = np.inf
    same = rng.random(size) < fixed
    lower[same] = upper[same] = rng.normal(size=int(same.sum()))
    return MlcpProblem.from_matrix(matrix, 2.0 * rng.normal(size=size), lower, upper)


NAMES = sorted(EXAMPLES)
