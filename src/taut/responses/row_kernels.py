"""Kernel of the rows' side of a response: what each row feels of its own bodies."""

from __future__ import annotations

from taut.kernel import kernel
from taut.problem.kkt import HARD_REGULARISATION, Kkt
from taut.tables import Flags, RealRows, Reals


@kernel()
def respond_rows(
    hard: Flags, redundant: Flags, closed: Flags, compliance: Reals, bias: Reals, free_velocity: RealRows,
    near: RealRows, kkt: Kkt,
) -> None:  # fmt: skip
    """Responses M~^-1 J^T, compliance S, bias b + J v_free and diagonal of A of every row.

    Of the rows without compliance those that were searched for redundant ones, flags `hard` (own rows,), get none, and
    the redundant among them, flags `redundant`, as much as they feel of their bodies, and so give way. All others, such
    as limits and contacts, get next to none, so that redundant ones stay solvable. Joints of trees, flags `closed`, are
    closed where the prediction led, to rounding, which would be all there is in the problem of a tree that falls
    freely: b is there  J (v_free - v_k) = -J near,  with velocities `near` (n, 6).

    Writes:  response, compliance, bias, diagonal of kkt
    Cost:    about 30 flops a block
    """
    for row in range(bias.shape[0]):
        mine = row < hard.shape[0]
        shut = mine and closed[row] != 0
        total, own, velocity = 0.0, 0.0, near if shut else free_velocity
        for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
            body = kkt.entry_body[entry]
            j, v, y = kkt.jacobian[entry], velocity[body], kkt.response[entry]
            m, r = kkt.inverse_mass[body], kkt.inverse_inertia[body]
            # all that is read before all that is written: the compiler knows of no two arrays that they differ
            j0, j1, j2, j3, j4, j5 = j[0], j[1], j[2], j[3], j[4], j[5]
            y3 = r[0] * j3 + r[1] * j4 + r[2] * j5
            y4 = r[3] * j3 + r[4] * j4 + r[5] * j5
            y5 = r[6] * j3 + r[7] * j4 + r[8] * j5
            total += (j0 * v[0] + j1 * v[1] + j2 * v[2]) + (j3 * v[3] + j4 * v[4] + j5 * v[5])
            own += m * (j0 * j0 + j1 * j1 + j2 * j2) + (j3 * y3 + j4 * y4 + j5 * y5)
            y[0], y[1], y[2], y[3], y[4], y[5] = m * j0, m * j1, m * j2, y3, y4, y5
        s = compliance[row] if compliance[row] > 0.0 else HARD_REGULARISATION * own
        if mine:
            if hard[row] != 0 and compliance[row] == 0.0:
                s = 0.0
            if redundant[row] != 0:
                s += own + s
        kkt.bias[row] = -total if shut else bias[row] + total
        kkt.compliance[row], kkt.diagonal[row] = s, own + s
