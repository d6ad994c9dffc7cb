"""Kernels of `primary_tree.py`."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.block_ldl_kernels import factor, solve
from taut.responses.free_bodies_kernels import add_response


@kernel(
    "void(int64[::1], int64[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1],"
    "float64[::1], int64[::1], float64, float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def row_products(
    # model
    entry_start, entry_body,  # (rows + 1,), (entries,)
    # state in
    inverse_mass, inverse_inertia,  # (bodies,), (bodies, 9)
    free_velocity,  # (bodies, 6)
    jacobian,  # (entries, 6)
    compliance,  # (rows,) negative = hard
    bias,  # (rows,) b of the laws
    redundant,  # rows that give way
    regularisation,  # of hard rows, relative to the diagonal
    # out
    response_out,  # (entries, 6) M~^-1 J^T
    compliance_out,  # (rows,) S
    bias_out,  # (rows,) b + J v_free
    diagonal_out, weight_out,  # (rows,) A_ii, 1 / sqrt(A_ii)
):  # fmt: skip
    """What each row needs of its own bodies: responses, compliance, bias and diagonal of A.

    Writes:  response_out, compliance_out, bias_out, diagonal_out, weight_out, and compliance of redundant rows
    Cost:    about 30 flops a block
    """
    for row in range(entry_start.shape[0] - 1):
        total, own = bias[row], 0.0
        for entry in range(entry_start[row], entry_start[row + 1]):
            body = entry_body[entry]
            j, v, y = jacobian[entry], free_velocity[body], response_out[entry]
            m, r = inverse_mass[body], inverse_inertia[body]
            y[0], y[1], y[2] = m * j[0], m * j[1], m * j[2]
            y[3] = r[0] * j[3] + r[1] * j[4] + r[2] * j[5]
            y[4] = r[3] * j[3] + r[4] * j[4] + r[5] * j[5]
            y[5] = r[6] * j[3] + r[7] * j[4] + r[8] * j[5]
            for i in range(6):
                total += j[i] * v[i]
                own += j[i] * y[i]
        bias_out[row] = total
        s = compliance[row] if compliance[row] >= 0.0 else regularisation * own
        compliance_out[row], diagonal_out[row] = s, own + s
        weight_out[row] = 1.0 / math.sqrt(own + s) if own + s > 0.0 else 1.0
    for k in range(redundant.shape[0]):
        row = redundant[k]
        compliance[row] = diagonal_out[row]
        compliance_out[row] += diagonal_out[row]
        diagonal_out[row] *= 2.0
        weight_out[row] = 1.0 / math.sqrt(diagonal_out[row])


@kernel(
    "int64(int64[::1], float64[::1], float64[:, ::1], int64[::1], int64[::1], float64[::1], int64[::1], int64[::1],"
    "uint8[::1], int64[::1], float64[:, ::1], int64[::1], int64[::1], float64[::1], int64[::1], int64[::1],"
    "int64[::1], float64[:, :, ::1], float64[:, :, ::1])"
)
def load_and_factor(
    # model
    body_position,  # (bodies,) -1 for fixed bodies
    inverse_mass, turning,  # (bodies,) 1/kg, (bodies, 9) kg m^2: M~
    row_position, row_slot,  # (rows,) of the model
    compliance,  # (rows or more,) S
    entry_block, entry_slot, entry_across, filled,  # (entries,), blocks; see `PrimaryRows`
    jacobian,  # (entries or more, 6)
    # plan
    size, given, sign, below_start, below, target,
    # out
    diagonal, block,  # (nodes, 6, 6), (blocks, 6, 6) the factor
):  # fmt: skip
    """Put H = [[M~, -J^T], [-J, -S]] together and factor it.                                   [Baraff1996, section 7]

    Writes:  diagonal, block
    Returns: position of the first node whose block is not definite, or -1
    """
    for node in range(diagonal.shape[0]):
        if given[node] == 0:
            for r in range(6):
                for c in range(6):
                    diagonal[node, r, c] = 0.0
    for k in range(filled.shape[0]):  # the others are written over below, or are zero for good
        for r in range(6):
            for c in range(6):
                block[filled[k], r, c] = 0.0
    for body in range(body_position.shape[0]):
        node = body_position[body]
        if node >= 0:
            own, inertia = diagonal[node], turning[body]
            mass = math.sqrt(inverse_mass[body]) if given[node] > 0 else 1.0 / inverse_mass[body]
            for r in range(3):
                own[r, r] = mass
                for c in range(3):
                    own[3 + r, 3 + c] = inertia[3 * r + c]
    for row in range(row_position.shape[0]):
        if row_position[row] >= 0:
            diagonal[row_position[row], row_slot[row], row_slot[row]] = -compliance[row]
    for entry in range(entry_block.shape[0]):
        if entry_block[entry] >= 0:
            entries, slot, j = block[entry_block[entry]], entry_slot[entry], jacobian[entry]
            if entry_across[entry] != 0:
                for i in range(6):
                    entries[i, slot] = -j[i]
            else:
                for i in range(6):
                    entries[slot, i] = -j[i]
    return factor(size, given, sign, below_start, below, target, diagonal, block)


@kernel(
    "float64(int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1],"
    "float64[::1], int64[::1], float64[::1], float64[:, ::1], float64[::1])",
    inner=True,
)
def measure_slack(
    # model
    entry_start, entry_row, entry_body,
    # state in
    jacobian, response,
    compliance, total_bias, weight,  # (rows,) S, b + J v_free, 1 / sqrt(A_ii)
    row_position,  # (rows of the model,) -1 for auxiliary rows
    lam,  # (rows,)
    # out
    change_out,  # (bodies, 6) v+ - v_free
    w_out,  # (rows,)
):  # fmt: skip
    """v+ - v_free = M~^-1 J^T lam and w = J v+ + S lam + b of all rows.

    Writes:  change_out, w_out
    Returns: largest slack of a primary row over the size of the problem, both over the root of A's diagonal
    """
    for body in range(change_out.shape[0]):
        for i in range(6):
            change_out[body, i] = 0.0
    add_response(entry_row, entry_body, response, lam, change_out)
    worst, scale = 0.0, 1e-300
    for row in range(lam.shape[0]):
        total = total_bias[row] + compliance[row] * lam[row]
        for entry in range(entry_start[row], entry_start[row + 1]):
            j, v = jacobian[entry], change_out[entry_body[entry]]
            for i in range(6):
                total += j[i] * v[i]
        w_out[row] = total
        scale = max(scale, abs(total_bias[row]) * weight[row], abs(lam[row]) / weight[row])
        if row < row_position.shape[0] and row_position[row] >= 0:
            worst = max(worst, abs(total) * weight[row])
    return worst / scale


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1],"
    "float64[::1], float64[::1], float64[::1], float64, int64[::1], float64[::1], int64[::1],"
    "int64[::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1])"
)
def solve_rows(
    # model
    entry_start, entry_row, entry_body,  # of all rows
    body_position,
    row_position, row_slot,  # (rows of the model,)
    # state in
    jacobian, response,
    compliance, total_bias, weight,  # (rows,) S, b + J v_free, 1 / sqrt(A_ii)
    refine_above,
    # plan and factor
    size, sign, below_start, below, factor_diagonal, factor_block,
    # workspace
    x,  # (nodes, 6)
    change,  # (bodies, 6)
    # in and out
    lam,  # (rows,) those of auxiliary rows on entry, of all rows on return
    # out
    w_out,  # (rows,)
):  # fmt: skip
    """Multipliers of the primary rows that hold against given auxiliary ones, and the slack of all rows.

    Where rounding has left more than `refine_above` of a slack, what is left is solved for once more.

    Writes:  x, change, lam, w_out
    """
    rows = row_position.shape[0]
    for node in range(x.shape[0]):
        for i in range(6):
            x[node, i] = 0.0
    for entry in range(entry_row.shape[0]):
        row, node = entry_row[entry], body_position[entry_body[entry]]
        if node >= 0 and (row >= rows or row_position[row] < 0) and lam[row] != 0.0:
            for i in range(6):
                x[node, i] += jacobian[entry, i] * lam[row]
    for row in range(rows):
        if row_position[row] >= 0:
            x[row_position[row], row_slot[row]] = total_bias[row]
            lam[row] = 0.0
    for _ in range(3):
        solve(size, sign, below_start, below, factor_diagonal, factor_block, x)
        for row in range(rows):
            if row_position[row] >= 0:
                lam[row] += x[row_position[row], row_slot[row]]
        left = measure_slack(
            entry_start, entry_row, entry_body, jacobian, response, compliance, total_bias, weight, row_position,
            lam, change, w_out,
        )  # fmt: skip
        if left <= refine_above:
            break
        for node in range(x.shape[0]):
            for i in range(6):
                x[node, i] = 0.0
        for row in range(rows):
            if row_position[row] >= 0:
                x[row_position[row], row_slot[row]] = w_out[row]
