"""Kernels that solve with M~_r in O(n) where no spring crosses the tree.                  [Baxter2019, Algorithm 4]

Written at the bodies, not at the joints as the thesis has it: S stands for Ad_ij S_j, Ad for Ad_ip.
"""

from __future__ import annotations

from taut.kernel import kernel
from taut.model.redmax_tables import RedMaxFactor, RedMaxMotion, RedMaxTree
from taut.stepping.redmax_kernels import carry, carry_back
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals


@kernel(inner=True)
def factor_small(a: RealRows, count: int) -> None:
    """L D L^T of a symmetric matrix of `count` rows, in its lower triangle.

    Writes:  a
    """
    for j in range(count):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k] * a[k, k]
        for i in range(j + 1, count):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k] * a[k, k]
            a[i, j] /= a[j, j]


@kernel(inner=True)
def solve_small(a: RealRows, count: int, b: Reals) -> None:
    """Solve with what `factor_small` left.

    Writes:  b
    """
    for i in range(count):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
    for i in range(count):
        b[i] /= a[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            b[i] -= a[k, i] * b[k]


@kernel(inner=True)
def add_congruent(turn: Reals, place: Reals, block: Reals, sum_out: Reals) -> None:
    """Add Ad^T B Ad of a symmetric matrix B (36,) at the other frame.

    Writes:  sum_out
    """
    half = matrix(6, 6)
    column, out = vector(6), vector(6)
    for j in range(6):
        for i in range(6):
            column[i], out[i] = block[6 * i + j], 0.0
        carry_back(turn, place, column, out)
        for i in range(6):
            half[i, j] = out[i]
    for i in range(6):
        for j in range(6):
            out[j] = 0.0
        carry_back(turn, place, half[i], out)
        for j in range(6):
            sum_out[6 * i + j] += out[j]


@kernel()
def factor_recursively(t: RedMaxTree, m: RedMaxMotion, f: RedMaxFactor) -> int:
    """Factor J^T blkdiag(block) J + reduced, from the leaves to the roots: lines 1 to 8.

    Writes:  gathered, pushed, pivot of f
    Returns: 0, or 1 if it is not positive definite
    """
    u, left = vector(6), vector(36)
    for node in range(t.parent.shape[0]):
        for i in range(36):
            f.gathered[node, i] = f.block[node, i]
    for node in range(t.parent.shape[0] - 1, -1, -1):
        g, first, last = f.gathered[node], t.dof_start[node], t.dof_start[node + 1]
        for dof in range(first, last):
            for i in range(6):
                f.pushed[dof, i] = 0.0
                for j in range(6):
                    f.pushed[dof, i] += g[6 * i + j] * m.subspace[dof, j]
        for row in range(first, last):
            for column in range(first, last):
                f.pivot[row, column - first] = f.reduced[row, column - first]
                for i in range(6):
                    f.pivot[row, column - first] += m.subspace[row, i] * f.pushed[column, i]
        pivot = f.pivot[first:last]
        factor_small(pivot, last - first)
        for row in range(last - first):
            if not pivot[row, row] > 0.0:
                return 1
        if t.parent[node] < 0:
            continue
        for j in range(6):
            for row in range(first, last):
                u[row - first] = f.pushed[row, j]
            solve_small(pivot, last - first, u)
            for i in range(6):
                left[6 * i + j] = g[6 * i + j]
                for row in range(first, last):
                    left[6 * i + j] -= f.pushed[row, i] * u[row - first]
        add_congruent(m.turn[node], m.arm[node], left, f.gathered[t.parent[node]])
    return 0


@kernel()
def solve_recursively(t: RedMaxTree, m: RedMaxMotion, f: RedMaxFactor, x: Reals, y_out: Reals) -> None:
    """Solve M~_r y = x (dofs,) with the factor: lines 10 to 18.

    Writes:  y_out; force, rate of f
    """
    u = vector(6)
    for node in range(t.parent.shape[0]):
        for i in range(6):
            f.force[node, i] = 0.0
    for node in range(t.parent.shape[0] - 1, -1, -1):
        first, last, force = t.dof_start[node], t.dof_start[node + 1], f.force[node]
        for dof in range(first, last):
            y_out[dof] = x[dof]
            for i in range(6):
                y_out[dof] -= m.subspace[dof, i] * force[i]
            u[dof - first] = y_out[dof]
        if t.parent[node] < 0:
            continue
        solve_small(f.pivot[first:last], last - first, u)
        for dof in range(first, last):
            for i in range(6):
                force[i] += f.pushed[dof, i] * u[dof - first]
        carry_back(m.turn[node], m.arm[node], force, f.force[t.parent[node]])
    for node in range(t.parent.shape[0]):
        first, last, rate = t.dof_start[node], t.dof_start[node + 1], f.rate[node]
        for i in range(6):
            rate[i] = 0.0
        if t.parent[node] >= 0:
            carry(m.turn[node], m.arm[node], f.rate[t.parent[node]], rate)
        for dof in range(first, last):
            u[dof - first] = y_out[dof]
            for i in range(6):
                u[dof - first] -= f.pushed[dof, i] * rate[i]
        solve_small(f.pivot[first:last], last - first, u)
        for dof in range(first, last):
            y_out[dof] = u[dof - first]
            for i in range(6):
                rate[i] += m.subspace[dof, i] * u[dof - first]
