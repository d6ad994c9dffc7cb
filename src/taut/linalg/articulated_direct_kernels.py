"""Compiled direct factor of trees with springs: put H together in its fronts, factor, solve."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated import SYMMETRIC, ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_direct import TIE, DirectFactor
from taut.linalg.articulated_kernels import add_springs, gather_block, shift_block, times_j, times_jt
from taut.linalg.articulated_pcg_kernels import descend, multiply_nodes, multiply_springs
from taut.linalg.front_kernels import add_update, choose_rows, eliminate_columns, solve_fronts
from taut.linalg.fronts import DIAGONAL
from taut.structure.cost_kernels import tiled
from taut.table_types import vector
from taut.tables import RealRows, Reals


@kernel(apart=True)
def set_axes(blocks: ArticulatedBlocks, direct: DirectFactor) -> None:
    """Centres of mass from that of the root, and S of all degrees of freedom there: (v - w x centre, w).

    Writes:  centre, axis
    """
    axis = direct.axis
    for j in range(blocks.parent.shape[0]):
        parent, own, arm = blocks.parent[j], direct.centre[j], blocks.arm[j]
        for i in range(3):
            own[i] = direct.centre[parent, i] + arm[i] if parent >= 0 else 0.0
        x, y, z = own[0], own[1], own[2]
        for d in range(blocks.dof_start[j], blocks.dof_start[j + 1]):
            s, q = blocks.subspace[d], direct.plan.column[d]
            axis[0, q] = s[0] - (s[4] * z - s[5] * y)
            axis[1, q] = s[1] - (s[5] * x - s[3] * z)
            axis[2, q] = s[2] - (s[3] * y - s[4] * x)
            axis[3, q], axis[4, q], axis[5, q] = s[3], s[4], s[5]


@kernel(apart=True)
def add_axes(direct: DirectFactor, begin: int, f: Reals, out: Reals) -> None:
    """out += S f of the columns from `begin` on, with f at the root's centre of mass.

    Writes:  out
    Cost:    12 flops a column
    """
    axis, behind, f0, f1, f2, f3, f4, f5 = direct.axis, begin + out.shape[0], f[0], f[1], f[2], f[3], f[4], f[5]
    a0, a1, a2 = axis[0, begin:behind], axis[1, begin:behind], axis[2, begin:behind]
    a3, a4, a5 = axis[3, begin:behind], axis[4, begin:behind], axis[5, begin:behind]
    for i in range(out.shape[0]):
        out[i] += (a0[i] * f0 + a1[i] * f1 + a2[i] * f2) + (a3[i] * f3 + a4[i] * f4 + a5[i] * f5)


@kernel(inner=True)
def list_way(blocks: ArticulatedBlocks, direct: DirectFactor, which: int, node: int) -> int:
    """The way from a node to its root, as runs of columns.

    Writes:  way
    Returns: number of runs
    """
    climb, column, before = direct.plan.climb, direct.way[2 * which], direct.way[2 * which + 1]
    runs, count, j = 0, 0, climb[0, node]
    while j >= 0:
        column[runs], before[runs] = direct.plan.column[blocks.dof_start[j]], count
        count += climb[1, j] - column[runs] + 1
        runs += 1
        j = climb[2, j]
    before[runs], column[-1] = count, runs
    return runs


@kernel(inner=True)
def count_below(blocks: ArticulatedBlocks, direct: DirectFactor, which: int, top: int) -> int:
    """How many degrees of freedom of a way are below the top."""
    column, before = direct.way[2 * which], direct.way[2 * which + 1]
    over = direct.plan.climb[0, top] if top >= 0 else -1
    if over < 0:
        return before[column[-1]]
    limit, below = direct.plan.column[blocks.dof_start[over]], 0
    for k in range(column[-1]):
        below += max(min(limit - column[k], before[k + 1] - before[k]), 0)
    return below


@kernel(inner=True)
def follow(
    blocks: ArticulatedBlocks, direct: DirectFactor, which: int, node: int, entry: int, row: int, g_out: Reals
) -> None:
    """What an entry of a spring is to all degrees of freedom on the way from its node to the root.

    Writes:  value; g_out: the entry at the root's centre of mass
    """
    g, x, y, z = blocks.cross_jacobian[entry], direct.centre[node, 0], direct.centre[node, 1], direct.centre[node, 2]
    g_out[0], g_out[1], g_out[2], g_out[3] = g[0], g[1], g[2], g[3] + (y * g[2] - z * g[1])
    g_out[4], g_out[5] = g[4] + (z * g[0] - x * g[2]), g[5] + (x * g[1] - y * g[0])
    column, before, value = direct.way[2 * which], direct.way[2 * which + 1], direct.value[TIE * which + row]
    for t in range(before[column[-1]]):
        value[t] = 0.0
    for k in range(column[-1]):
        add_axes(direct, column[k], g_out, value[before[k] : before[k + 1]])


@kernel(apart=True)
def find_pieces(direct: DirectFactor, front: int, which: int, begin: int) -> int:
    """The runs of a way, from some place on, as pieces of rows of a front.

    Writes:  piece
    Returns: number of pieces
    """
    tree, column, before = direct.plan.tree, direct.way[2 * which], direct.way[2 * which + 1]
    place, start, own = direct.piece[0], direct.piece[1], direct.piece[2]
    first, behind, low, count = tree.first[front], tree.first[front + 1], tree.row_start[front], 0
    for k in range(column[-1]):
        at = max(begin, before[k])
        q = column[k] + at - before[k]
        if at < before[k + 1] and q < behind:
            place[count], start[count], own[count] = q - first, at, q
            count += 1
            at += behind - q
            q = behind
        if at < before[k + 1]:
            # mostly the next one
            high = tree.row_start[front + 1] if tree.row[low] != q else low
            while low < high:
                middle = (low + high) // 2
                if tree.row[middle] < q:
                    low = middle + 1
                else:
                    high = middle
            place[count], start[count], own[count] = tiled(behind - first) + low - tree.row_start[front], at, q
            low = min(low + before[k + 1] - at, tree.row_start[front + 1] - 1)
            count += 1
    start[count] = before[column[-1]]
    return count


@kernel(apart=True)
def add_products(direct: DirectFactor, rows: int, weight: Reals, which: int, columns: int, begin: int) -> None:
    """H += sum of weight v u^T, with v the first values of a way, and u those of the other way from `begin` on.

    Shapes:  weight (TIE,) of the rows of a tie, 0 for those that it does not have: they repeat its last one
    Writes:  storage, piece
    """
    tree, storage, second, third = direct.plan.tree, direct.fronts.storage, min(rows, 2) - 1, rows - 1
    v, u = direct.value[TIE * which : TIE * which + TIE], direct.value[TIE * (1 - which) : TIE * (2 - which)]
    place, start, front, pieces, run, height = direct.piece[0], direct.piece[1], -1, 0, 0, 0
    for t in range(columns):
        while t >= direct.way[2 * which + 1, run + 1]:
            run += 1
        q = direct.way[2 * which, run] + t - direct.way[2 * which + 1, run]
        if tree.node[q] != front:
            front = tree.node[q]
            pieces = find_pieces(direct, front, 1 - which, begin)
            height = tiled(tree.first[front + 1] - tree.first[front])
            height += tiled(tree.row_start[front + 1] - tree.row_start[front])
        offset = tree.offset[front] + (q - tree.first[front]) * height
        w0, w1, w2 = weight[0] * v[0, t], weight[1] * v[second, t], weight[2] * v[third, t]
        for k in range(pieces):
            first, last = start[k], start[k + 1]
            out = storage[offset + place[k] : offset + place[k] + last - first]
            u0, u1, u2 = u[0, first:last], u[second, first:last], u[third, first:last]
            for i in range(last - first):
                out[i] += w0 * u0[i] + w1 * u1[i] + w2 * u2[i]


@kernel(inner=True)
def add_to_top(factor: ArticulatedFactor, centre: Reals, top: int, weight: float, a: Reals, b: Reals) -> None:
    """Block of a node += weight (a b^T + b a^T), with a and b moved there from the root's centre of mass.

    Writes:  pending, begun, a, b
    """
    x, y, z = centre[0], centre[1], centre[2]
    a[3], a[4], a[5] = a[3] - (y * a[2] - z * a[1]), a[4] - (z * a[0] - x * a[2]), a[5] - (x * a[1] - y * a[0])
    b[3], b[4], b[5] = b[3] - (y * b[2] - z * b[1]), b[4] - (z * b[0] - x * b[2]), b[5] - (x * b[1] - y * b[0])
    h = factor.pending[top]
    if factor.begun[top] == 0:
        factor.begun[top] = 1
        for i in range(SYMMETRIC):
            h[i] = 0.0
    k = 0
    for i in range(3):
        for c in range(i, 3):
            h[k] += weight * (a[i] * b[c] + b[i] * a[c])
            h[15 + k] += weight * (a[3 + i] * b[3 + c] + b[3 + i] * a[3 + c])
            k += 1
        for c in range(3):
            h[6 + 3 * i + c] += weight * (a[i] * b[3 + c] + b[i] * a[3 + c])


@kernel(apart=True)
def add_pairs(blocks: ArticulatedBlocks, factor: ArticulatedFactor, direct: DirectFactor) -> None:
    """What springs are between two nodes: w (g_a g_b^T + g_b g_a^T).

    Writes:  storage; pending and begun of the first node that both hang on; way, value, piece
    Cost:    12 flops a degree of freedom on the ways to the roots, 2 an entry of H that both ways share
    """
    plan, a, b, weight, k = direct.plan, vector(6), vector(6), vector(3), 0
    while k < plan.top.shape[0]:
        early, late, top, rows = plan.pair[0, k], plan.pair[1, k], plan.top[k], 0
        list_way(blocks, direct, 0, early)
        list_way(blocks, direct, 1, late)
        near, far = count_below(blocks, direct, 0, top), count_below(blocks, direct, 1, top)
        weight[1], weight[2] = 0.0, 0.0
        # springs between the same nodes, as those of a point in three directions, are one tie
        while k < plan.top.shape[0] and rows < TIE and plan.pair[0, k] == early and plan.pair[1, k] == late:
            weight[rows] = blocks.cross_weight[plan.pair[4, k]]
            follow(blocks, direct, 0, early, plan.pair[2, k], rows, a)
            follow(blocks, direct, 1, late, plan.pair[3, k], rows, b)
            if top >= 0:
                add_to_top(factor, direct.centre[top], top, weight[rows], a, b)
            rows += 1
            k += 1
        add_products(direct, rows, weight, 0, near, 0)
        add_products(direct, rows, weight, 1, far, near)


@kernel(inner=True)
def carry(h: Reals, s: Reals, f_out: Reals) -> None:
    """f = H s with H by its upper half, see SYMMETRIC.

    Writes:  f_out
    Cost:    66 flops
    """
    s0, s1, s2, s3, s4, s5 = s[0], s[1], s[2], s[3], s[4], s[5]
    f_out[0] = (h[0] * s0 + h[1] * s1 + h[2] * s2) + (h[6] * s3 + h[7] * s4 + h[8] * s5)
    f_out[1] = (h[1] * s0 + h[3] * s1 + h[4] * s2) + (h[9] * s3 + h[10] * s4 + h[11] * s5)
    f_out[2] = (h[2] * s0 + h[4] * s1 + h[5] * s2) + (h[12] * s3 + h[13] * s4 + h[14] * s5)
    f_out[3] = (h[6] * s0 + h[9] * s1 + h[12] * s2) + (h[15] * s3 + h[16] * s4 + h[17] * s5)
    f_out[4] = (h[7] * s0 + h[10] * s1 + h[13] * s2) + (h[16] * s3 + h[18] * s4 + h[19] * s5)
    f_out[5] = (h[8] * s0 + h[11] * s1 + h[14] * s2) + (h[17] * s3 + h[19] * s4 + h[20] * s5)


@kernel(apart=True)
def add_columns(blocks: ArticulatedBlocks, direct: DirectFactor, j: int) -> None:
    """Columns of H of the degrees of freedom of a node: what its ancestors feel when it moves all below it.

    Writes:  storage, way, piece
    Cost:    70 flops a degree of freedom, 12 an entry
    """
    tree, f, first = direct.plan.tree, vector(6), blocks.dof_start[j]
    last, column = blocks.dof_start[j + 1], direct.plan.column[first]
    front, x, y, z = tree.node[column], direct.centre[j, 0], direct.centre[j, 1], direct.centre[j, 2]
    place, start, own = direct.piece[0], direct.piece[1], direct.piece[2]
    list_way(blocks, direct, 0, j)
    pieces = find_pieces(direct, front, 0, 0)
    height = tiled(tree.first[front + 1] - tree.first[front])
    height += tiled(tree.row_start[front + 1] - tree.row_start[front])
    for d in range(first, last):
        offset = tree.offset[front] + (column + d - first - tree.first[front]) * height
        carry(direct.composite[j], blocks.subspace[d], f)
        f[3], f[4], f[5] = f[3] + (y * f[2] - z * f[1]), f[4] + (z * f[0] - x * f[2]), f[5] + (x * f[1] - y * f[0])
        for k in range(pieces):
            # entries above the diagonal are those of other columns
            skipped = max(d - first - start[k], 0)
            length = start[k + 1] - start[k] - skipped
            out = direct.fronts.storage[offset + place[k] + skipped : offset + place[k] + skipped + length]
            add_axes(direct, own[k] + skipped, f, out)
        for e in range(d, last):
            direct.fronts.storage[offset + column - tree.first[front] + e - first] += blocks.reduced[d, e - first]


@kernel(apart=True)
def assemble_direct(blocks: ArticulatedBlocks, factor: ArticulatedFactor, direct: DirectFactor) -> None:
    """H in its fronts, before any column is eliminated.

    Writes:  storage, composite, centre, axis; pending and begun of the factor
    """
    storage, h = direct.fronts.storage, vector(21)
    for i in range(storage.shape[0]):
        storage[i] = 0.0
    set_axes(blocks, direct)
    add_springs(blocks, factor)
    add_pairs(blocks, factor, direct)
    for j in range(blocks.parent.shape[0] - 1, -1, -1):
        parent, own = blocks.parent[j], direct.composite[j]
        gather_block(blocks, factor, j, h)
        for i in range(SYMMETRIC):
            own[i] = h[i]
        if blocks.dof_start[j] < blocks.dof_start[j + 1]:
            add_columns(blocks, direct, j)
        if parent >= 0:
            shift_block(blocks.arm[j], h)
            out, begun = factor.pending[parent], factor.begun[parent]
            for i in range(SYMMETRIC):
                out[i] = out[i] + h[i] if begun == 1 else h[i]
            factor.begun[parent] = 1


@kernel(apart=True)
def factor_direct(direct: DirectFactor) -> int:
    """H = L L' in place.

    Writes:  fronts
    Cost:    w (w^2 / 3 + w h + h^2) multiplications for each front of w columns and h rows below
    Returns: dependent columns, or -1 if H is not positive semidefinite
    """
    fronts, tree, lost = direct.fronts, direct.plan.tree, 0
    for k in range(tree.parent.shape[0]):
        choose_rows(fronts, k)
        width, wide = tree.first[k + 1] - tree.first[k], tree.padded[k + 1] - tree.padded[k]
        height = wide + tiled(tree.row_start[k + 1] - tree.row_start[k])
        diagonal = fronts.real[DIAGONAL, tree.padded[k] : tree.padded[k + 1]]
        for q in range(width, wide):
            fronts.storage[tree.offset[k] + q * (height + 1)] = 1.0
        for q in range(wide):
            diagonal[q] = fronts.storage[tree.offset[k] + q * (height + 1)]
        for child in range(tree.child_start[k], tree.child_start[k + 1]):
            add_update(fronts, tree.child[child], k)
        found = eliminate_columns(fronts, k)
        if found < 0:
            return -1
        lost += found
    return lost


@kernel(apart=True)
def solve_direct(
    blocks: ArticulatedBlocks, direct: DirectFactor, rhs: RealRows, reduced_rhs: Reals, refinements: int, y_out: Reals
) -> None:
    """H y = J^T rhs + reduced_rhs with the last factor, refined by residuals of nodes.

    J^T rhs has lost digits of the loads of light nodes; the residual in maximal space brings them back.

    Shapes:  rhs (n, 6), reduced_rhs, y_out (dofs,)
    Writes:  y_out; load, force, velocity, y
    Cost:    4 flops an entry of L, and as much for each refinement
    """
    for d in range(y_out.shape[0]):
        y_out[d] = 0.0
    for pass_ in range(refinements + 1):
        for d in range(y_out.shape[0]):
            direct.force[d] = reduced_rhs[d]
        if pass_ > 0:
            times_j(blocks, y_out, direct.velocity)
            multiply_nodes(blocks, direct.velocity, direct.load)
            multiply_springs(blocks, direct.velocity, direct.load)
            descend(blocks, y_out, 1.0, direct.force)
        for j in range(rhs.shape[0]):
            for i in range(6):
                direct.load[j, i] = rhs[j, i] - direct.load[j, i] if pass_ > 0 else rhs[j, i]
        times_jt(blocks, direct.load, direct.y)
        for d in range(y_out.shape[0]):
            direct.y[d] += direct.force[d]
        solve_fronts(direct.fronts, 0, 1, direct.y, direct.y)
        for d in range(y_out.shape[0]):
            y_out[d] += direct.y[d]
