"""Kernels of `rows.py`: where contacts are, and what their rows ask."""

from __future__ import annotations

import math

from taut.contact.friction_kernels import bound_friction
from taut.contact.settings import CONTACT
from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, add_square, point_entry
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import RealRows, Reals, Wholes

NORMAL_OF_A, NORMAL_OF_B, CENTRE_LINE = 1, 2, 3


@kernel()
def take_found(
    c: ContactTable, geom_a: Wholes, geom_b: Wholes, body_a: Wholes, body_b: Wholes, turning: Wholes,
    core_a: RealRows, core_b: RealRows, radius_a: Reals, radius_b: Reals,
) -> None:  # fmt: skip
    """Take over what a collision found, see `taut.collide.contacts.Contacts`.

    Writes:  geom_a to radius_b of c
    """
    for i in range(geom_a.shape[0]):
        c.geom_a[i], c.geom_b[i], c.body_a[i], c.body_b[i] = geom_a[i], geom_b[i], body_a[i], body_b[i]
        c.turning[i], c.radius_a[i], c.radius_b[i] = turning[i], radius_a[i], radius_b[i]
        for k in range(3):
            c.core_a[i, k], c.core_b[i, k] = core_a[i, k], core_b[i, k]


@kernel()
def find_gaps(
    # contacts
    body_a: Wholes, body_b: Wholes, turning: Wholes,  # (contacts,)
    normal: RealRows,  # (contacts, 3) in the axes of its body where a face gives it
    core_a: RealRows, core_b: RealRows, radius_a: Reals, radius_b: Reals,  # (contacts, 3), (contacts,)
    # state in
    position: RealRows, rotation: RealRows,  # (bodies, 3), (bodies, 9)
    # out
    gap_out: Reals,  # (contacts,) m
    normal_out: RealRows, point_out: RealRows,  # (contacts, 3) unit from A to B; middle between surfaces, m; world axes
) -> None:  # fmt: skip
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


@kernel()
def look(
    c: ContactTable, position: RealRows, rotation: RealRows, gap: Reals, normal: RealRows, point: RealRows
) -> None:
    """Gaps (k,), normals and points (k, 3) of contacts where bodies are, see `find_gaps`.

    Writes:  gap, normal, point
    """
    find_gaps(
        c.body_a, c.body_b, c.turning, c.normal_kept, c.core_a, c.core_b, c.radius_a, c.radius_b, position, rotation,
        gap, normal, point,
    )  # fmt: skip


@kernel()
def relative_velocity(c: ContactTable, velocity: RealRows, position: RealRows, relative: RealRows) -> None:
    """Velocity (k, 3) of B against A at the contact points, world axes, m/s, for bodies at positions (bodies, 3).

    Writes:  relative
    """
    for i in range(c.row.shape[0]):
        p, out = c.point[i], relative[i]
        out[0], out[1], out[2] = 0.0, 0.0, 0.0
        for side in range(2):
            body, sign = (c.body_b[i], 1.0) if side == 0 else (c.body_a[i], -1.0)
            v, x = velocity[body], position[body]
            rx, ry, rz = p[0] - x[0], p[1] - x[1], p[2] - x[2]
            out[0] += sign * (v[0] + v[4] * rz - v[5] * ry)
            out[1] += sign * (v[1] + v[5] * rx - v[3] * rz)
            out[2] += sign * (v[2] + v[3] * ry - v[4] * rx)


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
    if sine2 < CONTACT.oblique * CONTACT.oblique:
        return
    ux, uy, uz = y * n[2] - z * n[1], z * n[0] - x * n[2], x * n[1] - y * n[0]
    add_square(stiffness_out, pressing / sine2, ux, uy, uz)


@kernel(inner=True)
def evaluate_contacts(c: ContactTable, places: Places, rows: RowTable) -> None:
    """Gaps, Jacobians and arm blocks of contact rows: normal, two tangents; rolling about them, twist about the normal.

    The force acts at the core, which turns with the body; a rod that is pressed on something resists tilting; what else
    the normal's own turning adds is destabilising and left to the next linearisation.

    Writes:  value, jacobian of their rows; stiffness, added to; normal, point, tangent, value of contacts
    Cost:    about 250 flops a contact
    """
    position, rotation, force, jacobian, second = places.position, places.rotation, rows.force, rows.jacobian, vector(3)
    look(c, position, rotation, c.value, c.normal, c.point)
    for i in range(c.row.shape[0]):
        a, b, r, e, n, t, p = c.body_a[i], c.body_b[i], c.row[i], c.entry[i], c.normal[i], c.tangent[i], c.point[i]
        gap = c.value[i]
        make_frame(n, t, second)
        xa, ya, za = p[0] - position[a, 0], p[1] - position[a, 1], p[2] - position[a, 2]
        xb, yb, zb = p[0] - position[b, 0], p[1] - position[b, 1], p[2] - position[b, 2]
        fx, fy, fz = 0.0, 0.0, 0.0
        for k in range(min(c.width[i], 3)):
            d = n if k == 0 else t if k == 1 else second
            rows.value[r + k] = gap if k == 0 else 0.0
            point_entry(jacobian[e + 2 * k], -1.0, d[0], d[1], d[2], xa, ya, za)
            point_entry(jacobian[e + 2 * k + 1], 1.0, d[0], d[1], d[2], xb, yb, zb)
            fx += force[r + k] * d[0]
            fy += force[r + k] * d[1]
            fz += force[r + k] * d[2]
        for k in range(3, c.width[i]):
            d = t if k == 3 else second if k == 4 else n
            rows.value[r + k] = 0.0
            for j in range(3):
                jacobian[e + 2 * k, j], jacobian[e + 2 * k + 1, j] = 0.0, 0.0
                jacobian[e + 2 * k, 3 + j], jacobian[e + 2 * k + 1, 3 + j] = -d[j], d[j]
        ra, rb = c.radius_a[i] + 0.5 * gap, c.radius_b[i] + 0.5 * gap
        add_arm(rows.stiffness[a], xa - ra * n[0], ya - ra * n[1], za - ra * n[2], -fx, -fy, -fz)
        add_arm(rows.stiffness[b], xb + rb * n[0], yb + rb * n[1], zb + rb * n[2], fx, fy, fz)
        pressing = max(force[r], 0.0) * (c.radius_a[i] + c.radius_b[i] + gap)
        add_seesaw(rotation[a], c.axis_a[i], rotation[b], c.axis_b[i], n, pressing, rows.stiffness[a])
        add_seesaw(rotation[b], c.axis_b[i], rotation[a], c.axis_a[i], n, pressing, rows.stiffness[b])


@kernel()
def apply_contact_laws(c: ContactTable, velocity: RealRows, rows: RowTable) -> None:
    """What the rows of contacts ask, see `taut.contact.rows`; velocities (bodies, 6) are those linearised at.

    Writes:  sign, compliance, bias and bounds of their rows; rate and share of contacts
    """
    h = rows.step[0]
    for i in range(c.row.shape[0]):
        r, beta = c.row[i], rows.beta[c.row[i]]
        u, v = velocity[c.body_a[i]], velocity[c.body_b[i]]
        ja, jb = rows.jacobian[c.entry[i]], rows.jacobian[c.entry[i] + 1]
        rate = 0.0
        for j in range(6):
            rate += ja[j] * u[j] + jb[j] * v[j]
        damper = c.damping[i] if c.start_gap[i] <= 0.0 else 0.0
        weight = c.stiffness[i] * beta + damper
        rows.compliance[r] = 1.0 / (h * weight)
        rows.bias[r] = c.stiffness[i] * (rows.value[r] - c.aim[i] - beta * rate) / weight
        c.rate[i], c.share[i, 0], c.share[i, 1], rows.sign[r] = rate, 1.0, 1.0, 1.0
        for k in range(1, c.width[i]):
            arm = 1.0 if k < 3 else c.turn_arm[i]
            soft = 1.0 / (c.grip[i] * arm * arm * beta)
            rows.compliance[r + k], rows.bias[r + k], rows.sign[r + k] = soft / h, -soft * c.start_force[i, k], 1.0
    bound_friction(
        c.row, c.width, c.friction, c.rolling, c.torsional, c.normal_impulse, c.share, rows.lower, rows.upper
    )
