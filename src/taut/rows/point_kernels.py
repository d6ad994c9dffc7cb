"""Kernel of `point.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry
from taut.rows.point import Points
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_points(parts: Points, places: Places, rows: RowTable) -> None:
    """Gaps q = p_B - p_A, their Jacobians and arm blocks, see `PointPart`.

    Writes:  value, jacobian, stiffness of rows
    Cost:    about 100 flops a part
    """
    body_a, body_b, row, entry = parts.body_a, parts.body_b, parts.row, parts.entry
    point_a, point_b = parts.point_a, parts.point_b
    position, rotation = places.position, places.rotation
    force, value_out, jacobian_out, stiffness_out = rows.force, rows.value, rows.jacobian, rows.stiffness
    for part in range(body_a.shape[0]):
        a, b = body_a[part], body_b[part]
        ra, rb = rotation[a], rotation[b]
        pa, pb = point_a[part], point_b[part]
        ax, ay, az = times(ra, pa)
        bx, by, bz = times(rb, pb)
        r, e = row[part], entry[part]
        value_out[r] = position[b, 0] + bx - position[a, 0] - ax
        value_out[r + 1] = position[b, 1] + by - position[a, 1] - ay
        value_out[r + 2] = position[b, 2] + bz - position[a, 2] - az
        point_entry(jacobian_out[e], -1.0, 1.0, 0.0, 0.0, ax, ay, az)
        point_entry(jacobian_out[e + 1], 1.0, 1.0, 0.0, 0.0, bx, by, bz)
        point_entry(jacobian_out[e + 2], -1.0, 0.0, 1.0, 0.0, ax, ay, az)
        point_entry(jacobian_out[e + 3], 1.0, 0.0, 1.0, 0.0, bx, by, bz)
        point_entry(jacobian_out[e + 4], -1.0, 0.0, 0.0, 1.0, ax, ay, az)
        point_entry(jacobian_out[e + 5], 1.0, 0.0, 0.0, 1.0, bx, by, bz)
        fx, fy, fz = force[r], force[r + 1], force[r + 2]
        add_arm(stiffness_out[a], ax, ay, az, -fx, -fy, -fz)
        add_arm(stiffness_out[b], bx, by, bz, fx, fy, fz)
