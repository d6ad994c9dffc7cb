"""Kernel of `distance.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
from taut.rows.distance import Distances
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_distances(parts: Distances, places: Places, rows: RowTable) -> None:
    """Distances, Jacobians, arm blocks and companion rows, see `DistancePart`.

    Writes:  value, jacobian, stiffness of rows
    """
    body_a, body_b, row, entry = parts.body_a, parts.body_b, parts.row, parts.entry
    point_a, point_b, companion_entry = parts.point_a, parts.point_b, parts.companion_entry
    position, rotation = places.position, places.rotation
    force, value_out, jacobian_out, stiffness_out = rows.force, rows.value, rows.jacobian, rows.stiffness
    beta, h = rows.beta, rows.step[0]
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
        root = np.sqrt(h * beta[r] * max(-f, 0.0) / max(length, 1e-12))
        point_entry(jacobian_out[c], -root, tx, ty, tz, ax, ay, az)
        point_entry(jacobian_out[c + 1], root, tx, ty, tz, bx, by, bz)
        point_entry(jacobian_out[c + 2], -root, sx, sy, sz, ax, ay, az)
        point_entry(jacobian_out[c + 3], root, sx, sy, sz, bx, by, bz)
