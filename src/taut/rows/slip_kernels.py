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
    position = places.position
    for part in range(parts.row.shape[0]):
        a, b, e = parts.body_a[part], parts.body_b[part], parts.entry[part]
        bx, by, bz = times(places.rotation[b], parts.point_b[part])
        nx, ny, nz = times(places.rotation[b], parts.axis_b[part])
        dx = position[b, 0] + bx - position[a, 0]
        dy = position[b, 1] + by - position[a, 1]
        dz = position[b, 2] + bz - position[a, 2]
        rows.value[parts.row[part]] = 0.0
        point_entry(rows.jacobian[e], -1.0, nx, ny, nz, dx, dy, dz)
        point_entry(rows.jacobian[e + 1], 1.0, nx, ny, nz, bx, by, bz)
