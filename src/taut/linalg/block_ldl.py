"""Block-sparse LDL^T of symmetric quasi-definite matrices: no fill on trees, little on loops.           [Baraff1996]"""

from __future__ import annotations

import numpy as np

from taut.structure.elimination import EliminationPlan


class BlockLdl:
    """H = L D L^T with blocks of at most 6 x 6, in the order of a plan.

    H is positive definite on some nodes and negative definite or zero on the others, as [[M, -J^T], [-J, -S]] is: then
    every pivot block is definite with the sign of its node, and no pivoting is needed.

    Attributes:
        diagonal: (nodes, 6, 6) blocks of H on the diagonal, zero beyond their size;
            `factor` replaces them by U, a root of D^-1 = sign U U^T.
        block: (blocks, 6, 6) blocks of H below it, as the plan numbers them; `factor` replaces them by X = L U^-T.
    """

    def __init__(self, plan: EliminationPlan, sign: np.ndarray, given: np.ndarray | None = None) -> None:
        """Allocate for a plan.

        Args:
            plan: order and storage.
            sign: (nodes,) by position, 1 on positive definite nodes and -1 on the others.
            given: (nodes,) leading rows of each block, 0 or 3, that meet only themselves and hold U instead of H.
        """
        self.plan = plan
        self.given = np.zeros(plan.count, np.int64) if given is None else np.ascontiguousarray(given, np.int64)
        self.sign = np.ascontiguousarray(sign, np.float64)
        self.diagonal = np.zeros((plan.count, 6, 6))
        self.block = np.zeros((plan.below.size, 6, 6))

    def clear(self) -> None:
        """Zero all blocks, those that fill in included."""
        self.diagonal.fill(0.0)
        self.block.fill(0.0)

    def factor(self) -> int:
        """Factor what is in the blocks; returns the position of the first block that is not definite, or -1."""
        from taut.linalg.block_ldl_kernels import factor

        plan = self.plan
        return int(
            factor(
                plan.size, self.given, self.sign, plan.below_start, plan.below, plan.target, self.diagonal, self.block
            )
        )

    def solve(self, x: np.ndarray) -> None:
        """x <- H^-1 x in place, x (nodes, 6) by position with zeros beyond each node's size."""
        from taut.linalg.block_ldl_kernels import solve

        plan = self.plan
        solve(plan.size, self.sign, plan.below_start, plan.below, self.diagonal, self.block, x)
