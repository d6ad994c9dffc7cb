"""H y = b of trees with springs, by iterations or by a factor, whichever is predicted to take less time.

Iterations cost what the tree costs, times their number, which depends on the springs and is not known beforehand: it is
measured, and what was measured in the last solves is an argument of the next, so nothing depends on a clock or on what
else the process has solved. Before it is known, iterations are tried until a factor would have been cheaper.

Departs from the thesis, which leaves the choice open.                                       [Baxter2019, chapter 5]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_costs import MOST_ITERATIONS, Costs
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_pcg import TOLERANCE, ConjugateGradients
from taut.tables import Handle, held

Array = NDArray[np.float64]

METHODS = ("pcg", "direct", "auto")
PATIENCE = 2
"""How many times the iterations that cost what a factor costs are allowed where fewer were expected."""
REFINEMENTS = 1
"""Corrections of a direct solution by its residual in maximal space: one brings back what J^T b lost."""


class Outcome(NamedTuple):
    """How a solve went.

    Attributes:
        method: "tree" where its factor is exact, else "pcg" or "direct".
        iterations: of conjugate gradients, those that came to nothing too.
        expected_iterations: what to hand to the next solve.
        lost: pivots that were not positive, of the factor that was used: what they belong to is held.
        solved: whether y is the solution.
    """

    method: str
    iterations: int
    expected_iterations: int | None
    lost: int
    solved: bool


class ArticulatedSolver:
    """Solves H y = b for blocks whose numbers change and whose trees and springs do not.

    Factors and plans are made when they are first needed. One solver serves one thread at a time.
    """

    def __init__(self, blocks: ArticulatedBlocks | Handle) -> None:
        """A solver for these arrays, as they are at each call."""
        self.handle = held(blocks)
        self.blocks: ArticulatedBlocks = blocks.table if isinstance(blocks, Handle) else blocks  # type: ignore[assignment]
        self.factor = ArticulatedFactor.of(self.blocks.nodes, self.blocks.dofs)
        self.factor_handle = held(self.factor)
        self.crosses = bool((np.diff(self.blocks.cross_start) > 1).any())
        """Whether any spring ties two nodes: otherwise the factor of the tree is exact."""
        self.costs = Costs(self.blocks)
        self._iterations: Handle | None = None
        self._direct: Handle | None = None

    def solve(
        self, rhs: Array, reduced_rhs: Array, y_out: Array, method: str = "auto",
        expected_iterations: int | None = None, tolerance: float = TOLERANCE,
    ) -> Outcome:  # fmt: skip
        """H y = J^T rhs + reduced_rhs, see `solve_linear`."""
        if method not in METHODS:
            raise InputError(f"linear method {method!r} is not known: it must be one of {', '.join(METHODS)}")
        if method == "auto" and not self.crosses:
            return self._solve_tree(rhs, reduced_rhs, y_out)
        most = MOST_ITERATIONS
        if method == "auto":
            most = self.costs.worth
            if expected_iterations is not None:
                most = PATIENCE * most if expected_iterations <= most else 0
        if method == "direct" or most == 0:
            return self._solve_direct(rhs, reduced_rhs, y_out, 0, expected_iterations)
        iterations, lost = self._iterate(rhs, reduced_rhs, y_out, tolerance, most)
        if iterations >= 0 and lost == 0:
            return Outcome("pcg", iterations, max(iterations, 1), lost, True)
        spent = -1 - iterations if iterations < 0 else iterations
        if method == "pcg":
            return Outcome("pcg", spent, expected_iterations, lost, False)
        # more than are worth it: how many it takes is not known, but it is too many
        return self._solve_direct(rhs, reduced_rhs, y_out, spent, most + 1)

    def _solve_tree(self, rhs: Array, reduced_rhs: Array, y_out: Array) -> Outcome:
        from taut.linalg.articulated_kernels import factor_tree, solve_tree

        lost = int(factor_tree(self.handle, self.factor_handle))
        solve_tree(self.handle, self.factor_handle, rhs, reduced_rhs, np.empty((self.blocks.nodes, 6)), y_out)
        return Outcome("tree", 0, None, lost, lost == 0)

    def _iterate(self, rhs: Array, reduced_rhs: Array, y_out: Array, tolerance: float, most: int) -> tuple[int, int]:
        from taut.linalg.articulated_kernels import factor_tree
        from taut.linalg.articulated_pcg_kernels import pcg

        if self._iterations is None:
            self._iterations = held(ConjugateGradients.of(self.blocks.nodes, self.blocks.dofs))
        lost = int(factor_tree(self.handle, self.factor_handle))
        if lost > 0:
            return -1, lost
        tables = self.handle, self.factor_handle, self._iterations
        return int(pcg(*tables, rhs, reduced_rhs, tolerance, most, y_out)), 0

    def _solve_direct(
        self, rhs: Array, reduced_rhs: Array, y_out: Array, spent: int, expected_iterations: int | None
    ) -> Outcome:
        from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct, solve_direct

        if self._direct is None:
            self._direct = held(DirectFactor.of(self.costs.plan, self.blocks.nodes))
        assemble_direct(self.handle, self.factor_handle, self._direct)
        lost = int(factor_direct(self._direct))
        if lost >= 0:
            solve_direct(self.handle, self._direct, rhs, reduced_rhs, REFINEMENTS, y_out)
        return Outcome("direct", spent, expected_iterations, abs(lost), lost == 0)


def solve_linear(
    solver: ArticulatedSolver, method: str, rhs: Array, reduced_rhs: Array, y_out: Array,
    expected_iterations: int | None = None,
) -> Outcome:  # fmt: skip
    """H y = J^T rhs + reduced_rhs from the guess in `y_out`, by "pcg", "direct", or "auto": the cheaper of the two.

    Same arguments, same bits: what was measured before comes in as `expected_iterations` and goes out in the outcome.
    """
    return solver.solve(rhs, reduced_rhs, y_out, method, expected_iterations)
