"""Kernel of `direction.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.direction import Directions
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_directions(parts: Directions, places: Places, rows: RowTable) -> None:
    """Cosines q = a . b, Jacobians (b x a) and the bound |lam| g g^T on each body, see `DirectionPart`.

    Writes:  value, jacobian, stiffness of rows
    """
    body_a, body_b, row, entry = parts.body_a, parts.body_b, parts.row, parts.entry
    axis_a, axis_b, spread, rotation = parts.axis_a, parts.axis_b, parts.spread, places.rotation
    force, value_out, jacobian_out, stiffness_out = rows.force, rows.value, rows.jacobian, rows.stiffness
    for part in range(body_a.shape[0]):
        body, other = body_a[part], body_b[part]
        r, s = rotation[body], rotation[other]
        u, v = axis_a[part], axis_b[part]
        ax, ay, az = times(r, u)
        bx, by, bz = times(s, v)
        value_out[row[part]] = ax * bx + ay * by + az * bz
        tx, ty, tz = by * az - bz * ay, bz * ax - bx * az, bx * ay - by * ax
        first, second = jacobian_out[entry[part]], jacobian_out[entry[part] + 1]
        for i in range(3):
            first[i] = 0.0
            second[i] = 0.0
        first[3], first[4], first[5] = -tx, -ty, -tz
        second[3], second[4], second[5] = tx, ty, tz
        torque = spread[part] * force[row[part]]
        if torque != 0.0:
            sign = 1.0 if torque > 0.0 else -1.0
            gx, gy, gz = ax - sign * bx, ay - sign * by, az - sign * bz
            k = 0.5 * abs(torque)  # |lam| g g^T with g = (a -+ b) / sqrt 2
            for owner in (body, other):
                p = stiffness_out[owner]
                p[0] += k * gx * gx
                p[1] += k * gx * gy
                p[2] += k * gx * gz
                p[3] += k * gy * gx
                p[4] += k * gy * gy
                p[5] += k * gy * gz
                p[6] += k * gz * gx
                p[7] += k * gz * gy
                p[8] += k * gz * gz
