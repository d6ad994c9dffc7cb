"""Kernel of `orientation.py`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.rows.orientation import Orientations
from taut.rows.table import Places, RowTable
from taut.table_types import vector


@kernel("void(float64[::1], float64[::1], float64[::1])", inner=True)
def product(
    left,  # (9,)
    right,  # (9,)
    out,  # (9,)
):
    """Product of two 3 x 3 matrices.

    Writes:  out
    """
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = left[3 * i] * right[j] + left[3 * i + 1] * right[3 + j] + left[3 * i + 2] * right[6 + j]


@kernel("void(float64[::1], float64[::1], float64[::1])", inner=True)
def relative_quaternion(
    first,  # (9,) rotation matrix
    second,  # (9,) rotation matrix
    out,  # (4,)
):
    """Unit quaternion with w >= 0 of first^T second, from its largest component.

    Writes:  out
    """
    d = vector(9)
    for i in range(3):
        for j in range(3):
            d[3 * i + j] = first[i] * second[j] + first[3 + i] * second[3 + j] + first[6 + i] * second[6 + j]
    trace = d[0] + d[4] + d[8]
    if trace >= d[0] and trace >= d[4] and trace >= d[8]:
        out[0], out[1], out[2], out[3] = 1.0 + trace, d[7] - d[5], d[2] - d[6], d[3] - d[1]
    elif d[0] >= d[4] and d[0] >= d[8]:
        out[0], out[1], out[2], out[3] = d[7] - d[5], 1.0 + 2.0 * d[0] - trace, d[1] + d[3], d[2] + d[6]
    elif d[4] >= d[8]:
        out[0], out[1], out[2], out[3] = d[2] - d[6], d[1] + d[3], 1.0 + 2.0 * d[4] - trace, d[5] + d[7]
    else:
        out[0], out[1], out[2], out[3] = d[3] - d[1], d[2] + d[6], d[5] + d[7], 1.0 + 2.0 * d[8] - trace
    norm = np.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
    scale = 1.0 / norm if out[0] >= 0.0 else -1.0 / norm
    for i in range(4):
        out[i] *= scale


@kernel(inner=True)
def evaluate_orientations(parts: Orientations, places: Places, rows: RowTable) -> None:
    """Rotations q = 2 vec(e) and Jacobians (w 1 - [u]x) R_A^T, see `OrientationPart`.

    Writes:  value, jacobian of rows
    """
    world_a, world_b, e = vector(9), vector(9), vector(4)
    for part in range(parts.row.shape[0]):
        product(places.rotation[parts.body_a[part]], parts.matrix_a[part], world_a)
        product(places.rotation[parts.body_b[part]], parts.matrix_b[part], world_b)
        relative_quaternion(world_a, world_b, e)
        w, x, y, z = e[0], e[1], e[2], e[3]
        r, entry = parts.row[part], parts.entry[part]
        rows.value[r], rows.value[r + 1], rows.value[r + 2] = 2.0 * x, 2.0 * y, 2.0 * z
        for i in range(3):
            first, second = rows.jacobian[entry + 2 * i], rows.jacobian[entry + 2 * i + 1]
            # row i of (w 1 - [u]x)
            m0 = w if i == 0 else (-z if i == 1 else y)
            m1 = z if i == 0 else (w if i == 1 else -x)
            m2 = -y if i == 0 else (x if i == 1 else w)
            for j in range(3):
                turn = m0 * world_a[3 * j] + m1 * world_a[3 * j + 1] + m2 * world_a[3 * j + 2]
                first[j] = 0.0
                second[j] = 0.0
                first[3 + j] = -turn
                second[3 + j] = turn
