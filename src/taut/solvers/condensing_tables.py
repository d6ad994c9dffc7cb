"""What a search on the border of an island writes into."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from taut.linalg.fronts import FrontFactor
from taut.solvers.island_workspace import IslandStructure
from taut.structure.front_tree import FrontTree
from taut.structure.pattern import Pattern
from taut.tables import RealRows, Reals, Wholes, held

BIAS, LOWER, UPPER, LAM = 0, 1, 2, 3
"""Rows of `BorderWork.real`: the problem of the border but for its matrix, and its multipliers."""
SIZE_STEP = 16
"""Borders are filled up to a multiple of so many rows, so that those of contacts that come and go share workspaces."""


class BorderWork(NamedTuple):
    """The fronts of an island that end at its border, and the problem that is left there: a table for kernels.

    Attributes:
        factor: Fronts; the last one is the border.
        matrix: (size * size,) its matrix, row by row; rows beyond the border are fixed at 0 and touch no others.
        real: (4, size), see BIAS.
        index_set: (size,) its labels.
        free: (n,) zeros: labels of rows that are all free.
    """

    factor: FrontFactor
    matrix: Reals
    real: RealRows
    index_set: Wholes
    free: Wholes


class Border:
    """A `BorderWork` with the handle by which kernels take it, and what is known of its pattern."""

    def __init__(self, tree: FrontTree, entries: np.ndarray, rows: int) -> None:
        """Room for a border; `entries` are those of the matrix of all `rows`."""
        size = -(-int(tree.first[-1] - tree.first[-2]) // SIZE_STEP) * SIZE_STEP
        self.pattern = full_pattern(size)
        self.structure = IslandStructure.of_pattern(self.pattern)
        self.tables = BorderWork(
            factor=FrontFactor.of(tree, entries), matrix=np.eye(size).ravel(),
            real=np.zeros((4, size)), index_set=np.zeros(size, np.int64), free=np.zeros(rows, np.int64),
        )  # fmt: skip
        self.handle = held(self.tables)


@lru_cache(maxsize=64)
def full_pattern(size: int) -> Pattern:
    """Pattern of a dense matrix; kept, so that borders of one size share what was worked out about it."""
    return Pattern(np.arange(size + 1) * size, np.tile(np.arange(size), size))
