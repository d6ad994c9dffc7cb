"""A mass matrix of 6 x 6 blocks, one a body, and blocks between some bodies: ordered once, factored at every step.

Bodies that blocks connect make a component, which is factored by `BlockLdl`; all others have an inverse of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.linalg.block_ldl import BlockLdl
from taut.structure.elimination import plan_elimination
from taut.structure.union import DisjointSets

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Component:
    """Bodies (b,) that blocks connect, in rising order, and the pairs (p,) of the whole that are theirs.

    `swapped` (p,) are pairs whose first body is eliminated later than the second, `block` (p,) their blocks in the
    factor.
    """

    bodies: Integers
    pairs: Integers
    factor: BlockLdl
    swapped: NDArray[np.bool_]
    block: Integers

    @classmethod
    def of(cls, bodies: Integers, pairs: Integers, first: Integers, second: Integers) -> Component:
        """Order these bodies; pairs are numbers into `first` and `second`."""
        ends = np.stack([np.searchsorted(bodies, first[pairs]), np.searchsorted(bodies, second[pairs])])
        plan = plan_elimination([6] * bodies.size, [False] * bodies.size, zip(*ends.tolist(), strict=True))
        at = plan.position[ends]
        block = np.array([plan.block(max(pair), min(pair)) for pair in at.T.tolist()], np.int64)
        return cls(bodies, pairs, BlockLdl(plan, np.ones(plan.count)), at[0] > at[1], block)

    def decompose(self, diagonal: Array, off: Array) -> bool:
        """Factor the blocks of all bodies (n, 6, 6) and pairs (pairs, 6, 6); whether they are positive definite."""
        factor, mine = self.factor, off[self.pairs]
        factor.clear()
        factor.diagonal[factor.plan.position] = diagonal[self.bodies]
        # the block of the factor is that of the later body's rows and the earlier one's columns
        factor.block[self.block] = np.where(self.swapped[:, None, None], mine, mine.transpose(0, 2, 1))
        return factor.factor() < 0

    def solve(self, rhs: Array) -> Array:
        """Solutions (k, b, 6) for right-hand sides (k, b, 6)."""
        position, x = self.factor.plan.position, np.empty_like(rhs)
        for k in range(len(rhs)):
            one = np.empty((position.size, 6))
            one[position] = rhs[k]
            self.factor.solve(one)
            x[k] = one[position]
        return x


class CoupledMass:
    """M by its blocks: `diagonal` (n, 6, 6), and `off` (p, 6, 6), rows of bodies `first`, columns of bodies `second`.

    Attributes:
        moves: (n,) bodies that move; the others have neither mass nor velocity.
        first, second: (p,) bodies of each pair, first < second, every pair once.
        component: (n,) first body of what blocks connect.
    """

    def __init__(self, moves: NDArray[np.uint8], first: Integers, second: Integers) -> None:
        """Room for a matrix with these pairs."""
        self.moves, self.first, self.second = moves > 0, first, second
        sets = DisjointSets(moves.size)
        for pair in zip(first.tolist(), second.tolist(), strict=True):
            sets.join(pair)
        self.component = np.array([sets.find(body) for body in range(moves.size)], np.int64)
        self.diagonal, self.off = np.zeros((moves.size, 6, 6)), np.zeros((first.size, 6, 6))
        self.inverse = np.zeros((moves.size, 6, 6))

    @cached_property
    def components(self) -> list[Component]:
        """Those of two bodies or more."""
        owner, found = self.component[self.first], []
        for each in np.unique(owner):
            bodies, pairs = np.flatnonzero(self.component == each), np.flatnonzero(owner == each)
            found.append(Component.of(bodies, pairs, self.first, self.second))
        return found

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """(n,) bodies that move and that no block connects."""
        alone = self.moves.copy()
        alone[self.first], alone[self.second] = False, False
        return alone

    def indefinite(self, base: Array, share: float) -> NDArray[np.bool_]:
        """Bodies (n,) whose component has somewhere less than this share of positive blocks `base` (n, 6, 6)."""
        less, found = self.diagonal - share * base, np.zeros(self.moves.size, bool)
        scale = np.sqrt(np.einsum("bii->bi", np.where(self.alone[:, None, None], base, np.eye(6))))
        values = np.linalg.eigvalsh((less / (scale[:, :, None] * scale[:, None, :]))[self.alone])
        found[self.alone] = ~(values[:, 0] > 0.0)
        for part in self.components:
            found[part.bodies] = not part.decompose(less, self.off)
        return found

    def decompose(self) -> bool:
        """Factor what is in the blocks; whether that is positive definite."""
        self.inverse.fill(0.0)
        self.inverse[self.alone] = np.linalg.inv(self.diagonal[self.alone])
        return all([part.decompose(self.diagonal, self.off) for part in self.components])

    def solve(self, rhs: Array) -> Array:
        """M^-1 of vectors (..., n, 6)."""
        x = np.einsum("bij,...bj->...bi", self.inverse, rhs)
        for part in self.components:
            mine = rhs[..., part.bodies, :]
            x[..., part.bodies, :] = part.solve(mine.reshape(-1, part.bodies.size, 6)).reshape(mine.shape)
        return x

    def multiply(self, x: Array, absolute: bool = False) -> Array:
        """M of a vector (n, 6), or with all numbers taken positive."""
        diagonal, off = (np.abs(self.diagonal), np.abs(self.off)) if absolute else (self.diagonal, self.off)
        product = np.einsum("bij,bj->bi", diagonal, x)
        np.add.at(product, self.first, np.einsum("pij,pj->pi", off, x[self.second]))
        np.add.at(product, self.second, np.einsum("pji,pj->pi", off, x[self.first]))
        return product

    def dense(self) -> Array:
        """M (6 n, 6 n)."""
        count = self.moves.size
        result = np.zeros((count, count, 6, 6))
        result[np.arange(count), np.arange(count)] = self.diagonal
        result[self.first, self.second] = self.off
        result[self.second, self.first] = self.off.transpose(0, 2, 1)
        return result.transpose(0, 2, 1, 3).reshape(6 * count, 6 * count)
