"""The residual of a solution with trees in joint coordinates, asked of the whole problem and of nothing else."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.problem.kkt import Kkt
from taut.problem.kkt_kernels import judge_slack
from taut.responses.articulated import ReducedTable
from taut.responses.articulated_kernels import rate_of
from taut.tables import Reals


@kernel(inner=True)
def imbalance_of_trees(kkt: Kkt, r: ReducedTable, lam: Reals) -> float:
    """By how much bodies of trees miss M u = J^T lam, relative to the momenta and impulses that add up to it.

    Asked of velocities and impulses together, whatever way they were found. What a light body between joints under
    tension could make of a difference of large impulses says nothing: it moves as its joints have it.

    Writes:  rhs, step
    Returns: the largest share; inf for what is not a number
    """
    trees, worst = r.trees, 0.0
    for node in range(trees.body.shape[0]):
        body, out, size = trees.body[node], r.rhs[node], r.step[node]
        mass, turning = 1.0 / kkt.inverse_mass[body], kkt.turning[body]
        for i in range(3):
            out[i], out[3 + i], size[3 + i] = mass * (r.near[body, i] + r.change[body, i]), 0.0, 0.0
            size[i] = mass * (abs(r.near[body, i]) + abs(r.change[body, i]))
            for j in range(3):
                out[3 + i] += turning[3 * i + j] * (r.near[body, 3 + j] + r.change[body, 3 + j])
                size[3 + i] += abs(turning[3 * i + j]) * (abs(r.near[body, 3 + j]) + abs(r.change[body, 3 + j]))
    for entry in range(kkt.entry_body.shape[0]):
        node = trees.node[kkt.entry_body[entry]]
        if node >= 0:
            for i in range(6):
                impulse = kkt.jacobian[entry, i] * lam[kkt.entry_row[entry]]
                r.rhs[node, i] -= impulse
                r.step[node, i] += abs(impulse)
    for node in range(trees.body.shape[0]):
        out, size, turning = r.rhs[node], r.step[node], kkt.turning[trees.body[node]]
        # angular momenta count over the radius of gyration
        radius = math.sqrt((turning[0] + turning[4] + turning[8]) * kkt.inverse_mass[trees.body[node]])
        most, missed = 0.0, 0.0
        for i in range(3):
            most += radius * size[i] + size[3 + i]
            missed += radius * abs(out[i]) + abs(out[3 + i])
        if not most < math.inf:
            return math.inf
        if most > 0.0:
            worst = max(worst, missed / most)
    return worst


@kernel(inner=True)
def openings_of_trees(kkt: Kkt, r: ReducedTable, w: Reals) -> float:
    """How fast velocities open the joints of trees, relative to the velocities that add up to it: rounding.

    What is rounding beside velocities may be all there is beside the impulses of a tree that falls freely, so these
    rows are judged here, and have no slack for the judge of the others.

    Writes:  w of rows that trees keep
    Returns: the largest share
    """
    worst = 0.0
    for node in range(r.trees.body.shape[0]):
        for row in range(r.trees.first_row[node], r.trees.first_row[node] + r.trees.row_count[node]):
            size = 0.0
            for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
                j, body = kkt.jacobian[entry], kkt.entry_body[entry]
                if r.trees.node[body] >= 0:
                    for i in range(6):
                        size += abs(j[i]) * (abs(r.near[body, i]) + abs(r.change[body, i]))
            if size > 0.0:
                worst = max(worst, abs(w[row]) / size)
            w[row] = 0.0
    return worst


@kernel(apart=True)
def certify(kkt: Kkt, r: ReducedTable, lam: Reals, w_out: Reals) -> float:
    """Residual of a solution of the whole problem: of rows at its velocities, of the joints and the balance of trees.

    Writes:  w_out (rows,), answer, rhs, step, measure
    Returns: the largest of the scaled natural residual, of openings and of imbalances; inf for what is not a number
    """
    for body in range(r.answer.shape[0]):
        for i in range(6):
            r.answer[body, i] = r.near[body, i] + r.change[body, i] if r.trees.node[body] >= 0 else 0.0
    for entry in range(kkt.entry_body.shape[0]):
        body = kkt.entry_body[entry]
        if r.trees.node[body] < 0:
            for i in range(6):
                r.answer[body, i] += kkt.response[entry, i] * lam[kkt.entry_row[entry]]
    for row in range(lam.shape[0]):
        w_out[row] = kkt.bias[row] + kkt.compliance[row] * lam[row] + rate_of(kkt, row, r.answer)
    opened = openings_of_trees(kkt, r, w_out)
    residual = judge_slack(kkt, r.island, lam, w_out, r.answer, r.measure)
    for body in range(r.answer.shape[0]):
        for i in range(6):
            r.answer[body, i] = 0.0
    missed: float = imbalance_of_trees(kkt, r, lam)
    return max(residual, opened, missed)
