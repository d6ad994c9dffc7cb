"""Where geoms are, their bounding boxes, and the pairs whose boxes overlap: sweep and prune."""

from __future__ import annotations

import numpy as np

from taut.collide.kinds import CAPSULE, CYLINDER, HEIGHTFIELD, SPHERE
from taut.kernel import kernel
from taut.spatial_kernels import times

DEEP = 10.0
"""Bounding radii down to which the ground below a heightfield is solid."""


@kernel("float64(int64, float64[::1], float64, float64, float64)", inner=True)
def extent(
    kind,
    size,  # (3,) m
    x, y, z,  # a world axis in the geom's own axes: a row of its rotation
):  # fmt: skip
    """Half extent of a geom along an axis, m."""
    if kind == SPHERE:
        return size[0]
    if kind == CAPSULE:
        return size[0] + size[1] * abs(z)
    if kind == CYLINDER:
        return size[1] * abs(z) + size[0] * np.sqrt(max(1.0 - z * z, 0.0))
    return size[0] * abs(x) + size[1] * abs(y) + size[2] * abs(z)


@kernel(
    "void(int64[::1], int64[::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1])"
)
def place_geoms(
    # model
    body, kind, size, radius,  # (g,), (g,), (g, 3), (g,)
    position, rotation,  # (g, 3), (g, 9) in the body
    margin,  # (g,) m
    # state in
    body_position, body_rotation, reach,  # (n, 3), (n, 9), (n,)
    # out
    centre_out, frame_out,  # (g, 3) m, (g, 9) world-from-geom
    band_out,  # (g,) m: margin and reach
    box_out,  # (g, 6) m: lower and upper corner of the bounding box, the band included
):  # fmt: skip
    """World pose and bounding box of every geom.

    Writes:  centre_out, frame_out, band_out, box_out
    Cost:    about 70 flops a geom
    """
    for g in range(body.shape[0]):
        b = body[g]
        turn, own, frame = body_rotation[b], rotation[g], frame_out[g]
        offset = times(turn, position[g])
        band = margin[g] + reach[b]
        band_out[g] = band
        for i in range(3):
            centre = body_position[b, i] + offset[i]
            centre_out[g, i] = centre
            for j in range(3):
                frame[3 * i + j] = (
                    turn[3 * i] * own[j] + turn[3 * i + 1] * own[3 + j] + turn[3 * i + 2] * own[6 + j]
                )  # fmt: skip
            half = min(extent(kind[g], size[g], frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]), radius[g]) + band
            below = DEEP * radius[g] * frame[3 * i + 2] if kind[g] == HEIGHTFIELD else 0.0
            box_out[g, i] = centre - half - max(below, 0.0)
            box_out[g, 3 + i] = centre + half - min(below, 0.0)


@kernel("boolean(int64, int64, int64[::1], uint8[::1], int64[::1], uint8[:, ::1], int64[::1], int64)", inner=True)
def may_touch(
    a, b,  # geoms
    body, active, group, group_collides, excluded, bodies,  # as in `find_pairs`
):  # fmt: skip
    """Whether two geoms are of bodies that collide at all."""
    first, second = min(body[a], body[b]), max(body[a], body[b])
    if first == second or active[first] == 0 or active[second] == 0 or active[first] + active[second] < 3:
        return False
    if group_collides[group[a], group[b]] == 0:
        return False
    key = first * bodies + second
    low, high = 0, excluded.shape[0]
    while low < high:
        middle = (low + high) // 2
        if excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low == excluded.shape[0] or excluded[low] != key


@kernel(
    "int64(int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], int64[::1], int64, int64[::1],"
    "uint8[::1], int64[::1], uint8[:, ::1], int64[::1], int64, int64[::1])"
)
def find_pairs(
    # state in
    kind, box, centre, radius, band,  # (g,); (g, 6), (g, 3), (g,), (g,) m
    order,  # bounded geoms by lower corner along the axis
    axis,
    # model
    body, active, group, group_collides, excluded, bodies,  # active (n,): 0 parked, 1 fixed, 2 moves
    # out
    keys_out,  # (capacity,) a g + b with a < b
):  # fmt: skip
    """Pairs whose boxes and balls overlap, by sweeping one axis; see `Geoms` for who may touch.

    Writes:  keys_out
    Returns: the number of pairs, also where it is above the capacity
    """
    count, geoms = 0, box.shape[0]
    across, along = (axis + 1) % 3, (axis + 2) % 3
    for place in range(order.shape[0]):
        i = order[place]
        bi = box[i]
        end, y0, y1, z0, z1 = bi[3 + axis], bi[across], bi[3 + across], bi[along], bi[3 + along]
        for j in order[place + 1 :]:
            bj = box[j]
            if bj[axis] > end:
                break
            if bj[across] > y1 or bj[3 + across] < y0 or bj[along] > z1 or bj[3 + along] < z0:
                continue
            x, y, z = centre[i, 0] - centre[j, 0], centre[i, 1] - centre[j, 1], centre[i, 2] - centre[j, 2]
            far = x * x + y * y + z * z > (radius[i] + radius[j] + band[i] + band[j]) ** 2
            if far and kind[i] != HEIGHTFIELD and kind[j] != HEIGHTFIELD:
                continue
            if may_touch(i, j, body, active, group, group_collides, excluded, bodies):
                if count < keys_out.shape[0]:
                    keys_out[count] = min(i, j) * geoms + max(i, j)
                count += 1
    return count


@kernel(
    "int64(int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[::1], float64[:, ::1],"
    "int64[::1], uint8[::1], int64[::1], uint8[:, ::1], int64[::1], int64, int64, int64[::1])"
)
def find_plane_pairs(
    planes, order,  # geoms that are planes, and all others
    centre, frame, band, kind, size,  # (g, 3), (g, 9), (g,), (g,), (g, 3)
    body, active, group, group_collides, excluded, bodies,  # as in `find_pairs`
    found,  # pairs already in keys_out
    keys_out,
):  # fmt: skip
    """Pairs of a plane and a geom whose bounding box reaches below it; adds to `keys_out` as `find_pairs`.

    Writes:  keys_out
    Returns: the number of all pairs
    """
    count, geoms = found, centre.shape[0]
    for plane in planes:
        f, c = frame[plane], centre[plane]
        nx, ny, nz = f[2], f[5], f[8]
        offset = nx * c[0] + ny * c[1] + nz * c[2]
        for g in order:
            p, t = centre[g], frame[g]
            height = nx * p[0] + ny * p[1] + nz * p[2] - offset - band[g] - band[plane]
            if height > size[g, 0] + size[g, 1] + size[g, 2]:
                continue
            x = nx * t[0] + ny * t[3] + nz * t[6]
            y = nx * t[1] + ny * t[4] + nz * t[7]
            z = nx * t[2] + ny * t[5] + nz * t[8]
            if height < extent(kind[g], size[g], x, y, z) and may_touch(
                plane, g, body, active, group, group_collides, excluded, bodies
            ):
                if count < keys_out.shape[0]:
                    keys_out[count] = min(plane, g) * geoms + max(plane, g)
                count += 1
    return count


@kernel("void(int64[::1], int64[::1], int64[:, ::1], int64[:, ::1])")
def split_pairs(
    keys,  # (pairs,) sorted
    kind,  # (g,)
    route_of,  # (kinds, kinds)
    pairs_out,  # (pairs, 3) geom A, geom B, route
):
    """Geoms of each pair, and which routine collides them.

    Writes:  pairs_out
    """
    geoms = kind.shape[0]
    for p in range(keys.shape[0]):
        a = keys[p] // geoms
        b = keys[p] - a * geoms
        pairs_out[p, 0] = a
        pairs_out[p, 1] = b
        pairs_out[p, 2] = route_of[kind[a], kind[b]]
