"""Kernels of `tree.py`: bodies and primary rows put together, factored, solved for and judged."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.block_ldl_kernels import factor, solve
from taut.problem.kkt import FACTORIZATIONS, PIVOTS, RESIDUAL, SOLVED, Kkt, KktAnswer
from taut.problem.kkt_kernels import find_slack, hides_violation, judge_slack
from taut.solvers.tree.work import TreeWork
from taut.tables import Reals

REFINE_ABOVE = 1e-15
"""Slack of a primary row, over the size of the problem (see `left_open`), above which a solve is refined."""


@kernel("void(float64[:, ::1])", inner=True)
def clear_block(block):  # (6, 6)
    """Zero a block.

    Writes:  block
    """
    for r in range(6):
        line = block[r]
        for c in range(6):
            line[c] = 0.0


@kernel()
def load_tree(kkt: Kkt, work: TreeWork) -> None:
    """Put H = [[M, -J^T], [-J, -S]] of bodies and primary rows together.                            [Baraff1996, eq. 8]

    In loops S is at least the softening: a factor would not exist otherwise. What that leaves is refined.

    Writes:  diagonal and block of the work
    """
    # fields are read once: in a loop each reading would count references
    diagonal, block, given, filled = work.diagonal, work.block, work.given, work.filled
    body_position, row_position, row_slot = work.body_position, work.row_position, work.row_slot
    entry_block, entry_slot, entry_across = work.entry_block, work.entry_slot, work.entry_across
    turning, inverse_mass, compliance, jacobian = kkt.turning, kkt.inverse_mass, kkt.compliance, kkt.jacobian
    softening, own_diagonal = work.softening, kkt.diagonal
    for node in range(diagonal.shape[0]):
        if given[node] == 0:
            clear_block(diagonal[node])
    for k in range(filled.shape[0]):  # the others are written over below, or are zero for good
        clear_block(block[filled[k]])
    for body in range(body_position.shape[0]):
        node = body_position[body]
        if node >= 0:
            own, inertia, inverse = diagonal[node], turning[body], inverse_mass[body]
            mass = math.sqrt(inverse) if given[node] > 0 else 1.0 / inverse
            own[0, 0], own[1, 1], own[2, 2] = mass, mass, mass
            own[3, 3], own[3, 4], own[3, 5] = inertia[0], inertia[1], inertia[2]
            own[4, 3], own[4, 4], own[4, 5] = inertia[3], inertia[4], inertia[5]
            own[5, 3], own[5, 4], own[5, 5] = inertia[6], inertia[7], inertia[8]
    for row in range(row_position.shape[0]):
        if row_position[row] >= 0:
            least = softening[row] * own_diagonal[row]
            diagonal[row_position[row], row_slot[row], row_slot[row]] = -max(compliance[row], least)
    for entry in range(entry_block.shape[0]):
        if entry_block[entry] >= 0:
            entries, slot, j = block[entry_block[entry]], entry_slot[entry], jacobian[entry]
            if entry_across[entry] != 0:
                for i in range(6):
                    entries[i, slot] = -j[i]
            else:
                line = entries[slot]
                for i in range(6):
                    line[i] = -j[i]


@kernel(apart=True)
def factor_tree(kkt: Kkt, work: TreeWork) -> int:
    """Put H together and factor it.                                                            [Baraff1996, section 7]

    Writes:  diagonal and block of the work
    Returns: 1, or 0 where a block is not definite
    """
    load_tree(kkt, work)
    failed = factor(
        work.size, work.given, work.sign, work.below_start, work.below, work.target, work.diagonal, work.block
    )
    return 1 if failed < 0 else 0


@kernel()
def left_open(kkt: Kkt, work: TreeWork, lam: Reals, w: Reals) -> float:
    """How far primary rows are from holding.

    Returns: largest slack of a primary row over the size of the problem, both over the root of A's diagonal
    """
    worst, scale = 0.0, 1e-300
    diagonal, bias, position = kkt.diagonal, kkt.bias, work.row_position
    for row in range(lam.shape[0]):
        root = math.sqrt(diagonal[row]) if diagonal[row] > 0.0 else 1.0
        scale = max(scale, abs(bias[row]) / root, abs(lam[row]) * root)
        if row < position.shape[0] and position[row] >= 0:
            worst = max(worst, abs(w[row]) / root)
    return worst / scale


@kernel(apart=True)
def hold_primary(kkt: Kkt, work: TreeWork, lam: Reals, w_out: Reals) -> None:
    """Multipliers of the primary rows that hold against given auxiliary ones, and the slack of all rows.

        [ M  -J^T ] [  u  ]   [ J_a^T lam_a ]
        [ -J  -S  ] [ lam ] = [      b      ]                                                        [Baraff1996, eq. 8]

    Where rounding has left more than REFINE_ABOVE of a slack, what is left is solved for once more.

    Shapes:  lam, w_out (rows,); lam holds the multipliers of auxiliary rows on entry, of all rows on return
    Writes:  lam, w_out, x and change of the work
    """
    rows, position, slot, x = work.row_position.shape[0], work.row_position, work.row_slot, work.x
    entry_row, entry_body, jacobian, bias = kkt.entry_row, kkt.entry_body, kkt.jacobian, kkt.bias
    body_position = work.body_position
    for node in range(x.shape[0]):
        for i in range(6):
            x[node, i] = 0.0
    for entry in range(entry_row.shape[0]):
        row, node = entry_row[entry], body_position[entry_body[entry]]
        if node >= 0 and (row >= rows or position[row] < 0) and lam[row] != 0.0:
            for i in range(6):
                x[node, i] += jacobian[entry, i] * lam[row]
    for row in range(rows):
        if position[row] >= 0:
            x[position[row], slot[row]] = bias[row]
            lam[row] = 0.0
    for _ in range(3):
        solve(work.size, work.sign, work.below_start, work.below, work.diagonal, work.block, x)
        for row in range(rows):
            if position[row] >= 0:
                lam[row] += x[position[row], slot[row]]
        find_slack(kkt, lam, work.change, w_out)
        if left_open(kkt, work, lam, w_out) <= REFINE_ABOVE:
            break
        for node in range(x.shape[0]):
            for i in range(6):
                x[node, i] = 0.0
        for row in range(rows):
            if position[row] >= 0:
                x[position[row], slot[row]] = w_out[row]


@kernel(apart=True)
def finish_tree(kkt: Kkt, work: TreeWork, answer: KktAnswer) -> int:
    """Hold the primary rows against the auxiliary multipliers of an answer, and judge what comes out.

    Writes:  lam, w and report of the answer but for its counts, and the scratch of the work
    Returns: 1 if that is solved to the accuracy and no violation hides behind large multipliers, else 0
    """
    limits = work.limits
    hold_primary(kkt, work, answer.lam, answer.w)
    residual = judge_slack(kkt, work.island, answer.lam, answer.w, work.change, work.measure)
    solved = 0
    if residual <= limits[0] and hides_violation(work.measure, limits[1], limits[2], limits[3]) == 0:
        solved = 1
    answer.report[RESIDUAL] = residual
    answer.report[SOLVED] = solved
    return solved


@kernel(apart=True)
def solve_tree(kkt: Kkt, work: TreeWork, answer: KktAnswer) -> int:
    """Solve a problem without auxiliary rows: one factor, one solve, one certificate.                 [Baraff1996, 7]

    Writes:  index_set, lam, w and report of the answer, factor and scratch of the work
    Cost:    O(bodies + rows) on trees
    Returns: 1 if it is solved; 0 where rows are left to pivot on, the factor breaks down or leaves too much
    """
    if work.auxiliary.shape[0] > 0 or factor_tree(kkt, work) == 0:
        return 0
    index_set, lam = answer.index_set, answer.lam
    for row in range(lam.shape[0]):
        index_set[row] = 0
        lam[row] = 0.0
    answer.report[PIVOTS] = 1.0
    answer.report[FACTORIZATIONS] = 1.0
    return finish_tree(kkt, work, answer)
