"""Kernels of `friction.py`."""

from __future__ import annotations

import math

from taut.kernel import kernel

BOX, REFINED, CONE = 0, 1, 2


@kernel(
    "void(int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1],"
    "float64[::1], float64[::1])"
)
def bound_friction(
    # contacts
    row, width,  # (contacts,)
    friction, rolling, torsional,  # (contacts,) -, m, m
    # state in
    normal,  # (contacts,) N s, impulse that the bounds follow
    share,  # (contacts, 2) share of the bound along each tangent
    # out
    lower_out, upper_out,  # (rows,)
):  # fmt: skip
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


@kernel(
    "float64(int64, int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1],"
    "float64[::1], float64[:, ::1])"
)
def follow_normals(
    mode,
    # contacts
    row, width, friction,  # (contacts,)
    # state in
    lam, w, diagonal,  # (rows,) the solution and A_ii
    # in and out
    normal,  # (contacts,) N s, what the bounds followed; then what they should follow
    share,  # (contacts, 2)
):  # fmt: skip
    """How far the friction of a solution is from its law, and the bounds for another pass.

    The scaled residual is, with d = lam_t - w_t / A_tt,
        refined:  largest |mu (lam_n - N)|              N the normal impulse that the bounds followed
        cone:     largest |lam_t - P(d)|                P the projection on the disc of radius mu lam_n
    over the largest bound. Sliding contacts outside the disc get the box through P(d), which then is a corner.

    Writes:  normal, share
    Returns: the residual
    """
    worst, scale = 0.0, 1e-300
    for i in range(row.shape[0]):
        r = row[i]
        impulse = max(lam[r], 0.0)
        size = friction[i] * impulse
        scale = max(scale, size)
        if mode == REFINED or width[i] < 3:
            worst = max(worst, friction[i] * abs(impulse - normal[i]))
        else:
            x = lam[r + 1] - w[r + 1] / diagonal[r + 1]
            y = lam[r + 2] - w[r + 2] / diagonal[r + 2]
            length = math.sqrt(x * x + y * y)
            share[i, 0], share[i, 1] = 1.0, 1.0
            px, py = x, y
            if length > size:
                share[i, 0], share[i, 1] = abs(x) / length, abs(y) / length
                px, py = size * x / length, size * y / length
            error_x, error_y = lam[r + 1] - px, lam[r + 2] - py
            worst = max(worst, math.sqrt(error_x * error_x + error_y * error_y))
        normal[i] = impulse
    return worst / scale
