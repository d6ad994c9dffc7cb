"""Condition numbers of badly scaled matrices."""

from __future__ import annotations

import math

import numpy as np

from taut.problem.mlcp import MlcpProblem


def condition_number(problem: MlcpProblem) -> float:
    """Largest over smallest eigenvalue of A, right to some digits also where A is badly scaled; inf if it is singular.

    Eigenvalues of A itself are lost in rounding below 1e-16 of the largest. A scaled to unit diagonal is not nearly as
    ill conditioned, so the norm of its inverse, scaled back, is known.
    """
    import scipy.linalg

    A = problem.sparse.toarray()
    root = np.sqrt(A.diagonal())
    try:
        factor = scipy.linalg.cholesky(A / np.outer(root, root), lower=True)
    except np.linalg.LinAlgError:
        return math.inf
    inverse = scipy.linalg.solve_triangular(factor, np.diag(1 / root), lower=True)
    return float(np.linalg.norm(A, 2) * np.linalg.norm(inverse, 2) ** 2)
