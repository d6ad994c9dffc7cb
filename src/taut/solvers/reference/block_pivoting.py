"""Dense twin of block principal pivoting."""

from __future__ import annotations

import numpy as np

from taut.problem.solution import AT_LOWER, AT_UPPER, FREE


def block_pivoting(
    A: np.ndarray,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    index_set: np.ndarray | None = None,
    max_pivots: int = 100,
    tolerance: float = 1e-12,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Block principal pivoting for positive definite A.                                     [Lefebvre2020, Alg. 2.1]

    Starts from `index_set` or from all rows free. When an index set repeats, five single pivots on the last row that
    asks follow, then blocks again.                                                              [Judice1994; Murty1988]

    Returns: lam, w, index set, pivots; solved if pivots < max_pivots.
    """
    root = np.sqrt(np.diag(A))
    fixed = lower == upper
    labels = np.where(fixed, AT_LOWER, FREE if index_set is None else index_set)
    seen: set[bytes] = set()
    singles = 0
    pivots = 0
    while pivots < max_pivots:
        pivots += 1
        free = labels == FREE
        lam = np.where(labels == AT_LOWER, lower, np.where(labels == AT_UPPER, upper, 0.0))
        lam[free] = np.linalg.solve(A[np.ix_(free, free)], -(b + A[:, ~free] @ lam[~free])[free])
        w = A @ lam + b
        tol = tolerance * max(np.abs(b / root).max(), np.abs(root * lam).max())
        wanted = labels.copy()
        wanted[free & (root * (lam - lower) < -tol)] = AT_LOWER
        wanted[free & (root * (upper - lam) < -tol)] = AT_UPPER
        wanted[~fixed & (labels * w / root > tol)] = FREE
        asking = np.flatnonzero(wanted != labels)
        if asking.size == 0:
            break
        if singles > 0:
            asking = asking[-1:]
            singles -= 1
        labels[asking] = wanted[asking]
        if labels.tobytes() in seen and singles == 0:
            singles = 5
        seen.add(labels.tobytes())
    return lam, w, labels, pivots
