"""A factor that eliminates contacts, not bodies: A_FF + D from a matrix of one block a body.

With E = (S + D)^-1 on the free rows that give way and J_h the free rows that do not,

        H = M + J_s^T E J_s          [ H    -J_h^T   ] [ u   ]   [ J_s^T E r_s ]
                                     [ -J_h -(S + D) ] [ x_h ] = [ -r_h        ],     x_s = E (r_s - J_s u)

solves (A_FF + D) x = r without A. A pile has a dozen rows a body, and A couples every row of a body with every other:
H has a tenth of the entries, and its factor takes a hundredth of the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.structure.body_plan import BodyPlan
from taut.tables import RealBlocks, RealRows, Reals, Wholes, held

WIDTH = 8
"""Numbers a row of six is kept as, the last two 0: a row is then one vector of the processor, and one line of cache."""
HARD = -1.0
"""Weight of a free row that is a node of its own."""


class BodyFactor(NamedTuple):
    """A~ by its blocks, and a factor of some of its rows: a `Factor`, a table for kernels.

    Attributes:
        symbolic: the plan: groups of rows, the order of nodes, where blocks are.
        jacobian: (blocks of J, WIDTH) of J~ = D^-1/2 J, d = diag A, in the order of the plan.
        compliance: (rows,) S / d.
        mass: (nodes, 6, WIDTH) M of bodies, zero for hard rows.
        inverse: (nodes, 6, WIDTH) M^-1.
        weight: (rows,) E of the last factor, 0 for rows that are not free, HARD for hard ones that are.
        diagonal: (nodes, 6, WIDTH) U, a root of the inverse of each pivot: D_k^-1 = s_k U U^T.
        block: (blocks, 6, WIDTH) X = s_k H_jk U of the blocks below the diagonal.
        row, x: (rows,), (nodes, 6) vectors.
        group: (groups,) their numbers.
        live: (groups,) of them, those of the last factor that have free rows and are no nodes.
        part: (3,) first island of the last factor, the one after its last, and the number of its live groups.
    """

    symbolic: BodyPlan
    jacobian: RealRows
    compliance: Reals
    mass: RealBlocks
    inverse: RealBlocks
    weight: Reals
    diagonal: RealBlocks
    block: RealBlocks
    row: Reals
    x: RealRows
    group: Wholes
    live: Wholes
    part: Wholes

    @classmethod
    def of(cls, plan: BodyPlan) -> BodyFactor:
        """Room for the factors of a plan."""
        rows, nodes = plan.order.size, plan.nodes
        mass, inverse, diagonal = np.zeros((3, nodes, 6, WIDTH))
        compliance, weight, row = np.zeros((3, rows))
        group = np.arange(plan.node.size)
        return cls(
            symbolic=plan, jacobian=np.zeros((int(plan.entry_start[-1]), WIDTH)), compliance=compliance, mass=mass,
            inverse=inverse, weight=weight, diagonal=diagonal, block=np.zeros((plan.below.size, 6, WIDTH)),
            group=group, live=group.copy(), row=row, x=np.zeros((nodes, 6)), part=np.zeros(3, np.int64),
        )  # fmt: skip

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        from taut.linalg.body_factor_kernels import multiply_rows

        multiply_rows(held(self), begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg.body_factor_kernels import factor_rows

        return int(factor_rows(held(self), begin, end, index_set, shift, dependent_out))

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg.body_factor_kernels import solve_rows

        solve_rows(held(self), rhs, x_out)
