"""Cholesky factor of H of trees with springs, by fronts from leaves to roots: room for it.

H is put together by composite blocks: a degree of freedom that moves alone carries all that hangs below it as one body,
and its ancestors feel that body's momentum. A spring between nodes a and b adds g_a g_a^T and g_b g_b^T to blocks of
their own, and g_a g_b^T to what is above both as one body; only what lies between is put in entry by entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.articulated import SYMMETRIC
from taut.linalg.articulated_plan import DirectPlan
from taut.linalg.fronts import FrontFactor
from taut.tables import RealRows, Reals, WholeRows


class DirectFactor(NamedTuple):
    """H = L L' by fronts: a table for kernels.

    Attributes:
        plan: order and fronts.
        fronts: the factor.
        composite: (n, SYMMETRIC) a node and all below it as one body, at its centre of mass.
        way: (2, dofs + 1) columns of the degrees of freedom on the ways from two nodes to their roots; last: how many.
        value: (2, dofs) what a spring is to each of them.
        run: (2, dofs + 1) rows of a front that such a way passes, as runs: where in the front, and where on the way.
        load, force: (n, 6), (dofs,) residual of the nodes, and of the degrees of freedom beside them.
        velocity: (n, 6) J y.
        y: (dofs,) a vector.
    """

    plan: DirectPlan
    fronts: FrontFactor
    composite: RealRows
    way: WholeRows
    value: RealRows
    run: WholeRows
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
        way, run = np.zeros((2, 2, dofs + 1), np.int64)
        return cls(
            plan=plan, fronts=FrontFactor.of(plan.tree, np.zeros(0)), composite=np.zeros((nodes, SYMMETRIC)), way=way,
            value=np.zeros((2, dofs)), run=run, load=load, force=force, velocity=velocity, y=y,
        )  # fmt: skip
