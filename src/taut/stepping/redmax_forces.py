"""Maximal forces of the thesis' step with their exact stiffness blocks.                    [Baxter2019, eqs. 2.35-2.41]

A force F in world axes at the point x of a body is the wrench Gamma^T R^T F, Gamma = ([x]^T 1) taking its twist to the
velocity of the point. It changes as F does, and because the body turns under it:

        d(Gamma^T R^T F) = Gamma^T R^T dF + Gamma^T [R^T F] w        the second term is all of eq. 2.37

For a spring between two points F = T(l) n along the line between them, dF = B d(x_2 - x_1) with B = T' n n^T
+ T/l (1 - n n^T): eq. 2.41 is the case T = k l, B = k 1. K is the derivative of the force, as eq. 2.13 has it: eq. 2.41
as printed is its negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.model.redmax_tables import RedMaxMotion
from taut.model.redmax_tree import Springs
from taut.spatial import Array, Integers

SHORTEST = 1e-12
"""Length, m, below which the line of a spring has no direction."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Blocks (k, 2, 2, 6, 6) between two ends, nodes (k, 2); a node of -1 is fixed and has none."""

    node: Integers
    block: Array


def skew_each(vectors: Array) -> Array:
    """Matrices (k, 3, 3) of cross products with vectors (k, 3)."""
    result = np.zeros((len(vectors), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[:, j, k], result[:, k, j] = -vectors[:, i], vectors[:, i]
    return result


def point_jacobian(rotation: Array, point: Array) -> Array:
    """R Gamma (k, 3, 6): velocities in world axes of points (k, 3) of bodies with rotations (k, 3, 3)."""
    return np.asarray(rotation @ np.concatenate([-skew_each(point), np.broadcast_to(np.eye(3), rotation.shape)], 2))


def turning_block(rotation: Array, point: Array, force: Array) -> Array:
    """Gamma^T [R^T F] (k, 6, 6) on the body's turn: stiffness of forces (k, 3) that keep their direction, eq. 2.37."""
    block = np.zeros((len(point), 6, 6))
    held = skew_each(np.einsum("kij,ki->kj", rotation, force))
    block[:, :3, :3], block[:, 3:, :3] = skew_each(point) @ held, held
    return block


def inertial_forces(mass: Array, motion: RedMaxMotion, gravity: Array) -> Array:
    """Wrenches (n, 6) of gravity and ad(phi)^T M phi, eq. 2.9, of bodies with masses (n, 6, 6)."""
    w, momentum = motion.twist[:, :3], np.einsum("nij,nj->ni", mass, motion.twist)
    rotation = motion.rotation.reshape(-1, 3, 3)
    weight = mass[:, 3, 3, None] * np.einsum("nij,i->nj", rotation, gravity)
    return np.hstack([-np.cross(w, momentum[:, :3]), weight - np.cross(w, momentum[:, 3:])])


def ends_of(springs: Springs, motion: RedMaxMotion) -> list[tuple[Array, Array, Array]]:
    """Rotations (k, 3, 3), points (k, 3) in body axes and where they are in the world (k, 3), of both ends."""
    ends = []
    for node, point in ((springs.node_a, springs.point_a), (springs.node_b, springs.point_b)):
        fixed = (node < 0)[:, None]
        rotation = np.where(fixed[:, :, None], np.eye(3), motion.rotation[node].reshape(-1, 3, 3))
        place = np.where(fixed, 0.0, motion.position[node])
        ends.append((rotation, point, place + np.einsum("kij,kj->ki", rotation, point)))
    return ends


def lines_of(springs: Springs, line: Array) -> tuple[Array, Array, Array]:
    """Forces (k, 3) on the first ends of springs that span lines (k, 3), and dF by line and by its rate (k, 3, 3)."""
    length = np.maximum(np.linalg.norm(line, axis=1), SHORTEST)
    along = np.einsum("ki,kj->kij", line, line) / (length * length)[:, None, None]
    pull = springs.stiffness * (length - springs.rest) / length
    straight, across = springs.stiffness[:, None, None] * along, pull[:, None, None] * (np.eye(3) - along)
    damped = np.where(springs.whole[:, None, None], np.eye(3), along)
    return pull[:, None] * line, straight + across, springs.damping[:, None, None] * damped


def spring_forces(springs: Springs, motion: RedMaxMotion) -> tuple[Array, Pairs, Pairs]:
    """Wrenches (k, 2, 6) on both ends, and the exact K and D of springs, eqs. 2.39 and 2.41.

    D is minus the derivative by twists; damping adds nothing to the wrenches, it is all in the matrix.
    """
    (turn_a, point_a, at_a), (turn_b, point_b, at_b) = ends_of(springs, motion)
    force, by_line, by_rate = lines_of(springs, at_b - at_a - springs.offset)
    ends = np.stack([-point_jacobian(turn_a, point_a), point_jacobian(turn_b, point_b)], axis=1)
    wrench = -np.einsum("keij,ki->kej", ends, force)
    stiffness = -np.einsum("kaip,kij,kbjq->kabpq", ends, by_line, ends)
    damping = np.einsum("kaip,kij,kbjq->kabpq", ends, by_rate, ends)
    stiffness[:, 0, 0] += turning_block(turn_a, point_a, force)
    stiffness[:, 1, 1] -= turning_block(turn_b, point_b, force)
    node = np.stack([springs.node_a, springs.node_b], axis=1)
    return wrench, Pairs(node, stiffness), Pairs(node, damping)


def symmetric(pairs: Pairs) -> Pairs:
    """The symmetric part of blocks: what is left out vanishes where forces are in balance."""
    mirrored = pairs.block.transpose(0, 2, 1, 4, 3)
    return Pairs(pairs.node, 0.5 * (pairs.block + mirrored))


def definite(pairs: Pairs) -> Pairs:
    """What of the symmetric part pulls back: its positive eigenvalues are left out."""
    count = len(pairs.node)
    seen = np.repeat(pairs.node >= 0, 6, axis=1)
    whole = symmetric(pairs).block.transpose(0, 1, 3, 2, 4).reshape(count, 12, 12) * seen[:, :, None] * seen[:, None]
    return Pairs(pairs.node, not_above_zero(whole).reshape(count, 2, 6, 2, 6).transpose(0, 1, 3, 2, 4))


def not_above_zero(blocks: Array) -> Array:
    """Symmetric matrices (k, m, m) without their positive eigenvalues."""
    values, vectors = np.linalg.eigh(blocks)
    return np.asarray(np.einsum("kij,kj,klj->kil", vectors, np.minimum(values, 0.0), vectors))


def add_wrenches(total: Array, node: Integers, wrench: Array) -> None:
    """Add wrenches (..., 6) at nodes (...,), but for those on what is fixed.

    Writes:  total (n, 6)
    """
    there = node >= 0
    np.add.at(total, node[there], wrench[there])


def add_diagonal(blocks: Array, pairs: Pairs, factor: float) -> None:
    """Add a multiple of what pairs have on the diagonal.

    Writes:  blocks (n, 6, 6)
    """
    for end in range(2):
        add_wrenches(blocks, pairs.node[:, end], factor * pairs.block[:, end, end])


def times_pairs(pairs: Pairs, twist: Array) -> Array:
    """Wrenches (n, 6) that the off-diagonal blocks of pairs make of twists (n, 6)."""
    total = np.zeros_like(twist)
    for end in range(2):
        there = (pairs.node >= 0).all(axis=1)
        other = twist[pairs.node[there, 1 - end]]
        np.add.at(total, pairs.node[there, end], np.einsum("kij,kj->ki", pairs.block[there, end, 1 - end], other))
    return total
