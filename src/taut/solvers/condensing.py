"""Search for the index set of an island among the rows that have bounds; all others are eliminated once.

Rows without bounds, as joints have them, are free at every pivot. What is left when they are eliminated is a problem of
the border, the rows that have bounds: small and dense. Every pivot and every step of the interior-point method on it
costs what a factor of the border costs. The index set found is then tried on all rows, where it is also certified.
                                                                                  [Peiret2019, sec. 3.1; Lefebvre2020]
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from taut.linalg.fronts import FrontFactor
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart
from taut.solvers.island_workspace import (
    BORDER,
    CODE,
    FACTORIZATIONS,
    PIVOTS,
    STAGE,
    Border,
    IslandStructure,
    Workspace,
)
from taut.structure.front_tree import plant_tree
from taut.structure.pattern import Pattern
from taut.tables import held

if TYPE_CHECKING:
    from taut.solvers.block_pivoting import BlockPivoting

CERTIFYING_PIVOTS = 3
"""Pivots on all rows from the index set that was found; one is usual."""


@lru_cache(maxsize=64)
def full_pattern(size: int) -> Pattern:
    """Pattern of a dense matrix; kept, so that borders of one size share what was worked out about it."""
    return Pattern(np.arange(size + 1) * size, np.tile(np.arange(size), size))


def search_borders(solver: BlockPivoting, structure: IslandStructure, work: Workspace, warm: bool) -> int:
    """Solve the islands whose stage is BORDER; the work holds the scaled problem and where the search stands.

    Returns: number of islands that are still not solved, whatever their stage was
    """
    from taut.solvers.block_pivoting_kernels import pivot_islands, take_border
    from taut.solvers.index_set_kernels import PATIENT

    report = work.tables.report
    for island in np.flatnonzero(report[:, STAGE] == BORDER).tolist():
        search_border(solver, structure, work, island, warm)
        if not take_border(work.handle, island):
            pivot_islands(work.handle, island, island + 1, BORDER, CERTIFYING_PIVOTS, PATIENT, 0.0)
    return int(np.count_nonzero(report[:, CODE]))


def search_border(solver: BlockPivoting, structure: IslandStructure, work: Workspace, island: int, warm: bool) -> None:
    """Find an index set for one island on its border, and multipliers that go with it.

    Writes:  lam and index_set of the search, at the rows of the island
    """
    from taut.linalg.border_kernels import condense_part, expand_part

    search = work.tables.search
    begin, end = structure.symbolic.island_start[island : island + 2].tolist()
    factor, handle = border_of(structure, work, island, begin, end)
    rows = factor.tree.position[factor.tree.first[-2] :]
    size = rows.size
    matrix, bias = np.empty(size * size), np.empty(size)
    free = np.zeros(search.lam.size, np.int64)
    if condense_part(handle, begin, end, free, search.bias, matrix, bias) < 0:
        return
    problem = MlcpProblem(full_pattern(size), matrix, bias, search.lower[rows], search.upper[rows])
    start = WarmStart(search.index_set[rows], search.lam[rows]) if warm else None
    lam, index_set, pivots, factorizations = solver.find(problem, start)
    work.tables.report[island, PIVOTS] += pivots
    work.tables.report[island, FACTORIZATIONS] += factorizations
    search.index_set[begin:end] = 0
    search.index_set[rows] = index_set
    expand_part(handle, begin, end, lam, search.lam)


def border_of(structure: IslandStructure, work: Workspace, island: int, begin: int, end: int) -> Border:
    """The fronts of an island that end at the rows that have bounds now."""
    search, order = work.tables.search, structure.symbolic.order
    bounded = np.isfinite(search.lower[begin:end]) | np.isfinite(search.upper[begin:end])
    key = (island, bounded.tobytes())
    border = work.borders.get(key)
    if border is None:
        tree = structure.borders.get(key)
        if tree is None:
            late = np.zeros(search.lam.size, np.int64)
            late[order[begin:end]] = bounded
            tree = plant_tree(structure.pattern, structure.symbolic, np.array([island]), late)
            tree = structure.borders.setdefault(key, tree)
        factor = FrontFactor.of(tree, work.tables.factor.skyline.entries)
        border = work.borders[key] = Border(factor, held(factor))
    return border
