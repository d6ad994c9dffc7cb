"""Kernels of `coordinate.py` and `coupling.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
from taut.rows.coordinate import Angles, Slides, Spins
from taut.rows.coupling import Couplings
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times

LONG_TURN = 1.0
"""Relative turn in rad within a step from which turns are counted along it; a shorter one leaves no doubt."""


@kernel("void(float64[::1], float64, float64, float64, float64[::1])", inner=True)
def spin_entry(jacobian_out, x, y, z, opposite_out):
    """Jacobian blocks of a relative rotation rate along (x, y, z).

    Writes:  jacobian_out (6,) of B, opposite_out (6,) of A
    """
    for i in range(3):
        jacobian_out[i] = 0.0
        opposite_out[i] = 0.0
    jacobian_out[3], jacobian_out[4], jacobian_out[5] = x, y, z
    opposite_out[3], opposite_out[4], opposite_out[5] = -x, -y, -z


@kernel(inner=True)
def evaluate_slides(parts: Slides, places: Places, rows: RowTable) -> None:
    """Displacements a . (p_B - p_A), Jacobians and arm blocks, see `Slide`.

    Writes:  coordinate, coordinate_jacobian, stiffness of rows
    """
    body_a, body_b, slot = parts.body_a, parts.body_b, parts.slot
    point_a, point_b, axis_a = parts.point_a, parts.point_b, parts.axis_a
    position, rotation = places.position, places.rotation
    force, value_out = rows.coordinate_force, rows.coordinate
    jacobian_out, stiffness_out = rows.coordinate_jacobian, rows.stiffness
    for part in range(body_a.shape[0]):
        a, b = body_a[part], body_b[part]
        ra, rb = rotation[a], rotation[b]
        pa, pb, u = point_a[part], point_b[part], axis_a[part]
        ax, ay, az = times(ra, pa)
        bx, by, bz = times(rb, pb)
        nx, ny, nz = times(ra, u)
        dx = position[b, 0] + bx - position[a, 0]
        dy = position[b, 1] + by - position[a, 1]
        dz = position[b, 2] + bz - position[a, 2]
        s = slot[part]
        value_out[s] = nx * (dx - ax) + ny * (dy - ay) + nz * (dz - az)
        point_entry(jacobian_out[2 * s], -1.0, nx, ny, nz, dx, dy, dz)
        point_entry(jacobian_out[2 * s + 1], 1.0, nx, ny, nz, bx, by, bz)
        f = force[s]
        add_arm(stiffness_out[a], dx, dy, dz, -f * nx, -f * ny, -f * nz)
        add_arm(stiffness_out[b], bx, by, bz, f * nx, f * ny, f * nz)


@kernel(
    "float64(float64[::1], float64[::1], float64, float64, float64)",
    inner=True,
)
def turn_ahead(
    path_a, path_b,  # (6,) m and rad
    x, y, z,  # Jacobian of the angle by B's rotation
):  # fmt: skip
    """How far a path of two bodies turns an angle, rad, 0 where it turns them little against each other.

    Where the angle hardly exists its Jacobian is huge: no path turns it by more than one body against the other.
    """
    u, v, w = path_b[3] - path_a[3], path_b[4] - path_a[4], path_b[5] - path_a[5]
    turn = np.sqrt(u * u + v * v + w * w)
    if not turn > LONG_TURN:
        return 0.0
    return max(-turn, min(turn, x * u + y * v + z * w))


@kernel(inner=True)
def evaluate_angles(parts: Angles, places: Places, rows: RowTable) -> None:
    """Angles counted over turns and their Jacobians, see `Angle`.

    Writes:  coordinate, coordinate_jacobian of rows
    """
    body_a, body_b, slot = parts.body_a, parts.body_b, parts.slot
    x_a, y_a, u_b, rotation = parts.x_a, parts.y_a, parts.u_b, places.rotation
    reference, path = rows.coordinate_reference, rows.coordinate_path
    value_out, jacobian_out = rows.coordinate, rows.coordinate_jacobian
    for part in range(body_a.shape[0]):
        r, t = rotation[body_a[part]], rotation[body_b[part]]
        p, q, o = x_a[part], y_a[part], u_b[part]
        xx, xy, xz = times(r, p)
        yx, yy, yz = times(r, q)
        ux, uy, uz = times(t, o)
        c = xx * ux + xy * uy + xz * uz
        s = yx * ux + yy * uy + yz * uz
        k = slot[part]
        scale = 1.0 / max(c * c + s * s, 1e-12)
        tx = scale * (c * (uy * yz - uz * yy) - s * (uy * xz - uz * xy))
        ty = scale * (c * (uz * yx - ux * yz) - s * (uz * xx - ux * xz))
        tz = scale * (c * (ux * yy - uy * yx) - s * (ux * xy - uy * xx))
        spin_entry(jacobian_out[2 * k + 1], tx, ty, tz, jacobian_out[2 * k])
        expected = reference[k] + turn_ahead(path[body_a[part]], path[body_b[part]], tx, ty, tz)
        turns = np.round((expected - np.arctan2(s, c)) / (2.0 * np.pi))
        value_out[k] = np.arctan2(s, c) + 2.0 * np.pi * turns


@kernel(inner=True)
def evaluate_spins(parts: Spins, places: Places, rows: RowTable) -> None:
    """Jacobians of rates about an axis fixed in A, see `Spin`.

    Writes:  coordinate, which is 0, and coordinate_jacobian of rows
    """
    body_a, slot, axis_a, rotation = parts.body_a, parts.slot, parts.axis_a, places.rotation
    value_out, jacobian_out = rows.coordinate, rows.coordinate_jacobian
    for part in range(body_a.shape[0]):
        r, p = rotation[body_a[part]], axis_a[part]
        x, y, z = times(r, p)
        k = slot[part]
        value_out[k] = 0.0
        spin_entry(jacobian_out[2 * k + 1], x, y, z, jacobian_out[2 * k])


@kernel(inner=True)
def spread_force(parts: Couplings, rows: RowTable) -> None:
    """Force along each coordinate from the rows that use it: the transpose of `combine`.

    Writes:  coordinate_force of rows
    """
    term_row, term_slot, factor = parts.term_row, parts.term_slot, parts.factor
    force, coordinate_force_out = rows.force, rows.coordinate_force
    for slot in range(coordinate_force_out.shape[0]):
        coordinate_force_out[slot] = 0.0
    for term in range(term_row.shape[0]):
        coordinate_force_out[term_slot[term]] += factor[term] * force[term_row[term]]


@kernel(inner=True)
def combine(parts: Couplings, rows: RowTable) -> None:
    """Rows q = sum of factor_i q_i over joint coordinates; bodies shared by coordinates are added up.

    Writes:  value, jacobian of rows
    """
    term_row, term_slot, factor = parts.term_row, parts.term_slot, parts.factor
    block_a, block_b, row, entry_start = parts.block_a, parts.block_b, parts.row, parts.entry_start
    coordinate, coordinate_jacobian = rows.coordinate, rows.coordinate_jacobian
    value_out, jacobian_out = rows.value, rows.jacobian
    for i in range(row.shape[0]):
        value_out[row[i]] = 0.0
        for block in range(entry_start[row[i]], entry_start[row[i] + 1]):
            for j in range(6):
                jacobian_out[block, j] = 0.0
    for term in range(term_row.shape[0]):
        slot, c = term_slot[term], factor[term]
        value_out[term_row[term]] += c * coordinate[slot]
        first, second = jacobian_out[block_a[term]], jacobian_out[block_b[term]]
        from_a, from_b = coordinate_jacobian[2 * slot], coordinate_jacobian[2 * slot + 1]
        for j in range(6):
            first[j] += c * from_a[j]
            second[j] += c * from_b[j]
