"""Kernels of `coordinate.py` and `coupling.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
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


@kernel(
    "void(int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])"
)
def evaluate_slides(
    # model
    body_a, body_b,  # (parts,)
    point_a, point_b,  # (parts, 3) m, body axes
    axis_a,  # (parts, 3) unit, body axes
    slot,  # (parts,)
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9)
    force,  # (coordinates,) N
    # out
    value_out,  # (coordinates,) m
    jacobian_out,  # (2 coordinates, 6)
    stiffness_out,  # (bodies, 9) added to
):  # fmt: skip
    """Displacements a . (p_B - p_A), Jacobians and arm blocks, see `Slide`.

    Writes:  value_out, jacobian_out, stiffness_out
    """
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


@kernel(
    "void(int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1],"
    "float64[:, ::1], float64[::1], float64[:, ::1], float64[::1], float64[:, ::1])"
)
def evaluate_angles(
    # model
    body_a, body_b,  # (parts,)
    x_a, y_a, u_b,  # (parts, 3) unit, body axes
    slot,  # (parts,)
    # state in
    rotation,  # (bodies, 9)
    reference,  # (coordinates,) rad, the last accepted angles
    path,  # (bodies, 6) m and rad, since then
    # out
    value_out,  # (coordinates,) rad
    jacobian_out,  # (2 coordinates, 6)
):  # fmt: skip
    """Angles counted over turns and their Jacobians, see `Angle`.

    Writes:  value_out, jacobian_out
    """
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


@kernel("void(int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1])")
def evaluate_spins(
    # model
    body_a, body_b,  # (parts,)
    axis_a,  # (parts, 3) unit, body axes
    slot,  # (parts,)
    # state in
    rotation,  # (bodies, 9)
    # out
    jacobian_out,  # (2 coordinates, 6)
):  # fmt: skip
    """Jacobians of rates about an axis fixed in A, see `Spin`.

    Writes:  jacobian_out
    """
    for part in range(body_a.shape[0]):
        r, p = rotation[body_a[part]], axis_a[part]
        x, y, z = times(r, p)
        k = slot[part]
        spin_entry(jacobian_out[2 * k + 1], x, y, z, jacobian_out[2 * k])


@kernel("void(int64[::1], int64[::1], float64[::1], float64[::1], float64[::1])")
def spread_force(
    # model
    term_row, term_slot,  # (terms,)
    factor,  # (terms,)
    # state in
    force,  # (rows,) N or N m
    # out
    coordinate_force_out,  # (coordinates,)
):  # fmt: skip
    """Force along each coordinate from the rows that use it: the transpose of `combine`.

    Writes:  coordinate_force_out
    """
    for slot in range(coordinate_force_out.shape[0]):
        coordinate_force_out[slot] = 0.0
    for term in range(term_row.shape[0]):
        coordinate_force_out[term_slot[term]] += factor[term] * force[term_row[term]]


@kernel(
    "void(int64[::1], int64[::1], float64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    "float64[::1], float64[:, ::1], float64[::1], float64[:, ::1])"
)
def combine(
    # model
    term_row, term_slot,  # (terms,) sorted by row
    factor,  # (terms,)
    block_a, block_b,  # (terms,) Jacobian block of the row for the coordinate's bodies
    row, entry_start,  # (coupling rows,), (rows + 1,)
    # state in
    coordinate,  # (coordinates,)
    coordinate_jacobian,  # (2 coordinates, 6)
    # out
    value_out,  # (rows,)
    jacobian_out,  # (entries, 6)
):  # fmt: skip
    """Rows q = sum of factor_i q_i over joint coordinates; bodies shared by coordinates are added up.

    Writes:  value_out, jacobian_out
    """
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
