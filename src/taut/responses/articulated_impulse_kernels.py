"""The way back from the rows that trees leave: velocities of trees, and the impulses of all rows."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import Kkt
from taut.responses.articulated import ReducedTable
from taut.responses.articulated_kernels import copy_rows, push, rate_of, solve_all
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals, Wholes


@kernel(inner=True)
def solve_small(size: int, lower: RealRows, rhs: Reals) -> None:
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
def point_of(kkt: Kkt, blocks: Wholes, count: int) -> float:
    """Whether the first three of a joint's rows hold a point along the world's axes, and no other holds any.

    Shapes:  blocks (6,) their Jacobian blocks at the body
    Returns: 1 or -1 for the body's side of the joint, 0 if not so
    """
    if count < 3:
        return 0.0
    sign = kkt.jacobian[blocks[0], 0]
    for a in range(count):
        j = kkt.jacobian[blocks[a]]
        x, y, z = sign if a == 0 else 0.0, sign if a == 1 else 0.0, sign if a == 2 else 0.0
        if j[0] != x or j[1] != y or j[2] != z:
            return 0.0
    return sign if abs(sign) == 1.0 else 0.0


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
        first, count, blocks = trees.first_row[node], trees.row_count[node], r.joint_entry[node]
        done, w3, w4, w5 = 0, w[3], w[4], w[5]
        sign = point_of(kkt, blocks, count)
        if sign != 0.0:
            # the impulse at the point is known, and what it turns is not the others' to balance
            done = 3
            for a in range(3):
                j, lam = kkt.jacobian[blocks[a]], sign * w[a]
                w3, w4, w5, lam_out[first + a] = w3 - lam * j[3], w4 - lam * j[4], w5 - lam * j[5], lam
        # normal equations of J^T lam = w with the rows' blocks at the body
        for a in range(done, count):
            j = kkt.jacobian[blocks[a]]
            rhs[a - done] = (j[0] * w[0] + j[1] * w[1] + j[2] * w[2]) + (j[3] * w3 + j[4] * w4 + j[5] * w5)
            for b in range(done, a + 1):
                o = kkt.jacobian[blocks[b]]
                product = (j[0] * o[0] + j[1] * o[1] + j[2] * o[2]) + (j[3] * o[3] + j[4] * o[4] + j[5] * o[5])
                g[a - done, b - done] = product
        solve_small(count - done, g, rhs)
        for a in range(done, count):
            lam_out[first + a] = rhs[a - done]


@kernel(inner=True)
def stretch(kkt: Kkt, r: ReducedTable, row: int, lam_out: Reals) -> None:
    """The impulse of a soft row that was absorbed, lam = -(J u + b) / S, taken off the force.

    Writes:  lam_out of the row, force
    """
    rate = kkt.bias[row] + rate_of(kkt, row, r.near) + rate_of(kkt, row, r.change)
    lam_out[row] = -rate / kkt.compliance[row]
    push(kkt, r, row, -lam_out[row], r.force)


@kernel()
def gather(kkt: Kkt, r: ReducedTable, lam_out: Reals) -> None:
    """Impulses of the rows that are kept, where they act.

    Writes:  rhs; lam_out (rows,) of these rows
    """
    copy_rows(r.balance, r.rhs)
    for k in range(r.kept.shape[0]):
        lam_out[r.kept[k]] = r.lam[k]
        push(kkt, r, r.kept[k], r.lam[k], r.rhs)


@kernel(apart=True)
def complete(kkt: Kkt, r: ReducedTable, lam_out: Reals) -> None:
    """Impulses of soft rows and of joints from the velocities of trees.

    Writes:  lam_out (rows,) of these rows, force
    """
    trees = r.trees
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


@kernel(apart=True)
def recover(kkt: Kkt, r: ReducedTable, lam_out: Reals) -> None:
    """Velocities of trees, and the impulses of all rows, from those of the rows that were left.

    Writes:  change, rhs, rate, force, step; lam_out (rows,)
    """
    gather(kkt, r, lam_out)
    solve_all(kkt, r)
    complete(kkt, r, lam_out)
