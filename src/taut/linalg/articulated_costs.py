"""What solves of trees with springs cost, in nanoseconds: a model, so that choices never depend on a clock.

The constants are a fit to least times of the kernels on one core of a 2026 x86-64 server (AVX-512), on ladders, combs,
stars and random trees with springs, of 20 to 1,000 degrees of freedom. Only their ratios matter.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from taut.linalg.articulated import ArticulatedBlocks
from taut.linalg.articulated_plan import DirectPlan, plan_direct

Array = NDArray[np.float64]

MOST_ITERATIONS = 2000
"""Iterations after which conjugate gradients give up where nothing else says so."""
ITERATION = {"node": 26.8, "dof": 11.7, "entry": 4.0}
"""An iteration: a node, a degree of freedom, an entry of a spring."""
START = {"once": 2850.0, "node": 47.0, "dof": 18.8, "entry": 7.4}
"""The factor of the tree, and what comes before the first iteration: at all, and the same."""
DIRECT = {
    "once": 3900.0,
    "dof": 17.7,
    "run": 33.0,
    "pair": 66.0,
    "tied_run": 5.9,
    "tied": 1.74,
    "product": 0.082,
    "front": 1.12,
}
"""A direct factor, and a solve with one refinement: at all, a degree of freedom, a run of columns on its way to the
root; a pair of nodes that a spring ties, a run and a degree of freedom on the ways from both to the roots, an entry
that the spring adds to; times of fronts over those of `structure.cost_kernels`, fitted to other problems."""
SOLVE = {"node": 30.0, "front": 2.0}
"""Another solve with the factor: a node, times of solves of `structure.cost_kernels`."""
LEAST_PRODUCT = 0.004
"""A multiplication and addition of a direct factor, at least."""


class Costs:
    """Predicted nanoseconds of solves with these trees and springs; only ratios matter."""

    def __init__(self, blocks: ArticulatedBlocks) -> None:
        """Costs for the trees and springs of these blocks."""
        self._blocks = blocks
        counts = {"once": 1, "node": blocks.nodes, "dof": blocks.dofs, "entry": blocks.cross_node.size}
        self.iteration = sum(each * counts[name] for name, each in ITERATION.items())
        """An iteration."""
        self.start = sum(each * counts[name] for name, each in START.items())
        """What comes before the first of them."""

    @functools.cached_property
    def plan(self) -> DirectPlan:
        """Order and fronts of a direct factor."""
        return plan_direct(self._blocks)

    @functools.cached_property
    def direct(self) -> float:
        """A direct factor, and a solve with it."""
        counts = self.direct_counts()
        return sum(each * counts[name] for name, each in DIRECT.items())

    @functools.cached_property
    def depths(self) -> NDArray[np.int64]:
        """(n,) how many degrees of freedom are above each node."""
        from taut.linalg.articulated_plan_kernels import measure_depths

        depths = np.zeros(self._blocks.nodes, np.int64)
        measure_depths(self._blocks.parent, self._blocks.dof_start, depths)
        return depths

    def direct_counts(self) -> dict[str, float]:
        """What a direct factor and a solve are made of, see DIRECT."""
        from taut.linalg.articulated_plan_kernels import count_runs, time_fronts

        blocks, plan = self._blocks, self.plan
        own, runs = np.diff(blocks.dof_start), np.zeros(blocks.nodes, np.int64)
        count_runs(blocks.parent, plan.climb, runs)
        (early, late), top, passed = plan.pair[:2], plan.top, self.depths + own
        # degrees of freedom from each node of a pair to below the top, and from the top on
        over = np.where(top >= 0, passed[top], 0)
        near, far = passed[early] - over, passed[late] - over
        return {
            "once": 1.0, "dof": blocks.dofs, "run": float(runs[own > 0].sum()), "pair": float(top.size),
            "tied_run": float((runs[early] + runs[late]).sum()), "tied": float((near + far + 2 * over).sum()),
            "product": float((near * (far + over) + far * over).sum()),
            "front": time_fronts(plan.tree.first, plan.tree.row_start),
        }  # fmt: skip

    @functools.cached_property
    def direct_solve(self) -> float:
        """One more solve with a direct factor."""
        from taut.linalg.articulated_plan_kernels import time_solves

        tree = self.plan.tree
        return SOLVE["node"] * self._blocks.nodes + SOLVE["front"] * time_solves(tree.first, tree.row_start)

    @functools.cached_property
    def is_long(self) -> bool:
        """Whether a direct factor takes longer than all iterations that are allowed, as is known without a plan.

        Each degree of freedom meets its ancestors at least.
        """
        least = LEAST_PRODUCT * float(np.diff(self._blocks.dof_start) @ self.depths.astype(float) ** 2)
        return least > self.start + MOST_ITERATIONS * self.iteration

    def worth(self, solves: int = 1) -> int:
        """Iterations a solve that take as long as a direct factor, at most MOST_ITERATIONS; 0 if one takes longer."""
        if self.is_long:
            return MOST_ITERATIONS
        direct = self.direct + (solves - 1) * self.direct_solve
        # what comes before the first iteration is two thirds factor, one third what every solve begins with
        start = self.start * (2 + solves) / 3
        return min(max(math.floor((direct - start) / (solves * self.iteration)), 0), MOST_ITERATIONS)
