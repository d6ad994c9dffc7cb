"""Compiled steps of solving part by part, each for a range of parts, so that threads can share them."""

from __future__ import annotations

import math

import taut.linalg.torn_kernels  # noqa: F401  gives TornFactor its methods
from taut.kernel import kernel
from taut.linalg.torn_kernels import complement_part
from taut.solvers.block_pivoting_kernels import pivot_part, solve_index_set
from taut.solvers.index_set_kernels import HASTY
from taut.solvers.island_kernels import give_result, take_islands
from taut.solvers.island_workspace import CODE, FIRST, INDEFINITE, SOLVED
from taut.solvers.part_coupling_work import CouplingWork
from taut.structure.cost_kernels import tiled
from taut.tables import Reals, Wholes


@kernel()
def take_parts(
    work: CouplingWork, values: Reals, bias: Reals, lower: Reals, upper: Reals, start_set: Wholes, start_lam: Reals
) -> int:
    """Take a problem and a start; see `take_islands`. Copies of interface rows are tight, and nothing is asked of them.

    Returns: 1 if every number of the parts is finite, else 0
    """
    if take_islands(work, values, bias, lower, upper, start_set, start_lam) == 0:
        return 0
    for c in range(work.interface.position.size):
        k = work.interface.position[c]
        work.search.bias[k], work.search.index_set[k] = 0.0, -1
    return 1


@kernel()
def hold_interface(work: CouplingWork, lam: Reals) -> None:
    """Fix the copies of interface rows at multipliers lam (interface rows,): b_i + G_i^T lam.    [Peiret2019, eq. 16]

    Writes:  bounds and lam of the search
    """
    search, interface = work.search, work.interface
    for c in range(interface.position.size):
        k = interface.position[c]
        x = lam[interface.border[c]] / search.scale[k]
        search.lower[k], search.upper[k], search.lam[k] = x, x, x


@kernel()
def follow_labels(work: CouplingWork, first: int, last: int) -> int:
    """Multipliers of parts first..last that their labels ask for, in or out of their bounds.    [Peiret2019, eq. 28]

    Returns: 0, or a negative number if A_FF of a part is not positive semidefinite
    """
    island_start, search = work.factor.symbolic.island_start, work.search
    for part in range(first, last):
        if solve_index_set(island_start[part], island_start[part + 1], 0.0, search, work.factor) < 0:
            return -1
    return 0


@kernel()
def pivot_parts(work: CouplingWork, first: int, last: int, limit: int) -> int:
    """Solve parts by block pivoting from the labels they have.                            [Peiret2019, eq. 16]

    Returns: parts that were not solved
    """
    for part in range(first, last):
        work.report[part, CODE] = SOLVED
    unsolved: int = pivot_part(work, first, last, FIRST, limit, HASTY, 0.0)
    return unsolved


@kernel()
def complement_parts(work: CouplingWork, first: int, last: int) -> int:
    """Bring the Schur complements of parts to their labels; see `complement_part`.

    Returns: 0, or a negative number if A_FF of a part is not positive semidefinite
    """
    island_start, search = work.factor.symbolic.island_start, work.search
    none = search.shift[:0]
    for part in range(first, last):
        begin, end = island_start[part], island_start[part + 1]
        if complement_part(work.factor, begin, end, search.index_set, search.dependent, none) < 0:
            work.report[part, CODE] = INDEFINITE
            return -1
    return 0


@kernel()
def sum_terms(work: CouplingWork, values: Reals, matrix_out: Reals) -> None:
    """S = A_GG - sum_i G_Fi A_FFi^-1 G_Fi^T, parts in their order; the labels of S are kept.    [Peiret2019, eq. 24]

    Shapes:  values (entries of A,), matrix_out (entries of the interface,)
    Writes:  matrix_out, kept
    """
    interface, fronts, scale = work.interface, work.factor.fronts, work.search.scale
    tree, storage, island_start = fronts.tree, fronts.storage, work.factor.symbolic.island_start
    for e in range(matrix_out.size):
        own = interface.own[e]
        matrix_out[e] = values[own] if own >= 0 else 0.0
    for part in range(island_start.size - 1):
        start = interface.border_start[part]
        size, t = interface.border_start[part + 1] - start, interface.term_start[part]
        if size == 0:
            continue
        offset, height = tree.offset[tree.node_begin[island_start[part + 1]] - 1], tiled(size)
        for j in range(size):
            column = storage[offset + j * height : offset + (j + 1) * height]
            root = 1.0 / scale[interface.position[start + j]]
            for i in range(j, size):
                value = column[i] * root / scale[interface.position[start + i]]
                matrix_out[interface.term[0, t]] += value
                if i > j:
                    matrix_out[interface.term[1, t]] += value
                t += 1
    for k in range(work.kept.size):
        work.kept[k] = work.search.index_set[k]


@kernel()
def measure_interface(
    work: CouplingWork, indptr: Wholes, indices: Wholes, values: Reals, bias: Reals, lower: Reals, upper: Reals,
    island: Wholes, lam: Reals, scale_out: Reals, lam_out: Reals, slack_out: Reals,
) -> float:  # fmt: skip
    """The slack that multipliers lam of the interface leave there when those of the parts follow.

    Shapes:  lam, slack_out (interface rows,); island (n,) of each row, scale_out (islands,), lam_out (n,)
    Writes:  lam_out: multipliers of all rows; slack_out; scale_out: the largest |b~| and |lam~| of each island
    Returns: the largest natural residual of interface rows, each against the scale of its island
    """
    search, interface, order = work.search, work.interface, work.factor.symbolic.order
    for i in range(scale_out.size):
        scale_out[i] = 0.0
    for k in range(order.size):
        if interface.copy[k] < 0:
            row = order[k]
            lam_out[row] = search.lam[k] * search.scale[k]
            own = island[row]
            scale_out[own] = max(scale_out[own], abs(search.bias[k]), abs(search.lam[k]))
    for j in range(lam.size):
        lam_out[interface.row[j]] = lam[j]
    worst = 0.0
    for again in range(2):  # the scale of an island is known when all its rows were seen
        for j in range(lam.size):
            row, diagonal = interface.row[j], 0.0
            if again == 0:
                w = bias[row]
                for e in range(indptr[row], indptr[row + 1]):
                    w += values[e] * lam_out[indices[e]]
                slack_out[j] = w
            for e in range(indptr[row], indptr[row + 1]):
                if indices[e] == row:
                    diagonal = abs(values[e])
            root, own = math.sqrt(diagonal) if diagonal > 0.0 else 1.0, island[row]
            if again == 0:
                scale_out[own] = max(scale_out[own], abs(bias[row]) / root, abs(root * lam[j]))
            else:
                x, w = root * lam[j], slack_out[j] / root
                violation = abs(x - min(max(x - w, root * lower[row]), root * upper[row]))
                if violation > 0.0:
                    worst = max(worst, violation / scale_out[own])
                if not violation >= 0.0:
                    return math.inf
    return worst


@kernel()
def pose_interface(indptr: Wholes, indices: Wholes, values: Reals, lam: Reals, slack: Reals, bias_out: Reals) -> None:
    """z = w - S lam.

    Writes:  bias_out
    """
    for i in range(lam.size):
        total = slack[i]
        for e in range(indptr[i], indptr[i + 1]):
            total -= values[e] * lam[indices[e]]
        bias_out[i] = total


@kernel()
def count_changes(work: CouplingWork) -> int:
    """Rows of parts whose labels are not those of S."""
    count = 0
    for k in range(work.kept.size):
        count += 1 if work.kept[k] != work.search.index_set[k] else 0
    return count


@kernel()
def store_parts(work: CouplingWork, lower: Reals, upper: Reals, lam_out: Reals, index_set_out: Wholes) -> None:
    """What the parts found; see `give_result`. Rows of the interface are left to whoever calls.

    Writes:  lam_out, index_set_out, of interface rows too
    """
    give_result(work.factor.symbolic.order, work.search, lower, upper, lam_out, index_set_out)
