"""H y = b of trees with springs, by iterations or by a factor, whichever is predicted to take less time.

Iterations cost what the tree costs, times their number, which depends on the springs and is not known beforehand: it is
measured, and what was measured in the last solves is an argument of the next, so nothing depends on a clock or on what
else the process has solved. Before it is known, iterations are tried until a factor would have been cheaper.

Departs from the thesis, which leaves the choice open.                                       [Baxter2019, chapter 5]
"""

from __future__ import annotations

import functools
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
"""How H y = b is solved: by conjugate gradients, by a direct factor, or by what is cheaper."""
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

    Factors and plans are made when they are first needed. One solver serves one caller at a time.
    """

    def __init__(self, blocks: ArticulatedBlocks | Handle) -> None:
        """A solver for these arrays, as they are at each call."""
        self.handle = held(blocks)
        self.blocks: ArticulatedBlocks = blocks.unheld if isinstance(blocks, Handle) else blocks  # type: ignore[assignment]
        self.tree = ArticulatedFactor.of(self.blocks.nodes, self.blocks.dofs)
        self.factor = held(self.tree)
        self.crosses = bool((np.diff(self.blocks.cross_start) > 1).any())
        """Whether any spring ties two nodes: otherwise the factor of the tree is exact."""
        self.costs = Costs(self.blocks)

    @functools.cached_property
    def fronts(self) -> DirectFactor:
        """Room for a direct factor."""
        return DirectFactor.of(self.costs.plan, self.blocks.nodes)

    @functools.cached_property
    def direct(self) -> Handle:
        """The handle of that."""
        return held(self.fronts)

    @functools.cached_property
    def _iterations(self) -> Handle:
        return held(ConjugateGradients.of(self.blocks.nodes, self.blocks.dofs))

    @functools.cached_property
    def _velocity(self) -> Array:
        return np.zeros((self.blocks.nodes, 6))

    def solve(
        self, rhs: Array, reduced_rhs: Array, y_out: Array, method: str = "auto",
        expected_iterations: int | None = None,
    ) -> Outcome:  # fmt: skip
        """H y = J^T rhs + reduced_rhs from the guess in `y_out`, by "pcg", "direct", or "auto": the cheaper of the two.

        Same arguments, same bits: what was measured before comes in as `expected_iterations` and goes out in the
        outcome.
        """
        from taut.linalg.articulated_direct_kernels import solve_direct
        from taut.linalg.articulated_kernels import solve_tree

        chosen, most = self.choose(method, expected_iterations)
        spent = 0
        if chosen != "direct":
            lost = self.factor_tree()
            if chosen == "tree":
                solve_tree(self.handle, self.factor, rhs, reduced_rhs, self._velocity, y_out)
                return Outcome("tree", 0, None, lost, lost == 0)
            if lost == 0:
                iterations = self.iterate(rhs, reduced_rhs, most, y_out)
                if iterations >= 0:
                    return Outcome("pcg", iterations, max(iterations, 1), 0, True)
                spent = -1 - iterations
            if method == "pcg" or self.costs.is_long:
                return Outcome("pcg", spent, expected_iterations, lost, False)
            # how many it takes is not known, but it is too many
            expected_iterations = most + 1
        lost = self.factor_direct()
        if lost >= 0:
            solve_direct(self.handle, self.direct, rhs, reduced_rhs, REFINEMENTS, y_out)
        return Outcome("direct", spent, expected_iterations, abs(lost), lost == 0)

    def choose(self, method: str, expected_iterations: int | None, solves: int = 1) -> tuple[str, int]:
        """ "tree", "pcg" or "direct", and how many iterations are allowed."""
        if method not in METHODS:
            raise InputError(f"linear method {method!r} is not known: it must be one of {', '.join(METHODS)}")
        if method != "auto":
            return method, MOST_ITERATIONS
        if not self.crosses:
            return "tree", 0
        worth = self.costs.worth(solves)
        if worth == 0 or (expected_iterations is not None and expected_iterations > worth):
            return "direct", worth
        return "pcg", worth if expected_iterations is None else min(PATIENCE * worth, MOST_ITERATIONS)

    def iterate(self, rhs: Array, reduced_rhs: Array, most: int, y_out: Array) -> int:
        """Conjugate gradients from the guess in `y_out`, with the tree's last factor; -1 - iterations if too few."""
        from taut.linalg.articulated_pcg_kernels import pcg

        tables = self.handle, self.factor, self._iterations
        return int(pcg(*tables, rhs, reduced_rhs, TOLERANCE, most, y_out))

    def factor_tree(self) -> int:
        """Factor the tree; the number of pivots that were not positive."""
        from taut.linalg.articulated_kernels import factor_tree

        return int(factor_tree(self.handle, self.factor))

    def factor_direct(self) -> int:
        """Factor H; the number of pivots that were lost, or -1 if H is not semidefinite."""
        from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct

        assemble_direct(self.handle, self.factor, self.direct)
        return int(factor_direct(self.direct))
