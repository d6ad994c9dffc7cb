"""Blocks of K~ between bodies, and the vectors, fixed in bodies, that they are made of; see `stiffness.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.rows.table import Places
from taut.spatial import Array, Integers


class StiffnessBlocks(NamedTuple):
    """Blocks (m, 6, 6) of K~, added up where they meet: what a twist of `second` adds to the wrench on `first`.

    `first` and `second` (m,) are bodies. Which pairs there are does not depend on where bodies are, nor on forces.
    """

    first: Integers
    second: Integers
    block: Array

    def dense(self, bodies: int) -> Array:
        """K~ (6 bodies, 6 bodies)."""
        result = np.zeros((bodies, bodies, 6, 6))
        np.add.at(result, (self.first, self.second), self.block)
        return result.transpose(0, 2, 1, 3).reshape(6 * bodies, 6 * bodies)


class Attached(NamedTuple):
    """A world vector fixed in a body, of every part of a kind: bodies (k,), arms R c (k, 3), whether it is a point."""

    body: Integers
    arm: Array
    is_point: bool


def joined(blocks: Sequence[StiffnessBlocks]) -> StiffnessBlocks:
    """Several sets of blocks as one."""
    return StiffnessBlocks(*(np.concatenate(each) for each in zip(*blocks, strict=True)))


def turned(places: Places, body: Integers, vector: Array) -> Array:
    """Vectors (k, 3) of bodies in world axes."""
    return np.asarray(np.einsum("kij,kj->ki", places.rotation[body].reshape(-1, 3, 3), vector))


def skews(vector: Array) -> Array:
    """[v]x (k, 3, 3) of vectors (k, 3)."""
    result = np.zeros((len(vector), 3, 3))
    result[:, 2, 1], result[:, 0, 2], result[:, 1, 0] = vector.T
    return result - result.transpose(0, 2, 1)


def outer(left: Array, right: Array) -> Array:
    """Products u v^T (k, 3, 3)."""
    return left[:, :, None] * right[:, None, :]


def scaled_unit(scale: Array) -> Array:
    """Multiples (k, 3, 3) of the unit matrix."""
    return scale[:, None, None] * np.eye(3)


def arm_blocks(arm: Array, force: Array) -> Array:
    """K~ (k, 3, 3) of forces that stay as they are, at arms that turn with their body: r f^T - (f . r) 1."""
    return outer(arm, force) - scaled_unit(np.einsum("ki,ki->k", arm, force))


def point_rates(vector: Attached) -> Array:
    """P (k, 3, 6): how a vector changes with the twist of its body."""
    result = np.zeros((len(vector.arm), 3, 6))
    result[:, :, 3:] = -skews(vector.arm)
    if vector.is_point:
        result[:, :, :3] = np.eye(3)
    return result


def from_vectors(
    vectors: Sequence[Attached], gradient: Sequence[Array], second: dict[tuple[int, int], Array]
) -> StiffnessBlocks:
    """K~ of a kind from its vectors, their gradients (k, 3) and the second derivatives (k, 3, 3) by pairs i <= j."""
    rates, blocks = [point_rates(vector) for vector in vectors], []
    for vector, g in zip(vectors, gradient, strict=True):
        own = np.zeros((len(g), 6, 6))
        own[:, 3:, 3:] = arm_blocks(vector.arm, g)
        blocks.append(StiffnessBlocks(vector.body, vector.body, own))
    for (i, j), h in second.items():
        block = rates[i].transpose(0, 2, 1) @ h @ rates[j]
        blocks.append(StiffnessBlocks(vectors[i].body, vectors[j].body, block))
        if i != j:
            blocks.append(StiffnessBlocks(vectors[j].body, vectors[i].body, block.transpose(0, 2, 1)))
    return joined(blocks)


def of_turns(first: Integers, second: Integers, turn: Array) -> StiffnessBlocks:
    """Blocks (k, 3, 3) by which turning the second bodies changes the torques on the first."""
    block = np.zeros((len(turn), 6, 6))
    block[:, 3:, 3:] = turn
    return StiffnessBlocks(first, second, block)
