"""The dense twin of the thesis' step: J and its rate as matrices, and M~_r for springs that cross the tree.

[Baxter2019, Algorithm 1]
"""

from __future__ import annotations

import numpy as np

from taut.model.redmax_tables import RedMaxMotion, RedMaxTree
from taut.spatial import Array, skew
from taut.stepping.redmax_forces import Pairs


def adjoint(turn: Array, place: Array) -> Array:
    """Ad (6, 6) of a frame, eq. 2.5."""
    return np.block([[turn, np.zeros((3, 3))], [skew(place) @ turn, turn]])


def bracket(twist: Array) -> Array:
    """ad (6, 6) of a twist, eq. 2.8."""
    w, v = skew(twist[:3]), skew(twist[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def jacobians(tree: RedMaxTree, motion: RedMaxMotion) -> tuple[Array, Array]:
    """J and dJ/dt (n, 6, dofs), row of blocks by row.

    The rate of Ad_ip is that of eq. 2.24 with the twists of both bodies.
    """
    count, dofs = tree.parent.size, tree.kind.size
    jacobian, rate = np.zeros((count, 6, dofs)), np.zeros((count, 6, dofs))
    for node in range(count):
        own = slice(tree.dof_start[node], tree.dof_start[node + 1])
        parent = tree.parent[node]
        if parent >= 0:
            seen = adjoint(motion.turn[node].reshape(3, 3), motion.arm[node])
            seen_rate = seen @ bracket(motion.twist[parent]) - bracket(motion.twist[node]) @ seen
            jacobian[node] = seen @ jacobian[parent]
            rate[node] = seen @ rate[parent] + seen_rate @ jacobian[parent]
        jacobian[node, :, own] = motion.subspace[own].T
        rate[node, :, own] = motion.subspace_rate[own].T
    return jacobian, rate


def dense_matrix(jacobian: Array, blocks: Array, pairs: Pairs, reduced: Array) -> Array:
    """J^T (blocks + off-diagonal pairs) J + reduced (dofs, dofs)."""
    total: Array = np.einsum("nip,nij,njq->pq", jacobian, blocks, jacobian, optimize=True) + reduced
    across = (pairs.node >= 0).all(axis=1)
    first, second = (jacobian[pairs.node[across, end]] for end in range(2))
    for a, b, block in ((first, second, pairs.block[across, 0, 1]), (second, first, pairs.block[across, 1, 0])):
        total += np.einsum("kip,kij,kjq->pq", a, block, b, optimize=True)
    return total
