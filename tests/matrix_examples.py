"""Sparse positive definite matrices whose graphs are as different as can be, and what elimination makes of a graph."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from taut.problem import MlcpProblem
from taut.problem.generators import random_contacts


def coupled(size: int, pairs: list[tuple[int, int]], seed: int = 0, block: int = 1) -> np.ndarray:
    """A positive definite matrix that couples these pairs of blocks of rows."""
    rng = np.random.default_rng(seed)
    mask = np.eye(size, dtype=bool)
    for a, b in pairs:
        mask[a, b] = mask[b, a] = True
    mask = np.kron(mask, np.ones((block, block), bool))
    lower = np.tril(np.where(mask, rng.uniform(0.2, 1.0, mask.shape) * rng.choice([-1.0, 1.0], mask.shape), 0.0), -1)
    matrix = lower + lower.T
    return np.asarray(matrix + np.diag(np.abs(matrix).sum(1) + 0.3))


def tree_pairs(size: int, seed: int) -> list[tuple[int, int]]:
    """A random tree, its nodes numbered at random."""
    rng = np.random.default_rng(seed)
    number = rng.permutation(size)
    return [(int(number[k]), int(number[rng.integers(k)])) for k in range(1, size)]


def grid_pairs(side: int) -> list[tuple[int, int]]:
    """A square grid."""
    across = [(side * i + j, side * i + j + 1) for i in range(side) for j in range(side - 1)]
    return across + [(side * i + j, side * (i + 1) + j) for i in range(side - 1) for j in range(side)]


def random_pairs(size: int, count: int, seed: int) -> list[tuple[int, int]]:
    """Pairs at random."""
    rng = np.random.default_rng(seed)
    return [(int(a), int(b)) for a, b in (rng.choice(size, 2, replace=False) for _ in range(count))]


def contacts(bodies: int, seed: int) -> np.ndarray:
    """Triples of rows between neighbouring bodies."""
    matrix = random_contacts(bodies, seed, 10.0, 0.3, 1e-3).problem.sparse.toarray()
    scale = 1.0 / np.sqrt(np.diag(matrix))
    return np.asarray(matrix * np.outer(scale, scale))


EXAMPLES = {
    "single": coupled(1, []),
    "pair": coupled(2, [(0, 1)]),
    "diagonal": coupled(9, []),
    "chain": coupled(40, [(k, k + 1) for k in range(39)], 1),
    "links": coupled(20, [(k, k + 1) for k in range(19)], 2, block=3),
    "ring": coupled(37, [(k, (k + 1) % 37) for k in range(37)], 3),
    "star": coupled(40, [(7, k) for k in range(40) if k != 7], 4),
    "tree": coupled(70, tree_pairs(70, 1), 5),
    "fat-tree": coupled(25, tree_pairs(25, 2), 6, block=5),
    "grid": coupled(64, grid_pairs(8), 7),
    "large-grid": coupled(225, grid_pairs(15), 8),
    "dense": coupled(33, [(a, b) for a in range(33) for b in range(a)], 9),
    "random": coupled(90, random_pairs(90, 150, 3), 10, block=1),
    "contacts": contacts(25, 3),
    "islands": scipy.linalg.block_diag(
        coupled(12, tree_pairs(12, 4), 11), coupled(1, []), coupled(25, grid_pairs(5), 12), coupled(3, []),
        coupled(10, random_pairs(10, 25, 5), 13, block=3),
    ),
}  # fmt: skip
"""By name: some have one island, some many."""


def problem_of(matrix: np.ndarray) -> MlcpProblem:
    """A problem with this matrix; nothing is asked of its rows."""
    return MlcpProblem.from_matrix(matrix, np.zeros(len(matrix)))


def fill_of(graph: np.ndarray) -> np.ndarray:
    """Graph (n, n) of the factor of a matrix in the order that it has, by plain elimination: entries below the diagonal
    and on it."""
    filled = graph.astype(bool)
    for k in range(len(filled)):
        below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
        filled[np.ix_(below, below)] = True
    return np.tril(filled) | np.eye(len(filled), dtype=bool)
