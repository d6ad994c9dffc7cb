"""The ground of a heightfield: which cells are under a geom, their triangles, and how high a point is above it."""

from __future__ import annotations

import numpy as np

from taut.collide.broad_kernels import extent
from taut.collide.face_kernels import face_axes
from taut.kernel import kernel

LEVEL = 1e-3
"""Slope up to which terrain counts as level, so that rounding does not hide a summit."""


@kernel(
    "UniTuple(int64, 2)(int64, float64[::1], float64[::1], float64, int64, int64, float64[::1], float64[::1],"
    "float64[::1], float64)",
    inner=True,
)
def cells_along(
    axis, centre, frame, half, points,  # 0 or 1; (3,), (9,), half size, points of the heightfield along the axis
    kind, other_centre, other_frame, size,  # of the other geom
    band,  # m
):  # fmt: skip
    """Cells of the grid along one axis that are under a geom.

    Returns: the first and the last
    """
    p, q, r, place = 0.0, 0.0, 0.0, half
    for k in range(3):
        along = frame[3 * k + axis]
        p, q, r = p + along * other_frame[3 * k], q + along * other_frame[3 * k + 1], r + along * other_frame[3 * k + 2]
        place += along * (other_centre[k] - centre[k])
    reach = extent(kind, size, p, q, r) + band
    step = 2.0 * half / (points - 1)
    return max(int(np.floor((place - reach) / step)), 0), min(int(np.floor((place + reach) / step)), points - 2)


@kernel(
    "void(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], int64, int64, int64, float64[:, ::1],"
    "float64[:, ::1])",
    inner=True,
)
def place_triangle(
    heights, rows, columns, centre, frame, size,  # of the heightfield: (rows * columns,), .., (3,), (9,), (3,)
    row, column, half_of,  # cell and which of its two triangles
    triangle_out,  # (3, 3) world, m
    axes_out,  # (4, 3) as of `face_axes`
):  # fmt: skip
    """Corners of a triangle of the terrain, counter-clockwise from above, and its axes.

    Writes:  triangle_out, axes_out
    """
    for corner in range(3):
        # (0, 0), (0, 1), (1, 1) and (0, 0), (1, 1), (1, 0) in rows and columns
        i = row + (1 if corner == 2 or (corner == 1 and half_of == 1) else 0)
        j = column + (1 if corner == 1 or (corner == 2 and half_of == 0) else 0)
        x = -size[0] + 2.0 * size[0] * j / (columns - 1)
        y = -size[1] + 2.0 * size[1] * i / (rows - 1)
        z = heights[i * columns + j]
        for k in range(3):
            triangle_out[corner, k] = centre[k] + frame[3 * k] * x + frame[3 * k + 1] * y + frame[3 * k + 2] * z
    p, q, r = triangle_out[0], triangle_out[1], triangle_out[2]
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    u, v, w = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    normal = axes_out[2]
    normal[0], normal[1], normal[2] = y * w - z * v, z * u - x * w, x * v - y * u
    scale = 1.0 / np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    for k in range(3):
        normal[k] *= scale
    face_axes(normal, p, q, axes_out)


@kernel(
    "Tuple((float64, int64))(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], float64, float64,"
    "float64)",
    inner=True,
)
def rise_over(
    heights, rows, columns, centre, frame, size,  # of the heightfield, as in `place_triangle`
    px, py, pz,  # world, m
):  # fmt: skip
    """How far a point is above the terrain, along the heightfield's own z axis.

    Returns: the height in m, inf beyond the edges, and twice the cell plus which of its triangles is below or above
    """
    x, y, z = px - centre[0], py - centre[1], pz - centre[2]
    across = (frame[0] * x + frame[3] * y + frame[6] * z + size[0]) * 0.5 / size[0] * (columns - 1)
    along = (frame[1] * x + frame[4] * y + frame[7] * z + size[1]) * 0.5 / size[1] * (rows - 1)
    if min(across, along, columns - 1 - across, rows - 1 - along) < -1e-9:
        return np.inf, -1
    i, j = min(int(along), rows - 2), min(int(across), columns - 2)
    u, v, cell = across - j, along - i, i * columns + j
    first, last = heights[cell], heights[cell + columns + 1]
    half = 0 if u >= v else 1
    corner = heights[cell + 1] if half == 0 else heights[cell + columns]
    high, low = max(u, v), min(u, v)
    level = first + high * (corner - first) + low * (last - corner)
    return frame[2] * x + frame[5] * y + frame[8] * z - level, 2 * (i * (columns - 1) + j) + half


@kernel(
    "boolean(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])",
    inner=True,
)
def is_summit(
    heights, rows, columns, centre, frame, size,  # of the heightfield, as in `place_triangle`
    point, direction,  # (3,) on the terrain, and a unit vector
):  # fmt: skip
    """Whether the terrain falls off on all sides of a point, seen along a direction, as it does under a nearest point.

    Looked at in sixteen directions, a thousandth of a cell away: near enough to see only the triangles at the point.

    Returns: whether it does
    """
    step = 1e-3 * min(2.0 * size[0] / (columns - 1), 2.0 * size[1] / (rows - 1))
    for turn in range(16):
        u, v = step * np.cos(turn * np.pi / 8.0), step * np.sin(turn * np.pi / 8.0)
        x = point[0] + frame[0] * u + frame[1] * v
        y = point[1] + frame[3] * u + frame[4] * v
        z = point[2] + frame[6] * u + frame[7] * v
        rise, _ = rise_over(heights, rows, columns, centre, frame, size, x, y, z)
        if rise < np.inf:
            x, y, z = x - rise * frame[2] - point[0], y - rise * frame[5] - point[1], z - rise * frame[8] - point[2]
            if direction[0] * x + direction[1] * y + direction[2] * z > LEVEL * step:
                return False
    return True
