"""How hard a problem is: the condition number of its matrix, estimated.

    cond(A) = ||A|| ||A^-1||,  norms from a few steps of Lanczos' method on A^T A and on (A^-1)^T A^-1

What a solver has to factor is A_FF of the free rows, see `free_part`. A itself is often as good as singular: a limit
that is off repeats the row of the motor beside it, and what then is least is what hard rows have on their diagonals.

A^-1 acts through a sparse factor of A scaled to unit diagonal, which is not nearly as ill conditioned as A: eigenvalues
of A itself are lost in rounding below 1e-16 of the largest. Both norms are bounds from below, within a few per cent.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import FREE

LANCZOS_STEPS = 24
"""Products with the matrix, at most; extreme eigenvalues are found first."""

Apply = Callable[[np.ndarray], np.ndarray]
"""A linear map of vectors (n,)."""


def condition_estimate(problem: MlcpProblem) -> float:
    """Condition number of A; inf where A is singular, 1 for a problem without rows."""
    import scipy.sparse
    import scipy.sparse.linalg

    if not problem.size:
        return 1.0
    A = problem.sparse
    root = np.sqrt(np.abs(A.diagonal()))
    if not root.all():
        return math.inf
    scale = scipy.sparse.diags_array(1.0 / root)
    try:
        factor = scipy.sparse.linalg.splu(
            (scale @ A @ scale).tocsc(), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # exactly singular
        return math.inf
    largest = largest_eigenvalue(lambda x: A.T @ (A @ x), problem.size)
    inverse = largest_eigenvalue(lambda x: factor.solve(factor.solve(x / root) / root**2, "T") / root, problem.size)
    return math.sqrt(largest * inverse) if math.isfinite(inverse) else math.inf


def largest_island(problem: MlcpProblem) -> MlcpProblem:
    """The rows of the island with most of them: a solver has every island as a problem of its own."""
    count, island = problem.islands
    if count <= 1:
        return problem
    return part_of(problem, np.flatnonzero(island == np.bincount(island).argmax()))


def free_part(problem: MlcpProblem, index_set: np.ndarray) -> MlcpProblem:
    """The free rows of a solution with these labels (rows,): A_FF is what the last pivot factors."""
    return part_of(problem, np.flatnonzero(index_set == FREE))


def part_of(problem: MlcpProblem, rows: np.ndarray) -> MlcpProblem:
    """Some rows (indices), as if the others were none."""
    bounds = problem.lower[rows], problem.upper[rows]
    return MlcpProblem.from_matrix(problem.sparse[rows][:, rows], problem.bias[rows], *bounds, problem.name)


def largest_eigenvalue(apply: Apply, size: int) -> float:
    """Largest eigenvalue of a symmetric positive map of vectors (size,), from below: Lanczos' method."""
    steps = min(size, LANCZOS_STEPS)
    basis, diagonal, beside = np.zeros((steps, size)), np.zeros(steps), np.zeros(steps)
    start = np.random.default_rng(0).standard_normal(size)
    basis[0] = start / np.linalg.norm(start)
    for k in range(steps):
        image = apply(basis[k])
        diagonal[k] = basis[k] @ image
        image -= basis[: k + 1].T @ (basis[: k + 1] @ image)
        image -= basis[: k + 1].T @ (basis[: k + 1] @ image)  # twice is enough
        beside[k] = np.linalg.norm(image)
        if k + 1 == steps or beside[k] <= 1e-12 * diagonal[: k + 1].max():
            break
        basis[k + 1] = image / beside[k]
    known = np.diag(diagonal[: k + 1]) + np.diag(beside[:k], 1) + np.diag(beside[:k], -1)
    return float(np.linalg.eigvalsh(known)[-1]) if np.isfinite(known).all() else math.inf
