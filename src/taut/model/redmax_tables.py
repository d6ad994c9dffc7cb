"""Tables of the thesis' step: trees in joint coordinates, and what is worked out of them.

A joint is a composition of slides, turns and balls, Q = Q_1 Q_2 ..., between frames P on the parent and C on the child:

        E_pi = P Q(q) C^-1                                                                     [Baxter2019, eq. 2.25]

Twists and wrenches are those of the thesis: (angular, linear) in the axes of the body, at its centre of mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.tables import RealRows, Reals, Wholes

SLIDE, TURN, BALL = range(3)
"""What a degree of freedom does: a slide along an axis (eq. 2.26), a turn about one (eq. 2.28), or with the two after
it a turn by the exponential of all three."""


class RedMaxTree(NamedTuple):
    """Bodies as nodes, parents before children.

    Attributes:
        parent: (n,) node of the parent, -1 where it hangs on what is fixed or floats.
        dof_start: (n + 1,) first degree of freedom of each node.
        kind: (dofs,) SLIDE, TURN or BALL.
        axis: (dofs, 3) unit vectors in the frame of the joint.
        parent_place, parent_turn: (n, 3) m and (n, 9), frame of the joint in the parent's axes, world axes at roots.
        child_place, child_turn: (n, 3) m and (n, 9), frame of the joint in the body's own axes.
    """

    parent: Wholes
    dof_start: Wholes
    kind: Wholes
    axis: RealRows
    parent_place: RealRows
    parent_turn: RealRows
    child_place: RealRows
    child_turn: RealRows


class RedMaxMotion(NamedTuple):
    """A tree in motion, all of it from q and qdot.

    Attributes:
        q, qdot: (dofs,) joint coordinates, m or rad, and their rates.
        position, rotation: (n, 3) m and (n, 9) world-from-body.
        arm, turn: (n, 3) m and (n, 9), the parent as seen from the body: E_ip, the world's frame at roots.
        subspace, subspace_rate: (dofs, 6) columns of S and of its rate in the axes of the body, Ad_ij S_j.
        own: (n, 6) twist that the joint adds, S qdot.
        twist: (n, 6) of the body, phi_i.
        sums: (n, 6) room for what runs along the tree.
    """

    q: Reals
    qdot: Reals
    position: RealRows
    rotation: RealRows
    arm: RealRows
    turn: RealRows
    subspace: RealRows
    subspace_rate: RealRows
    own: RealRows
    twist: RealRows
    sums: RealRows

    @classmethod
    def of(cls, nodes: int, dofs: int) -> RedMaxMotion:
        """Room for a tree."""
        sizes = [(dofs,), (dofs,), (nodes, 3), (nodes, 9), (nodes, 3), (nodes, 9), (dofs, 6), (dofs, 6)]
        return cls(*(np.zeros(size) for size in [*sizes, (nodes, 6), (nodes, 6), (nodes, 6)]))


class RedMaxFactor(NamedTuple):
    """The recursive factor of M~_r, see Algorithm 4.

    Attributes:
        block: (n, 36) of each body, M + h D - h^2 K, row by row; given.
        reduced: (dofs, 6) A_r = h D_r - h^2 K_r with the degrees of freedom of the same joint; given.
        gathered: (n, 36) M^, that of the body and of all that hangs on it.
        pushed: (dofs, 6) rows of S^T M^.
        pivot: (dofs, 6) L D L^T of S^T M^ S + A_r, joint by joint.
        force, rate: (n, 6) sums from the leaves, and twists from the root.
    """

    block: RealRows
    reduced: RealRows
    gathered: RealRows
    pushed: RealRows
    pivot: RealRows
    force: RealRows
    rate: RealRows

    @classmethod
    def of(cls, nodes: int, dofs: int) -> RedMaxFactor:
        """Room for a tree."""
        sizes = [(nodes, 36), (dofs, 6), (nodes, 36), (dofs, 6), (dofs, 6), (nodes, 6), (nodes, 6)]
        return cls(*(np.zeros(size) for size in sizes))
