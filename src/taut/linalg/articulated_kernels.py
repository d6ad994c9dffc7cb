"""Compiled recursions over trees: factor and solve of H, products with J and J^T, each in one or two passes."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated import SYMMETRIC, ArticulatedBlocks, ArticulatedFactor
from taut.table_types import vector
from taut.tables import RealRows, Reals

LOST_PIVOT = 1e-14
"""A pivot below this share of its diagonal is rounding: nothing resists this degree of freedom."""


@kernel(inner=True)
def add_springs(blocks: ArticulatedBlocks, factor: ArticulatedFactor) -> None:
    """Diagonal blocks of the crossing springs: what a spring is to a node while all others stand still.

    Writes:  pending, begun
    Cost:    48 flops an entry
    """
    for j in range(blocks.parent.shape[0]):
        factor.begun[j] = 0
    for spring in range(blocks.cross_weight.shape[0]):
        weight = blocks.cross_weight[spring]
        for e in range(blocks.cross_start[spring], blocks.cross_start[spring + 1]):
            node, g = blocks.cross_node[e], blocks.cross_jacobian[e]
            h = factor.pending[node]
            if factor.begun[node] == 0:
                factor.begun[node] = 1
                for i in range(SYMMETRIC):
                    h[i] = 0.0
            g3, g4, g5 = weight * g[3], weight * g[4], weight * g[5]
            k = 0
            for i in range(3):
                share = weight * g[i]
                for c in range(i, 3):
                    h[k] += share * g[c]
                    h[15 + k] += weight * g[3 + i] * g[3 + c]
                    k += 1
                h[6 + 3 * i] += g[i] * g3
                h[7 + 3 * i] += g[i] * g4
                h[8 + 3 * i] += g[i] * g5


@kernel(inner=True)
def gather_block(blocks: ArticulatedBlocks, factor: ArticulatedFactor, node: int, h_out: Reals) -> None:
    """H_j: the block of a node and what its children and springs added.

    Writes:  h_out
    """
    m = blocks.block[node]
    h_out[0], h_out[1], h_out[2], h_out[3], h_out[4], h_out[5] = m[0], m[1], m[2], m[7], m[8], m[14]
    h_out[6], h_out[7], h_out[8], h_out[9], h_out[10], h_out[11] = m[3], m[4], m[5], m[9], m[10], m[11]
    h_out[12], h_out[13], h_out[14], h_out[15], h_out[16], h_out[17] = m[15], m[16], m[17], m[21], m[22], m[23]
    h_out[18], h_out[19], h_out[20] = m[28], m[29], m[35]
    if factor.begun[node] == 1:
        added = factor.pending[node]
        for i in range(SYMMETRIC):
            h_out[i] += added[i]


@kernel(inner=True)
def couple_dofs(blocks: ArticulatedBlocks, factor: ArticulatedFactor, first: int, last: int, h: Reals) -> int:
    """U = H S and L d L^T = S^T U + A_r of a node, row by row.                             [Baxter2019, Alg. 4, line 6]

    Writes:  coupling, lower
    Cost:    80 flops a degree of freedom, and 26 a pair of them
    Returns: pivots that are not positive
    """
    a00, a01, a02, a11, a12, a22 = h[0], h[1], h[2], h[3], h[4], h[5]
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14]
    c00, c01, c02, c11, c12, c22 = h[15], h[16], h[17], h[18], h[19], h[20]
    lost = 0
    for d in range(first, last):
        s, u, row = blocks.subspace[d], factor.coupling[d], factor.lower[d]
        s0, s1, s2, s3, s4, s5 = s[0], s[1], s[2], s[3], s[4], s[5]
        u0 = (a00 * s0 + a01 * s1 + a02 * s2) + (b00 * s3 + b01 * s4 + b02 * s5)
        u1 = (a01 * s0 + a11 * s1 + a12 * s2) + (b10 * s3 + b11 * s4 + b12 * s5)
        u2 = (a02 * s0 + a12 * s1 + a22 * s2) + (b20 * s3 + b21 * s4 + b22 * s5)
        u3 = (b00 * s0 + b10 * s1 + b20 * s2) + (c00 * s3 + c01 * s4 + c02 * s5)
        u4 = (b01 * s0 + b11 * s1 + b21 * s2) + (c01 * s3 + c11 * s4 + c12 * s5)
        u5 = (b02 * s0 + b12 * s1 + b22 * s2) + (c02 * s3 + c12 * s4 + c22 * s5)
        own = d - first
        diagonal = (s0 * u0 + s1 * u1 + s2 * u2) + (s3 * u3 + s4 * u4 + s5 * u5) + blocks.reduced[d, own]
        for i in range(own):
            r = blocks.subspace[first + i]
            row[i] = (r[0] * u0 + r[1] * u1 + r[2] * u2) + (r[3] * u3 + r[4] * u4 + r[5] * u5) + blocks.reduced[d, i]
        pivot = diagonal
        for i in range(own):
            above, other, share = factor.lower[first + i], factor.coupling[first + i], row[i]
            row[i] = share * above[i]
            pivot -= row[i] * share
            for k in range(i + 1, own):
                row[k] -= factor.lower[first + k, i] * share
            u0, u1, u2 = u0 - row[i] * other[0], u1 - row[i] * other[1], u2 - row[i] * other[2]
            u3, u4, u5 = u3 - row[i] * other[3], u4 - row[i] * other[4], u5 - row[i] * other[5]
        u[0], u[1], u[2], u[3], u[4], u[5] = u0, u1, u2, u3, u4, u5
        row[own] = 0.0
        if pivot > LOST_PIVOT * diagonal and pivot > 0.0:
            row[own] = 1.0 / pivot
        else:
            lost += 1
    return lost


@kernel(inner=True)
def project_block(factor: ArticulatedFactor, first: int, last: int, h_out: Reals) -> None:
    """Pi = H - U D^-1 U^T: what a node is to its parent.                                  [Baxter2019, Alg. 4, line 7]

    Writes:  h_out
    Cost:    48 flops a degree of freedom
    """
    h = h_out
    a00, a01, a02, a11, a12, a22 = h[0], h[1], h[2], h[3], h[4], h[5]
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14]
    c00, c01, c02, c11, c12, c22 = h[15], h[16], h[17], h[18], h[19], h[20]
    for d in range(first, last):
        u, inverse = factor.coupling[d], factor.lower[d, d - first]
        u0, u1, u2, u3, u4, u5 = u[0], u[1], u[2], u[3], u[4], u[5]
        t0, t1, t2, t3, t4, t5 = inverse * u0, inverse * u1, inverse * u2, inverse * u3, inverse * u4, inverse * u5
        a00, a01, a02, a11, a12, a22 = (
            a00 - t0 * u0, a01 - t0 * u1, a02 - t0 * u2, a11 - t1 * u1, a12 - t1 * u2, a22 - t2 * u2,
        )  # fmt: skip
        b00, b01, b02, b10, b11, b12 = (
            b00 - t0 * u3, b01 - t0 * u4, b02 - t0 * u5, b10 - t1 * u3, b11 - t1 * u4, b12 - t1 * u5,
        )  # fmt: skip
        b20, b21, b22, c00, c01, c02 = (
            b20 - t2 * u3, b21 - t2 * u4, b22 - t2 * u5, c00 - t3 * u3, c01 - t3 * u4, c02 - t3 * u5,
        )  # fmt: skip
        c11, c12, c22 = c11 - t4 * u4, c12 - t4 * u5, c22 - t5 * u5
    h[0], h[1], h[2], h[3], h[4], h[5] = a00, a01, a02, a11, a12, a22
    h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14] = b00, b01, b02, b10, b11, b12, b20, b21, b22
    h[15], h[16], h[17], h[18], h[19], h[20] = c00, c01, c02, c11, c12, c22


@kernel(inner=True)
def shift_block(arm: Reals, h_out: Reals) -> None:
    """X^T Pi X = [[A, B'], [B'^T, C + [r]x B' - B^T [r]x]] with B' = B - A [r]x, at the parent.

    Writes:  h_out
    Cost:    90 flops
    """
    h, x, y, z = h_out, arm[0], arm[1], arm[2]
    a00, a01, a02, a11, a12, a22 = h[0], h[1], h[2], h[3], h[4], h[5]
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14]
    n00, n01, n02 = b00 + (a02 * y - a01 * z), b01 + (a00 * z - a02 * x), b02 + (a01 * x - a00 * y)
    n10, n11, n12 = b10 + (a12 * y - a11 * z), b11 + (a01 * z - a12 * x), b12 + (a11 * x - a01 * y)
    n20, n21, n22 = b20 + (a22 * y - a12 * z), b21 + (a02 * z - a22 * x), b22 + (a12 * x - a02 * y)
    h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14] = n00, n01, n02, n10, n11, n12, n20, n21, n22
    h[15] += (y * n20 - z * n10) + (b20 * y - b10 * z)
    h[16] += (y * n21 - z * n11) + (b00 * z - b20 * x)
    h[17] += (y * n22 - z * n12) + (b10 * x - b00 * y)
    h[18] += (z * n01 - x * n21) + (b01 * z - b21 * x)
    h[19] += (z * n02 - x * n22) + (b11 * x - b01 * y)
    h[20] += (x * n12 - y * n02) + (b12 * x - b02 * y)


@kernel()
def factor_tree(blocks: ArticulatedBlocks, factor: ArticulatedFactor) -> int:
    """Factor P = J^T (M~ + blkdiag(springs)) J + A_r, from leaves to roots.           [Baxter2019, Alg. 4, lines 1-8]

    P is H where no spring crosses the tree, else the projected block Jacobi preconditioner of H, eq. 3.1. A degree of
    freedom whose pivot is not positive is held: it moves with none of the right-hand sides.

    Writes:  the factor
    Cost:    250 flops a node with one degree of freedom, 620 with three
    Returns: number of pivots that are not positive
    """
    add_springs(blocks, factor)
    h, lost = vector(21), 0
    for j in range(blocks.parent.shape[0] - 1, -1, -1):
        first, last, parent = blocks.dof_start[j], blocks.dof_start[j + 1], blocks.parent[j]
        gather_block(blocks, factor, j, h)
        lost += couple_dofs(blocks, factor, first, last, h)
        if parent < 0:
            continue
        project_block(factor, first, last, h)
        shift_block(blocks.arm[j], h)
        out = factor.pending[parent]
        if factor.begun[parent] == 1:
            for i in range(SYMMETRIC):
                out[i] += h[i]
        else:
            factor.begun[parent] = 1
            for i in range(SYMMETRIC):
                out[i] = h[i]
    return lost


@kernel(inner=True)
def sum_load(blocks: ArticulatedBlocks, factor: ArticulatedFactor, j: int, y_out: Reals, load_out: RealRows) -> None:
    """What the degrees of freedom of a node feel, and what is left to its parent.    [Baxter2019, Alg. 4, lines 11-14]

    Writes:  y_out (reduced right-hand side on entry), L^-1 of it; load_out at the parent
    Cost:    12 flops, 26 a degree of freedom
    """
    first, parent, w, arm = blocks.dof_start[j], blocks.parent[j], load_out[j], blocks.arm[j]
    w0, w1, w2, w3, w4, w5 = w[0], w[1], w[2], w[3], w[4], w[5]
    f0, f1, f2, f3, f4, f5 = w0, w1, w2, w3, w4, w5
    for d in range(first, blocks.dof_start[j + 1]):
        s, u, row = blocks.subspace[d], factor.coupling[d], factor.lower[d]
        felt = y_out[d] + ((s[0] * w0 + s[1] * w1 + s[2] * w2) + (s[3] * w3 + s[4] * w4 + s[5] * w5))
        for i in range(d - first):
            felt -= row[i] * y_out[first + i]
        y_out[d] = felt
        felt *= row[d - first]
        f0, f1, f2 = f0 - u[0] * felt, f1 - u[1] * felt, f2 - u[2] * felt
        f3, f4, f5 = f3 - u[3] * felt, f4 - u[4] * felt, f5 - u[5] * felt
    if parent >= 0:
        out, x, y, z = load_out[parent], arm[0], arm[1], arm[2]
        out[0] += f0
        out[1] += f1
        out[2] += f2
        out[3] += f3 + (y * f2 - z * f1)
        out[4] += f4 + (z * f0 - x * f2)
        out[5] += f5 + (x * f1 - y * f0)


@kernel(inner=True)
def pass_velocity(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, j: int, y_out: Reals, velocity_out: RealRows
) -> None:
    """y of a node and its V = J y, from that of its parent.                          [Baxter2019, Alg. 4, lines 15-18]

    Writes:  y_out (what `sum_load` left on entry), velocity_out
    Cost:    12 flops, 26 a degree of freedom
    """
    first, last, parent, arm = blocks.dof_start[j], blocks.dof_start[j + 1], blocks.parent[j], blocks.arm[j]
    v0, v1, v2, v3, v4, v5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if parent >= 0:
        p, x, y, z = velocity_out[parent], arm[0], arm[1], arm[2]
        v3, v4, v5 = p[3], p[4], p[5]
        v0, v1, v2 = p[0] + (v4 * z - v5 * y), p[1] + (v5 * x - v3 * z), p[2] + (v3 * y - v4 * x)
    for d in range(first, last):
        u = factor.coupling[d]
        carried = (u[0] * v0 + u[1] * v1 + u[2] * v2) + (u[3] * v3 + u[4] * v4 + u[5] * v5)
        y_out[d] = factor.lower[d, d - first] * (y_out[d] - carried)
    for d in range(last - 1, first - 1, -1):
        s, rate = blocks.subspace[d], y_out[d]
        for i in range(d + 1, last):
            rate -= factor.lower[i, d - first] * y_out[i]
        y_out[d] = rate
        v0, v1, v2 = v0 + s[0] * rate, v1 + s[1] * rate, v2 + s[2] * rate
        v3, v4, v5 = v3 + s[3] * rate, v4 + s[4] * rate, v5 + s[5] * rate
    v = velocity_out[j]
    v[0], v[1], v[2], v[3], v[4], v[5] = v0, v1, v2, v3, v4, v5


@kernel(apart=True)
def solve_tree(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, rhs: RealRows, reduced_rhs: Reals, velocity_out: RealRows,
    y_out: Reals,
) -> None:  # fmt: skip
    """P y = J^T rhs + reduced_rhs, and V = J y, with the last factor.                [Baxter2019, Alg. 4, lines 10-18]

    Loads of nodes go into the recursion as they are: J^T rhs, summed beforehand, would have lost the digits in which
    loads of light nodes differ from those of heavy ones.

    Shapes:  rhs, velocity_out (n, 6), reduced_rhs, y_out (dofs,); each pair may be the same array
    Cost:    24 flops a node, 52 a degree of freedom
    """
    for j in range(blocks.parent.shape[0]):
        given, out = rhs[j], velocity_out[j]
        for i in range(6):
            out[i] = given[i]
    for d in range(y_out.shape[0]):
        y_out[d] = reduced_rhs[d]
    for j in range(blocks.parent.shape[0] - 1, -1, -1):
        sum_load(blocks, factor, j, y_out, velocity_out)
    for j in range(blocks.parent.shape[0]):
        pass_velocity(blocks, factor, j, y_out, velocity_out)


@kernel(apart=True)
def times_j(blocks: ArticulatedBlocks, y: Reals, velocity_out: RealRows) -> None:
    """V = J y, from roots to leaves.                                                            [Baxter2019, Alg. 2]

    Shapes:  y (dofs,), velocity_out (n, 6)
    Cost:    12 flops a node, 12 a degree of freedom
    """
    for j in range(blocks.parent.shape[0]):
        parent, arm, v = blocks.parent[j], blocks.arm[j], velocity_out[j]
        v0, v1, v2, v3, v4, v5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            p, x, y_, z = velocity_out[parent], arm[0], arm[1], arm[2]
            v3, v4, v5 = p[3], p[4], p[5]
            v0, v1, v2 = p[0] + (v4 * z - v5 * y_), p[1] + (v5 * x - v3 * z), p[2] + (v3 * y_ - v4 * x)
        for d in range(blocks.dof_start[j], blocks.dof_start[j + 1]):
            s, rate = blocks.subspace[d], y[d]
            v0, v1, v2 = v0 + s[0] * rate, v1 + s[1] * rate, v2 + s[2] * rate
            v3, v4, v5 = v3 + s[3] * rate, v4 + s[4] * rate, v5 + s[5] * rate
        v[0], v[1], v[2], v[3], v[4], v[5] = v0, v1, v2, v3, v4, v5


@kernel(apart=True)
def times_jt(blocks: ArticulatedBlocks, load_out: RealRows, y_out: Reals) -> None:
    """y = J^T load, from leaves to roots.                                                       [Baxter2019, Alg. 3]

    Shapes:  load_out (n, 6), y_out (dofs,)
    Writes:  y_out; load_out becomes the load of each node and all below it, at its centre of mass
    Cost:    12 flops a node, 12 a degree of freedom
    """
    for j in range(blocks.parent.shape[0] - 1, -1, -1):
        w, parent, arm = load_out[j], blocks.parent[j], blocks.arm[j]
        w0, w1, w2, w3, w4, w5 = w[0], w[1], w[2], w[3], w[4], w[5]
        for d in range(blocks.dof_start[j], blocks.dof_start[j + 1]):
            s = blocks.subspace[d]
            y_out[d] = (s[0] * w0 + s[1] * w1 + s[2] * w2) + (s[3] * w3 + s[4] * w4 + s[5] * w5)
        if parent >= 0:
            out, x, y, z = load_out[parent], arm[0], arm[1], arm[2]
            out[0] += w0
            out[1] += w1
            out[2] += w2
            out[3] += w3 + (y * w2 - z * w1)
            out[4] += w4 + (z * w0 - x * w2)
            out[5] += w5 + (x * w1 - y * w0)
