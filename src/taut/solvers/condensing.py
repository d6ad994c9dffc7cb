"""Search for the index set of an island among the rows that have bounds; all others are eliminated once.

Rows without bounds, as joints have them, are free at every pivot. What is left when they are eliminated is a problem of
the border, the rows that have bounds: small and dense. Every pivot and every step of the interior-point method on it
costs what a factor of the border costs. The index set found is then certified on all rows.     [Peiret2019, sec. 3.1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart
from taut.solvers.condensing_tables import BIAS, LAM, LOWER, UPPER, Border
from taut.solvers.island_workspace import BORDER, CODE, FACTORIZATIONS, PIVOTS, STAGE, IslandStructure, Workspace
from taut.structure.front_tree import plant_tree

if TYPE_CHECKING:
    from taut.solvers.block_pivoting import BlockPivoting

CERTIFYING_PIVOTS = 3
"""Pivots on all rows from the index set that was found, where that is not exact; one is usual."""
KEPT_BORDERS = 16
"""Borders that a workspace keeps beside one an island: those with bounds at other rows."""


def search_borders(solver: BlockPivoting, structure: IslandStructure, work: Workspace, warm: bool) -> int:
    """Solve the islands whose stage is BORDER; the work holds the scaled problem and where the search stands.

    Returns: number of islands that are still not solved, whatever their stage was
    """
    from taut.solvers.block_pivoting_kernels import pivot_islands
    from taut.solvers.condensing_kernels import adopt_border, search_border
    from taut.solvers.index_set_kernels import HASTY, PATIENT

    report = work.tables.report
    limit = solver.warm_pivots if warm else solver.cold_pivots
    for island in np.flatnonzero(report[:, STAGE] == BORDER).tolist():
        border = border_of(structure, work, island)
        rows = slice(*structure.symbolic.island_start[island : island + 2].tolist())
        before = work.tables.search.lam[rows].copy()
        with border.structure.lent() as inner:
            solved = search_border(work.handle, border.handle, inner.handle, island, limit)
            if solved == 0:
                iterate_border(solver, work, border, inner, island, warm)
                solved = adopt_border(work.handle, border.handle, island)
        if solved == 0:
            # multipliers of rows that depend on others may have run off on the border
            work.tables.search.lam[rows] = before
            pivot_islands(work.handle, island, island + 1, BORDER, CERTIFYING_PIVOTS, PATIENT, 0.0)
        elif solved < 0:
            pivot_islands(work.handle, island, island + 1, BORDER, limit, HASTY, 0.0)
    return int(np.count_nonzero(report[:, CODE]))


def iterate_border(
    solver: BlockPivoting, work: Workspace, border: Border, inner: Workspace, island: int, warm: bool
) -> None:
    """Go on with the interior-point method on a border where pivots do not end.

    Writes:  multipliers and labels of the border
    """
    tables, report = border.tables, work.tables.report
    problem = MlcpProblem(border.pattern, tables.matrix, tables.real[BIAS], tables.real[LOWER], tables.real[UPPER])
    start = WarmStart(tables.index_set, tables.real[LAM]) if warm else None
    found = solver.iterate(problem, inner, start)
    tables.real[LAM], tables.index_set[:] = found.lam, found.index_set
    report[island, PIVOTS] += found.iterations
    report[island, FACTORIZATIONS] += found.factorizations


def border_of(structure: IslandStructure, work: Workspace, island: int) -> Border:
    """The fronts of an island that end at the rows that have bounds now."""
    search, symbolic = work.tables.search, structure.symbolic
    begin, end = symbolic.island_start[island : island + 2].tolist()
    bounded = np.isfinite(search.lower[begin:end]) | np.isfinite(search.upper[begin:end])
    key = (island, bounded.tobytes())
    border = work.borders.get(key)
    if border is None:
        late = np.zeros(symbolic.size, np.int64)
        late[symbolic.order[begin:end]] = bounded
        tree = plant_tree(structure.pattern, symbolic, np.array([island]), late)
        border = Border(tree, work.tables.factor.plain.entries, symbolic.size)
        if len(work.borders) == KEPT_BORDERS + symbolic.island_count:
            work.borders.clear()
        work.borders[key] = border
    return border
