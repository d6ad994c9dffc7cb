"""Compiled direct factor of trees with springs: put H together in its fronts, factor, solve."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated import SYMMETRIC, ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_kernels import add_springs, gather_block, shift_block, times_j, times_jt
from taut.linalg.articulated_pcg_kernels import descend, multiply_nodes, multiply_springs
from taut.linalg.front_kernels import add_update, backward_fronts, choose_rows, eliminate_columns, forward_fronts
from taut.linalg.fronts import DIAGONAL
from taut.structure.cost_kernels import tiled
from taut.structure.front_tree import FrontTree
from taut.table_types import vector
from taut.tables import RealRows, Reals


@kernel(inner=True)
def place_in(tree: FrontTree, front: int, column: int, after: int) -> int:
    """Where the row of a column is in a front, not before the row `after` below it.

    Returns: place; the number of a row below the front is its place less the tiled width of the front
    """
    begin, end = tree.first[front], tree.first[front + 1]
    if column < end:
        return column - begin
    low, high = tree.row_start[front] + after, tree.row_start[front + 1]
    # mostly the next one
    if tree.row[low] != column:
        while low < high:
            middle = (low + high) // 2
            if tree.row[middle] < column:
                low = middle + 1
            else:
                high = middle
    return tiled(end - begin) + low - tree.row_start[front]


@kernel(inner=True)
def find_runs(direct: DirectFactor, front: int, which: int, begin: int, end: int) -> int:
    """Runs of the rows of a front that a way from begin to end passes.

    Writes:  run
    Returns: number of runs
    """
    tree, way, place, start = direct.plan.tree, direct.way[which], direct.run[0], direct.run[1]
    wide, count, last, after = tiled(tree.first[front + 1] - tree.first[front]), 0, -2, 0
    for t in range(begin, end):
        at = place_in(tree, front, way[t], after)
        if at >= wide:
            after = min(at - wide + 1, tree.row_start[front + 1] - tree.row_start[front] - 1)
        if at != last + 1:
            place[count] = at
            start[count] = t
            count += 1
        last = at
    start[count] = end
    return count


@kernel(inner=True)
def add_products(direct: DirectFactor, weight: float, which: int, columns: int, begin: int, end: int) -> None:
    """H += weight v u^T, with v the first values of a way, and u those of the other way from begin to end.

    Writes:  storage, run
    """
    tree, storage, other = direct.plan.tree, direct.fronts.storage, direct.value[1 - which]
    place, start = direct.run[0], direct.run[1]
    front, runs = -1, 0
    for t in range(columns):
        q = direct.way[which, t]
        if tree.node[q] != front:
            front = tree.node[q]
            runs = find_runs(direct, front, 1 - which, begin, end)
        height = tiled(tree.first[front + 1] - tree.first[front])
        height += tiled(tree.row_start[front + 1] - tree.row_start[front])
        offset, share = tree.offset[front] + (q - tree.first[front]) * height, weight * direct.value[which, t]
        for k in range(runs):
            length = start[k + 1] - start[k]
            out = storage[offset + place[k] : offset + place[k] + length]
            given = other[start[k] : start[k] + length]
            for i in range(length):
                out[i] += share * given[i]


@kernel(inner=True)
def follow(
    blocks: ArticulatedBlocks, direct: DirectFactor, which: int, node: int, top: int, end: int, g_out: Reals
) -> int:
    """What a row g at a node is to all degrees of freedom from there to below `end`, an ancestor of the top or -1.

    Writes:  way and value of this number, how many there are behind the end of the way; g_out: g at the top
    Returns: how many of them are below the top
    """
    way, value, column = direct.way[which], direct.value[which], direct.plan.column
    g0, g1, g2, g3, g4, g5 = g_out[0], g_out[1], g_out[2], g_out[3], g_out[4], g_out[5]
    count, below = 0, -1
    while node >= 0:
        if node == top:
            g_out[0], g_out[1], g_out[2], g_out[3], g_out[4], g_out[5] = g0, g1, g2, g3, g4, g5
            below = count
        if node == end:
            break
        for d in range(blocks.dof_start[node], blocks.dof_start[node + 1]):
            s = blocks.subspace[d]
            way[count] = column[d]
            value[count] = (s[0] * g0 + s[1] * g1 + s[2] * g2) + (s[3] * g3 + s[4] * g4 + s[5] * g5)
            count += 1
        arm = blocks.arm[node]
        x, y, z = arm[0], arm[1], arm[2]
        g3, g4, g5 = g3 + (y * g2 - z * g1), g4 + (z * g0 - x * g2), g5 + (x * g1 - y * g0)
        node = blocks.parent[node]
    way[-1] = count
    return below if top >= 0 else count


@kernel(inner=True)
def add_to_top(factor: ArticulatedFactor, top: int, weight: float, a: Reals, b: Reals) -> None:
    """Block of a node += weight (a b^T + b a^T).

    Writes:  pending, begun
    """
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


@kernel(inner=True)
def add_pairs(blocks: ArticulatedBlocks, factor: ArticulatedFactor, direct: DirectFactor) -> None:
    """What springs are between two nodes: w (g_a g_b^T + g_b g_a^T).

    Writes:  storage; pending and begun of the first node that both hang on; way, value and run
    Cost:    24 flops a node on the ways to the roots, 2 an entry of H that a spring alone fills
    """
    plan, a, b = direct.plan, vector(6), vector(6)
    for k in range(plan.top.shape[0]):
        top, weight = plan.top[k], blocks.cross_weight[plan.pair[4, k]]
        for i in range(6):
            a[i] = blocks.cross_jacobian[plan.pair[2, k], i]
            b[i] = blocks.cross_jacobian[plan.pair[3, k], i]
        late = follow(blocks, direct, 1, plan.pair[1, k], top, -1, b)
        # nobody asks what the early node is to those above if the late one is the top itself
        early = follow(blocks, direct, 0, plan.pair[0, k], top, -1 if late > 0 else top, a)
        add_products(direct, weight, 0, early, 0, direct.way[1, -1])
        add_products(direct, weight, 1, late, early, direct.way[0, -1])
        if top >= 0:
            add_to_top(factor, top, weight, a, b)


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


@kernel(inner=True)
def add_columns(blocks: ArticulatedBlocks, direct: DirectFactor, j: int) -> None:
    """Columns of H of the degrees of freedom of a node: what its ancestors feel when it moves all below it.

    Writes:  storage
    Cost:    66 flops a degree of freedom, 9 an ancestor, 12 an entry
    """
    plan, f = direct.plan, vector(6)
    tree, storage, first, last = plan.tree, direct.fronts.storage, blocks.dof_start[j], blocks.dof_start[j + 1]
    for d in range(first, last):
        q = plan.column[d]
        front = tree.node[q]
        wide, rest = tiled(tree.first[front + 1] - tree.first[front]), tree.row_start[front + 1] - tree.row_start[front]
        start, after = tree.offset[front] + (q - tree.first[front]) * (wide + tiled(rest)), 0
        out = storage[start : start + wide + tiled(rest)]
        carry(direct.composite[j], blocks.subspace[d], f)
        f0, f1, f2, f3, f4, f5 = f[0], f[1], f[2], f[3], f[4], f[5]
        for e in range(d, last):
            s = blocks.subspace[e]
            total = (s[0] * f0 + s[1] * f1 + s[2] * f2) + (s[3] * f3 + s[4] * f4 + s[5] * f5)
            out[plan.column[e] - tree.first[front]] += total + blocks.reduced[d, e - first]
        node = j
        while blocks.parent[node] >= 0:
            arm = blocks.arm[node]
            x, y, z = arm[0], arm[1], arm[2]
            f3, f4, f5 = f3 + (y * f2 - z * f1), f4 + (z * f0 - x * f2), f5 + (x * f1 - y * f0)
            node = blocks.parent[node]
            for e in range(blocks.dof_start[node], blocks.dof_start[node + 1]):
                s = blocks.subspace[e]
                at = place_in(tree, front, plan.column[e], after)
                after = min(at - wide + 1, rest - 1) if at >= wide else 0
                out[at] += (s[0] * f0 + s[1] * f1 + s[2] * f2) + (s[3] * f3 + s[4] * f4 + s[5] * f5)


@kernel()
def assemble_direct(blocks: ArticulatedBlocks, factor: ArticulatedFactor, direct: DirectFactor) -> None:
    """H in its fronts, before any column is eliminated.

    Writes:  storage, composite; pending and begun of the factor
    """
    storage, h = direct.fronts.storage, vector(21)
    for i in range(storage.shape[0]):
        storage[i] = 0.0
    add_springs(blocks, factor)
    add_pairs(blocks, factor, direct)
    for j in range(blocks.parent.shape[0] - 1, -1, -1):
        parent, own = blocks.parent[j], direct.composite[j]
        gather_block(blocks, factor, j, h)
        for i in range(SYMMETRIC):
            own[i] = h[i]
        add_columns(blocks, direct, j)
        if parent >= 0:
            shift_block(blocks.arm[j], h)
            out, begun = factor.pending[parent], factor.begun[parent]
            for i in range(SYMMETRIC):
                out[i] = out[i] + h[i] if begun == 1 else h[i]
            factor.begun[parent] = 1


@kernel()
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


@kernel(inner=True)
def solve_once(direct: DirectFactor, y_out: Reals) -> None:
    """y <- H^-1 y.

    Writes:  y_out
    Cost:    4 flops an entry of L
    """
    tree, x = direct.plan.tree, direct.fronts.x
    for c in range(x.shape[0]):
        x[c] = y_out[tree.position[c]]
    forward_fronts(direct.fronts, 0, tree.parent.shape[0])
    backward_fronts(direct.fronts, 0, tree.parent.shape[0])
    for c in range(x.shape[0]):
        y_out[tree.position[c]] = x[c]


@kernel()
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
        solve_once(direct, direct.y)
        for d in range(y_out.shape[0]):
            y_out[d] += direct.y[d]
