"""Compiled methods of `BodyFactor`: assemble, factor, solve and multiply by bodies."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.body_block_kernels import add_product, invert_root, subtract_product, times_root
from taut.linalg.body_factor import HARD, BodyFactor
from taut.structure.body_plan import BodyPlan
from taut.table_types import matrix
from taut.tables import Flags, Reals, Wholes, method


@kernel(inner=True)
def island_at(plan: BodyPlan, row: int) -> int:
    """The island that begins at a position of rows, or the number of islands after the last."""
    low, high = 0, plan.island_start.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if plan.island_start[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(inner=True)
def add_impulses(factor: BodyFactor, first: int, last: int, groups: Wholes, y: Reals) -> None:
    """x = J~^T y on the bodies of islands first..last, over these groups of rows.

    Writes:  x
    Cost:    12 flops a block of J
    """
    plan, x, jacobian = factor.symbolic, factor.x, factor.jacobian
    for k in range(plan.node_start[first], plan.node_start[last]):
        for i in range(6):
            x[k, i] = 0.0
    for g in groups:
        begin, end = plan.group_start[g], plan.group_start[g + 1]
        members, own = plan.member_start[g + 1] - plan.member_start[g], plan.member_start[g]
        for m in range(members):
            out, e = x[plan.member[own + m]], plan.entry_start[g] + m
            x0, x1, x2, x3, x4, x5 = out[0], out[1], out[2], out[3], out[4], out[5]
            for r in range(begin, end):
                j, value = jacobian[e], y[r]
                x0 += j[0] * value
                x1 += j[1] * value
                x2 += j[2] * value
                x3 += j[3] * value
                x4 += j[4] * value
                x5 += j[5] * value
                e += members
            out[0], out[1], out[2], out[3], out[4], out[5] = x0, x1, x2, x3, x4, x5


@kernel(inner=True)
def find_rates(factor: BodyFactor, groups: Wholes, rate_out: Reals) -> None:
    """J~ x on the rows of these groups.

    Writes:  rate_out
    Cost:    12 flops a block of J
    """
    plan, x, jacobian = factor.symbolic, factor.x, factor.jacobian
    for g in groups:
        begin, end = plan.group_start[g], plan.group_start[g + 1]
        members, own = plan.member_start[g + 1] - plan.member_start[g], plan.member_start[g]
        for r in range(begin, end):
            rate_out[r] = 0.0
        for m in range(members):
            u, e = x[plan.member[own + m]], plan.entry_start[g] + m
            u0, u1, u2, u3, u4, u5 = u[0], u[1], u[2], u[3], u[4], u[5]
            for r in range(begin, end):
                j = jacobian[e]
                rate_out[r] += j[0] * u0 + j[1] * u1 + j[2] * u2 + j[3] * u3 + j[4] * u4 + j[5] * u5
                e += members


@kernel(inner=True)
def divide_by_mass(factor: BodyFactor, first: int, last: int) -> None:
    """x <- M^-1 x on the bodies of islands first..last.

    Writes:  x
    """
    plan, x = factor.symbolic, factor.x
    for k in range(plan.node_start[first], plan.node_start[last]):
        if plan.body[k] >= 0:
            u, m = x[k], factor.inverse[k]
            for i in range(3):
                u[i] *= m[i, i]
            u3, u4, u5 = u[3], u[4], u[5]
            for i in range(3, 6):
                u[i] = m[i, 3] * u3 + m[i, 4] * u4 + m[i, 5] * u5


@kernel(apart=True)
def multiply_rows(factor: BodyFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = J~ M^-1 J~^T lam + S~ lam + b on a part.

    Writes:  w_out, x
    Cost:    24 flops a block of J
    """
    plan = factor.symbolic
    first, last = island_at(plan, begin), island_at(plan, end)
    groups = factor.group[plan.island_group[first] : plan.island_group[last]]
    add_impulses(factor, first, last, groups, lam)
    divide_by_mass(factor, first, last)
    find_rates(factor, groups, w_out)
    for r in range(begin, end):
        w_out[r] += factor.compliance[r] * lam[r] + bias[r]


@kernel(inner=True)
def put_hard_rows(factor: BodyFactor, g: int, index_set: Wholes, shift: Reals) -> None:
    """Blocks of the node of a group of hard rows: -(S + D), and -J to its bodies; -1 for rows that are not free.

    Writes:  diagonal, block
    """
    plan, jacobian = factor.symbolic, factor.jacobian
    node, begin, members = plan.node[g], plan.group_start[g], plan.member_start[g + 1] - plan.member_start[g]
    own = factor.diagonal[node]
    for i in range(6):
        own[i, i] = -1.0
    for r in range(begin, plan.group_start[g + 1]):
        i = r - begin
        if index_set[r] != 0:
            continue
        own[i, i] = -factor.compliance[r] - (shift[r] if shift.shape[0] > 0 else 0.0)
        for m in range(members):
            out, j = factor.block[plan.slot[plan.slot_start[g] + m]], jacobian[plan.entry_start[g] + i * members + m]
            body = plan.member[plan.member_start[g] + m]
            for c in range(6):
                if body < node:
                    out[i, c] = -j[c]
                else:
                    out[c, i] = -j[c]


@kernel(inner=True)
def assemble(factor: BodyFactor, first: int, last: int, index_set: Wholes, shift: Reals) -> int:
    """H = M + J~^T E J~ and the nodes of hard rows, of islands first..last.

    Writes:  diagonal, block, weight, live
    Cost:    about 250 flops a free row
    Returns: number of groups with free rows
    """
    plan, weight, jacobian = factor.symbolic, factor.weight, factor.jacobian
    for k in range(plan.node_start[first], plan.node_start[last]):
        out, m = factor.diagonal[k], factor.mass[k]
        for i in range(6):
            for c in range(8):
                out[i, c] = m[i, c]
        for e in range(plan.below_start[k], plan.below_start[k + 1]):
            empty = factor.block[e]
            for i in range(6):
                for c in range(8):
                    empty[i, c] = 0.0
    live = 0
    for g in range(plan.island_group[first], plan.island_group[last]):
        begin, end = plan.group_start[g], plan.group_start[g + 1]
        own, members = plan.member_start[g], plan.member_start[g + 1] - plan.member_start[g]
        if plan.node[g] >= 0:
            for r in range(begin, end):
                weight[r] = HARD if index_set[r] == 0 else 0.0
            put_hard_rows(factor, g, index_set, shift)
            continue
        total = 0.0
        for r in range(begin, end):
            added = shift[r] if shift.shape[0] > 0 else 0.0
            weight[r] = 1.0 / (factor.compliance[r] + added) if index_set[r] == 0 else 0.0
            total += weight[r]
        if total == 0.0:
            continue
        factor.live[live] = g
        live += 1
        slot = plan.slot_start[g]
        for a in range(members):
            p, e = plan.member[own + a], plan.entry_start[g]
            add_product(end - begin, weight, begin, jacobian, e + a, e + a, members, factor.diagonal[p])
            for b in range(a):
                # the block has the rows of the body that is eliminated later
                later, sooner = (a, b) if p > plan.member[own + b] else (b, a)
                add_product(
                    end - begin, weight, begin, jacobian, e + later, e + sooner, members, factor.block[plan.slot[slot]]
                )
                slot += 1
    return live


@kernel(inner=True)
def factor_nodes(factor: BodyFactor, first: int, last: int) -> int:
    """H = L D L^T of islands first..last, column by column, each updating the blocks to its right.

    D is kept by a root of its inverse, D_k^-1 = s_k U_k U_k^T, and L as X_jk = s_k H_jk U_k. [Baraff1996, sparsefactor]

    Writes:  diagonal, block
    Cost:    432 flops for every pair of blocks in a column, and half of that for each block
    Returns: position of the first node whose block is not definite with its sign, or -1
    """
    plan, diagonal, block = factor.symbolic, factor.diagonal, factor.block
    below_start, below, target = plan.below_start, plan.below, plan.target
    across = matrix(6, 8)
    for i in range(6):
        for c in range(8):
            across[i, c] = 0.0
    for k in range(plan.node_start[first], plan.node_start[last]):
        sign = 1.0 if plan.body[k] >= 0 else -1.0
        if invert_root(sign, diagonal[k]) == 0:
            return k
        begin, end, pair = below_start[k], below_start[k + 1], plan.pair_start[k]
        times_root(sign, diagonal[k], block, begin, end)
        for b in range(begin, end):
            x = block[b]
            for i in range(6):
                for c in range(6):
                    across[c, i] = sign * x[i, c]
            subtract_product(x, across, diagonal[below[b]])
            for a in range(b + 1, end):
                subtract_product(block[a], across, block[target[pair]])
                pair += 1
    return -1


@kernel(inner=True)
def solve_nodes(factor: BodyFactor, first: int, last: int) -> None:
    """x <- H^-1 x of islands first..last: up to the roots, and down again.                  [Baraff1996, sparsesolve]

    Writes:  x
    Cost:    144 flops a block
    """
    plan, diagonal, block, x = factor.symbolic, factor.diagonal, factor.block, factor.x
    below_start, below, begin, end = plan.below_start, plan.below, plan.node_start[first], plan.node_start[last]
    for k in range(begin, end):
        own, u = x[k], diagonal[k]
        v0, v1, v2, v3, v4, v5 = own[0], own[1], own[2], own[3], own[4], own[5]
        y0 = u[0, 0] * v0
        y1 = u[0, 1] * v0 + u[1, 1] * v1
        y2 = u[0, 2] * v0 + u[1, 2] * v1 + u[2, 2] * v2
        y3 = u[0, 3] * v0 + u[1, 3] * v1 + u[2, 3] * v2 + u[3, 3] * v3
        y4 = u[0, 4] * v0 + u[1, 4] * v1 + u[2, 4] * v2 + u[3, 4] * v3 + u[4, 4] * v4
        y5 = u[0, 5] * v0 + u[1, 5] * v1 + u[2, 5] * v2 + u[3, 5] * v3 + u[4, 5] * v4 + u[5, 5] * v5
        own[0], own[1], own[2], own[3], own[4], own[5] = y0, y1, y2, y3, y4, y5
        for a in range(below_start[k], below_start[k + 1]):
            e, other = block[a], x[below[a]]
            for i in range(6):
                other[i] -= e[i, 0] * y0 + e[i, 1] * y1 + e[i, 2] * y2 + e[i, 3] * y3 + e[i, 4] * y4 + e[i, 5] * y5
    for k in range(end - 1, begin - 1, -1):
        own, u, sign = x[k], diagonal[k], 1.0 if plan.body[k] >= 0 else -1.0
        y0, y1, y2 = sign * own[0], sign * own[1], sign * own[2]
        y3, y4, y5 = sign * own[3], sign * own[4], sign * own[5]
        for a in range(below_start[k], below_start[k + 1]):
            e, other = block[a], x[below[a]]
            for i in range(6):
                v = other[i]
                y0 -= e[i, 0] * v
                y1 -= e[i, 1] * v
                y2 -= e[i, 2] * v
                y3 -= e[i, 3] * v
                y4 -= e[i, 4] * v
                y5 -= e[i, 5] * v
        own[0] = u[0, 0] * y0 + u[0, 1] * y1 + u[0, 2] * y2 + u[0, 3] * y3 + u[0, 4] * y4 + u[0, 5] * y5
        own[1] = u[1, 1] * y1 + u[1, 2] * y2 + u[1, 3] * y3 + u[1, 4] * y4 + u[1, 5] * y5
        own[2] = u[2, 2] * y2 + u[2, 3] * y3 + u[2, 4] * y4 + u[2, 5] * y5
        own[3] = u[3, 3] * y3 + u[3, 4] * y4 + u[3, 5] * y5
        own[4] = u[4, 4] * y4 + u[4, 5] * y5
        own[5] = u[5, 5] * y5


@kernel(apart=True)
def factor_rows(factor: BodyFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part by its bodies. No row counts as dependent.

    Writes:  weight, diagonal, block, live, part; zeros to dependent_out
    Returns: 0, or -1 if a block is not definite with its sign
    """
    plan = factor.symbolic
    first, last = island_at(plan, begin), island_at(plan, end)
    for r in range(begin, end):
        dependent_out[r] = 0
    factor.part[0], factor.part[1] = first, last
    factor.part[2] = assemble(factor, first, last, index_set, shift)
    return -1 if factor_nodes(factor, first, last) >= 0 else 0


@kernel(apart=True)
def solve_rows(factor: BodyFactor, rhs: Reals, x_out: Reals) -> None:
    """x_F of the free rows of the last part; the two arrays may be the same.

    Writes:  x_out, row, x
    Cost:    24 flops a block of J of free rows, 144 a block of the factor
    """
    plan, weight, row, x = factor.symbolic, factor.weight, factor.row, factor.x
    first, last = factor.part[0], factor.part[1]
    begin, end, live = plan.island_start[first], plan.island_start[last], factor.live[: factor.part[2]]
    for r in range(begin, end):
        row[r] = weight[r] * rhs[r]
    add_impulses(factor, first, last, live, row)
    for g in range(plan.island_group[first], plan.island_group[last]):
        if plan.node[g] >= 0:
            for r in range(plan.group_start[g], plan.group_start[g + 1]):
                x[plan.node[g], r - plan.group_start[g]] = -rhs[r] if weight[r] == HARD else 0.0
    solve_nodes(factor, first, last)
    find_rates(factor, live, row)
    for r in range(begin, end):
        x_out[r] = weight[r] * (rhs[r] - row[r]) if weight[r] > 0.0 else x_out[r]
    for g in range(plan.island_group[first], plan.island_group[last]):
        if plan.node[g] >= 0:
            for r in range(plan.group_start[g], plan.group_start[g + 1]):
                if weight[r] == HARD:
                    x_out[r] = x[plan.node[g], r - plan.group_start[g]]


@method(BodyFactor)
def multiply(factor: BodyFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    multiply_rows(factor, begin, end, lam, bias, w_out)


@method(BodyFactor)
def factorise(factor: BodyFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part; see `Factor.factorise`."""
    return factor_rows(factor, begin, end, index_set, shift, dependent_out)


@method(BodyFactor)
def solve(factor: BodyFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    solve_rows(factor, rhs, x_out)
