"""Faces of polytopes: the one that separates best, and what of another face lies over it."""

from __future__ import annotations

import numpy as np

from taut.collide.choice_kernels import keep_four
from taut.collide.contacts import NORMAL_OF_A, NORMAL_OF_B
from taut.collide.point_kernels import put
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector

LANES = 64
"""Faces, or edges, of one polytope that are tested together: with the outcome on the stack, loops over columns become
vector instructions."""


@kernel(
    "Tuple((int64, float64))(float64[:, ::1], float64[::1], float64[::1], float64[:, ::1], float64[::1], float64,"
    "float64[::1])",
    inner=True,
)
def best_face(
    planes, centre, frame,  # (f, 4), (3,), (9,) of a polytope
    corners,  # (v, 3) of the other body, world, m
    way,  # (3,) direction toward the other body
    least,  # faces are looked at whose normal has at least this cosine to the direction
    local,  # scratch (3,)
):  # fmt: skip
    """The face of a polytope from which another body is farthest.

    Writes:  local
    Returns: the face, or -1, and the gap, m
    """
    for k in range(3):
        local[k] = frame[k] * way[0] + frame[3 + k] * way[1] + frame[6 + k] * way[2]
    x, y, z, looking = local[0], local[1], local[2], vector(LANES)
    best, record, lowest = -1, -1e300, 0
    for start in range(0, planes.shape[0], LANES):
        count = 0
        for face in range(start, min(start + LANES, planes.shape[0])):
            looking[count] = face
            count += planes[face, 0] * x + planes[face, 1] * y + planes[face, 2] * z >= least  # no branch to mispredict
        for i in range(count):
            face = int(looking[i])
            plane = planes[face]
            nx, ny, nz = times(frame, plane[:3])
            offset = plane[3] + nx * centre[0] + ny * centre[1] + nz * centre[2]
            gap = nx * corners[lowest, 0] + ny * corners[lowest, 1] + nz * corners[lowest, 2]
            if gap - offset <= record:
                continue  # the corner that was lowest below another face is too low below this one
            for j in range(corners.shape[0]):
                c = corners[j]
                height = nx * c[0] + ny * c[1] + nz * c[2]
                if height < gap:
                    gap, lowest = height, j
            gap -= offset
            if gap > record:
                best, record = face, gap
    return best, record


@kernel(
    "int64(float64[:, ::1], int64[::1], int64[::1], float64[::1], float64[:, ::1], float64, float64, float64)",
    inner=True,
)
def facing_face(
    planes, loop_start, loops, frame, corners,  # (f, 4), (f + 1,), all loops, (9,), (v, 3) world
    x, y, z,  # direction
):  # fmt: skip
    """Of the faces at the corner that is farthest along a direction, the one that looks there most."""
    tip, record = 0, -1e300
    for i in range(corners.shape[0]):
        value = corners[i, 0] * x + corners[i, 1] * y + corners[i, 2] * z
        if value > record:
            tip, record = i, value
    lx, ly, lz = frame[0] * x + frame[3] * y + frame[6] * z, frame[1] * x + frame[4] * y + frame[7] * z, 0.0
    lz = frame[2] * x + frame[5] * y + frame[8] * z
    best, record = 0, -1e300
    for face in range(planes.shape[0]):
        cosine = planes[face, 0] * lx + planes[face, 1] * ly + planes[face, 2] * lz
        if cosine > record:
            for corner in loops[loop_start[face] : loop_start[face + 1]]:
                if corner == tip:
                    best, record = face, cosine
    return best


@kernel("int64(float64[:, ::1], int64, float64, float64, float64, float64, float64[:, ::1])", inner=True)
def clip_edge(
    polygon, count,  # (.., 3)
    px, py, qx, qy,  # an edge of the reference face; what lies to its left is kept
    clipped_out,
):  # fmt: skip
    """Cut a convex polygon by an edge of a face.

    Writes:  clipped_out
    Returns: the number of corners left
    """
    kept = 0
    for i in range(count):
        p, q = polygon[i], polygon[(i + 1) % count]
        inside = (qx - px) * (p[1] - py) - (qy - py) * (p[0] - px)
        after = (qx - px) * (q[1] - py) - (qy - py) * (q[0] - px)
        if inside >= 0.0:
            for k in range(3):
                clipped_out[kept, k] = p[k]
            kept += 1
        if (inside < 0.0 and after > 0.0) or (inside > 0.0 and after < 0.0):
            share = inside / (inside - after)
            for k in range(3):
                clipped_out[kept, k] = p[k] + share * (q[k] - p[k])
            kept += 1
    return kept


@kernel("void(float64[::1], float64[::1], float64[::1], float64[:, ::1])", inner=True)
def face_axes(
    normal,  # (3,) unit
    first, second,  # (3,) two corners of the face
    axes_out,  # (4, 3) two unit vectors along the face, its normal, its first corner
):  # fmt: skip
    """Axes of a face: along its first edge, across, outward.

    Writes:  axes_out
    """
    length = np.sqrt((second[0] - first[0]) ** 2 + (second[1] - first[1]) ** 2 + (second[2] - first[2]) ** 2)
    for k in range(3):
        axes_out[0, k] = (second[k] - first[k]) / length
        axes_out[2, k] = normal[k]
        axes_out[3, k] = first[k]
    t, n = axes_out[0], axes_out[2]
    axes_out[1, 0] = n[1] * t[2] - n[2] * t[1]
    axes_out[1, 1] = n[2] * t[0] - n[0] * t[2]
    axes_out[1, 2] = n[0] * t[1] - n[1] * t[0]


@kernel("void(float64[:, ::1], float64[::1], float64[::1])", inner=True)
def into_face(
    axes,  # (4, 3) as of `face_axes`
    point,  # (3,) world, m
    place_out,  # (3,) along, across, above, m
):
    """A point in the axes of a face.

    Writes:  place_out
    """
    x, y, z = point[0] - axes[3, 0], point[1] - axes[3, 1], point[2] - axes[3, 2]
    for k in range(3):
        place_out[k] = axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z


@kernel(
    "int64(float64[:, ::1], int64[::1], float64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1])",
    inner=True,
)
def clip_loop(
    corners, loop,  # (v, 3), (c,) of the reference face
    other_corners, other_loop,  # of the facing face
    axes,  # (4, 3) of the reference face
    outline,  # scratch (>= c + 1, 3)
    polygon_out, spare,  # (>= both loops, 3)
):  # fmt: skip
    """The facing face cut by the edges of the reference face; its corners in the axes of the reference face.

    Writes:  outline, polygon_out, spare
    Returns: the number of corners
    """
    count = other_loop.shape[0]
    for i in range(count):
        into_face(axes, other_corners[other_loop[i]], polygon_out[i])
    sides = loop.shape[0]
    for i in range(sides):
        into_face(axes, corners[loop[i]], outline[i])
    for i in range(sides):
        p, q = outline[i], outline[(i + 1) % sides]
        kept = clip_edge(polygon_out, count, p[0], p[1], q[0], q[1], spare)
        count = kept
        for j in range(kept):
            for k in range(3):
                polygon_out[j, k] = spare[j, k]
    return count


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[:, ::1], float64[:, ::1], int64, boolean, float64,"
    "float64, int64[::1])",
    inner=True,
)
def put_over_face(
    points_out, marks_out, count, pair,
    axes,  # (4, 3) of the reference face
    polygon, corners,  # (.., 3) places over the face, how many
    first,  # whether the reference face is A's
    limit, size,  # m; `size` as in `keep_four`
    chosen,  # scratch (4,)
):  # fmt: skip
    """Contacts at places over a face: at most four that are nearer than the limit.

    Writes:  points_out, marks_out, chosen; polygon is compacted
    Returns: the number of points
    """
    near = 0
    for i in range(corners):
        if polygon[i, 2] < limit:
            for k in range(3):
                polygon[near, k] = polygon[i, k]
            near += 1
    nx, ny, nz = axes[2, 0], axes[2, 1], axes[2, 2]
    for i in range(keep_four(polygon, near, size, chosen)):
        u, v, w = polygon[chosen[i], 0], polygon[chosen[i], 1], polygon[chosen[i], 2]
        x = axes[3, 0] + u * axes[0, 0] + v * axes[1, 0]
        y = axes[3, 1] + u * axes[0, 1] + v * axes[1, 1]
        z = axes[3, 2] + u * axes[0, 2] + v * axes[1, 2]
        ox, oy, oz = x + w * nx, y + w * ny, z + w * nz
        if first:
            count = put(points_out, marks_out, count, pair, NORMAL_OF_A, nx, ny, nz, x, y, z, ox, oy, oz, 0.0, 0.0)
        else:
            count = put(points_out, marks_out, count, pair, NORMAL_OF_B, -nx, -ny, -nz, ox, oy, oz, x, y, z, 0.0, 0.0)
    return count
