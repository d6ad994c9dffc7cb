"""Make b such that a problem is solved by what its bodies do.

Bodies whose velocities are given ask for impulses that contacts cannot always give: a rigid foot would have to pull, a
wheel to hold more than its friction. So rows are told where they are at a bound: where bodies slide or part. The others
hold with the impulses of gravity and motion, within their bounds. Rows at a bound slip as slowly as in machines that
move slowly: were all rows free, they would ask for a little more than they can have. Both together say what b is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE

Array = NDArray[np.float64]

SLIDES = 0.1
"""Speed of a row, m/s, above which it slides or opens: friction stops within a step what is slower than mu g h."""
MARGIN = 0.3
"""Share of the width of its bounds by which a row that holds stays away from them."""
HELD = 0.6
"""Share of its usual impulse that a row with one bound has at least where it holds."""
SLIPS = 1e-3
"""Least slip of a row at a bound, as a share of what its own excess gives."""
SWEEPS = 50
"""Most Gauss-Seidel sweeps that look for excesses with which all rows at bounds slip the right way."""


def settled(problem: MlcpProblem, slack: Array, usual: Array, excess: float) -> MlcpProblem:
    """The problem with another b: at bounds where the slack of the motion says so.

    Shapes: slack (rows,) m/s, usual (rows,) impulse of a row with one bound where it holds, N s. `excess` is the share
    of its bound that a row at it would ask for beyond it, at least.
    """
    matrix = problem.sparse.toarray()
    lower, upper = problem.lower, problem.upper
    two_sided = np.isfinite(lower) & np.isfinite(upper)
    labels = np.full(problem.size, FREE)
    labels[(slack > SLIDES) & np.isfinite(lower)] = AT_LOWER
    labels[(slack < -SLIDES) & np.isfinite(upper)] = AT_UPPER
    width = np.where(two_sided, np.subtract(upper, lower, out=np.zeros_like(lower), where=two_sided), 2.0 * usual)
    solve = solver_of(matrix, labels == FREE)
    w = slips(matrix, labels, 0.5 * excess * width, solve)
    if ((w == 0.0) & (labels != FREE)).any():
        labels[w == 0.0] = FREE
        solve = solver_of(matrix, labels == FREE)
    at_bound = np.where(labels == FREE, 0.0, np.where(labels == AT_LOWER, lower, upper))
    lam = at_bound - solve(matrix @ at_bound + problem.bias)
    inside = np.where(two_sided, MARGIN * width, HELD * usual)
    held = np.where(labels == FREE, np.clip(lam, lower + inside, upper - inside), lam)
    return replace(problem, bias=w - matrix @ held)


def slips(matrix: Array, labels: NDArray[np.int64], excess: Array, solve: Callable[[Array], Array]) -> Array:
    """Slack (rows,) of rows at a bound that would ask for at least these excesses beyond it, were all rows free.

    With C = A_TT - A_TF A_FF^-1 A_FT, signs of the bounds in it, excesses z >= excess are the least with C z > 0.
    """
    tight = np.flatnonzero(labels)
    slack, sign = np.zeros(labels.size), labels[tight]
    if tight.size == 0:
        return slack
    condensed = (matrix[np.ix_(tight, tight)] - matrix[tight] @ solve(matrix[:, tight])) * np.outer(sign, sign)
    least, diagonal = excess[tight], condensed.diagonal()
    z, wanted = least.copy(), SLIPS * diagonal * least
    for _ in range(SWEEPS):
        if (condensed @ z >= wanted).all():
            break
        for row in range(tight.size):
            z[row] = max(least[row], z[row] + (wanted[row] - condensed[row] @ z) / diagonal[row])
    slack[tight] = -sign * np.maximum(condensed @ z, 0.0)
    return slack


def solver_of(matrix: Array, free: NDArray[np.bool_]) -> Callable[[Array], Array]:
    """Function that solves A_FF x_F = y_F for free rows F, 0 elsewhere; A is scaled to unit diagonal for that.

    It takes (rows,) or (rows, any number).
    """
    import scipy.linalg

    root = np.sqrt(matrix.diagonal()[free])
    factor = scipy.linalg.cho_factor(matrix[np.ix_(free, free)] / np.outer(root, root), lower=True)

    def solve(right: Array) -> Array:
        found = np.zeros_like(right)
        found[free] = (scipy.linalg.cho_solve(factor, (right[free].T / root).T).T / root).T
        return found

    return solve
