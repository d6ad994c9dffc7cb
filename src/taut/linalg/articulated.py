"""H = J^T (M~ + springs) J + A_r of bodies that hang together as trees: tables, and dense twins.

A node moves with its parent and along its own coordinates y, V_j = X_j V_parent + S_j y_j, so V = J y. M~ has one block
a node; A_r one a joint. Springs between nodes that are not parent and child *cross* the tree: rows g with a weight.

        H = J^T (M~ + sum w g g^T) J + A_r                                                    [Baxter2019, eq. 2.13]

Velocities and loads of a node are (linear, angular) in world axes at its centre of mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.tables import Flags, RealRows, Reals, Wholes

Array = NDArray[np.float64]
SYMMETRIC = 21
"""Numbers of a symmetric block [[A, B], [B^T, C]]: upper triangle of A, all of B, upper triangle of C."""


class ArticulatedBlocks(NamedTuple):
    """Trees of n nodes with 0 to 6 degrees of freedom each: a table for kernels.

    Attributes:
        parent: (n,) parent of each node, -1 for roots; parents come before their children.
        dof_start: (n + 1,) ranges of the degrees of freedom of each node.
        arm: (n, 3) from the parent's centre of mass to the node's, 0 for roots.
        subspace: (dofs, 6) row d = column of S of this degree of freedom.
        block: (n, 36) M~, symmetric, row by row.
        reduced: (dofs, 6) row d = A_r of this degree of freedom with those of the same node, the first columns.
        cross_start: (springs + 1,) ranges of the entries of each crossing spring.
        cross_node: (entries,) the nodes that a spring touches, each once.
        cross_jacobian: (entries, 6) g at each of them.
        cross_weight: (springs,) w, not negative.
    """

    parent: Wholes
    dof_start: Wholes
    arm: RealRows
    subspace: RealRows
    block: RealRows
    reduced: RealRows
    cross_start: Wholes
    cross_node: Wholes
    cross_jacobian: RealRows
    cross_weight: Reals

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.parent.size

    @property
    def dofs(self) -> int:
        """Number of degrees of freedom."""
        return self.subspace.shape[0]


class ArticulatedFactor(NamedTuple):
    """What `factor_tree` leaves, D_j = L diag(d) L^T at each node: a table for kernels.

    Attributes:
        coupling: (dofs, 6) L^-1 U^T, U = H_j S_j.
        lower: (dofs, 6) row i of L of the node, then 1 / d_i in its place i; 0 where d_i is not positive.
        pending: (n, SYMMETRIC) workspace: what children and springs add to the block of a node.
        begun: (n,) workspace: whether anything has been added.
    """

    coupling: RealRows
    lower: RealRows
    pending: RealRows
    begun: Flags

    @classmethod
    def of(cls, nodes: int, dofs: int) -> ArticulatedFactor:
        """Room for the factors of trees of this size."""
        coupling, lower = np.zeros((2, dofs, 6))
        return cls(coupling, lower, np.zeros((nodes, SYMMETRIC)), np.zeros(nodes, np.uint8))


def skew(vector: Array) -> Array:
    """[v]x, so that [v]x u = v x u."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def dense_shift(arm: Array) -> Array:
    """X = [[1, -[arm]x], [0, 1]]: the velocity of a point of the parent, from that at its centre of mass."""
    shift = np.eye(6)
    shift[:3, 3:] = -skew(arm)
    return shift


def dense_jacobian(blocks: ArticulatedBlocks) -> Array:
    """J (6 n, dofs), V = J y: each node has the columns of its parent, moved, and its own.     [Baxter2019, Alg. 1]"""
    jacobian = np.zeros((blocks.nodes, 6, blocks.dofs))
    for j, parent in enumerate(blocks.parent):
        if parent >= 0:
            jacobian[j] = dense_shift(blocks.arm[j]) @ jacobian[parent]
        own = slice(blocks.dof_start[j], blocks.dof_start[j + 1])
        jacobian[j, :, own] = blocks.subspace[own].T
    return jacobian.reshape(6 * blocks.nodes, blocks.dofs)


def dense_rows(start: NDArray[np.int64], node: NDArray[np.int64], jacobian: Array, nodes: int) -> Array:
    """G (rows, 6 n) of rows with these entries."""
    rows = np.zeros((start.size - 1, nodes, 6))
    number = np.repeat(np.arange(start.size - 1), np.diff(start))
    np.add.at(rows, (number, node), jacobian)
    return rows.reshape(start.size - 1, 6 * nodes)


def dense_maximal(blocks: ArticulatedBlocks) -> Array:
    """M~ + sum w g g^T (6 n, 6 n)."""
    matrix = np.zeros((blocks.nodes, 6, blocks.nodes, 6))
    for j in range(blocks.nodes):
        matrix[j, :, j, :] = blocks.block[j].reshape(6, 6)
    cross = dense_rows(blocks.cross_start, blocks.cross_node, blocks.cross_jacobian, blocks.nodes)
    return matrix.reshape(6 * blocks.nodes, 6 * blocks.nodes) + cross.T @ (blocks.cross_weight[:, None] * cross)


def dense_reduced(blocks: ArticulatedBlocks) -> Array:
    """A_r (dofs, dofs)."""
    matrix = np.zeros((blocks.dofs, blocks.dofs))
    for first, last in zip(blocks.dof_start[:-1], blocks.dof_start[1:], strict=True):
        matrix[first:last, first:last] = blocks.reduced[first:last, : last - first]
    return matrix


def dense_matrix(blocks: ArticulatedBlocks) -> Array:
    """H (dofs, dofs)."""
    jacobian = dense_jacobian(blocks)
    return jacobian.T @ dense_maximal(blocks) @ jacobian + dense_reduced(blocks)
