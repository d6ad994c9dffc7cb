"""Kernels of `coordinate.py` and `coupling.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, point_entry, spin_entry
from taut.rows.coordinate import Angles, Slides, Spins
from taut.rows.coupling import Couplings
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times

LONG_TURN = 1.0
"""Relative turn in rad within a step from which turns are counted along it; a shorter one leaves no doubt."""


@kernel(inner=True)
def evaluate_slides(parts: Slides, places: Places, rows: RowTable) -> None:
    """Displacements a . (p_B - p_A), Jacobians and arm blocks, see `Slide`.

    Writes:  coordinate, coordinate_jacobian, stiffness of rows
    """
    position = places.position
    for part in range(parts.slot.shape[0]):
        a, b, s = parts.body_a[part], parts.body_b[part], parts.slot[part]
        ax, ay, az = times(places.rotation[a], parts.point_a[part])
        bx, by, bz = times(places.rotation[b], parts.point_b[part])
        nx, ny, nz = times(places.rotation[a], parts.axis_a[part])
        dx = position[b, 0] + bx - position[a, 0]
        dy = position[b, 1] + by - position[a, 1]
        dz = position[b, 2] + bz - position[a, 2]
        rows.coordinate[s] = nx * (dx - ax) + ny * (dy - ay) + nz * (dz - az)
        point_entry(rows.coordinate_jacobian[2 * s], -1.0, nx, ny, nz, dx, dy, dz)
        point_entry(rows.coordinate_jacobian[2 * s + 1], 1.0, nx, ny, nz, bx, by, bz)
        f = rows.coordinate_force[s]
        add_arm(rows.stiffness[a], dx, dy, dz, -f * nx, -f * ny, -f * nz)
        add_arm(rows.stiffness[b], bx, by, bz, f * nx, f * ny, f * nz)


@kernel("float64(float64[::1], float64[::1], float64, float64, float64)", inner=True)
def turn_ahead(
    path_a, path_b,  # (6,) m and rad
    x, y, z,  # Jacobian of the angle by B's rotation
):  # fmt: skip
    """How far a path of two bodies turns an angle, rad, 0 where it turns them little against each other.

    Where the angle hardly exists its Jacobian is huge: no path turns it by more than one body against the other.
    """
    u, v, w = path_b[3] - path_a[3], path_b[4] - path_a[4], path_b[5] - path_a[5]
    turn = np.sqrt(u * u + v * v + w * w)
    if not turn > LONG_TURN:
        return 0.0
    return max(-turn, min(turn, x * u + y * v + z * w))


@kernel(inner=True)
def evaluate_angles(parts: Angles, places: Places, rows: RowTable) -> None:
    """Angles counted over turns and their Jacobians, see `Angle`.

    Writes:  coordinate, coordinate_jacobian of rows
    """
    path, jacobian = rows.coordinate_path, rows.coordinate_jacobian
    for part in range(parts.slot.shape[0]):
        a, b, k = parts.body_a[part], parts.body_b[part], parts.slot[part]
        xx, xy, xz = times(places.rotation[a], parts.x_a[part])
        yx, yy, yz = times(places.rotation[a], parts.y_a[part])
        ux, uy, uz = times(places.rotation[b], parts.u_b[part])
        c = xx * ux + xy * uy + xz * uz
        s = yx * ux + yy * uy + yz * uz
        scale = 1.0 / max(c * c + s * s, 1e-12)
        tx = scale * (c * (uy * yz - uz * yy) - s * (uy * xz - uz * xy))
        ty = scale * (c * (uz * yx - ux * yz) - s * (uz * xx - ux * xz))
        tz = scale * (c * (ux * yy - uy * yx) - s * (ux * xy - uy * xx))
        spin_entry(jacobian[2 * k + 1], tx, ty, tz, jacobian[2 * k])
        expected = rows.coordinate_reference[k] + turn_ahead(path[a], path[b], tx, ty, tz)
        turns = np.round((expected - np.arctan2(s, c)) / (2.0 * np.pi))
        rows.coordinate[k] = np.arctan2(s, c) + 2.0 * np.pi * turns


@kernel(inner=True)
def evaluate_spins(parts: Spins, places: Places, rows: RowTable) -> None:
    """Jacobians of rates about an axis fixed in A, see `Spin`.

    Writes:  coordinate, which is 0, and coordinate_jacobian of rows
    """
    for part in range(parts.slot.shape[0]):
        x, y, z = times(places.rotation[parts.body_a[part]], parts.axis_a[part])
        k = parts.slot[part]
        rows.coordinate[k] = 0.0
        spin_entry(rows.coordinate_jacobian[2 * k + 1], x, y, z, rows.coordinate_jacobian[2 * k])


@kernel(inner=True)
def spread_force(parts: Couplings, rows: RowTable) -> None:
    """Force along each coordinate from the rows that use it: the transpose of `combine`.

    Writes:  coordinate_force of rows
    """
    for slot in range(rows.coordinate_force.shape[0]):
        rows.coordinate_force[slot] = 0.0
    for term in range(parts.factor.shape[0]):
        rows.coordinate_force[parts.term_slot[term]] += parts.factor[term] * rows.force[parts.term_row[term]]


@kernel(inner=True)
def combine(parts: Couplings, rows: RowTable) -> None:
    """Rows q = sum of factor_i q_i over joint coordinates; bodies shared by coordinates are added up.

    Writes:  value, jacobian of rows
    """
    for i in range(parts.row.shape[0]):
        row = parts.row[i]
        rows.value[row] = 0.0
        for block in range(parts.entry_start[row], parts.entry_start[row + 1]):
            for j in range(6):
                rows.jacobian[block, j] = 0.0
    for term in range(parts.factor.shape[0]):
        slot, c = parts.term_slot[term], parts.factor[term]
        rows.value[parts.term_row[term]] += c * rows.coordinate[slot]
        first, second = rows.jacobian[parts.block_a[term]], rows.jacobian[parts.block_b[term]]
        from_a, from_b = rows.coordinate_jacobian[2 * slot], rows.coordinate_jacobian[2 * slot + 1]
        for j in range(6):
            first[j] += c * from_a[j]
            second[j] += c * from_b[j]
