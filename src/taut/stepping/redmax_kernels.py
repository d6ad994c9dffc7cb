"""Kernels of the thesis' step: kinematics of a tree, and the products of Algorithms 2 and 3.

See `taut.model.redmax_tables` for what the tables mean; `redmax_dense.py` has the dense twin, Algorithm 1.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.model.redmax_tables import BALL, SLIDE, RedMaxMotion, RedMaxTree
from taut.table_types import vector
from taut.tables import RealRows, Reals

SMALL_ANGLE = 0.5
"""Angle, rad, below which the coefficients of the exponential are series: their closed forms cancel there."""

SERIES = 8
"""Terms of those series; the next is below 1e-17."""


@kernel(inner=True)
def carry(turn: Reals, place: Reals, x: Reals, out: Reals) -> None:
    """Twist x seen from another frame, (6,): Ad x = (R w, p x R w + R v).                    [Baxter2019, eq. 2.5]

    Writes:  out
    """
    for i in range(3):
        out[i] = turn[3 * i] * x[0] + turn[3 * i + 1] * x[1] + turn[3 * i + 2] * x[2]
        out[3 + i] = turn[3 * i] * x[3] + turn[3 * i + 1] * x[4] + turn[3 * i + 2] * x[5]
    out[3] += place[1] * out[2] - place[2] * out[1]
    out[4] += place[2] * out[0] - place[0] * out[2]
    out[5] += place[0] * out[1] - place[1] * out[0]


@kernel(inner=True)
def carry_back(turn: Reals, place: Reals, y: Reals, sum_out: Reals) -> None:
    """Add the wrench y at the other frame, (6,): Ad^T y = (R^T (t - p x f), R^T f).

    Writes:  sum_out
    """
    x = y[0] - (place[1] * y[5] - place[2] * y[4])
    u = y[1] - (place[2] * y[3] - place[0] * y[5])
    z = y[2] - (place[0] * y[4] - place[1] * y[3])
    for i in range(3):
        sum_out[i] += turn[i] * x + turn[3 + i] * u + turn[6 + i] * z
        sum_out[3 + i] += turn[i] * y[3] + turn[3 + i] * y[4] + turn[6 + i] * y[5]


@kernel(inner=True)
def take_bracket(a: Reals, b: Reals, out: Reals) -> None:
    """Subtract ad(a) b = (wa x wb, va x wb + wa x vb) of two twists (6,).                     [Baxter2019, eq. 2.8]

    Writes:  out
    """
    out[0] -= a[1] * b[2] - a[2] * b[1]
    out[1] -= a[2] * b[0] - a[0] * b[2]
    out[2] -= a[0] * b[1] - a[1] * b[0]
    out[3] -= a[4] * b[2] - a[5] * b[1] + a[1] * b[5] - a[2] * b[4]
    out[4] -= a[5] * b[0] - a[3] * b[2] + a[2] * b[3] - a[0] * b[5]
    out[5] -= a[3] * b[1] - a[4] * b[0] + a[0] * b[4] - a[1] * b[3]


@kernel(inner=True)
def product(a: Reals, b: Reals, flipped: int, out: Reals) -> None:
    """Product of two matrices (9,), a b, or with `flipped` a b^T.

    Writes:  out
    """
    for i in range(3):
        for j in range(3):
            if flipped:
                out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2]
            else:
                out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]


@kernel(inner=True)
def rotation_of(x: float, y: float, z: float, out: Reals) -> None:
    """Rotation matrix (9,) of a rotation vector, rad, by Rodrigues' formula.

    Writes:  out
    """
    angle = math.sqrt(x * x + y * y + z * z)
    s, c = 1.0, 0.5
    if angle > 1e-8:
        s, c = math.sin(angle) / angle, 2.0 * (math.sin(0.5 * angle) / angle) ** 2
    out[0], out[4], out[8] = 1.0 - c * (y * y + z * z), 1.0 - c * (z * z + x * x), 1.0 - c * (x * x + y * y)
    out[1], out[3] = c * x * y - s * z, c * x * y + s * z
    out[2], out[6] = c * x * z + s * y, c * x * z - s * y
    out[5], out[7] = c * y * z - s * x, c * y * z + s * x


@kernel(inner=True)
def ball_column(r: Reals, rate: Reals, column: int, out: Reals, rate_out: Reals) -> None:
    """A column of the S (3, 3) of exponential coordinates r, and of its rate: w = S dr/dt in the axes of the body.

    S = 1 - a [r] + b [r]^2, a = (1 - cos t)/t^2, b = (t - sin t)/t^3, t = |r|.

    Writes:  the first three of out, rate_out (6,)
    """
    t2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    t = math.sqrt(t2)
    if t < SMALL_ANGLE:
        a = b = da = db = 0.0
        term = 0.5
        for n in range(SERIES):  # term = (-t^2)^n / (2n + 2)!
            a, b = a + term, b + term / (2 * n + 3)
            term /= (2 * n + 3) * (2 * n + 4)
            da, db = da - (2 * n + 2) * term, db - (2 * n + 2) * term / (2 * n + 5)
            term *= -t2
    else:
        s, c = math.sin(t), math.cos(t)
        a, b = (1.0 - c) / t2, (t - s) / (t2 * t)
        da, db = (s / t - 2.0 * a) / t2, (a - 3.0 * b) / t2
    along = r[0] * rate[0] + r[1] * rate[1] + r[2] * rate[2]
    i, j, k = column, (column + 1) % 3, (column + 2) % 3
    # [r] e_i and [r]^2 e_i = r r_i - t^2 e_i, and their rates
    out[i], out[j], out[k] = 1.0 + b * (r[i] * r[i] - t2), -a * r[k] + b * r[j] * r[i], a * r[j] + b * r[k] * r[i]
    rate_out[i] = db * along * (r[i] * r[i] - t2) + 2.0 * b * (r[i] * rate[i] - along)
    rate_out[j] = -da * along * r[k] - a * rate[k] + db * along * r[j] * r[i] + b * (rate[j] * r[i] + r[j] * rate[i])
    rate_out[k] = da * along * r[j] + a * rate[j] + db * along * r[k] * r[i] + b * (rate[k] * r[i] + r[k] * rate[i])


@kernel(inner=True)
def join_motion(t: RedMaxTree, m: RedMaxMotion, node: int) -> None:
    """S, its rate and S qdot of one joint, and E_ip = C Q^-1 P^-1, from the child's side to the parent's.

    With U = C (Q_k ... Q_n)^-1:  S_k = Ad(U) s_k,  dS_k/dt = Ad(U) ds_k/dt - ad(S_l qdot_l of those before) S_k.

    Writes:  subspace, subspace_rate, own, arm, turn of m
    """
    turn, other, small, place, local, rate = vector(9), vector(9), vector(9), vector(3), vector(6), vector(6)
    for i in range(9):
        turn[i] = t.child_turn[node, i]
    for i in range(3):
        place[i] = t.child_place[node, i]
    own = m.own[node]
    for i in range(6):
        own[i] = 0.0
    first, dof = t.dof_start[node], t.dof_start[node + 1]
    while dof > first:
        ball = t.kind[dof - 1] == BALL
        width = 3 if ball else 1
        dof -= width
        r, v = m.q[dof : dof + width], m.qdot[dof : dof + width]
        for column in range(width):
            for i in range(6):
                local[i] = rate[i] = 0.0
            if ball:
                ball_column(r, v, column, local, rate)
            else:
                at = 3 if t.kind[dof] == SLIDE else 0
                for i in range(3):
                    local[at + i] = t.axis[dof, i]
            s, s_rate = m.subspace[dof + column], m.subspace_rate[dof + column]
            carry(turn, place, local, s)
            carry(turn, place, rate, s_rate)
            take_bracket(own, s, s_rate)
        for column in range(width):
            for i in range(6):
                own[i] += m.subspace[dof + column, i] * v[column]
        a = t.axis[dof]
        if t.kind[dof] == SLIDE:
            for i in range(3):
                place[i] -= (turn[3 * i] * a[0] + turn[3 * i + 1] * a[1] + turn[3 * i + 2] * a[2]) * r[0]
            continue
        if ball:
            rotation_of(-r[0], -r[1], -r[2], small)
        else:
            rotation_of(-r[0] * a[0], -r[0] * a[1], -r[0] * a[2], small)
        product(turn, small, 0, other)
        for i in range(9):
            turn[i] = other[i]
    e, p = m.turn[node], t.parent_place[node]
    product(turn, t.parent_turn[node], 1, e)
    for i in range(3):
        m.arm[node, i] = place[i] - (e[3 * i] * p[0] + e[3 * i + 1] * p[1] + e[3 * i + 2] * p[2])


@kernel()
def move_tree(t: RedMaxTree, m: RedMaxMotion) -> None:
    """All that follows from q and qdot: poses, subspaces and twists, from the roots to the leaves.

    Writes:  m but for q, qdot and sums
    """
    for node in range(t.parent.shape[0]):
        join_motion(t, m, node)
        r, e, w, parent = m.rotation[node], m.turn[node], m.twist[node], t.parent[node]
        if parent < 0:
            for i in range(3):
                m.position[node, i] = 0.0
                for j in range(3):
                    r[3 * i + j] = e[3 * j + i]
            for i in range(6):
                w[i] = m.own[node, i]
        else:
            product(m.rotation[parent], e, 1, r)
            for i in range(3):
                m.position[node, i] = m.position[parent, i]
            carry(e, m.arm[node], m.twist[parent], w)
            for i in range(6):
                w[i] += m.own[node, i]
        a = m.arm[node]
        for i in range(3):
            m.position[node, i] -= r[3 * i] * a[0] + r[3 * i + 1] * a[1] + r[3 * i + 2] * a[2]


@kernel()
def times_jacobian(t: RedMaxTree, m: RedMaxMotion, x: Reals, y_out: RealRows, z_out: RealRows) -> None:
    """Products y = J x and z = dJ/dt x (n, 6) in O(n).                                    [Baxter2019, Algorithm 2]

    The rate of Ad_ip (eq. 2.24) is -ad(S qdot) Ad_ip: both bodies' twists but for the joint's own cancel.

    Writes:  y_out, z_out; sums of m
    """
    for node in range(t.parent.shape[0]):
        y, z, parent = y_out[node], z_out[node], t.parent[node]
        for i in range(6):
            y[i] = z[i] = 0.0
        if parent >= 0:
            carry(m.turn[node], m.arm[node], y_out[parent], y)
            carry(m.turn[node], m.arm[node], z_out[parent], z)
            take_bracket(m.own[node], y, z)
        for dof in range(t.dof_start[node], t.dof_start[node + 1]):
            for i in range(6):
                y[i] += m.subspace[dof, i] * x[dof]
                z[i] += m.subspace_rate[dof, i] * x[dof]


@kernel()
def times_transposed(t: RedMaxTree, m: RedMaxMotion, y: RealRows, x_out: Reals) -> None:
    """Product x = J^T y of wrenches (n, 6) in O(n).                                       [Baxter2019, Algorithm 3]

    Writes:  x_out; sums of m
    """
    for node in range(t.parent.shape[0]):
        for i in range(6):
            m.sums[node, i] = y[node, i]
    for node in range(t.parent.shape[0] - 1, -1, -1):
        sums = m.sums[node]
        for dof in range(t.dof_start[node], t.dof_start[node + 1]):
            total = 0.0
            for i in range(6):
                total += m.subspace[dof, i] * sums[i]
            x_out[dof] = total
        if t.parent[node] >= 0:
            carry_back(m.turn[node], m.arm[node], sums, m.sums[t.parent[node]])
