"""Kernels that read joint coordinates off bodies: q from their poses, qdot from their twists."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.model.redmax_tables import BALL, SLIDE, RedMaxMotion, RedMaxTree
from taut.stepping.redmax_kernels import carry, product, rotation_of
from taut.stepping.redmax_solve_kernels import factor_small, solve_small
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals, Wholes


@kernel(inner=True)
def angle_about(r: Reals, a: Reals) -> float:
    """Angle, rad, of a rotation (9,) about the unit vector a (3,).

    Returns: from -pi to pi
    """
    sine = a[0] * (r[7] - r[5]) + a[1] * (r[2] - r[6]) + a[2] * (r[3] - r[1])
    return math.atan2(sine, r[0] + r[4] + r[8] - 1.0)


@kernel(inner=True)
def quaternion_of(r: Reals, q: Reals) -> None:
    """Quaternion (4,) of a rotation (9,), not of unit length, by its largest component.

    Writes:  q
    """
    trace = r[0] + r[4] + r[8]
    if trace >= max(r[0], r[4], r[8]):
        q[0], q[1], q[2], q[3] = 1.0 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]
    elif r[0] >= max(r[4], r[8]):
        q[0], q[1], q[2], q[3] = r[7] - r[5], 1.0 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]
    elif r[4] >= r[8]:
        q[0], q[1], q[2], q[3] = r[2] - r[6], r[1] + r[3], 1.0 + r[4] - r[0] - r[8], r[5] + r[7]
    else:
        q[0], q[1], q[2], q[3] = r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 + r[8] - r[0] - r[4]


@kernel(inner=True)
def rotation_vector(r: Reals, out: Reals) -> None:
    """Rotation vector (3,), rad, of a rotation (9,), at most pi long.

    Writes:  out
    """
    q = vector(4)
    quaternion_of(r, q)
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    sign = -1.0 if q[0] < 0.0 else 1.0
    scale = 2.0 * sign / abs(q[0]) if sine < 1e-12 * abs(q[0]) else 2.0 * sign * math.atan2(sine, abs(q[0])) / sine
    for i in range(3):
        out[i] = scale * q[1 + i]


@kernel()
def write_orientations(rotation: RealRows, body: Wholes, orientation_out: RealRows) -> None:
    """Quaternions of bodies (n,) with rotations (n, 9), of the two that of the sign they had.

    Writes:  orientation_out (bodies, 4)
    """
    q = vector(4)
    for node in range(body.shape[0]):
        quaternion_of(rotation[node], q)
        out, size, along = orientation_out[body[node]], 0.0, 0.0
        for i in range(4):
            size, along = size + q[i] * q[i], along + q[i] * out[i]
        scale = (-1.0 if along < 0.0 else 1.0) / math.sqrt(size)
        for i in range(4):
            out[i] = scale * q[i]


@kernel(inner=True)
def between_frames(t: RedMaxTree, node: int, position: RealRows, rotation: RealRows, turn: Reals, place: Reals) -> None:
    """Q (9,), (3,) of one joint, P^-1 E_pi C, from positions (n, 3) and rotations (n, 9) of the bodies.

    Writes:  turn, place
    """
    r, c, p, offset, seen = rotation[node], t.child_place[node], t.parent_turn[node], vector(3), vector(9)
    parent = t.parent[node]
    for i in range(3):
        offset[i] = position[node, i] + r[3 * i] * c[0] + r[3 * i + 1] * c[1] + r[3 * i + 2] * c[2]
    product(r, t.child_turn[node], 0, turn)
    if parent >= 0:
        w, x, y, z = rotation[parent], offset[0], offset[1], offset[2]
        x, y, z = x - position[parent, 0], y - position[parent, 1], z - position[parent, 2]
        for i in range(3):
            offset[i] = w[i] * x + w[3 + i] * y + w[6 + i] * z
            for j in range(3):
                seen[3 * i + j] = w[i] * turn[j] + w[3 + i] * turn[3 + j] + w[6 + i] * turn[6 + j]
    else:
        for i in range(9):
            seen[i] = turn[i]
    origin = t.parent_place[node]
    x, y, z = offset[0] - origin[0], offset[1] - origin[1], offset[2] - origin[2]
    for i in range(3):
        place[i] = p[i] * x + p[3 + i] * y + p[6 + i] * z
        for j in range(3):
            turn[3 * i + j] = p[i] * seen[j] + p[3 + i] * seen[3 + j] + p[6 + i] * seen[6 + j]


@kernel()
def read_joint_coordinates(t: RedMaxTree, position: RealRows, rotation: RealRows, q_out: Reals) -> None:
    """Joint coordinates (dofs,) of bodies at positions (n, 3) with rotations (n, 9): turns from -pi to pi.

    A slide is measured in the axes before the turns that come after it, and after those that come before it.

    Writes:  q_out
    """
    turn, place, small, left, vec = vector(9), vector(3), vector(9), vector(9), vector(3)
    for node in range(t.parent.shape[0]):
        between_frames(t, node, position, rotation, turn, place)
        turned = 0
        for dof in range(t.dof_start[node], t.dof_start[node + 1]):
            a = t.axis[dof]
            if t.kind[dof] == SLIDE:
                for i in range(3):
                    vec[i] = place[i]
                    if turned:
                        vec[i] = turn[i] * place[0] + turn[3 + i] * place[1] + turn[6 + i] * place[2]
                q_out[dof] = a[0] * vec[0] + a[1] * vec[1] + a[2] * vec[2]
            elif t.kind[dof] == BALL:
                if turned == 0:
                    rotation_vector(turn, vec)
                q_out[dof] = vec[turned]
                turned += 1
            elif turned == 0 and dof + 1 < t.dof_start[node + 1] and t.kind[dof + 1] == t.kind[dof]:
                # the first of two turns: it alone moves the second axis
                b = t.axis[dof + 1]
                for i in range(3):
                    vec[i] = turn[3 * i] * b[0] + turn[3 * i + 1] * b[1] + turn[3 * i + 2] * b[2]
                sine = a[0] * (b[1] * vec[2] - b[2] * vec[1]) + a[1] * (b[2] * vec[0] - b[0] * vec[2])
                sine += a[2] * (b[0] * vec[1] - b[1] * vec[0])
                q_out[dof] = math.atan2(sine, b[0] * vec[0] + b[1] * vec[1] + b[2] * vec[2])
                rotation_of(-q_out[dof] * a[0], -q_out[dof] * a[1], -q_out[dof] * a[2], small)
                product(small, turn, 0, left)
                turned = 1
            else:
                q_out[dof] = angle_about(left if turned else turn, a)
                turned += 1


@kernel()
def read_joint_rates(t: RedMaxTree, m: RedMaxMotion, twist: RealRows, rate_out: Reals) -> None:
    """Rates (dofs,) of joint coordinates of bodies with twists (n, 6): S qdot = phi_i - Ad_ip phi_p, nearest.

    Writes:  rate_out
    """
    own, square, b = vector(6), matrix(6, 6), vector(6)
    for node in range(t.parent.shape[0]):
        for i in range(6):
            own[i] = 0.0
        if t.parent[node] >= 0:
            carry(m.turn[node], m.arm[node], twist[t.parent[node]], own)
        for i in range(6):
            own[i] = twist[node, i] - own[i]
        first, count = t.dof_start[node], t.dof_start[node + 1] - t.dof_start[node]
        for row in range(count):
            b[row] = 0.0
            for i in range(6):
                b[row] += m.subspace[first + row, i] * own[i]
            for column in range(count):
                square[row, column] = 0.0
                for i in range(6):
                    square[row, column] += m.subspace[first + row, i] * m.subspace[first + column, i]
        factor_small(square, count)
        solve_small(square, count, b)
        for row in range(count):
            rate_out[first + row] = b[row]
