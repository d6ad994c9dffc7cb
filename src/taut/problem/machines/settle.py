"""Make b such that a problem is solved by what the paths of its bodies do.

Bodies on given paths ask for impulses that contacts cannot always give: a rigid foot would have to pull, a wheel to
hold more than its friction. So rows are told where they are at a bound: where the paths slide, open or push. The
velocity of the paths is corrected, by impulses of the other rows, until these are at rest; impulses are those of
gravity and motion, within the bounds of the rows that hold. Both together say what b is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.problem.machines.paths import Array
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE

SLIDES = 0.1
"""Speed of a row, m/s, above which it slides or opens: friction stops within a step what is slower than mu g h."""
MARGIN = 0.1
"""Share of its bounds by which a row that holds stays away from them."""
ROUNDS = 8
"""Most times that rows which the correction turns round are let go of their bound."""


def settled(problem: MlcpProblem, slack: Array, least: Array) -> MlcpProblem:
    """The problem with another b: at bounds where the slack of the paths says so.

    Shapes: slack (rows,) m/s, least (rows,) least impulse of rows that hold with a lower bound only, N s
    """
    matrix = problem.sparse.toarray()
    lower, upper = problem.lower, problem.upper
    labels = np.full(problem.size, FREE)
    labels[(slack > SLIDES) & np.isfinite(lower)] = AT_LOWER
    labels[(slack < -SLIDES) & np.isfinite(upper)] = AT_UPPER
    for _ in range(ROUNDS):
        solve = solver_of(matrix, labels == FREE)
        w = slack - matrix @ solve(slack)
        wrong = (labels * w >= 0.0) & (labels != FREE)
        if not wrong.any():
            break
        labels[wrong] = FREE
    at_bound = np.where(labels == FREE, 0.0, np.where(labels == AT_LOWER, lower, upper))
    lam = at_bound - solve(matrix @ at_bound + problem.bias)
    width = np.where(np.isfinite(lower) & np.isfinite(upper), MARGIN * (upper - lower), least)
    held = np.where(labels == FREE, np.clip(lam, lower + width, upper - width), lam)
    return replace(problem, bias=np.where(labels == FREE, 0.0, w) - matrix @ held)


def solver_of(matrix: Array, free: NDArray[np.bool_]) -> Callable[[Array], Array]:
    """Function that solves A_FF x_F = y_F for free rows F, 0 elsewhere; A is scaled to unit diagonal for that."""
    import scipy.linalg

    root = np.sqrt(matrix.diagonal()[free])
    factor = scipy.linalg.cho_factor(matrix[np.ix_(free, free)] / np.outer(root, root), lower=True)

    def solve(right: Array) -> Array:
        found = np.zeros(right.size)
        found[free] = scipy.linalg.cho_solve(factor, right[free] / root) / root
        return found

    return solve
