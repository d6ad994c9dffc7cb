"""Everything against a plane: the lowest points of each shape."""

from __future__ import annotations

import numpy as np

from taut.collide.choice_kernels import keep_four
from taut.collide.contacts import NORMAL_OF_A, NORMAL_OF_B
from taut.collide.kinds import BOX, CONVEX, CYLINDER, GROUND, PLANE
from taut.collide.point_kernels import put
from taut.kernel import kernel

LYING = 0.5
"""Sine of the angle between a cylinder's axis and the normal above which it touches with its side."""

UPRIGHT, LEANING = 1e-4, 1e-2
"""Sine of the same angle below which an upright cylinder touches at four places fixed in it, and above which one of the
four is the lowest point of its rim; in between they turn from one to the other."""


@kernel("int64(float64[::1], float64, float64, float64, float64[:, ::1])", inner=True)
def cylinder_cores(
    size,  # (3,)
    x, y, z,  # normal in the cylinder's axes
    cores_out,  # (4, 4) core in own axes and radius, m
):  # fmt: skip
    """Points of a cylinder that touch a plane first: on its side lying, on the rim of its lower cap otherwise.

    The lowest point p of a rim lies on a line along n that meets the axis at p + rho n, rho = radius / sine: that
    point of the axis with rho as radius stays right while the cylinder rolls.

    Writes:  cores_out
    Returns: the number of points
    """
    sine = np.sqrt(x * x + y * y)
    if sine > LYING:
        for i in range(2):
            cores_out[i, 0] = cores_out[i, 1] = 0.0
            cores_out[i, 2] = (2.0 * i - 1.0) * size[1] + size[0] / sine * z
            cores_out[i, 3] = size[0] / sine
        return 2
    lowest = np.arctan2(-y, -x) if sine > UPRIGHT else 0.0
    lean = lowest - 0.5 * np.pi * np.round(lowest / (0.5 * np.pi))
    share = min(max((sine - UPRIGHT) / (LEANING - UPRIGHT), 0.0), 1.0)
    for i in range(4):
        angle = 0.5 * np.pi * i + share * lean
        cores_out[i, 0] = size[0] * np.cos(angle)
        cores_out[i, 1] = size[0] * np.sin(angle)
        cores_out[i, 2] = -size[1] if z >= 0.0 else size[1]
        cores_out[i, 3] = 0.0
    return 4


@kernel("int64(float64[::1], float64, float64, float64, float64[:, ::1])", inner=True)
def box_cores(
    size,  # (3,) half edges
    x, y, z,  # normal in the box's axes
    cores_out,  # (4, 4)
):  # fmt: skip
    """Corners of the face that looks most at a plane.

    Writes:  cores_out
    Returns: the number of points
    """
    axis, value = 0, x
    if abs(y) > abs(value):
        axis, value = 1, y
    if abs(z) > abs(value):
        axis, value = 2, z
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for i in range(4):
        cores_out[i, axis] = -size[axis] if value >= 0.0 else size[axis]
        cores_out[i, u] = size[u] if i % 2 == 1 else -size[u]
        cores_out[i, v] = size[v] if i >= 2 else -size[v]
        cores_out[i, 3] = 0.0
    return 4


@kernel(
    "int64(float64[:, ::1], float64, float64, float64, float64, float64, float64[:, ::1], int64[::1], float64[:, ::1])",
    inner=True,
)
def hull_cores(
    vertices,  # (v, 3) own axes, m
    x, y, z,  # normal in the hull's axes
    height,  # of the hull's origin above the plane, m
    limit,  # m
    places, chosen,  # scratch (>= v, 3), (4,)
    cores_out,  # (4, 4)
):  # fmt: skip
    """Corners of a hull that are nearest a plane, reduced to four.

    Writes:  places, chosen, cores_out
    Returns: the number of points
    """
    # tangents of the plane that turn with the hull: its axis that is flattest, and the one across
    tx, ty, tz = -x * x, -x * y, -x * z
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        tx += 1.0
    elif abs(y) <= abs(z):
        tx, ty, tz = -y * x, 1.0 - y * y, -y * z
    else:
        tx, ty, tz = -z * x, -z * y, 1.0 - z * z
    scale = 1.0 / np.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx * scale, ty * scale, tz * scale
    wx, wy, wz = y * tz - z * ty, z * tx - x * tz, x * ty - y * tx
    count, size = 0, 0.0
    for i in range(vertices.shape[0]):
        a, b, c = vertices[i, 0], vertices[i, 1], vertices[i, 2]
        gap = height + x * a + y * b + z * c
        size = max(size, abs(a) + abs(b) + abs(c))
        if gap < limit:
            places[count, 0] = tx * a + ty * b + tz * c
            places[count, 1] = wx * a + wy * b + wz * c
            places[count, 2] = gap
            count += 1
    kept = keep_four(places, count, size, chosen)
    for k in range(kept):
        place = places[chosen[k]]
        level = place[2] - height
        cores_out[k, 0] = place[0] * tx + place[1] * wx + level * x
        cores_out[k, 1] = place[0] * ty + place[1] * wy + level * y
        cores_out[k, 2] = place[0] * tz + place[1] * wz + level * z
        cores_out[k, 3] = 0.0
    return kept


@kernel(
    "int64(int64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[::1],"
    "float64[:, ::1], int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], float64[:, ::1])"
)
def collide_planes(
    pairs, kind, size, centre, frame, band,  # as in `collide_round`
    vertex_start, vertices,  # (g + 1,), (v, 3)
    found, points_out, marks_out,
    places, chosen, cores,  # scratch (>= most vertices of a hull, 3), (4,), (4, 4)
):  # fmt: skip
    """Contacts of all pairs of a plane and another geom.

    Writes:  points_out, marks_out, places, chosen, cores
    Returns: the number of points
    """
    count = found
    for p in range(pairs.shape[0]):
        if pairs[p, 2] != GROUND:
            continue
        first = kind[pairs[p, 0]] == PLANE
        plane, g = (pairs[p, 0], pairs[p, 1]) if first else (pairs[p, 1], pairs[p, 0])
        limit = band[plane] + band[g]
        f, c, s = frame[g], centre[g], size[g]
        nx, ny, nz = frame[plane, 2], frame[plane, 5], frame[plane, 8]
        ox, oy, oz = centre[plane, 0], centre[plane, 1], centre[plane, 2]
        x, y = nx * f[0] + ny * f[3] + nz * f[6], nx * f[1] + ny * f[4] + nz * f[7]
        z = nx * f[2] + ny * f[5] + nz * f[8]
        height = nx * (c[0] - ox) + ny * (c[1] - oy) + nz * (c[2] - oz)
        if kind[g] == BOX:
            found = box_cores(s, x, y, z, cores)
        elif kind[g] == CYLINDER:
            found = cylinder_cores(s, x, y, z, cores)
        elif kind[g] == CONVEX:
            corners = vertices[vertex_start[g] : vertex_start[g + 1]]
            found = hull_cores(corners, x, y, z, height, limit, places, chosen, cores)
        else:
            found = 1 if s[1] == 0.0 else 2
            for i in range(found):
                cores[i, 0] = cores[i, 1] = 0.0
                cores[i, 2], cores[i, 3] = (2.0 * i - 1.0) * s[1], s[0]
        for i in range(found):
            q = cores[i]
            level = height + x * q[0] + y * q[1] + z * q[2]
            if level - q[3] >= limit:
                continue
            bx = c[0] + f[0] * q[0] + f[1] * q[1] + f[2] * q[2]
            by = c[1] + f[3] * q[0] + f[4] * q[1] + f[5] * q[2]
            bz = c[2] + f[6] * q[0] + f[7] * q[1] + f[8] * q[2]
            ax, ay, az = bx - level * nx, by - level * ny, bz - level * nz
            if first:
                count = put(points_out, marks_out, count, p, NORMAL_OF_A, nx, ny, nz, ax, ay, az, bx, by, bz, 0.0, q[3])
            else:
                count = put(
                    points_out, marks_out, count, p, NORMAL_OF_B, -nx, -ny, -nz, bx, by, bz, ax, ay, az, q[3], 0.0
                )  # fmt: skip
    return count
