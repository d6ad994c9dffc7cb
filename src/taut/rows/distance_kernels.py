"""Kernel of `distance.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
from taut.spatial_kernels import times


@kernel(
    "void(int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])"
)
def evaluate_distances(
    # model
    body_a, body_b,  # (parts,)
    point_a, point_b,  # (parts, 3) m, body axes
    row, entry, companion_entry,  # (parts,)
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9)
    force,  # (rows,) N, > 0 pushes the points apart
    h_beta,  # (rows,) s^2
    # out
    value_out,  # (rows,) m
    jacobian_out,  # (entries, 6)
    stiffness_out,  # (bodies, 9) added to
):  # fmt: skip
    """Distances, Jacobians, arm blocks and companion rows, see `DistancePart`.

    Writes:  value_out, jacobian_out, stiffness_out
    """
    for part in range(body_a.shape[0]):
        a, b = body_a[part], body_b[part]
        ra, rb = rotation[a], rotation[b]
        pa, pb = point_a[part], point_b[part]
        ax, ay, az = times(ra, pa)
        bx, by, bz = times(rb, pb)
        nx = position[b, 0] + bx - position[a, 0] - ax
        ny = position[b, 1] + by - position[a, 1] - ay
        nz = position[b, 2] + bz - position[a, 2] - az
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        r, e, c = row[part], entry[part], companion_entry[part]
        value_out[r] = length
        if length > 1e-12:
            nx, ny, nz = nx / length, ny / length, nz / length
        else:  # no direction of its own: any unit vector is a valid subgradient
            nx, ny, nz = 0.0, 0.0, 1.0
        point_entry(jacobian_out[e], -1.0, nx, ny, nz, ax, ay, az)
        point_entry(jacobian_out[e + 1], 1.0, nx, ny, nz, bx, by, bz)
        f = force[r]
        add_arm(stiffness_out[a], ax, ay, az, -f * nx, -f * ny, -f * nz)
        add_arm(stiffness_out[b], bx, by, bz, f * nx, f * ny, f * nz)
        # two unit vectors across the line, from the axis it is least along
        if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
            tx, ty, tz = 0.0, nz, -ny
        elif abs(ny) <= abs(nz):
            tx, ty, tz = -nz, 0.0, nx
        else:
            tx, ty, tz = ny, -nx, 0.0
        norm = 1.0 / np.sqrt(tx * tx + ty * ty + tz * tz)
        tx, ty, tz = tx * norm, ty * norm, tz * norm
        sx, sy, sz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
        root = np.sqrt(h_beta[r] * max(-f, 0.0) / max(length, 1e-12))
        point_entry(jacobian_out[c], -root, tx, ty, tz, ax, ay, az)
        point_entry(jacobian_out[c + 1], root, tx, ty, tz, bx, by, bz)
        point_entry(jacobian_out[c + 2], -root, sx, sy, sz, ax, ay, az)
        point_entry(jacobian_out[c + 3], root, sx, sy, sz, bx, by, bz)
