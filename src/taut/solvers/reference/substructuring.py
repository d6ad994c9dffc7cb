"""Dense twin of substructuring."""

from __future__ import annotations

import numpy as np

from taut.problem.solution import AT_LOWER, AT_UPPER, FREE
from taut.solvers.reference.block_pivoting import block_pivoting


def substructuring(
    A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, part: np.ndarray, k_max: int = 50
) -> tuple[np.ndarray, np.ndarray, int]:
    """Parts solved on their own, coupled by the Schur complement of their free rows.              [Peiret2019, Alg. 1]

    `part` is the part of each row, -1 for those of the interface: A has no entries between two parts, eq. 15. There is
    no line search: index sets may cycle, and then k_max iterations are made.

    Returns: lam, index set, coupling iterations; solved if these are less than k_max, or the index sets came back.
    """
    gamma = np.flatnonzero(part < 0)
    omega = [np.flatnonzero(part == i) for i in np.unique(part[part >= 0])]
    labels = np.where(lower == upper, AT_LOWER, FREE)
    lam = np.zeros(b.size)
    for k in range(1, k_max + 1):
        S, z = schur_complement(A, b, lower, upper, labels, gamma, omega)
        lam[gamma], _, labels[gamma], _ = block_pivoting(S, z, lower[gamma], upper[gamma])
        before = labels.copy()
        for i in omega:
            b_i = b[i] + A[np.ix_(i, gamma)] @ lam[gamma]  # eq. 16
            lam[i], _, labels[i], _ = block_pivoting(A[np.ix_(i, i)], b_i, lower[i], upper[i], labels[i])
        if (labels == before).all():
            return lam, labels, k
    return lam, labels, k_max


def schur_complement(
    A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, labels: np.ndarray, gamma: np.ndarray,
    omega: list[np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """S and z of the interface problem S lam + z = w, for these labels of the parts.        [Peiret2019, eq. 24, 25]"""
    S, z = A[np.ix_(gamma, gamma)].copy(), b[gamma].copy()
    for i in omega:
        free, tight = i[labels[i] == FREE], i[labels[i] != FREE]
        bound = np.where(labels[tight] == AT_UPPER, upper[tight], lower[tight])
        G_F, G_T = A[np.ix_(gamma, free)], A[np.ix_(gamma, tight)]
        A_FF, A_FT = A[np.ix_(free, free)], A[np.ix_(free, tight)]
        S -= G_F @ np.linalg.solve(A_FF, G_F.T)
        z += G_T @ bound - G_F @ np.linalg.solve(A_FF, b[free] + A_FT @ bound)
    return S, z
