"""The residual of a solution with trees in joint coordinates, asked of the whole problem and of nothing else."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.problem.kkt import Kkt
from taut.problem.kkt_kernels import judge_slack
from taut.responses.articulated import ReducedTable
from taut.table_types import vector
from taut.tables import Reals


@kernel(inner=True)
def begin_balance(kkt: Kkt, r: ReducedTable) -> None:
    """Velocities u of all bodies of trees, their momenta M u, and the sizes of what adds up to both.

    Writes:  answer, size (n, 2) of the largest velocity and rate of turn, rhs, step (nodes, 6) of momenta
    """
    a = vector(6)
    for body in range(r.answer.shape[0]):
        r.size[body, 0], r.size[body, 1] = 0.0, 0.0
        for i in range(6):
            r.answer[body, i] = 0.0
    for node in range(r.trees.body.shape[0]):
        body = r.trees.body[node]
        near, change, u = r.near[body], r.change[body], r.answer[body]
        for i in range(6):
            u[i], a[i] = near[i] + change[i], abs(near[i]) + abs(change[i])
        r.size[body, 0], r.size[body, 1] = max(a[0], a[1], a[2]), max(a[3], a[4], a[5])
        mass, t, out, size = 1.0 / kkt.inverse_mass[body], kkt.turning[body], r.rhs[node], r.step[node]
        for i in range(3):
            out[i], size[i] = mass * u[i], mass * a[i]
            out[3 + i] = t[3 * i] * u[3] + t[3 * i + 1] * u[4] + t[3 * i + 2] * u[5]
            size[3 + i] = abs(t[3 * i]) * a[3] + abs(t[3 * i + 1]) * a[4] + abs(t[3 * i + 2]) * a[5]


@kernel(inner=True)
def weigh_row(kkt: Kkt, r: ReducedTable, row: int, impulse: float, sums_out: Reals) -> None:
    """J u of a row with the size of what adds up to it, and its impulses taken off the momenta of its bodies.

    Writes:  sums_out (2,) J u and its size; rhs, step
    """
    rate, most = 0.0, 0.0
    for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
        body = kkt.entry_body[entry]
        j, u, a, node = kkt.jacobian[entry], r.answer[body], r.size[body], r.trees.node[body]
        j0, j1, j2, j3, j4, j5 = j[0], j[1], j[2], j[3], j[4], j[5]
        rate += (j0 * u[0] + j1 * u[1] + j2 * u[2]) + (j3 * u[3] + j4 * u[4] + j5 * u[5])
        if node < 0:
            continue
        s0, s1, s2, s3, s4, s5 = abs(j0), abs(j1), abs(j2), abs(j3), abs(j4), abs(j5)
        most += (s0 + s1 + s2) * a[0] + (s3 + s4 + s5) * a[1]
        out, size, push = r.rhs[node], r.step[node], abs(impulse)
        o0, o1, o2 = out[0] - j0 * impulse, out[1] - j1 * impulse, out[2] - j2 * impulse
        o3, o4, o5 = out[3] - j3 * impulse, out[4] - j4 * impulse, out[5] - j5 * impulse
        p0, p1, p2 = size[0] + s0 * push, size[1] + s1 * push, size[2] + s2 * push
        p3, p4, p5 = size[3] + s3 * push, size[4] + s4 * push, size[5] + s5 * push
        out[0], out[1], out[2], out[3], out[4], out[5] = o0, o1, o2, o3, o4, o5
        size[0], size[1], size[2], size[3], size[4], size[5] = p0, p1, p2, p3, p4, p5
    sums_out[0], sums_out[1] = rate, most


@kernel(inner=True)
def imbalance_of_trees(kkt: Kkt, r: ReducedTable) -> float:
    """By how much bodies of trees miss M u = J^T lam, relative to the momenta and impulses that add up to it.

    Asked of velocities and impulses together, whatever way they were found. What a light body between joints under
    tension could make of a difference of large impulses says nothing: most of that joints take up.

    Returns: the largest share; inf for what is not a number
    """
    trees, worst = r.trees, 0.0
    for node in range(trees.body.shape[0]):
        out, size, turning = r.rhs[node], r.step[node], kkt.turning[trees.body[node]]
        # angular momenta count over the radius of gyration
        radius = math.sqrt((turning[0] + turning[4] + turning[8]) * kkt.inverse_mass[trees.body[node]])
        most = radius * (size[0] + size[1] + size[2]) + (size[3] + size[4] + size[5])
        missed = radius * (abs(out[0]) + abs(out[1]) + abs(out[2])) + (abs(out[3]) + abs(out[4]) + abs(out[5]))
        if not most < math.inf:
            return math.inf
        if missed > worst * most:
            worst = missed / most
    return worst


@kernel(inner=True)
def openings_of_trees(kkt: Kkt, r: ReducedTable, lam: Reals, w_out: Reals) -> float:
    """How fast velocities open the joints of trees, relative to the velocities of their bodies: rounding.

    A velocity of a body counts along all axes: those of joints and of rows are rounded each in its own way. What is
    rounding beside velocities may be all there is beside the impulses of a tree that falls freely, so these rows are
    judged here, and have no slack for the judge of the others. Their impulses are taken off the momenta.

    Writes:  w_out of rows that trees keep, rhs, step
    Returns: the largest share
    """
    worst, sums = 0.0, vector(2)
    for node in range(r.trees.body.shape[0]):
        for row in range(r.trees.first_row[node], r.trees.first_row[node] + r.trees.row_count[node]):
            weigh_row(kkt, r, row, lam[row], sums)
            opened = abs(kkt.bias[row] + sums[0])
            if opened > worst * sums[1]:
                worst = opened / sums[1]
            w_out[row] = 0.0 * opened  # what is not a number stays so
    return worst


@kernel(inner=True)
def weigh_others(kkt: Kkt, r: ReducedTable, lam: Reals, w_out: Reals) -> None:
    """Slack of the rows that trees do not keep; their impulses are taken off the momenta.

    Writes:  w_out of these rows, rhs, step
    """
    sums = vector(2)
    for k in range(r.others.shape[0]):
        row = r.others[k]
        weigh_row(kkt, r, row, lam[row], sums)
        w_out[row] = kkt.bias[row] + kkt.compliance[row] * lam[row] + sums[0]


@kernel(apart=True)
def certify(kkt: Kkt, r: ReducedTable, lam: Reals, w_out: Reals) -> float:
    """Residual of a solution of the whole problem: of rows at its velocities, of the joints and the balance of trees.

    Writes:  w_out (rows,), answer, size, rhs, step, measure
    Returns: the largest of the scaled natural residual, of openings and of imbalances; inf for what is not a number
    """
    begin_balance(kkt, r)
    for k in range(r.loose.shape[0]):
        entry = r.loose[k]
        u, impulse = r.answer[kkt.entry_body[entry]], lam[kkt.entry_row[entry]]
        for i in range(6):
            u[i] += kkt.response[entry, i] * impulse
    opened = openings_of_trees(kkt, r, lam, w_out)
    weigh_others(kkt, r, lam, w_out)
    residual = judge_slack(kkt, r.island, lam, w_out, r.answer, r.measure)
    missed: float = imbalance_of_trees(kkt, r)
    return max(residual, opened, missed)
