"""Kernel of `distance.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, least_along, point_entry
from taut.rows.distance import Distances
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_distances(parts: Distances, places: Places, rows: RowTable) -> None:
    """Distances, Jacobians, arm blocks and companion rows, see `DistancePart`.

    Writes:  value, jacobian, stiffness of rows
    """
    position, jacobian, h = places.position, rows.jacobian, rows.step[0]
    for part in range(parts.row.shape[0]):
        a, b, r, e = parts.body_a[part], parts.body_b[part], parts.row[part], parts.entry[part]
        ax, ay, az = times(places.rotation[a], parts.point_a[part])
        bx, by, bz = times(places.rotation[b], parts.point_b[part])
        nx = position[b, 0] + bx - position[a, 0] - ax
        ny = position[b, 1] + by - position[a, 1] - ay
        nz = position[b, 2] + bz - position[a, 2] - az
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        rows.value[r] = length
        if length > 1e-12:
            nx, ny, nz = nx / length, ny / length, nz / length
        else:  # no direction of its own: any unit vector is a valid subgradient
            nx, ny, nz = 0.0, 0.0, 1.0
        point_entry(jacobian[e], -1.0, nx, ny, nz, ax, ay, az)
        point_entry(jacobian[e + 1], 1.0, nx, ny, nz, bx, by, bz)
        f, c = rows.force[r], parts.companion_entry[part]
        add_arm(rows.stiffness[a], ax, ay, az, -f * nx, -f * ny, -f * nz)
        add_arm(rows.stiffness[b], bx, by, bz, f * nx, f * ny, f * nz)
        tx, ty, tz = least_along(nx, ny, nz)
        sx, sy, sz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
        root = np.sqrt(h * rows.beta[r] * max(-f, 0.0) / max(length, 1e-12))
        point_entry(jacobian[c], -root, tx, ty, tz, ax, ay, az)
        point_entry(jacobian[c + 1], root, tx, ty, tz, bx, by, bz)
        point_entry(jacobian[c + 2], -root, sx, sy, sz, ax, ay, az)
        point_entry(jacobian[c + 3], root, sx, sy, sz, bx, by, bz)
