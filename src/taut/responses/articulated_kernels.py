"""Kernels of `articulated.py`: reduce a KKT problem to the rows that trees leave, and recover the whole solution."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.articulated_kernels import factor_tree, solve_tree
from taut.linalg.articulated_rows import RowScratch
from taut.linalg.articulated_rows_kernels import send_down, send_up
from taut.model.articulation import AT_JOINT
from taut.problem.kkt import Kkt
from taut.problem.kkt_kernels import judge_slack
from taut.responses.articulated import ReducedTable
from taut.responses.kinematics_kernels import find_subspace
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals


@kernel("void(float64[:, ::1], float64[:, ::1])", inner=True)
def copy_rows(source, target_out):
    """Copy a matrix.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target_out[i, j] = source[i, j]


@kernel(inner=True)
def fill_blocks(kkt: Kkt, r: ReducedTable) -> None:
    """M of every node, no force on its joint yet, and what M near leaves to be balanced.

    Writes:  near, balance; block, reduced of blocks
    """
    block, reduced = r.blocks.block, r.blocks.reduced
    for body in range(r.near.shape[0]):
        for i in range(6):
            r.near[body, i] = r.guess[body, i] - r.free_velocity[body, i] if r.trees.node[body] >= 0 else 0.0
    for dof in range(reduced.shape[0]):
        for i in range(6):
            reduced[dof, i] = 0.0
    for node in range(block.shape[0]):
        body, m = r.trees.body[node], block[node]
        mass, turning, u, out = 1.0 / kkt.inverse_mass[body], kkt.turning[body], r.near[body], r.balance[node]
        for i in range(36):
            m[i] = 0.0
        for i in range(3):
            m[7 * i] = mass
            out[i], out[3 + i] = -mass * u[i], 0.0
            for j in range(3):
                m[6 * (3 + i) + 3 + j] = turning[3 * i + j]
                out[3 + i] -= turning[3 * i + j] * u[3 + j]


@kernel(inner=True)
def rate_of(kkt: Kkt, row: int, velocity: RealRows) -> float:
    """J v of a row.

    Returns: m/s or rad/s
    """
    total = 0.0
    for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
        j, v = kkt.jacobian[entry], velocity[kkt.entry_body[entry]]
        for i in range(6):
            total += j[i] * v[i]
    return total


@kernel(inner=True)
def push(kkt: Kkt, r: ReducedTable, row: int, impulse: float, rhs: RealRows) -> None:
    """Add J^T lam of a row to the nodes it touches.

    Writes:  rhs
    """
    for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
        node = r.trees.node[kkt.entry_body[entry]]
        if node >= 0:
            for i in range(6):
                rhs[node, i] += kkt.jacobian[entry, i] * impulse


@kernel(inner=True)
def absorb(kkt: Kkt, r: ReducedTable) -> None:
    """Put soft rows into the masses of their body, or of their joint:  M + J^T S^-1 J.

    Writes:  block, reduced of blocks; balance
    """
    along = vector(6)
    for k in range(r.absorbed.shape[0]):
        row, node = r.absorbed[k], r.absorbed_node[k]
        j, weight = kkt.jacobian[r.absorbed_entry[k]], 1.0 / kkt.compliance[row]
        push(kkt, r, row, -weight * (kkt.bias[row] + rate_of(kkt, row, r.near)), r.balance)
        if r.trees.role[row] != AT_JOINT:
            m = r.blocks.block[node]
            for a in range(6):
                for b in range(6):
                    m[6 * a + b] += weight * j[a] * j[b]
            continue
        start, freedom = r.trees.dof_start[node], r.trees.dof_start[node + 1] - r.trees.dof_start[node]
        for a in range(freedom):
            along[a] = 0.0
            for i in range(6):
                along[a] += j[i] * r.blocks.subspace[start + a, i]
        for a in range(freedom):
            for b in range(freedom):
                r.blocks.reduced[start + a, b] += weight * along[a] * along[b]


@kernel(inner=True)
def cross(kkt: Kkt, r: ReducedTable) -> None:
    """Soft rows between nodes that no joint connects, as springs across the tree.

    Writes:  cross_jacobian, cross_weight of blocks; balance
    """
    blocks = r.blocks
    for k in range(r.crossing.shape[0]):
        row = r.crossing[k]
        weight = 1.0 / kkt.compliance[row]
        blocks.cross_weight[k] = weight
        push(kkt, r, row, -weight * (kkt.bias[row] + rate_of(kkt, row, r.near)), r.balance)
    for entry in range(r.crossing_entry.shape[0]):
        for i in range(6):
            blocks.cross_jacobian[entry, i] = kkt.jacobian[r.crossing_entry[entry], i]


@kernel(inner=True)
def shared_response(kkt: Kkt, r: ReducedTable, row: int, other: int) -> float:
    """What two rows feel of each other at bodies in maximal coordinates.

    Returns: J M^-1 J^T of these bodies
    """
    total = 0.0
    for e in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
        body = kkt.entry_body[e]
        if r.trees.node[body] < 0:
            for f in range(kkt.entry_start[other], kkt.entry_start[other + 1]):
                if kkt.entry_body[f] == body:
                    for i in range(6):
                        total += kkt.response[e, i] * kkt.jacobian[f, i]
    return total


@kernel(apart=True)
def fill_columns(kkt: Kkt, r: ReducedTable, work: RowScratch, first: int, last: int) -> None:
    """A = G H^-1 G^T + S of the rows that are kept, columns first to last from the diagonal on.

    Writes:  values, work                                                                     [Baxter2019, section 3.4]
    """
    rows = r.rows
    for k in range(first, last):
        send_up(r.blocks, r.factor, rows, work, k)
        for e in range(rows.row_start[k], rows.row_start[k + 1]):
            tree = rows.tree[rows.row_node[e]]
            if work.met[tree] != k + 1:
                work.met[tree] = k + 1
                send_down(r.blocks, r.factor, rows, work, tree)
        for place in range(r.indptr[k], r.indptr[k + 1]):
            other = r.indices[place]
            if other < k:
                continue
            total = kkt.compliance[r.kept[k]] if other == k else 0.0
            for e in range(rows.row_start[other], rows.row_start[other + 1]):
                node = rows.row_node[e]
                if work.met[rows.tree[node]] == k + 1:
                    for i in range(6):
                        total += rows.row_jacobian[e, i] * work.velocity[node, i]
            r.values[place] = total + shared_response(kkt, r, r.kept[k], r.kept[other])


@kernel(inner=True)
def mirror(r: ReducedTable) -> None:
    """Fill in A below its diagonal; entries of a row are in rising order.

    Writes:  values, next
    """
    for k in range(r.kept.shape[0]):
        r.next[k] = r.indptr[k]
    for k in range(r.kept.shape[0]):
        for place in range(r.indptr[k], r.indptr[k + 1]):
            other = r.indices[place]
            if other > k:
                r.values[r.next[other]] = r.values[place]
                r.next[other] += 1


@kernel(inner=True)
def take_rows(kkt: Kkt, r: ReducedTable) -> None:
    """Rows that are kept, at the nodes of trees, and their b.

    Writes:  row_jacobian of rows, bias
    """
    for e in range(r.kept_entry.shape[0]):
        for i in range(6):
            r.rows.row_jacobian[e, i] = kkt.jacobian[r.kept_entry[e], i]
    for k in range(r.kept.shape[0]):
        row = r.kept[k]
        r.bias[k] = kkt.bias[row] + rate_of(kkt, row, r.near)
        for e in range(r.rows.row_start[k], r.rows.row_start[k + 1]):
            body = r.trees.body[r.rows.row_node[e]]
            for i in range(6):
                r.bias[k] += r.rows.row_jacobian[e, i] * r.change[body, i]


@kernel(inner=True)
def solve_all(r: ReducedTable) -> None:
    """Rates of all joints under the impulses in `rhs`, with one correction by what the first leaves in the balance.

    The correction makes up for what long chains of light and heavy bodies lose to rounding.

    Writes:  change of bodies in trees, rate, rate_step, step, force
    """
    blocks, trees = r.blocks, r.trees
    solve_tree(blocks, r.factor, r.rhs, r.zero, r.force, r.rate)
    for node in range(trees.body.shape[0]):
        m, v = blocks.block[node], r.force[node]
        for i in range(6):
            total = r.rhs[node, i]
            for j in range(6):
                total -= m[6 * i + j] * v[j]
            r.step[node, i] = total
            r.change[trees.body[node], i] = v[i]
        start, end = trees.dof_start[node], trees.dof_start[node + 1]
        for a in range(start, end):
            r.rate_step[a] = 0.0
            for b in range(start, end):
                r.rate_step[a] -= blocks.reduced[a, b - start] * r.rate[b]
    solve_tree(blocks, r.factor, r.step, r.rate_step, r.step, r.rate_step)
    for node in range(trees.body.shape[0]):
        for i in range(6):
            r.change[trees.body[node], i] += r.step[node, i]


@kernel(apart=True)
def reduce(kkt: Kkt, r: ReducedTable) -> int:
    """Eliminate what trees keep by themselves, and write out A and b of the rows that are left.

    Writes:  all but lam
    Returns: number of pivots that are not positive
    """
    find_subspace(r.trees, r.places, r.blocks.arm, r.blocks.subspace)
    fill_blocks(kkt, r)
    absorb(kkt, r)
    cross(kkt, r)
    bad: int = factor_tree(r.blocks, r.factor)
    if bad == 0 and r.kept.shape[0] > 0:
        copy_rows(r.balance, r.rhs)
        solve_all(r)
        take_rows(kkt, r)
        for tree in range(r.scratch.met.shape[0]):
            r.scratch.met[tree] = 0
        fill_columns(kkt, r, r.scratch, 0, r.kept.shape[0])
        mirror(r)
    return bad


@kernel(inner=True)
def find_joint_impulses(kkt: Kkt, r: ReducedTable, lam_out: Reals) -> None:
    """Impulses of the rows that trees keep: what bodies miss in their balance, summed from the leaves to the root.

        J_E^T lam_E = M u - J_K^T lam_K - J_s^T lam_s         at a body and all that hangs on it

    Writes:  lam_out of these rows, force
    """
    trees, arm = r.trees, r.blocks.arm
    g, rhs = matrix(6, 6), vector(6)
    for node in range(trees.body.shape[0] - 1, -1, -1):
        w, parent = r.force[node], trees.parent[node]
        if parent >= 0:
            up, x, y, z = r.force[parent], arm[node, 0], arm[node, 1], arm[node, 2]
            up[0] += w[0]
            up[1] += w[1]
            up[2] += w[2]
            up[3] += w[3] + y * w[2] - z * w[1]
            up[4] += w[4] + z * w[0] - x * w[2]
            up[5] += w[5] + x * w[1] - y * w[0]
        first, count = trees.first_row[node], trees.row_count[node]
        # normal equations of J^T lam = w with the rows' blocks at the body
        for a in range(count):
            ja = kkt.jacobian[block_at(kkt, first + a, trees.body[node])]
            rhs[a] = 0.0
            for i in range(6):
                rhs[a] += ja[i] * w[i]
            for b in range(a + 1):
                jb = kkt.jacobian[block_at(kkt, first + b, trees.body[node])]
                g[a, b] = 0.0
                for i in range(6):
                    g[a, b] += ja[i] * jb[i]
        solve_small(count, g, rhs)
        for a in range(count):
            lam_out[first + a] = rhs[a]


@kernel(inner=True)
def block_at(kkt: Kkt, row: int, body: int) -> int:
    """The Jacobian block of a row at one of its bodies.

    Returns: its number
    """
    entry: int = kkt.entry_start[row]
    while kkt.entry_body[entry] != body:
        entry += 1
    return entry


@kernel("void(int64, float64[:, ::1], float64[::1])", inner=True)
def solve_small(size, lower, rhs):
    """Solve a positive definite system by Cholesky, from its lower triangle.

    Writes:  lower, rhs
    """
    for i in range(size):
        for j in range(i + 1):
            total = lower[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = total / lower[j, j] if j < i else total**0.5
        total = rhs[i]
        for k in range(i):
            total -= lower[i, k] * rhs[k]
        rhs[i] = total / lower[i, i]
    for i in range(size - 1, -1, -1):
        total = rhs[i]
        for k in range(i + 1, size):
            total -= lower[k, i] * rhs[k]
        rhs[i] = total / lower[i, i]


@kernel(inner=True)
def imbalance_of_trees(kkt: Kkt, r: ReducedTable, lam: Reals) -> float:
    """By how much bodies of trees miss M u = J^T lam, relative to the momenta and impulses that add up to it.

    Asked of velocities and impulses together, whatever way they were found. What a light body between joints under
    tension could make of a difference of large impulses says nothing: it moves as its joints have it.

    Writes:  rhs, step
    Returns: the largest share
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
    return max(residual, opened, imbalance_of_trees(kkt, r, lam))


@kernel(inner=True)
def stretch(kkt: Kkt, r: ReducedTable, row: int, lam_out: Reals) -> None:
    """The impulse of a soft row that was absorbed, lam = -(J u + b) / S, taken off the force.

    Writes:  lam_out of the row, force
    """
    rate = kkt.bias[row] + rate_of(kkt, row, r.near) + rate_of(kkt, row, r.change)
    lam_out[row] = -rate / kkt.compliance[row]
    push(kkt, r, row, -lam_out[row], r.force)


@kernel(apart=True)
def recover(kkt: Kkt, r: ReducedTable, lam_out: Reals) -> None:
    """Velocities of trees, and the impulses of all rows, from those of the rows that were left.

    Writes:  change, rhs, rate, force, step; lam_out (rows,)
    """
    trees = r.trees
    copy_rows(r.balance, r.rhs)
    for k in range(r.kept.shape[0]):
        lam_out[r.kept[k]] = r.lam[k]
        push(kkt, r, r.kept[k], r.lam[k], r.rhs)
    solve_all(r)
    for node in range(trees.body.shape[0]):
        body, out = trees.body[node], r.force[node]
        mass, turning = 1.0 / kkt.inverse_mass[body], kkt.turning[body]
        for i in range(3):
            out[i], out[3 + i] = mass * (r.near[body, i] + r.change[body, i]), 0.0
            for j in range(3):
                out[3 + i] += turning[3 * i + j] * (r.near[body, 3 + j] + r.change[body, 3 + j])
    for k in range(r.kept.shape[0]):
        push(kkt, r, r.kept[k], -r.lam[k], r.force)
    for k in range(r.absorbed.shape[0]):
        stretch(kkt, r, r.absorbed[k], lam_out)
    for k in range(r.crossing.shape[0]):
        stretch(kkt, r, r.crossing[k], lam_out)
    find_joint_impulses(kkt, r, lam_out)
