"""Compiled search for the index set of an island on its border, see `condensing`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.border_kernels import condense_part, expand_part
from taut.solvers.block_pivoting_kernels import solve_islands, take_border
from taut.solvers.condensing_tables import BIAS, LAM, LOWER, UPPER, BorderWork
from taut.solvers.island_workspace import CODE, FACTORIZATIONS, INDEFINITE, PIVOTS, SkylineWork


@kernel(apart=True)
def adopt_border(work: SkylineWork, border: BorderWork, island: int) -> int:
    """Take the index set of the border for the island, and the multipliers of all rows that follow.

    Writes:  index_set, lam and w of the search, at the rows of the island; its CODE
    Returns: 1 if that solves the island, else 0; see `take_border`
    """
    search, tree = work.search, border.factor.tree
    island_start = work.factor.symbolic.island_start
    begin, end = island_start[island], island_start[island + 1]
    expand_part(border.factor, begin, end, border.real[LAM], search.lam)
    for k in range(begin, end):
        search.index_set[k] = 0
    start = tree.first[tree.node_begin[end] - 1]
    for c in range(start, tree.first[tree.node_begin[end]]):
        search.index_set[tree.position[c]] = border.index_set[c - start]
    exact: int = take_border(work, island)
    return exact


@kernel()
def search_border(work: SkylineWork, border: BorderWork, inner: SkylineWork, island: int, limit: int) -> int:
    """Eliminate all rows of an island but those of its border, and pivot on these.

    Writes:  the border; `inner`, where its problem is pivoted on; of the island in the work what `adopt_border` writes,
             pivots and factorisations
    Returns: 1 if the island is solved, 0 if the border has more to find out, -1 if that makes no sense
    """
    search, tree = work.search, border.factor.tree
    island_start = work.factor.symbolic.island_start
    begin, end = island_start[island], island_start[island + 1]
    dependent = condense_part(border.factor, begin, end, border.free, search.bias, border.matrix, border.real[BIAS])
    if dependent < 0:
        work.report[island, CODE] = INDEFINITE
        return -1
    start = tree.first[tree.node_begin[end] - 1]
    for j in range(tree.first[tree.node_begin[end]] - start):
        k = tree.position[start + j]
        border.real[LOWER, j], border.real[UPPER, j] = search.lower[k], search.upper[k]
        border.real[LAM, j], border.index_set[j] = search.lam[k], search.index_set[k]
    for j in range(tree.first[tree.node_begin[end]] - start, border.index_set.size):
        border.real[BIAS, j] = border.real[LOWER, j] = border.real[UPPER, j] = border.real[LAM, j] = 0.0
        border.index_set[j] = -1
    unsolved = solve_islands(
        inner, border.matrix, border.real[BIAS], border.real[LOWER], border.real[UPPER], border.index_set,
        border.real[LAM], limit, border.real[LAM], border.index_set,
    )  # fmt: skip
    for k in range(inner.report.shape[0]):
        work.report[island, PIVOTS] += inner.report[k, PIVOTS]
        work.report[island, FACTORIZATIONS] += inner.report[k, FACTORIZATIONS]
    if unsolved != 0:
        return -1 if unsolved < 0 else 0
    exact: int = adopt_border(work, border, island)
    return exact
