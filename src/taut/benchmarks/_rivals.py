"""Box QPs by others: min 1/2 x'Ax + b'x within bounds, from matrix and vectors to x, as a user would call them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from taut.problem.mlcp import MlcpProblem

TOLERANCES = (1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13)
"""What a rival is asked for, loosest first, until its answer is as accurate as ours has to be."""

Solve = Callable[[MlcpProblem, Any, float], tuple[np.ndarray, int]]
"""Problem, its matrix as it is given (dense or sparse), tolerance -> x, iterations."""


def available() -> dict[str, Solve]:
    """Those that are installed (extra ``bench``), by name."""
    rivals: dict[str, Solve] = {}
    if find_spec("piqp"):
        rivals |= {"piqp": piqp_dense, "piqp-sparse": piqp_sparse}
    if find_spec("clarabel"):
        rivals["clarabel"] = clarabel
    return rivals


def piqp_dense(problem: MlcpProblem, matrix: Any, tolerance: float) -> tuple[np.ndarray, int]:
    """By the dense solver of PIQP."""
    import piqp

    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return run_piqp(piqp.DenseSolver(), np.asfortranarray(dense), problem, tolerance)


def piqp_sparse(problem: MlcpProblem, matrix: Any, tolerance: float) -> tuple[np.ndarray, int]:
    """By the sparse solver of PIQP."""
    import piqp
    import scipy.sparse

    return run_piqp(piqp.SparseSolver(), scipy.sparse.csc_matrix(matrix), problem, tolerance)


def run_piqp(solver: Any, matrix: Any, problem: MlcpProblem, tolerance: float) -> tuple[np.ndarray, int]:
    """Set up and solve; the duality gap is not asked for, as our residual knows none."""
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = tolerance
    settings.check_duality_gap = False
    solver.setup(matrix, problem.bias, x_l=problem.lower, x_u=problem.upper)
    solver.solve()
    return np.asarray(solver.result.x), int(solver.result.info.iter)


def clarabel(problem: MlcpProblem, matrix: Any, tolerance: float) -> tuple[np.ndarray, int]:
    """By Clarabel."""
    import clarabel
    import scipy.sparse

    above, below = np.isfinite(problem.upper), np.isfinite(problem.lower)
    identity = scipy.sparse.identity(problem.size, format="csr")
    rows = scipy.sparse.vstack([identity[above], -identity[below]]).tocsc()
    bounds = np.concatenate([problem.upper[above], -problem.lower[below]])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    triangle = scipy.sparse.triu(scipy.sparse.csc_matrix(matrix), format="csc")
    cones = [clarabel.NonnegativeConeT(bounds.size)]
    solution = clarabel.DefaultSolver(triangle, problem.bias, rows, bounds, cones, settings).solve()
    return np.asarray(solution.x), int(solution.iterations)
