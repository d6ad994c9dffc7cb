"""Kernel of `direction.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import add_square, spin_entry
from taut.rows.direction import Directions
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_directions(parts: Directions, places: Places, rows: RowTable) -> None:
    """Cosines q = a . b, Jacobians (b x a) and the bound |lam| g g^T on each body, see `DirectionPart`.

    Writes:  value, jacobian, stiffness of rows
    """
    for part in range(parts.row.shape[0]):
        a, b, r, e = parts.body_a[part], parts.body_b[part], parts.row[part], parts.entry[part]
        ax, ay, az = times(places.rotation[a], parts.axis_a[part])
        bx, by, bz = times(places.rotation[b], parts.axis_b[part])
        rows.value[r] = ax * bx + ay * by + az * bz
        tx, ty, tz = by * az - bz * ay, bz * ax - bx * az, bx * ay - by * ax
        spin_entry(rows.jacobian[e + 1], tx, ty, tz, rows.jacobian[e])
        torque = parts.spread[part] * rows.force[r]
        if torque != 0.0:
            sign = 1.0 if torque > 0.0 else -1.0
            gx, gy, gz = ax - sign * bx, ay - sign * by, az - sign * bz
            k = 0.5 * abs(torque)  # |lam| g g^T with g = (a -+ b) / sqrt 2
            add_square(rows.stiffness[a], k, gx, gy, gz)
            add_square(rows.stiffness[b], k, gx, gy, gz)
