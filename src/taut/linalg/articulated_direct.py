"""Cholesky factor of H of trees with springs, by fronts from leaves to roots: room for it.

H is put together by composite blocks: a degree of freedom that moves alone carries all that hangs below it as one body,
and its ancestors feel that body's momentum. All are compared at one point, so a column is one product. A spring between
nodes a and b adds g_a g_a^T and g_b g_b^T to blocks of their own, and g_a g_b^T to what is above both as one body; only
what lies between is put in entry by entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.articulated import SYMMETRIC
from taut.linalg.articulated_plan import DirectPlan
from taut.linalg.fronts import FrontFactor
from taut.tables import RealRows, Reals, WholeRows

TIE = 3
"""Springs between the same two nodes that are put in together, at most."""


class DirectFactor(NamedTuple):
    """H = L L' by fronts: a table for kernels.

    Attributes:
        plan: order and fronts.
        fronts: the factor.
        composite: (n, SYMMETRIC) a node and all below it as one body, at its centre of mass.
        centre: (n, 3) centres of mass, from that of the root.
        axis: (6, dofs) S of each column at the root's centre of mass, where all of a tree can be compared.
        way: (4, dofs + 1) ways from two nodes to their roots as runs: first column, and how many came before.
        value: (2 TIE, dofs) what the springs of a tie are to each degree of freedom on the one way, and on the other.
        piece: (3, 2 dofs + 1) a way in a front, as pieces: first row, how many came before, first column.
        load, force: (n, 6), (dofs,) residual of the nodes, and of the degrees of freedom beside them.
        velocity: (n, 6) J y.
        y: (dofs,) a vector.
    """

    plan: DirectPlan
    fronts: FrontFactor
    composite: RealRows
    centre: RealRows
    axis: RealRows
    way: WholeRows
    value: RealRows
    piece: WholeRows
    load: RealRows
    force: Reals
    velocity: RealRows
    y: Reals

    @classmethod
    def of(cls, plan: DirectPlan, nodes: int) -> DirectFactor:
        """Room for the factors of a plan."""
        dofs = plan.column.size
        load, velocity = np.zeros((2, nodes, 6))
        force, y = np.zeros((2, dofs))
        way, piece = np.zeros((4, dofs + 1), np.int64), np.zeros((3, 2 * dofs + 1), np.int64)
        return cls(
            plan=plan, fronts=FrontFactor.of(plan.tree, np.zeros(0)), composite=np.zeros((nodes, SYMMETRIC)),
            centre=np.zeros((nodes, 3)), axis=np.zeros((6, dofs)), way=way, value=np.zeros((2 * TIE, dofs)),
            piece=piece, load=load, force=force, velocity=velocity, y=y,
        )  # fmt: skip
