"""Matrices that are edited: an `AugmentedFactor` and its dense twin get the same nodes and values."""

from __future__ import annotations

import numpy as np

from taut.linalg.augmented import AugmentedFactor
from taut.linalg.augmented_dense import DenseAugmented


class Pair:
    """An `AugmentedFactor` and its twin."""

    def __init__(self, seed: int = 0, softness: float = 1e-6) -> None:
        self.rng, self.softness = np.random.default_rng(seed), softness
        self.factor, self.twin = AugmentedFactor(), DenseAugmented()
        self.bodies: list[int] = []
        self.rows: list[int] = []

    def body(self, size: int = 6) -> int:
        node = self.factor.add(size)
        self.twin.add(node, size)
        self.bodies.append(node)
        self.weigh(node)
        return node

    def weigh(self, node: int) -> None:
        root = self.rng.normal(size=(self.twin.size[node],) * 2)
        self.set(node, root @ root.T + np.eye(len(root)))

    def row(self, bodies: list[int], size: int = 3) -> int:
        node = self.factor.add(size, -1)
        self.twin.add(node, size)
        self.rows.append(node)
        self.set(node, -self.softness * np.eye(size))
        for body in bodies:
            self.couple(node, body)
        return node

    def spring(self, a: int, b: int) -> None:
        """A coupling of two bodies that leaves H definite: what it takes is added to both."""
        if (a, b) in self.twin.block:
            return
        left, right = (self.rng.normal(size=(self.twin.size[each], 1)) for each in (a, b))
        self.set(a, self.twin.block[a, a] + left @ left.T)
        self.set(b, self.twin.block[b, b] + right @ right.T)
        self.couple(a, b, left @ right.T)

    def set(self, node: int, block: np.ndarray) -> None:
        self.factor.set(node, block)
        self.twin.set(node, block)

    def couple(self, a: int, b: int, block: np.ndarray | None = None) -> None:
        block = self.rng.normal(size=(self.twin.size[a], self.twin.size[b])) if block is None else block
        self.factor.couple(a, b, block)
        self.twin.couple(a, b, block)

    def uncouple(self, a: int, b: int) -> None:
        self.factor.uncouple(a, b)
        self.twin.uncouple(a, b)

    def remove(self, node: int) -> None:
        self.factor.remove(node)
        self.twin.remove(node)
        (self.bodies if node in self.bodies else self.rows).remove(node)

    def rhs(self, count: int = 1) -> np.ndarray:
        return self.rng.normal(size=(sum(self.twin.size.values()), count))

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """By the factor, (rows, k) as its twin has it."""
        x = np.zeros((rhs.shape[1], self.factor.table.size.size, 6))
        start = self.twin.start()
        for node, size in self.twin.size.items():
            x[:, node, :size] = rhs[start[node] : start[node] + size].T
        self.factor.solve(x)
        if not start:
            return np.zeros((0, rhs.shape[1]))
        return np.concatenate([x[:, node, : self.twin.size[node]].T for node in sorted(start)])

    def error(self) -> float:
        """Residual of a solve relative to what was summed up for it."""
        matrix, rhs = self.twin.matrix(), self.rhs()
        if not rhs.size:
            return 0.0
        x = self.solve(rhs)
        return float(np.abs(matrix @ x - rhs).max() / (np.abs(matrix) @ np.abs(x) + np.abs(rhs)).max())


def chain(links: int, seed: int = 0, softness: float = 1e-6) -> Pair:
    """Bodies in a row, each held at the one before by three rows, the first at the world."""
    pair = Pair(seed, softness)
    for number in range(links):
        body = pair.body()
        pair.row([body] if number == 0 else [pair.bodies[-2], body])
    return pair


def tree(bodies: int, seed: int = 0) -> Pair:
    """Each body held at one of those before it."""
    pair = Pair(seed)
    for number in range(bodies):
        others = [pair.bodies[int(pair.rng.integers(number))]] if number else []
        pair.row([*others, pair.body()])
    return pair


def net(side: int, seed: int = 0, size: int = 3, rows: int = 1) -> Pair:
    """A square of bodies, each held at its neighbours."""
    pair = Pair(seed)
    bodies = [pair.body(size) for _ in range(side * side)]
    for number, body in enumerate(bodies):
        if number % side:
            pair.row([bodies[number - 1], body], rows)
        if number >= side:
            pair.row([bodies[number - side], body], rows)
    return pair
