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
    position, force, jacobian = places.position, rows.force, rows.jacobian
    for part in range(parts.row.shape[0]):
        a, b, r, e = parts.body_a[part], parts.body_b[part], parts.row[part], parts.entry[part]
        ax, ay, az = times(places.rotation[a], parts.point_a[part])
        bx, by, bz = times(places.rotation[b], parts.point_b[part])
        rows.value[r] = position[b, 0] + bx - position[a, 0] - ax
        rows.value[r + 1] = position[b, 1] + by - position[a, 1] - ay
        rows.value[r + 2] = position[b, 2] + bz - position[a, 2] - az
        point_entry(jacobian[e], -1.0, 1.0, 0.0, 0.0, ax, ay, az)
        point_entry(jacobian[e + 1], 1.0, 1.0, 0.0, 0.0, bx, by, bz)
        point_entry(jacobian[e + 2], -1.0, 0.0, 1.0, 0.0, ax, ay, az)
        point_entry(jacobian[e + 3], 1.0, 0.0, 1.0, 0.0, bx, by, bz)
        point_entry(jacobian[e + 4], -1.0, 0.0, 0.0, 1.0, ax, ay, az)
        point_entry(jacobian[e + 5], 1.0, 0.0, 0.0, 1.0, bx, by, bz)
        fx, fy, fz = force[r], force[r + 1], force[r + 2]
        add_arm(rows.stiffness[a], ax, ay, az, -fx, -fy, -fz)
        add_arm(rows.stiffness[b], bx, by, bz, fx, fy, fz)
