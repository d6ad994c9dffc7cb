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
ITERATION = {"once": 6.0, "node": 26.0, "dof": 11.6, "entry": 3.9}
"""An iteration: at all, a node, a degree of freedom, an entry of a spring."""
START = {"once": 2650.0, "node": 45.0, "dof": 19.0, "entry": 7.6}
"""The factor of the tree, and what comes before the first iteration."""
DIRECT = {
    "once": 2900.0, "node": 3.2, "dof": 52.0, "step": 0.6, "filled": 1.16, "stored": 0.21, "pair": 88.0, "way": 6.0,
    "product": 0.147, "front": 1.03,
}  # fmt: skip
"""A direct factor, and a solve with one refinement: at all, a node, a degree of freedom; of each of these, a node above
it and a degree of freedom of one; a number of the fronts; a pair of nodes that a spring ties, a node on the ways from
both to the roots, an entry that the spring adds to; times of fronts over those of `structure.cost_kernels`, which were
fitted to other problems."""
LEAST_PRODUCT = 0.004
"""A multiplication and addition of a direct factor, at least."""


class Costs:
    """Predicted nanoseconds of solves with these trees and springs; only ratios matter."""

    def __init__(self, blocks: ArticulatedBlocks) -> None:
        """Costs for the trees and springs of these blocks."""
        self._blocks = blocks
        counts = {"once": 1, "node": blocks.nodes, "dof": blocks.dofs, "entry": blocks.cross_node.size}
        self.iteration = sum(ITERATION[name] * count for name, count in counts.items())
        """An iteration."""
        self.start = sum(START[name] * count for name, count in counts.items())
        """What comes before the first of them."""

    @functools.cached_property
    def plan(self) -> DirectPlan:
        """Order and fronts of a direct factor."""
        return plan_direct(self._blocks)

    @functools.cached_property
    def direct(self) -> float:
        """A direct factor, and a solve with it."""
        return sum(DIRECT[name] * count for name, count in self.direct_counts().items())

    @functools.cached_property
    def depths(self) -> NDArray[np.int64]:
        """(2, n) how many nodes are above each node, and how many degrees of freedom they have."""
        from taut.linalg.articulated_plan_kernels import measure_depths

        depths = np.zeros((2, self._blocks.nodes), np.int64)
        measure_depths(self._blocks.parent, self._blocks.dof_start, depths)
        return depths

    def direct_counts(self) -> dict[str, float]:
        """What a direct factor and a solve are made of, see DIRECT."""
        from taut.linalg.articulated_plan_kernels import time_fronts

        blocks, plan, (nodes, dofs) = self._blocks, self.plan, self.depths
        own = np.diff(blocks.dof_start)
        times = time_fronts(plan.tree.first, plan.tree.row_start)
        (early, late), top = plan.pair[:2], plan.top
        # degrees of freedom from each node of a pair to below the top, and from the top on
        over = np.where(top >= 0, dofs[top] + own[top], 0)
        above = np.where(top >= 0, nodes[top] + 1, 0)
        near, far = dofs[early] + own[early] - over, dofs[late] + own[late] - over
        way = nodes[early] + nodes[late] + 2 - np.where(far > 0, 0, above)
        return {
            "once": 1.0, "node": blocks.nodes, "dof": blocks.dofs, "step": float(own @ nodes),
            "filled": float(own @ dofs), "stored": float(plan.tree.offset[-1]), "pair": float(top.size),
            "way": float(way.sum()), 
            "product": float((near * (far + over) + far * over).sum()), "front": float(times),
        }  # fmt: skip

    @functools.cached_property
    def worth(self) -> int:
        """Iterations that take as long as a direct factor, at most MOST_ITERATIONS; 0 if the first takes longer.

        Each degree of freedom meets its ancestors at least: where that alone takes longer, no plan is made.
        """
        least = LEAST_PRODUCT * float(np.diff(self._blocks.dof_start) @ self.depths[1].astype(float) ** 2)
        if least > self.start + MOST_ITERATIONS * self.iteration:
            return MOST_ITERATIONS
        return min(max(math.floor((self.direct - self.start) / self.iteration), 0), MOST_ITERATIONS)
