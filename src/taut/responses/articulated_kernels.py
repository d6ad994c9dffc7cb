"""Kernels of `articulated.py`: reduce a KKT problem to the rows that trees leave, and recover the whole solution."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated_kernels import factor_tree, pass_velocity, solve_tree, sum_load, times_j
from taut.linalg.articulated_rows_kernels import respond
from taut.model.articulation import AT_JOINT
from taut.problem.kkt import Kkt
from taut.responses.articulated import ReducedTable
from taut.responses.kinematics_kernels import find_subspace
from taut.table_types import vector
from taut.tables import RealRows


@kernel(inner=True)
def copy_rows(source: RealRows, target_out: RealRows) -> None:
    """Copy a matrix.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target_out[i, j] = source[i, j]


@kernel(inner=True)
def fill_blocks(kkt: Kkt, r: ReducedTable) -> None:
    """M of every node, no force on its joint yet, and what M near leaves to be balanced.

    Writes:  balance; block, reduced of blocks; change of bodies in maximal coordinates, which is nothing
    """
    block, reduced = r.blocks.block, r.blocks.reduced
    for body in range(r.change.shape[0]):
        if r.trees.node[body] < 0:
            for i in range(6):
                r.change[body, i] = 0.0
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


@kernel()
def take_response(r: ReducedTable, response: RealRows) -> None:
    """What rows feel of each other through trees (k, k), put where A has room for it, from the diagonal on.

    Writes:  values
    """
    for k in range(r.kept.shape[0]):
        for place in range(r.indptr[k], r.indptr[k + 1]):
            if r.indices[place] >= k:
                r.values[place] = response[k, r.indices[place]]


@kernel()
def add_bodies(kkt: Kkt, r: ReducedTable) -> None:
    """Add to A, from the diagonal on, the compliance of rows and what they feel of bodies in maximal coordinates.

    Writes:  values
    """
    for k in range(r.kept.shape[0]):
        row = r.kept[k]
        apart = r.rows.row_start[k + 1] - r.rows.row_start[k] < kkt.entry_start[row + 1] - kkt.entry_start[row]
        for place in range(r.indptr[k], r.indptr[k + 1]):
            other = r.indices[place]
            if other == k:
                r.values[place] += kkt.compliance[row]
            if apart and other >= k:
                r.values[place] += shared_response(kkt, r, row, r.kept[other])


@kernel()
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


@kernel()
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
def leave_masses(kkt: Kkt, r: ReducedTable, node: int) -> None:
    """What the impulses of a node leave beside M v of its body and the force of its joint, v being in `force`.

    Writes:  step, rate_step of the node
    """
    body, v, given, left = r.trees.body[node], r.force[node], r.rhs[node], r.step[node]
    mass, t = 1.0 / kkt.inverse_mass[body], kkt.turning[body]
    v3, v4, v5 = v[3], v[4], v[5]
    l0, l1, l2 = given[0] - mass * v[0], given[1] - mass * v[1], given[2] - mass * v[2]
    l3 = given[3] - (t[0] * v3 + t[1] * v4 + t[2] * v5)
    l4 = given[4] - (t[3] * v3 + t[4] * v4 + t[5] * v5)
    l5 = given[5] - (t[6] * v3 + t[7] * v4 + t[8] * v5)
    left[0], left[1], left[2], left[3], left[4], left[5] = l0, l1, l2, l3, l4, l5
    start, end = r.trees.dof_start[node], r.trees.dof_start[node + 1]
    for a in range(start, end):
        total = 0.0
        for b in range(start, end):
            total -= r.blocks.reduced[a, b - start] * r.rate[b]
        r.rate_step[a] = total


@kernel(inner=True)
def leave_springs(kkt: Kkt, r: ReducedTable) -> None:
    """What soft rows that the masses of bodies have absorbed take of their impulses, v being in `force`.

    Writes:  step
    """
    for k in range(r.absorbed.shape[0]):
        if r.trees.role[r.absorbed[k]] != AT_JOINT:
            v, left, j = r.force[r.absorbed_node[k]], r.step[r.absorbed_node[k]], kkt.jacobian[r.absorbed_entry[k]]
            rate = (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]) + (j[3] * v[3] + j[4] * v[4] + j[5] * v[5])
            impulse = rate / kkt.compliance[r.absorbed[k]]
            for i in range(6):
                left[i] -= impulse * j[i]


@kernel(apart=True)
def solve_all(kkt: Kkt, r: ReducedTable) -> None:
    """Rates of all joints under the impulses in `rhs`, with one correction by what the first leaves in the balance.

    The correction makes up for what long chains of light and heavy bodies lose to rounding.

    Writes:  change of bodies in trees, rate, rate_step, step, force
    """
    blocks, count = r.blocks, r.trees.body.shape[0]
    copy_rows(r.rhs, r.force)
    for dof in range(r.rate.shape[0]):
        r.rate[dof] = 0.0
    for node in range(count - 1, -1, -1):
        sum_load(blocks, r.factor, node, r.rate, r.force)
    for node in range(count):
        pass_velocity(blocks, r.factor, node, r.rate, r.force)
        leave_masses(kkt, r, node)
    leave_springs(kkt, r)
    for node in range(count - 1, -1, -1):
        sum_load(blocks, r.factor, node, r.rate_step, r.step)
    for node in range(count):
        pass_velocity(blocks, r.factor, node, r.rate_step, r.step)
        v, d, out = r.force[node], r.step[node], r.change[r.trees.body[node]]
        for i in range(6):
            out[i] = v[i] + d[i]


@kernel()
def prepare(kkt: Kkt, r: ReducedTable) -> None:
    """The numbers of H, and the impulses that act without rows that are kept.

    Writes:  blocks, balance
    """
    find_subspace(r.trees, r.places, r.blocks.arm, r.blocks.subspace)
    fill_blocks(kkt, r)
    absorb(kkt, r)
    cross(kkt, r)


@kernel()
def take_rates(r: ReducedTable) -> None:
    """Changes of velocity that rates of joints make: J_mr y.

    Writes:  change of bodies in trees, force
    """
    times_j(r.blocks, r.rate, r.force)
    for node in range(r.trees.body.shape[0]):
        for i in range(6):
            r.change[r.trees.body[node], i] = r.force[node, i]


@kernel()
def begin_reduction(kkt: Kkt, r: ReducedTable) -> int:
    """Eliminate what trees keep by themselves, up to A of the rows that are left.

    Writes:  blocks, factor, balance, change, bias, row_jacobian of rows
    Returns: number of pivots that are not positive
    """
    prepare(kkt, r)
    bad: int = factor_tree(r.blocks, r.factor)
    if bad == 0 and r.kept.shape[0] > 0:
        solve_tree(r.blocks, r.factor, r.balance, r.zero, r.force, r.rate)
        for node in range(r.trees.body.shape[0]):
            for i in range(6):
                r.change[r.trees.body[node], i] = r.force[node, i]
        take_rows(kkt, r)
    return bad


@kernel()
def end_reduction(kkt: Kkt, r: ReducedTable) -> None:
    """Complete A of the rows that are left, of which the response of trees is there, from the diagonal on.

    Writes:  values, next
    """
    add_bodies(kkt, r)
    mirror(r)


@kernel(apart=True)
def reduce(kkt: Kkt, r: ReducedTable) -> int:
    """Eliminate what trees keep by themselves, and write out A and b of the rows that are left.

    Writes:  all but lam
    Returns: number of pivots that are not positive
    """
    bad: int = begin_reduction(kkt, r)
    if bad == 0 and r.kept.shape[0] > 0:
        count = r.kept.shape[0]
        respond(r.blocks, r.factor, r.rows, r.scratch, 0, count, r.indptr, r.indices, r.values)
        end_reduction(kkt, r)
    return bad
