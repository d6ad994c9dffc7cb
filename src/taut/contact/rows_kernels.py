"""Kernels of `rows.py`: where contacts are, and what their rows ask."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
from taut.spatial_kernels import times

NORMAL_OF_A, NORMAL_OF_B, CENTRE_LINE = 1, 2, 3

OBLIQUE = 0.5
"""Sine of the angle between two rods below which they touch in several points."""


@kernel("void(int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1])")
def keep_normals(
    # contacts
    body_a, body_b, turning,  # (contacts,)
    # state in
    rotation,  # (bodies, 9)
    # in and out
    normal,  # (contacts, 3) world axes on entry
):  # fmt: skip
    """Turn normals that a face gives into the axes of the face's body, where they are constant.

    Writes:  normal
    """
    for i in range(turning.shape[0]):
        if turning[i] == NORMAL_OF_A or turning[i] == NORMAL_OF_B:
            r = rotation[body_a[i] if turning[i] == NORMAL_OF_A else body_b[i]]
            n = normal[i]
            x, y, z = n[0], n[1], n[2]
            n[0] = r[0] * x + r[3] * y + r[6] * z
            n[1] = r[1] * x + r[4] * y + r[7] * z
            n[2] = r[2] * x + r[5] * y + r[8] * z


@kernel(
    "void(int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1],"
    "float64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1])"
)
def find_gaps(
    # contacts
    body_a, body_b, turning,  # (contacts,)
    normal,  # (contacts, 3) as `keep_normals` left them
    core_a, core_b, radius_a, radius_b,  # (contacts, 3), (contacts,)
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9)
    # out
    gap_out,  # (contacts,) m
    normal_out, point_out,  # (contacts, 3) unit vector from A to B; middle between the surfaces, m; world axes
):  # fmt: skip
    """Gap n . (p_B - p_A) of the local surfaces at a configuration, see `Contacts`.

    Writes:  gap_out, normal_out, point_out
    Cost:    about 60 flops a contact
    """
    for i in range(gap_out.shape[0]):
        a, b, m, n = body_a[i], body_b[i], normal[i], normal_out[i]
        ra, rb, ca, cb = rotation[a], rotation[b], core_a[i], core_b[i]
        ax, ay, az = times(ra, ca)
        bx, by, bz = times(rb, cb)
        dx = position[b, 0] + bx - position[a, 0] - ax
        dy = position[b, 1] + by - position[a, 1] - ay
        dz = position[b, 2] + bz - position[a, 2] - az
        if turning[i] == NORMAL_OF_A:
            n[0], n[1], n[2] = times(ra, m)
        elif turning[i] == NORMAL_OF_B:
            n[0], n[1], n[2] = times(rb, m)
        else:
            n[0], n[1], n[2] = m[0], m[1], m[2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            # cores that have passed through each other keep the normal they had
            if turning[i] == CENTRE_LINE and dx * m[0] + dy * m[1] + dz * m[2] > 0.5 * length:
                n[0], n[1], n[2] = dx / length, dy / length, dz / length
        distance = n[0] * dx + n[1] * dy + n[2] * dz
        gap_out[i] = distance - radius_a[i] - radius_b[i]
        # from B's surface half the gap back: both arms then end at the same point
        middle = 0.5 * gap_out[i] + radius_b[i]
        point_out[i, 0] = position[b, 0] + bx - middle * n[0]
        point_out[i, 1] = position[b, 1] + by - middle * n[1]
        point_out[i, 2] = position[b, 2] + bz - middle * n[2]


@kernel("void(float64[::1], float64[::1], float64[::1])", inner=True)
def make_frame(
    normal,  # (3,)
    tangent,  # (3,) made a unit vector across the normal
    second_out,  # (3,) normal x tangent
):
    """A right-handed frame (n, t1, t2) with t1 as near to the given tangent as it can be.

    Writes:  tangent, second_out
    """
    along = normal[0] * tangent[0] + normal[1] * tangent[1] + normal[2] * tangent[2]
    x, y, z = tangent[0] - along * normal[0], tangent[1] - along * normal[1], tangent[2] - along * normal[2]
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-3:
        # any direction across the normal: the axis that the normal is farthest from
        ax, ay, az = abs(normal[0]), abs(normal[1]), abs(normal[2])
        x, y, z = 0.0, 0.0, 0.0
        if ax <= ay and ax <= az:
            x = 1.0
        elif ay <= az:
            y = 1.0
        else:
            z = 1.0
        along = normal[0] * x + normal[1] * y + normal[2] * z
        x, y, z = x - along * normal[0], y - along * normal[1], z - along * normal[2]
        length = math.sqrt(x * x + y * y + z * z)
    tangent[0], tangent[1], tangent[2] = x / length, y / length, z / length
    second_out[0] = normal[1] * tangent[2] - normal[2] * tangent[1]
    second_out[1] = normal[2] * tangent[0] - normal[0] * tangent[2]
    second_out[2] = normal[0] * tangent[1] - normal[1] * tangent[0]


@kernel("void(float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64, float64[::1])", inner=True)
def add_seesaw(
    rotation, axis,  # (9,), (3,) of this body: the line that its core lies on, body axes; 0 for a point
    other_rotation, other_axis,  # the same of the other body
    n,  # (3,) normal
    pressing,  # N m, normal force times distance of the cores
    stiffness_out,  # (9,) N m/rad, this body's -K~
):  # fmt: skip
    """Add the geometric stiffness of a rod on a round thing: a seesaw whose nearest point slides along as it tilts.

    When the axis v tilts by p = u . theta towards the normal, u = v x n, the normal tilts by p / sin(angle of the axes)
    and the gap falls by D p^2 / (2 sin^2), so -K~ = F D u u^T / sin^2. Nearly parallel rods touch in several points,
    which do this by themselves.

    Writes:  stiffness_out
    """
    x, y, z = times(rotation, axis)
    if x * x + y * y + z * z == 0.0:
        return
    ox, oy, oz = times(other_rotation, other_axis)
    sine2 = 1.0
    if ox * ox + oy * oy + oz * oz > 0.0:
        cosine = x * ox + y * oy + z * oz
        sine2 = 1.0 - cosine * cosine
    if sine2 < OBLIQUE * OBLIQUE:
        return
    ux, uy, uz = y * n[2] - z * n[1], z * n[0] - x * n[2], x * n[1] - y * n[0]
    weight = pressing / sine2
    stiffness_out[0] += weight * ux * ux
    stiffness_out[1] += weight * ux * uy
    stiffness_out[2] += weight * ux * uz
    stiffness_out[3] += weight * uy * ux
    stiffness_out[4] += weight * uy * uy
    stiffness_out[5] += weight * uy * uz
    stiffness_out[6] += weight * uz * ux
    stiffness_out[7] += weight * uz * uy
    stiffness_out[8] += weight * uz * uz


@kernel(
    "void(int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1],"
    "float64[::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64[::1], float64[:, ::1],"
    "float64[:, ::1], float64[::1],"
    "float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1])"
)
def evaluate_contacts(
    # contacts
    body_a, body_b, turning, normal,  # (contacts,), (contacts, 3)
    core_a, core_b, radius_a, radius_b,  # (contacts, 3), (contacts,)
    axis_a, axis_b,  # (contacts, 3) body axes: direction of the line that a core lies on, 0 for points
    row, entry, width,  # (contacts,) first row, first Jacobian block, rows
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9)
    force,  # (rows,) N, for the geometric stiffness
    # out
    value_out,  # (rows,) m
    jacobian_out,  # (entries, 6)
    stiffness_out,  # (bodies, 9) added to
    normal_out, point_out,  # (contacts, 3) world axes
    # in and out
    tangent,  # (contacts, 3) world axes
):  # fmt: skip
    """Gaps, Jacobians and arm blocks of contact rows: normal, two tangents; rolling about them, twist about the normal.

    The force acts at the core, which turns with the body; a rod that is pressed on something resists tilting; what else
    the normal's own turning adds is destabilising and left to the next linearisation.

    Writes:  value_out, jacobian_out, stiffness_out, normal_out, point_out, tangent
    Cost:    about 250 flops a contact
    """
    gap, second = np.empty(row.shape[0]), np.empty(3)
    find_gaps(
        body_a, body_b, turning, normal, core_a, core_b, radius_a, radius_b, position, rotation,
        gap, normal_out, point_out,
    )  # fmt: skip
    for i in range(row.shape[0]):
        a, b, r, e, n, t = body_a[i], body_b[i], row[i], entry[i], normal_out[i], tangent[i]
        make_frame(n, t, second)
        p = point_out[i]
        xa, ya, za = p[0] - position[a, 0], p[1] - position[a, 1], p[2] - position[a, 2]
        xb, yb, zb = p[0] - position[b, 0], p[1] - position[b, 1], p[2] - position[b, 2]
        fx, fy, fz = 0.0, 0.0, 0.0
        for k in range(min(width[i], 3)):
            d = n if k == 0 else t if k == 1 else second
            value_out[r + k] = gap[i] if k == 0 else 0.0
            point_entry(jacobian_out[e + 2 * k], -1.0, d[0], d[1], d[2], xa, ya, za)
            point_entry(jacobian_out[e + 2 * k + 1], 1.0, d[0], d[1], d[2], xb, yb, zb)
            fx += force[r + k] * d[0]
            fy += force[r + k] * d[1]
            fz += force[r + k] * d[2]
        for k in range(3, width[i]):
            d = t if k == 3 else second if k == 4 else n
            value_out[r + k] = 0.0
            for j in range(3):
                jacobian_out[e + 2 * k, j], jacobian_out[e + 2 * k + 1, j] = 0.0, 0.0
                jacobian_out[e + 2 * k, 3 + j], jacobian_out[e + 2 * k + 1, 3 + j] = -d[j], d[j]
        ra, rb = radius_a[i] + 0.5 * gap[i], radius_b[i] + 0.5 * gap[i]
        add_arm(stiffness_out[a], xa - ra * n[0], ya - ra * n[1], za - ra * n[2], -fx, -fy, -fz)
        add_arm(stiffness_out[b], xb + rb * n[0], yb + rb * n[1], zb + rb * n[2], fx, fy, fz)
        pressing = max(force[r], 0.0) * (radius_a[i] + radius_b[i] + gap[i])
        add_seesaw(rotation[a], axis_a[i], rotation[b], axis_b[i], n, pressing, stiffness_out[a])
        add_seesaw(rotation[b], axis_b[i], rotation[a], axis_a[i], n, pressing, stiffness_out[b])


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[::1], float64[::1],"
    "float64[::1], float64[::1], float64[:, ::1], float64, float64[::1], float64[:, ::1], float64[::1],"
    "float64[:, ::1], float64[::1], float64[::1], float64[::1])"
)
def apply_contact_laws(
    # contacts
    body_a, body_b, row, entry, width,  # (contacts,)
    stiffness, damping,  # (contacts,) N/m, N s/m
    turn_arm,  # (contacts,) m, torque over force of the rows that hold rotations
    start_gap, aim,  # (contacts,) m, where the step starts, and what the normal aims at
    start_force,  # (contacts, 6) N and N m, of the step before
    # state in
    h, betas,  # s, (rows,) s
    velocity,  # (bodies, 6) the velocity linearised at
    value, jacobian,  # (rows,), (entries, 6)
    # out
    rate_out,  # (contacts,) m/s, J v_k of the normal
    compliance_out, bias_out,  # (rows,)
):  # fmt: skip
    """The laws of contact rows, see `taut.contact.rows`.

    Writes:  rate_out, compliance_out, bias_out
    """
    for i in range(row.shape[0]):
        r, beta = row[i], betas[row[i]]
        u, v = velocity[body_a[i]], velocity[body_b[i]]
        ja, jb = jacobian[entry[i]], jacobian[entry[i] + 1]
        rate = 0.0
        for j in range(6):
            rate += ja[j] * u[j] + jb[j] * v[j]
        damper = damping[i] if start_gap[i] <= 0.0 else 0.0
        weight = stiffness[i] * beta + damper
        compliance_out[r] = 1.0 / (h * weight)
        bias_out[r] = stiffness[i] * (value[r] - aim[i] - beta * rate) / weight
        rate_out[i] = rate
        for k in range(1, width[i]):
            arm = 1.0 if k < 3 else turn_arm[i]
            soft = 1.0 / (stiffness[i] * arm * arm * beta)
            compliance_out[r + k] = soft / h
            bias_out[r + k] = -soft * start_force[i, k]
