"""Light on what `raster_kernels` found in each pixel: a sun with soft shadows, sky from above, ground from below.

What is called for every pixel takes and gives plain numbers in tuples: each array that is handed on costs as much time
as a division.
"""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel
from taut.view.raster_kernels import BLOCK, NOTHING, SAMPLE_X, SAMPLE_Y, SAMPLES, edge_planes

SOFT = 2
"""Texels on each side over which a shadow's edge is soft."""

SUN, SKY, BOUNCE = 0.84, 0.50, 0.36
"""Light of the sun on a surface that faces it, of the sky from above, and from the ground below."""

GLOSS, SHINE = 0.10, 36.0
"""Strength and sharpness of highlights."""

FULL = 0.25
"""Share of the ground's radius from which on it fades."""

TONES = 4096
"""Entries of the table from linear light to bytes."""


@kernel("float64(UniTuple(float64, 16), float64, float64, float64, int64, int64, float32[::1], int32[::1], "
        "float32[::1])", inner=True)  # fmt: skip
def lit_share(light, px, py, pz, own, size, height, caster, tops):
    """Share of the sun that reaches a point: weighted texels around it whose surface is not nearer to the sun.

    `light` is origin (3), axes (9), bias (m) and direction (3). A copy casts no shadow on itself: its own shade does
    that, and coarse triangles would cast jagged ones.
    """
    x, y, z = px - light[0], py - light[1], pz - light[2]
    u = light[3] * x + light[4] * y + light[5] * z - 0.5
    v = light[6] * x + light[7] * y + light[8] * z - 0.5
    tall = light[9] * x + light[10] * y + light[11] * z + light[12]
    if not (SOFT < u < size - SOFT - 2 and SOFT < v < size - SOFT - 2):
        return 1.0
    left, top = int(u), int(v)
    if tops[top // BLOCK * (size // BLOCK) + left // BLOCK] <= tall:
        return 1.0
    right_share, low_share = u - left, v - top
    dark = 0.0
    for row in range(top - SOFT, top + SOFT + 2):
        start = row * size + left - SOFT
        across = 0.0
        for k in range(2 * SOFT + 2):
            if height[start + k] > tall and caster[start + k] != own:
                across += 1.0 - right_share if k == 0 else right_share if k == 2 * SOFT + 1 else 1.0
        dark += across * (1.0 - low_share if row == top - SOFT else low_share if row == top + SOFT + 1 else 1.0)
    return 1.0 - dark / float((2 * SOFT + 1) ** 2)


@kernel("float64(float64, float64)", inner=True)
def stripe(place, width):
    """Mean over a width of the wave that is 1 in even and -1 in odd unit intervals."""
    a, b = 0.5 * (place - 0.5 * width), 0.5 * (place + 0.5 * width)
    a, b = a - math.floor(a) - 0.5, b - math.floor(b) - 0.5
    if width < 1.0 and a < b and a * b > 0.0:
        return 1.0 if a < 0.0 else -1.0  # all of it in one interval, as nearly everywhere that is near
    return 2.0 * (abs(a) - abs(b)) / width


@kernel("UniTuple(float64, 3)(float64[:, ::1], int64, float64, float64, float64, float64)", inner=True)
def ground_tone(g, i, x, y, radius, tiles):
    """Depth of a ground along a ray; its checker (-1 to 1, even far away) and strength (0 to 1, fading outwards).

    A row of `g` is as in `lay_grounds`, then the place of the disc's middle on the plane; `tiles` are those a metre.
    """
    z = 1.0 / max(g[i, 0] * x + g[i, 1] * y + g[i, 2], 1e-300)  # a pixel's middle may be just above the horizon
    away_u, away_v = z * (g[i, 3] * x + g[i, 4] * y + g[i, 5]), z * (g[i, 6] * x + g[i, 7] * y + g[i, 8])
    u, v = g[i, 9] + away_u, g[i, 10] + away_v
    # how far the place moves on the plane from this pixel to the next, to the right and down
    right_u, right_v = z * (g[i, 3] - away_u * g[i, 0]), z * (g[i, 6] - away_v * g[i, 0])
    down_u, down_v = z * (g[i, 4] - away_u * g[i, 1]), z * (g[i, 7] - away_v * g[i, 1])
    wide = tiles * math.sqrt(right_u * right_u + down_u * down_u)
    long = tiles * math.sqrt(right_v * right_v + down_v * down_v)
    checker = stripe(tiles * (u + g[i, 11]), wide) * stripe(tiles * (v + g[i, 12]), long)
    strength = 1.0
    if u * u + v * v > FULL * FULL * radius * radius:
        away = min((math.sqrt(u * u + v * v) / radius - FULL) / (1.0 - FULL), 1.0)
        strength = 1.0 - away * away * (3.0 - 2.0 * away)
    return z, checker, strength


@kernel("UniTuple(float64, 3)(UniTuple(float64, 12), float64, float64)", inner=True)
def ray(eye, x, y):
    """World direction of the ray (x, y, 1); `eye` is its place (3) and the axes of rays (9)."""
    return (
        eye[3] * x + eye[4] * y + eye[5], eye[6] * x + eye[7] * y + eye[8], eye[9] * x + eye[10] * y + eye[11],
    )  # fmt: skip


@kernel("UniTuple(float64, 3)(float64, float64, float64)", inner=True)
def unit(x, y, z):
    """The vector with length one, or zero."""
    size = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-300)
    return size * x, size * y, size * z


@kernel("UniTuple(float64, 2)(UniTuple(float64, 12), float64, float64, int64, int64, int64, int64, float64[:, ::1], "
        "float64[:, ::1], UniTuple(float64, 16), int64, float32[::1], int32[::1], float32[::1])",
        inner=True)  # fmt: skip
def light_triangle(eye, x, y, i, j, k, own, view, normals, light, size, height, caster, tops):
    """Light on the triangle with corners i, j, k along the ray (x, y, 1), to be coloured, and its highlight, white."""
    e = edge_planes(view, i, j, k)
    # the mean of a pixel's samples may be just outside; corners are in the order of `edge_planes`: i, k, j
    a, c = max(e[0] * x + e[1] * y + e[2], 0.0), max(e[3] * x + e[4] * y + e[5], 0.0)
    b = max(e[6] * x + e[7] * y + e[8], 0.0)
    z = e[9] / max(a + b + c, 1e-300)
    nx, ny, nz = unit(
        a * normals[i, 0] + b * normals[j, 0] + c * normals[k, 0],
        a * normals[i, 1] + b * normals[j, 1] + c * normals[k, 1],
        a * normals[i, 2] + b * normals[j, 2] + c * normals[k, 2],
    )
    up = 0.5 + 0.5 * nz
    sky = SKY * up + BOUNCE * (1.0 - up)
    facing = nx * light[13] + ny * light[14] + nz * light[15]
    if facing <= 0.0:
        return sky, 0.0
    rx, ry, rz = ray(eye, x, y)
    lit = lit_share(light, eye[0] + z * rx, eye[1] + z * ry, eye[2] + z * rz, own, size, height, caster, tops)
    rx, ry, rz = unit(rx, ry, rz)
    hx, hy, hz = unit(light[13] - rx, light[14] - ry, light[15] - rz)
    return sky + SUN * lit * facing, GLOSS * lit * max(nx * hx + ny * hy + nz * hz, 0.0) ** SHINE


@kernel("Tuple((float64, float64, int64))(int32[::1], int64, int64, boolean)", inner=True)
def mean_sample(owner, start, first, alike):
    """Mean place in a pixel of the samples with the owner of one of them, and their number; 0 if an earlier has it."""
    if alike:
        return 0.5, 0.5, SAMPLES
    x, y, count = 0.0, 0.0, 0
    for s in range(SAMPLES):
        if owner[start + s] == owner[start + first]:
            if s < first:
                return 0.0, 0.0, 0
            x, y, count = x + SAMPLE_X[s], y + SAMPLE_Y[s], count + 1
    return x / count, y / count, count


@kernel("void(UniTuple(float64, 12), float64[:, ::1], float64[:, ::1], int64[:, ::1], int64[::1], float64[:, ::1], "
        "float64[:, ::1], float64, float64, UniTuple(float64, 16), float64[:, ::1], "
        "int64, float32[::1], int32[::1], float32[::1], int32[::1], uint8[::1], uint8[:, :, ::1])",
    allocates=True,
)  # fmt: skip
def shade(
    eye, view, normals, triangles, copies, colours, grounds, radius, tiles, light, tints,
    size, height, caster, tops, owner, tones, picture_out,
):  # fmt: skip
    """Fill a picture (height, width, 3): each surface in a pixel is shaded once, at the mean of its samples.

    Rows of `tints`: background above and below, light and dark tiles, what is left of the ground's light in shadow.
    """
    rows, columns = picture_out.shape[0], picture_out.shape[1]
    sky, total = np.empty(3), np.empty(3)
    for row in range(rows):
        down = (row + 0.5) / rows
        for k in range(3):
            sky[k] = tints[0, k] + down * (tints[1, k] - tints[0, k])
        for column in range(columns):
            start = (row * columns + column) * SAMPLES
            what = owner[start]
            alike = what == owner[start + 1] and what == owner[start + 2] and what == owner[start + 3]
            total[0], total[1], total[2] = 0.0, 0.0, 0.0
            for s in range(1 if alike else SAMPLES):
                x, y, count = mean_sample(owner, start, s, alike)
                if count == 0:
                    continue
                x, y, share = column + x - 0.5 * columns, row + y - 0.5 * rows, count / SAMPLES
                what = owner[start + s]
                if what >= 0:
                    a, b, c, copy = triangles[what, 0], triangles[what, 1], triangles[what, 2], copies[what]
                    bright, shine = light_triangle(
                        eye, x, y, a, b, c, copy, view, normals, light, size, height, caster, tops
                    )
                    for k in range(3):
                        total[k] += share * (bright * colours[copy, k] + shine)
                elif what == NOTHING:
                    for k in range(3):
                        total[k] += share * sky[k]
                else:
                    z, checker, strength = ground_tone(grounds, NOTHING - 1 - what, x, y, radius, tiles)
                    rx, ry, rz = ray(eye, x, y)
                    lit = lit_share(
                        light, eye[0] + z * rx, eye[1] + z * ry, eye[2] + z * rz,
                        NOTHING, size, height, caster, tops,
                    )  # fmt: skip
                    for k in range(3):
                        tile = 0.5 * (tints[2, k] + tints[3, k] + checker * (tints[2, k] - tints[3, k]))
                        tile *= tints[4, k] + (1.0 - tints[4, k]) * lit
                        total[k] += share * (sky[k] + strength * (tile - sky[k]))
            for k in range(3):
                picture_out[row, column, k] = tones[int(min(max(total[k], 0.0), 1.0) * (TONES - 1))]
