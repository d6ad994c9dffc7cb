"""Dense twin of `augmented.py`: the same edits on blocks in a dictionary, and NumPy for all the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class DenseAugmented:
    """H of nodes and couplings; nothing is kept from one solve to the next."""

    def __init__(self) -> None:
        """A matrix without nodes."""
        self.size: dict[int, int] = {}
        self.block: dict[tuple[int, int], Array] = {}

    def add(self, node: int, size: int) -> None:
        """Add a node of so many rows, all zeros."""
        self.size[node] = size
        self.block[node, node] = np.zeros((size, size))

    def remove(self, node: int) -> None:
        """Remove a node with all its couplings."""
        del self.size[node]
        self.block = {pair: block for pair, block in self.block.items() if node not in pair}

    def set(self, node: int, block: Array) -> None:
        """H of a node with itself."""
        self.block[node, node] = block

    def couple(self, a: int, b: int, block: Array) -> None:
        """H_ab, and its transpose."""
        self.block[a, b], self.block[b, a] = block, block.T

    def uncouple(self, a: int, b: int) -> None:
        """Let two nodes meet no more."""
        del self.block[a, b], self.block[b, a]

    def start(self) -> dict[int, int]:
        """First row of each node, by number."""
        order = sorted(self.size)
        return dict(zip(order, np.cumsum([0, *(self.size[node] for node in order)])[:-1].tolist(), strict=True))

    def matrix(self) -> Array:
        """H, nodes by number."""
        start, rows = self.start(), sum(self.size.values())
        dense = np.zeros((rows, rows))
        for (a, b), block in self.block.items():
            dense[start[a] : start[a] + self.size[a], start[b] : start[b] + self.size[b]] = block
        return dense

    def solve(self, rhs: Array) -> Array:
        """H^-1 rhs, both (rows,) or (rows, k)."""
        return np.asarray(np.linalg.solve(self.matrix(), rhs), np.float64)
