"""Kernels of `friction.py`."""

from __future__ import annotations

import math

from taut.contact.settings import FRICTION
from taut.kernel import kernel
from taut.tables import RealRows, Reals, Wholes

BOX, REFINED, CONE = 0, 1, 2


@kernel()
def bound_friction(
    # contacts
    row: Wholes, width: Wholes,  # (contacts,)
    friction: Reals, rolling: Reals, torsional: Reals,  # (contacts,) -, m, m
    # state in
    normal: Reals,  # (contacts,) N s, impulse that the bounds follow
    share: RealRows,  # (contacts, 2) share of the bound along each tangent
    # out
    lower_out: Reals, upper_out: Reals,  # (rows,)
) -> None:  # fmt: skip
    """Bounds of contact rows: the normal pushes, tangents hold up to mu times the normal impulse.

    Writes:  lower_out, upper_out
    """
    for i in range(row.shape[0]):
        r = row[i]
        lower_out[r], upper_out[r] = 0.0, math.inf
        for k in range(1, width[i]):
            if k < 3:
                bound = friction[i] * share[i, k - 1]
            else:
                bound = rolling[i] if k < 5 else torsional[i]
            lower_out[r + k], upper_out[r + k] = -bound * normal[i], bound * normal[i]


@kernel()
def follow_normals(
    mode: int,
    # contacts
    row: Wholes, width: Wholes, friction: Reals, rolling: Reals, torsional: Reals,  # (contacts,)
    # state in
    island: Wholes, diagonal: Reals, bias: Reals,  # (rows,) island of each row, A_ii and b
    lam: Reals, w: Reals,  # (rows,) the solution
    # out
    normal_out: Reals,  # (contacts,) N s, impulse that the bounds of another pass should follow
    share_out: RealRows,  # (contacts, 2) share of the bound along each tangent
    measure_out: RealRows,  # (2, islands) largest error and largest bound, N s
) -> float:  # fmt: skip
    """How far the friction of a solution is from its law, and the bounds for another pass.

    With R = mu lam_n, d = lam_t - w_t / A_tt and P the projection on the square (refined) or the disc (cone) of radius
    R, the residual is, island by island,

        max |lam_t - P(d)| / max(min(mu, 1) lam_n, FRICTION.barely |b_t| / A_tt)

    rolling and twisting alike, over their arms. In the cone A_tt is the larger of both: friction is against w_t only if
    both are divided by the same. Contacts outside the disc get the box through P(d), which then is a corner, and those
    inside the box |d_k| + R - |d|, which is the same at the rim, so that bounds do not jump as a contact slides.

    Writes:  normal_out, share_out, measure_out
    Returns: the residual
    """
    worst, scale = measure_out[0], measure_out[1]
    for k in range(worst.shape[0]):
        worst[k], scale[k] = 0.0, 1e-300
    for i in range(row.shape[0]):
        r = row[i]
        j = island[r]
        impulse = max(lam[r], 0.0)
        normal_out[i] = impulse
        share_out[i, 0], share_out[i, 1] = 1.0, 1.0
        if width[i] < 3:
            continue
        slippery = min(friction[i], 1.0)
        radius = friction[i] * impulse
        d = max(diagonal[r + 1], diagonal[r + 2])
        x, y = lam[r + 1] - w[r + 1] / d, lam[r + 2] - w[r + 2] / d
        px, py = min(max(x, -radius), radius), min(max(y, -radius), radius)
        if mode == CONE and radius > 0.0:
            length = math.sqrt(x * x + y * y)
            inside = max(radius - length, 0.0)
            shrink = min(radius / max(length, 1e-300), 1.0)
            px, py = shrink * x, shrink * y
            share_out[i, 0], share_out[i, 1] = (abs(px) + inside) / radius, (abs(py) + inside) / radius
        error = math.sqrt((lam[r + 1] - px) ** 2 + (lam[r + 2] - py) ** 2)
        for k in range(3, width[i]):
            arm = rolling[i] if k < 5 else torsional[i]
            if arm > 0.0:
                turn = min(max(lam[r + k] - w[r + k] / diagonal[r + k], -arm * impulse), arm * impulse)
                error = max(error, slippery * abs(lam[r + k] - turn) / arm)
        worst[j] = max(worst[j], error)
        scale[j] = max(scale[j], slippery * impulse, FRICTION.barely * max(abs(bias[r + 1]), abs(bias[r + 2])) / d)
    residual = 0.0
    for k in range(worst.shape[0]):
        residual = max(residual, worst[k] / scale[k])
    return residual


@kernel("float64(int64, int64[::1], int64[::1], float64[::1], float64[::1], float64[::1])")
def row_slack(
    r,
    # problem
    indptr, indices, values, bias,  # CSR of A, and b
    # state in
    lam,  # (rows,)
):  # fmt: skip
    """Slack w_r = (A lam + b)_r of one row."""
    a, b = indptr[r], indptr[r + 1]
    columns, entries = indices[a:b], values[a:b]
    slack = bias[r]
    for k in range(columns.size):
        slack += entries[k] * lam[columns[k]]
    return slack


@kernel("float64(float64, float64)", inner=True)
def step_of(slack, diagonal):
    """What takes a slack away, N s; nothing where nothing moves, so that the diagonal is 0."""
    return slack / diagonal if diagonal > 0.0 else 0.0


@kernel()
def sweep_friction(
    mode: int, sweeps: int,
    # contacts
    row: Wholes, width: Wholes, friction: Reals, rolling: Reals, torsional: Reals,  # (contacts,)
    # problem
    indptr: Wholes, indices: Wholes, values: Reals, bias: Reals, diagonal: Reals,  # CSR of A, b and A_ii
    lower: Reals, upper: Reals,  # (rows,) of the rows before the contacts', and of normals
    # in and out
    lam: Reals,  # (rows,)
    w_out: Reals,  # (rows,) A lam + b after the last sweep
) -> None:  # fmt: skip
    """Gauss-Seidel on the rows and the friction law together, contact by contact: rough, but friction sees its normal.

    Writes:  lam, w_out
    Cost:    2 nnz flops a sweep
    """
    own = row[0]
    for _ in range(sweeps):
        for r in range(own):
            step = lam[r] - step_of(row_slack(r, indptr, indices, values, bias, lam), diagonal[r])
            lam[r] = min(max(step, lower[r]), upper[r])
        for i in range(row.shape[0]):
            r = row[i]
            step = lam[r] - step_of(row_slack(r, indptr, indices, values, bias, lam), diagonal[r])
            lam[r] = min(max(step, lower[r]), upper[r])
            if width[i] < 3:
                continue
            radius, d = friction[i] * lam[r], max(diagonal[r + 1], diagonal[r + 2])
            x = lam[r + 1] - step_of(row_slack(r + 1, indptr, indices, values, bias, lam), d)
            y = lam[r + 2] - step_of(row_slack(r + 2, indptr, indices, values, bias, lam), d)
            shrink = 1.0
            if mode == CONE:
                shrink = min(radius / max(math.sqrt(x * x + y * y), 1e-300), 1.0)
            lam[r + 1] = min(max(shrink * x, -radius), radius)
            lam[r + 2] = min(max(shrink * y, -radius), radius)
            for k in range(3, width[i]):
                most = (rolling[i] if k < 5 else torsional[i]) * lam[r]
                turn = lam[r + k] - step_of(row_slack(r + k, indptr, indices, values, bias, lam), diagonal[r + k])
                lam[r + k] = min(max(turn, -most), most)
    for r in range(lam.shape[0]):
        w_out[r] = row_slack(r, indptr, indices, values, bias, lam)
