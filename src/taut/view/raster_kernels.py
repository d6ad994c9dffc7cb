"""Pictures of triangles without a graphics card: places, coverage, shadow map, shading.

A pixel has four samples on a rotated square. Triangles are drawn in homogeneous form: with camera coordinates a, b, c
of its corners (right and down in pixels times depth, forward in m) and the ray d = (x, y, 1) through a sample, the
corners' weights are E = (b x c, c x a, a x b) . d, the sample is inside where none is negative, and the inverse depth
is (sum of E) / (a . b x c). So nothing has to be clipped: what is nearer than the near plane fails the test of depth.
What is seen is shaded afterwards, once for each surface in a pixel.
"""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel

SAMPLES = 4
"""Samples a pixel."""

SAMPLE_X = (0.375, 0.875, 0.125, 0.625)
SAMPLE_Y = (0.125, 0.375, 0.625, 0.875)
"""Where samples are in a pixel: no two in one row or column, so that steep and flat edges get all four shades."""

BLOCK = 8
"""Texels of the shadow map that are looked at together."""

NOTHING = -1
"""Owner of a sample that shows the background; below it come the grounds: -2 the first, -3 the second, ..."""


@kernel("void(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], "
        "float64[:, ::1])")  # fmt: skip
def place_copies(points, normals, positions, turns, scales, points_out, normals_out):
    """World points and unit normals of copies, one after the other: scaled along their own axes, turned, moved."""
    count = points.shape[0]
    for copy in range(positions.shape[0]):
        place, turn, scale = positions[copy], turns[copy], scales[copy]
        w, x, y, z = turn[0], turn[1], turn[2], turn[3]
        xx, xy, xz = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        yx, yy, yz = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        zx, zy, zz = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        for i in range(count):
            a, b, c = points[i, 0] * scale[0], points[i, 1] * scale[1], points[i, 2] * scale[2]
            there = points_out[copy * count + i]
            there[0] = place[0] + xx * a + xy * b + xz * c
            there[1] = place[1] + yx * a + yy * b + yz * c
            there[2] = place[2] + zx * a + zy * b + zz * c
            # normals scale inversely; times the product of the scales, so that a flat copy divides by no zero
            a = normals[i, 0] * scale[1] * scale[2]
            b = normals[i, 1] * scale[2] * scale[0]
            c = normals[i, 2] * scale[0] * scale[1]
            size = 1.0 / max(math.sqrt(a * a + b * b + c * c), 1e-300)
            normal = normals_out[copy * count + i]
            normal[0] = size * (xx * a + xy * b + xz * c)
            normal[1] = size * (yx * a + yy * b + yz * c)
            normal[2] = size * (zx * a + zy * b + zz * c)


@kernel("void(float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1])")
def project(points, origin, axes, projected_out):
    """Coordinates (n, 3) of points along three axes (rows) from an origin."""
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - origin[0], points[i, 1] - origin[1], points[i, 2] - origin[2]
        for k in range(3):
            projected_out[i, k] = axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z


@kernel("UniTuple(float64, 10)(float64[:, ::1], int64, int64, int64)", inner=True)
def edge_planes(view, i, j, k):
    """The vectors b x c, c x a, a x b of a triangle (9), then a . b x c: positive if it is seen from outside.

    Corners are a = i, b = k, c = j: camera axes are right, down, forward, so what is counter-clockwise turns around.
    """
    ax, ay, az = view[i, 0], view[i, 1], view[i, 2]
    bx, by, bz = view[k, 0], view[k, 1], view[k, 2]
    cx, cy, cz = view[j, 0], view[j, 1], view[j, 2]
    ux, uy, uz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    vx, vy, vz = cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax
    wx, wy, wz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return ux, uy, uz, vx, vy, vz, wx, wy, wz, ax * ux + ay * uy + az * uz


@kernel("int64(float64, int64)", inner=True)
def bounded(place, size):
    """The pixel that a place is in, within 0 to size: bounded before it becomes an integer, or it could overflow."""
    return int(min(max(place, 0.0), float(size)))


@kernel("void(float64[:, ::1], int64[::1], float64, int64, int64, int64[::1])", inner=True)
def pixel_range(view, corners, near, width, height, range_out):
    """Pixels (x from, x to, y from, y to) that a triangle can cover; all if it reaches behind the near plane."""
    low_x, high_x, low_y, high_y = math.inf, -math.inf, math.inf, -math.inf
    behind = 0
    for k in range(3):
        z = view[corners[k], 2]
        if z < near:
            behind += 1
        else:
            x, y = view[corners[k], 0] / z + 0.5 * width, view[corners[k], 1] / z + 0.5 * height
            low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    if behind == 3:
        low_x, high_x, low_y, high_y = 1.0, 0.0, 1.0, 0.0
    elif behind > 0:
        low_x, high_x, low_y, high_y = 0.0, float(width), 0.0, float(height)
    range_out[0], range_out[1] = bounded(low_x, width), bounded(high_x + 1.0, width)
    range_out[2], range_out[3] = bounded(low_y, height), bounded(high_y + 1.0, height)


@kernel("UniTuple(int64, 2)(UniTuple(float64, 10), float64, float64, float64, int64, int64)", inner=True)
def row_span(edges, middle, top, bottom, low, high):
    """Columns (from, to) within low to high in which a point between two heights can be inside all edges.

    `edges` begins with three times the factors of (x, y, 1) in what must not be negative; x is counted from
    `middle`. Long thin triangles lie across many pixels, of which they cover few.
    """
    for k in range(0, 9, 3):
        rest = max(edges[k + 1] * top, edges[k + 1] * bottom) + edges[k + 2]
        if edges[k] == 0.0:
            high = low if rest < 0.0 else high
            continue
        # kept within the range before it becomes an integer: an edge along the row has its end far away
        end = min(max(middle - rest / edges[k], -1.0), float(high))
        if edges[k] > 0.0:
            low = max(low, int(max(end, 0.0)))
        else:
            high = min(high, int(end + 1.0))
    return low, max(low, high)


@kernel("void(float64[:, ::1], int64[:, ::1], int64, float64, int64, int64, float32[::1], int32[::1])", allocates=True)
def cover(view, triangles, first_triangle, near, width, height, depth, owner):
    """Draw triangles from a first: samples that they are the nearest in get their inverse depth (1/m) and number."""
    box = np.empty(4, np.int64)
    for number in range(first_triangle, triangles.shape[0]):
        corners = triangles[number]
        edges = edge_planes(view, corners[0], corners[1], corners[2])
        if not 0.0 < edges[9] < math.inf:  # seen from inside, or of a motion that has left all bounds
            continue
        pixel_range(view, corners, near, width, height, box)
        inverse = 1.0 / edges[9]
        ux, uy, uz, vx, vy, vz, wx, wy, wz, _ = edges
        for row in range(box[2], box[3]):
            top = row - 0.5 * height
            low, high = row_span(edges, 0.5 * width, top, top + 1.0, box[0], box[1])
            first, last = (row * width + low) * SAMPLES, (row * width + high) * SAMPLES
            near_row, owner_row = depth[first:last], owner[first:last]
            for column in range(high - low):
                for s in range(SAMPLES):
                    x, y = low + column + SAMPLE_X[s] - 0.5 * width, top + SAMPLE_Y[s]
                    u, v, w = ux * x + uy * y + uz, vx * x + vy * y + vz, wx * x + wy * y + wz
                    if u >= 0.0 and v >= 0.0 and w >= 0.0:
                        closeness = np.float32((u + v + w) * inverse)
                        if closeness > near_row[SAMPLES * column + s] and closeness * near <= 1.0:
                            near_row[SAMPLES * column + s] = closeness
                            owner_row[SAMPLES * column + s] = number


@kernel("void(float64[:, ::1], float64, float64, int64, int64, float32[::1], int32[::1])")
def lay_grounds(grounds, near, radius, width, height, depth, owner):
    """Draw discs (m) of planes: a row of `grounds` is g, u, v (3 each) and the eye's place u0, v0 on the plane.

    The inverse depth is g . d along the ray d, and the place on the plane is (u0 + u . d / (g . d), v0 + ...).
    """
    for number in range(grounds.shape[0]):
        g = grounds[number]
        for row in range(height):
            near_row = depth[row * width * SAMPLES : (row + 1) * width * SAMPLES]
            owner_row = owner[row * width * SAMPLES : (row + 1) * width * SAMPLES]
            for column in range(width):
                for s in range(SAMPLES):
                    x, y = column + SAMPLE_X[s] - 0.5 * width, row + SAMPLE_Y[s] - 0.5 * height
                    closeness = g[0] * x + g[1] * y + g[2]
                    if closeness > near_row[SAMPLES * column + s] and closeness * near <= 1.0:
                        z = 1.0 / closeness
                        u = g[9] + z * (g[3] * x + g[4] * y + g[5])
                        v = g[10] + z * (g[6] * x + g[7] * y + g[8])
                        if u * u + v * v < radius * radius:
                            near_row[SAMPLES * column + s] = np.float32(closeness)
                            owner_row[SAMPLES * column + s] = NOTHING - 1 - number


@kernel("UniTuple(float64, 10)(float64[::1], float64[::1], float64[::1])", inner=True)
def flat_edges(a, b, c):
    """Factors of (x, y, 1) in the shares of the corners of a triangle in the plane (9), then twice its area."""
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    s = 1.0 / area if area > 0.0 else 0.0
    return (
        s * (b[1] - c[1]), s * (c[0] - b[0]), s * (b[0] * c[1] - b[1] * c[0]),
        s * (c[1] - a[1]), s * (a[0] - c[0]), s * (c[0] * a[1] - c[1] * a[0]),
        s * (a[1] - b[1]), s * (b[0] - a[0]), s * (a[0] * b[1] - a[1] * b[0]), area,
    )  # fmt: skip


@kernel("void(float64[:, ::1], int64[:, ::1], int64[::1], int64, float32[::1], int32[::1])")
def cast(light, triangles, copies, size, height, caster):
    """Shadow map (size x size) of triangles in coordinates of the sun (texels, texels, m towards it).

    A texel gets the height of the surface nearest to the sun and the copy that it belongs to.
    """
    for number in range(triangles.shape[0]):
        a, b, c = light[triangles[number, 0]], light[triangles[number, 1]], light[triangles[number, 2]]
        edges = flat_edges(a, b, c)
        if not 0.0 < edges[9] < math.inf:  # only what the sun shines on
            continue
        left, right = bounded(min(a[0], b[0], c[0]), size), bounded(max(a[0], b[0], c[0]) + 1.0, size)
        top, bottom = bounded(min(a[1], b[1], c[1]), size), bounded(max(a[1], b[1], c[1]) + 1.0, size)
        for row in range(top, bottom):
            y = row + 0.5
            low, high = row_span(edges, 0.0, y, y, left, right)
            heights = height[row * size + low : row * size + high]
            casters = caster[row * size + low : row * size + high]
            for column in range(high - low):
                x = low + column + 0.5
                u, v = edges[0] * x + edges[1] * y + edges[2], edges[3] * x + edges[4] * y + edges[5]
                w = edges[6] * x + edges[7] * y + edges[8]
                if u >= 0.0 and v >= 0.0 and w >= 0.0:
                    tall = np.float32(u * a[2] + v * b[2] + w * c[2])
                    if tall > heights[column]:
                        heights[column] = tall
                        casters[column] = copies[number]
