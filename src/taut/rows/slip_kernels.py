"""Kernel of `slip.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import point_entry
from taut.rows.slip import Slips
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times


@kernel(inner=True)
def evaluate_slips(parts: Slips, places: Places, rows: RowTable) -> None:
    """Jacobians of slip rates, see `SlipPart`.

    Writes:  value, which is 0, and jacobian of rows
    """
    body_a, body_b, entry, jacobian_out = parts.body_a, parts.body_b, parts.entry, rows.jacobian
    row, value_out = parts.row, rows.value
    point_b, axis_b = parts.point_b, parts.axis_b
    position, rotation = places.position, places.rotation
    for part in range(body_a.shape[0]):
        a, b = body_a[part], body_b[part]
        r, p, u = rotation[b], point_b[part], axis_b[part]
        bx, by, bz = times(r, p)
        nx, ny, nz = times(r, u)
        dx = position[b, 0] + bx - position[a, 0]
        dy = position[b, 1] + by - position[a, 1]
        dz = position[b, 2] + bz - position[a, 2]
        value_out[row[part]] = 0.0
        point_entry(jacobian_out[entry[part]], -1.0, nx, ny, nz, dx, dy, dz)
        point_entry(jacobian_out[entry[part] + 1], 1.0, nx, ny, nz, bx, by, bz)
