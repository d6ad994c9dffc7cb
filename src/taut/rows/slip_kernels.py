"""Kernel of `slip.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.arm_kernels import point_entry
from taut.spatial_kernels import times


@kernel(
    "void(int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], int64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1])"
)
def evaluate_slips(
    # model
    body_a, body_b,  # (parts,)
    point_b,  # (parts, 3) m, body axes
    axis_b,  # (parts, 3) unit, body axes
    entry,  # (parts,)
    # state in
    position, rotation,  # (bodies, 3), (bodies, 9)
    # out
    jacobian_out,  # (entries, 6)
):  # fmt: skip
    """Jacobians of slip rates, see `SlipPart`.

    Writes:  jacobian_out
    """
    for part in range(body_a.shape[0]):
        a, b = body_a[part], body_b[part]
        r, p, u = rotation[b], point_b[part], axis_b[part]
        bx, by, bz = times(r, p)
        nx, ny, nz = times(r, u)
        dx = position[b, 0] + bx - position[a, 0]
        dy = position[b, 1] + by - position[a, 1]
        dz = position[b, 2] + bz - position[a, 2]
        point_entry(jacobian_out[entry[part]], -1.0, nx, ny, nz, dx, dy, dz)
        point_entry(jacobian_out[entry[part] + 1], 1.0, nx, ny, nz, bx, by, bz)
