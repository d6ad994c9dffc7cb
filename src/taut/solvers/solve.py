"""Solve a box MLCP given as matrix and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import InputError
from taut.problem.mlcp import MlcpProblem, real_numbers
from taut.problem.solution import MlcpSolution, WarmStart
from taut.solvers import get
from taut.solvers.base import Start


def solve_mlcp(
    A: Any, b: Any, lower: Any = None, upper: Any = None, method: str = "auto", warm_start: Start = None, **options: Any
) -> MlcpSolution:
    """Find lam and w with  A lam + b = w,  lower <= lam <= upper,  w >= 0 at lower, <= 0 at upper, = 0 between.

    Example: the linear complementarity problem lam >= 0, w >= 0, lam'w = 0 is ``solve_mlcp(A, b, lower=0)``.

    Args:
        A: Square matrix (n, n), dense or scipy.sparse; symmetric positive semidefinite for a guaranteed answer. Where
            it is not symmetric, every method but "pgs" pivots on dense LU factors and, if that does not end, by Lemke's
            method, which is sure to end for P-matrices and where x'Ax >= 0, see `taut.solvers.lemke`.
        b: Vector (n,).
        lower: Vector (n,), one number for all rows, or None for no lower bounds.
        upper: Vector (n,), one number for all rows, or None for no upper bounds.
        method: Name of a solver, see `taut.solvers.names()`, or "auto".
        warm_start: A solution of a problem with the same rows to start from.
        options: Options of that solver.

    Returns: the solution with `lam`, `w`, `status`, `residual` (scaled natural residual [Peiret2019, eq. 29]).
    """
    solver = get(method, **options)
    return solver.solve(MlcpProblem.from_matrix(A, b, lower, upper), warm_start=checked_start(warm_start))


def checked_start(start: Any) -> Start:
    """A start with clean arrays; that it fits the problem is checked by the solver."""
    if start is None:
        return None
    if not isinstance(start, WarmStart | MlcpSolution):
        raise InputError(f"warm_start is {type(start).__name__}; it must be a solution or a taut.problem.WarmStart")
    labels = real_numbers("index_set of the warm_start", start.index_set)
    if not (labels == np.rint(labels)).all():
        raise InputError("index_set of the warm_start holds fractions; its labels must be -1, 0 and 1")
    return WarmStart(labels.astype(np.int64), real_numbers("lam of the warm_start", start.lam))
